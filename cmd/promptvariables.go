package cmd

import (
	"maps"
	"slices"
	"strings"

	"oneshot/pkg/agentfile"
)

// variableOptions are the variables of the prompt, the system prompt and the description of the answer.
type variableOptions struct {
	values, files []string // K=V, K=FILE
}

// A variable is a name and its value.
type variable struct{ key, value string }

// variables replace placeholders ${K} of a prompt by a value, or by the name of an input block.
type variables struct {
	values map[string]string
	files  []variable // in the order of the command line
	used   map[string]bool

	declared  map[string]agentfile.Variable // of an agent
	defaulted []string                      // with the default of the agent
}

// read returns the variables. The last value of a name wins.
func (o *variableOptions) read() (*variables, error) {
	all := &variables{values: map[string]string{}, used: map[string]bool{}, declared: map[string]agentfile.Variable{}}
	values, err := parseVariables("--var", "K=V", "name=Ada", o.values)
	if err != nil {
		return nil, err
	}
	for _, v := range values {
		all.values[v.key] = v.value
	}
	all.files, err = parseVariables("--var-file", "K=FILE", "ticket=42.txt", o.files)
	for _, f := range all.files {
		if _, taken := all.values[f.key]; taken {
			return nil, usagef("", "--var-file: ${%s} is given twice", f.key)
		}
		all.values[f.key] = "[" + f.key + "] of the input"
	}
	return all, err
}

// parseVariables splits the values of a flag, whose form is K=V or K=FILE.
func parseVariables(flag, form, example string, values []string) (all []variable, err error) {
	for _, v := range values {
		key, value, ok := strings.Cut(v, "=")
		if name, _, isName := agentfile.CutPlaceholder(key + "}"); !ok || !isName || name != key {
			return nil, usagef("for example "+flag+" "+example, "%s: %q is not %s", flag, v, form)
		}
		all = append(all, variable{key, value})
	}
	return all, nil
}

// expandPrompts expands the prompt and the system prompt, and puts the prompt into the template of an agent that takes it in.
// An unused variable is an error: it is probably misspelt.
func (v *variables) expandPrompts(texts *promptTexts, template *promptTemplate) (err error) {
	if err := v.expandInstructions(texts); err != nil {
		return err
	}
	if texts.prompt, err = v.expand("the prompt", texts.prompt); err != nil {
		return err
	}
	if template.usesPrompt() {
		if _, taken := v.values[agentfile.PromptVariable]; taken {
			return usagef("give it as the argument", "--var prompt: ${prompt} is the prompt of the command line")
		}
		v.values[agentfile.PromptVariable] = texts.prompt
		if texts.prompt, err = v.expand("the prompt of the agent "+template.agent, template.text); err != nil {
			return err
		}
	}
	isExcused := map[string]bool{}
	for _, key := range v.defaulted {
		isExcused[key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(v.values)) {
		if !v.used[key] && !isExcused[key] {
			flag := "--var"
			if slices.ContainsFunc(v.files, func(f variable) bool { return f.key == key }) {
				flag = "--var-file"
			}
			return usagef("write ${"+key+"} in the prompt (in single quotes on a command line), or omit "+flag, "%s: no text of the prompt uses ${%s}", flag, key)
		}
	}
	return nil
}

// expandInstructions expands the texts that are not the prompt. They take no data.
func (v *variables) expandInstructions(texts *promptTexts) (err error) {
	for _, text := range []struct {
		name string
		text *string
	}{{"the system prompt", &texts.system}, {"the description of the answer", &texts.answerDescription}} {
		if *text.text, err = v.expand(text.name, *text.text); err != nil {
			return err
		}
		for _, f := range v.files {
			if v.used[f.key] {
				return usagef("use it in the prompt", "--var-file: ${%s} is in %s, which takes no data", f.key, text.name)
			}
		}
	}
	return nil
}

// expand replaces each placeholder ${K} of a text, and $${ by ${. Values are not expanded again. Where names the text in
// errors.
func (v *variables) expand(where, text string) (string, error) {
	var b strings.Builder
	for {
		at := strings.Index(text, "${")
		if at < 0 {
			return b.String() + text, nil
		}
		name, rest, isPlaceholder := agentfile.CutPlaceholder(text[at+len("${"):])
		value, isSet := v.values[name]
		switch {
		case at > 0 && text[at-1] == '$':
			b.WriteString(text[:at-1] + "${")
			rest = text[at+len("${"):]
		case !isPlaceholder:
			rest = text[at+len("${"):]
			b.WriteString(text[:at] + "${")
		case !isSet:
			return "", v.missing(where, name)
		default:
			v.used[name] = true
			b.WriteString(text[:at] + value)
		}
		text = rest
	}
}
