package cmd

import (
	"slices"
	"strings"

	"oneshot/pkg/tool"
)

// usableTools returns the tools that can work with these flags. An unusable tool that a flag names is a usage error; one from
// a pattern or file is omitted with a warning. Resumed and replayed runs keep their recorded tools.
func (p *sharedPlan) usableTools(tools *tool.Registry) (*tool.Registry, error) {
	if tools == nil {
		return nil, nil
	}
	if run := p.recorded.tools; run != nil { // the recorded tools
		return filterTools(tools, func(d *tool.Definition) bool { _, has := run.Digests.Tools[d.Name]; return has }), nil
	}
	var named error
	var left []omittedTools
	usable := filterTools(tools, func(d *tool.Definition) bool {
		why, hint := p.missingRequirements(d)
		if why == "" {
			return true
		}
		if named == nil && (slices.Contains(p.flags.tools.globs, d.Name) || slices.Contains(p.flags.require, d.Name) || len(tools.All()) == 1) {
			named = unusableToolError(d, why, hint)
		}
		i := slices.IndexFunc(left, func(l omittedTools) bool { return l.why == why && l.hint == hint })
		if i < 0 {
			i, left = len(left), append(left, omittedTools{why: why, hint: hint})
		}
		left[i].names = append(left[i].names, d.Name)
		return false
	})
	switch {
	case named != nil:
		return nil, named
	case usable == nil:
		return nil, usagef("name one with --tool to see what it needs", "none of the tools is usable")
	case !p.console.quiet:
		for _, l := range left {
			l.warn(p.console)
		}
	}
	return usable, nil
}

// An omittedTools is a group of omitted tools with the same reason.
type omittedTools struct {
	why, hint string
	names     []string
}

func (l omittedTools) warn(t *console) {
	if len(l.names) == 1 {
		t.warn(l.hint, "tool %s omitted: %s", l.names[0], l.why)
		return
	}
	t.warn(l.hint, "tools %s omitted: %s", strings.Join(l.names, ", "), l.why)
}

// missingRequirements returns why no call of a tool can succeed and a hint, or "".
func (p *sharedPlan) missingRequirements(d *tool.Definition) (why, hint string) {
	if why, hint := p.policy.BlockedReason(d); why != "" {
		return why, hint
	}
	if p.flags.isReplay() {
		return "", ""
	}
	return p.flags.confine.missingRootReason(d)
}

// missingRootReason returns why a tool cannot work without --root and a hint, or "".
func (o *confineOptions) missingRootReason(d *tool.Definition) (why, hint string) {
	if o.root == "" && d.NeedsRoot() {
		return "it needs --root", "set --root DIR"
	}
	return "", ""
}

// unusableToolError is the error for an unusable tool.
func unusableToolError(d *tool.Definition, why, hint string) error {
	return usagef(hint, "tool %s is unusable: %s", d.Name, why)
}

// filterTools returns a registry of the definitions for which has is true, nil for none.
func filterTools(tools *tool.Registry, has func(*tool.Definition) bool) *tool.Registry {
	all := tools.All()
	chosen := slices.DeleteFunc(slices.Clone(all), func(d *tool.Definition) bool { return !has(d) })
	switch len(chosen) {
	case 0:
		return nil
	case len(all):
		return tools
	}
	some, _ := tool.NewRegistry(chosen...) // they were valid together
	return some
}
