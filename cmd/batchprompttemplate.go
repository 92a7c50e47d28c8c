package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"oneshot/pkg/agentfile"
	"oneshot/pkg/batch"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
)

// originRecord is the origin of input from a field of a record.
const originRecord = "record"

// inputField is the field that is the input of a run.
const inputField = "input"

// batchTexts are the texts that all runs of a batch share. Values of fields are data: like files of --var-file they become
// blocks of the input, and placeholders name the blocks.
type batchTexts struct {
	promptTexts
	fields   []batchField // that the texts name, in their order
	literals []string     // the rest of the text after each "${" that begins no placeholder
}

// A batchField is a placeholder that a field of each record fills.
type batchField struct {
	name     string
	fallback *string             // the value for a record without the field; nil: it is required
	declared *agentfile.Variable // by an agent, or nil
}

// loadBatchTexts reads the texts of a batch.
func (f *resolvedFlags) loadBatchTexts(ctx context.Context, env Env, t *console, args []string) (*batchTexts, error) {
	o, all := &f.prompt, &batchTexts{}
	vars, err := o.variables.read()
	if err != nil {
		return nil, err
	}
	if err := vars.checkAgainstDeclarations(o.template); err != nil {
		return nil, err
	}
	names := append(o.files(nil, vars), args...)
	if i := slices.IndexFunc(names, isStdin); i >= 0 && slices.ContainsFunc(names[i+1:], isStdin) {
		return nil, usagef("", "stdin can be named only once")
	}
	if err := o.input.check(vars.files); err != nil {
		return nil, err
	}
	texts := &all.promptTexts
	texts.answerDescription = o.answerDescription
	if err := readText(ctx, env, "--system", o.system, &texts.system); err != nil {
		return nil, err
	}
	if texts.prompt = f.batch.prompt; texts.prompt == "" {
		if err := readText(ctx, env, "--prompt-file", o.file, &texts.prompt); err != nil {
			return nil, err
		}
	}
	if err := o.template.read(ctx, env); err != nil {
		return nil, err
	}
	shown := []string{texts.system, texts.answerDescription, texts.prompt}
	switch {
	case f.batch.prompt != "" || o.file != "":
		if o.template.usesPrompt() {
			shown = append(shown, o.template.text)
		}
	case o.template.usesPrompt():
		return nil, usagef("add --prompt TEXT", "missing prompt: the agent %s takes one", o.template.agent)
	default:
		texts.prompt = o.template.text
		shown = append(shown, texts.prompt)
	}
	if strings.TrimSpace(texts.prompt) == "" {
		return nil, o.emptyPrompt(o.file, f.batch.prompt != "", "for example --prompt 'Translate ${text} into Latin'")
	}
	for _, text := range shown {
		all.literals = append(all.literals, textsAfterLiteralDollar(text)...)
		all.fields = append(all.fields, vars.addFields(text, o.template)...)
	}
	if err := vars.expandPrompts(texts, o.template); err != nil {
		return nil, err
	}
	texts.input, texts.sources, err = o.input.read(ctx, env, t, vars.files)
	return all, err
}

// addFields makes each placeholder of a text without a given value name a block of the input, and returns the new ones. A
// field takes precedence over the default of an agent.
func (v *variables) addFields(text string, template *promptTemplate) (fields []batchField) {
	for _, name := range agentfile.Placeholders(text) {
		value, isSet := v.values[name]
		i := slices.Index(v.defaulted, name)
		if name == agentfile.PromptVariable && template.usesPrompt() || isSet && i < 0 {
			continue
		}
		field := batchField{name: name}
		if d, ok := v.declared[name]; ok {
			field.declared = &d
		}
		if isSet {
			field.fallback = &value
			v.defaulted = slices.Delete(slices.Clone(v.defaulted), i, i+1)
		}
		v.values[name] = blockReference(name)
		fields = append(fields, field)
	}
	return fields
}

// blockReference names a block of the input in a prompt.
func blockReference(name string) string { return "[" + name + "] of the input" }

// of returns the texts of the run for a record. The error names a missing field.
func (x *batchTexts) of(r batch.Record) (promptTexts, error) {
	texts := x.promptTexts
	texts.sources = slices.Clip(texts.sources)
	var blocks []string
	if texts.input != "" {
		blocks = append(blocks, texts.input)
	}
	add := func(name, value string) {
		texts.sources = append(texts.sources, runfile.InputSource{Name: name, Origin: originRecord, Bytes: len(value)})
		blocks = append(blocks, "["+name+"]\n"+value)
	}
	for _, field := range x.fields {
		value, ok := r.Field(field.name)
		switch {
		case !ok && field.fallback == nil:
			return texts, missingField(r, field.name)
		case !ok:
			value = *field.fallback
		case field.declared != nil:
			if err := field.declared.Check(value); err != nil {
				return texts, &batch.RecordError{Line: r.Line, Why: err.Error()}
			}
		}
		add(field.name, value)
	}
	if value, ok := r.Field(inputField); ok && !x.uses(inputField) {
		add(inputField, value)
	} else if len(x.fields) == 0 {
		return texts, &batch.RecordError{Line: r.Line, Why: fmt.Sprintf("the record has no field %q, and the prompt uses no other field", inputField)}
	}
	texts.input = strings.Join(blocks, "\n\n")
	return texts, nil
}

// missingField returns the error for a record without a field that the texts name.
func missingField(r batch.Record, name string) error {
	why := fmt.Sprintf("the record has no field %q, which the prompt uses", name)
	names := make([]string, len(r.Fields))
	for i, f := range r.Fields {
		names[i] = f.Name
	}
	if hint := schema.DidYouMean(name, names); hint != "" {
		why += "; " + hint
	}
	return &batch.RecordError{Line: r.Line, Why: why}
}

// textsAfterLiteralDollar returns the rest of a text after each "${" that begins no placeholder, except for an escaped $${.
func textsAfterLiteralDollar(text string) (all []string) {
	for i := range len(text) {
		if rest, ok := strings.CutPrefix(text[i:], "${"); ok && (i == 0 || text[i-1] != '$') {
			if _, _, isPlaceholder := agentfile.CutPlaceholder(rest); !isPlaceholder {
				all = append(all, rest)
			}
		}
	}
	return all
}

// checkLiteralPlaceholders refuses ${FIELD} if the name of the field cannot be a placeholder, and references to parts of a field such as
// ${a.b}: the model would receive them as they are.
func (x *batchTexts) checkLiteralPlaceholders(r batch.Record) error {
	for _, rest := range x.literals {
		for _, f := range r.Fields {
			end, ok := strings.CutPrefix(rest, f.Name)
			if ok && end != "" && strings.ContainsRune("}.[", rune(end[0])) {
				return usagef("write $${ for a literal ${; a placeholder names a whole field by letters, digits, _ and -, and no digit first",
					"${%s%c… names no field that a prompt can use", f.Name, end[0])
			}
		}
	}
	return nil
}

// uses reports whether the texts name a field.
func (x *batchTexts) uses(name string) bool {
	return slices.ContainsFunc(x.fields, func(f batchField) bool { return f.name == name })
}
