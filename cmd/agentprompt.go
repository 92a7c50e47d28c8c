package cmd

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"oneshot/pkg/agentfile"
	"oneshot/pkg/schema"
)

// A promptTemplate is the prompt of an agent, and its variables.
type promptTemplate struct {
	agent     string // its name
	text      string // "" for none
	file      string // with the text, or ""
	variables []agentfile.Variable
	defaulted []string // variables that have their default value
}

// has reports whether the agent has a prompt.
func (p *promptTemplate) has() bool { return p != nil && (p.text != "" || p.file != "") }

// read reads the text of the template.
func (p *promptTemplate) read(ctx context.Context, env Env) error {
	if p == nil {
		return nil
	}
	return readText(ctx, env, p.fileFlag(), p.file, &p.text)
}

// fileFlag returns the name of the file of the template in messages.
func (p *promptTemplate) fileFlag() string { return "prompt_file of the agent " + p.agent }

// usesPrompt reports whether the template has a placeholder for the prompt of the command line.
func (p *promptTemplate) usesPrompt() bool {
	return p != nil && slices.Contains(agentfile.Placeholders(p.text), agentfile.PromptVariable)
}

// checkAgainstDeclarations checks the values of variables against the declarations of an agent.
func (v *variables) checkAgainstDeclarations(p *promptTemplate) error {
	if p == nil || len(p.variables) == 0 {
		return nil
	}
	names := make([]string, len(p.variables))
	for i, d := range p.variables {
		names[i], v.declared[d.Name] = d.Name, d
	}
	for key, value := range v.values {
		d, ok := v.declared[key]
		if !ok {
			return usagef(cmp.Or(schema.DidYouMean(key, names), "its variables are "+strings.Join(names, ", ")), "--var %s: the agent %s has no variable of this name", key, p.agent)
		}
		isFile := slices.ContainsFunc(v.files, func(f variable) bool { return f.key == key })
		switch err := d.Check(value); {
		case isFile && d.Type != "string", isFile && d.Enum != nil:
			return usagef("use --var "+key+"=…", "--var-file %s: the variable does not take free text", key)
		case !isFile && err != nil && !slices.Contains(p.defaulted, key):
			return usagef(d.Description, "--var %w", err)
		}
	}
	v.defaulted = p.defaulted
	return nil
}

// missing returns the error for a placeholder without a value.
func (v *variables) missing(where, name string) error {
	d, ok := v.declared[name]
	switch {
	case !ok:
		return usagef("set it with --var "+name+"=…, or write $${"+name+"} for a literal ${"+name+"}", "${%s} in %s has no value", name, where)
	case d.Description == "":
		return usagef("set it with --var "+name+"=…", "missing variable %s of %s", name, where)
	}
	return usagef("set it with --var "+name+"=…", "missing variable %s of %s: %s", name, where, d.Description)
}
