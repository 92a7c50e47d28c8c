package cmd

import (
	"path"
	"slices"
	"unicode/utf8"

	"oneshot/pkg/tool"
)

// check refuses invalid flags, and text for the model that is not UTF-8: requests and records cannot hold it.
func (o *resolvedFlags) check(args []string, isResumed bool) error {
	if err := o.policy.check(); err != nil {
		return err
	}
	if err := o.approve.check(); err != nil {
		return err
	}
	if len(o.approve.calls) > 0 && !isResumed {
		return usagef("copy the command from the error of the run: oneshot run --resume RUN --approve-call …", "--approve-call needs --resume")
	}
	if o.dryRun && o.isGiven("output") && o.output != "json" {
		return usagef("omit --output", "--dry-run cannot be combined with --output %s: it prints a request", o.output)
	}
	if err := o.checkStream(); err != nil {
		return err
	}
	if err := checkLockName(o.lock); err != nil {
		return err
	}
	if err := o.checkLimits(); err != nil {
		return err
	}
	if len(args) > 0 && !utf8.ValidString(args[0]) {
		return usagef("", "%s", notUTF8("the prompt"))
	}
	for _, name := range []string{"answer-description", "prompt", "var", "answer", "param", "effort"} {
		if f := o.set.Lookup(name); f != nil && !utf8.ValidString(f.Value.String()) {
			return usagef("", "%s", notUTF8("--"+name))
		}
	}
	return nil
}

// checkLimits refuses limits that no run can keep.
func (o *resolvedFlags) checkLimits() error {
	l := &o.limits
	for _, limit := range []struct {
		flag         string
		value, least int
	}{{"max-turns", l.Turns, 1}, {"max-calls", l.Calls, 1}, {"max-identical-calls", l.Repeats, 1}, {"max-repairs", l.Repairs, 0}, {"max-total-tokens", l.Tokens, 0}} {
		if limit.value < limit.least {
			return usagef("", "%s must be at least %d, got %d", o.nameWithSource(limit.flag), limit.least, limit.value)
		}
	}
	if l.Wall <= 0 {
		return usagef("", "%s must be greater than 0, got %v", o.nameWithSource("timeout"), l.Wall)
	}
	return nil
}

// nameWithSource returns the name of a flag for messages, with its source unless that is the command line.
func (o *resolvedFlags) nameWithSource(flag string) string {
	if s := o.sources[flag]; s.kind != fromLine {
		return "--" + flag + " (" + s.name + ")"
	}
	return "--" + flag
}

// checkMatches refuses a glob of --allow, --ask or --deny that matches no selected tool: a misspelt one would silently have
// no effect.
func (o *policyOptions) checkMatches(tools *tool.Registry) error {
	for _, flag := range []struct {
		name  string
		globs []string
	}{{"--allow", o.allow}, {"--ask", o.ask}, {"--deny", o.deny}} {
		for _, g := range flag.globs {
			matched := tools != nil && slices.ContainsFunc(tools.All(), func(d *tool.Definition) bool {
				ok, err := path.Match(g, d.Name)
				return ok && err == nil
			})
			if !matched {
				return usagef(suggestTool(g, tools), "%s: no selected tool matches %q", flag.name, g)
			}
		}
	}
	return nil
}

// checkNames refuses names of tools that the run does not have.
func (o *resolvedFlags) checkNames(tools *tool.Registry) error {
	if err := o.policy.checkMatches(tools); err != nil {
		return err
	}
	for _, name := range o.require {
		switch {
		case tool.LookupEndingTool(name) != nil || name == tool.AskUser.Name:
			return usagef("omit it", "--require-tool: %s cannot be required", name)
		case tools == nil || !tools.Has(name):
			return usagef(suggestTool(name, tools), "--require-tool: tool %q is not selected", name)
		}
	}
	return nil
}

// suggestTool returns a hint for a name that no selected tool has.
func suggestTool(name string, tools *tool.Registry) string {
	if tools == nil {
		return "select tools with --tools or --tool first"
	}
	if near := tools.Suggest(name); near != "" && near != name {
		return "did you mean " + near + "?"
	}
	return "select tools with --tool or --tools; " + showsTools
}
