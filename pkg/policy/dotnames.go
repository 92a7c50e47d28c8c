package policy

import (
	"slices"
	"strings"

	"oneshot/pkg/fileroot"
	"oneshot/pkg/tool"
)

// DotNames returns the names with a leading dot that the layers let tools write: each layer has a rule that
// asks about or allows a write and names them literally, as .obsidian in ".obsidian/**/*.md". No wildcard
// matches a name with a leading dot here, so that "**" opens none.
func (p *Policy) DotNames() []string {
	var out []string // nil: no layer yet
	if p.countOwnLayers() == 0 {
		return nil
	}
	for _, l := range p.Layers {
		out = intersect(out, l.dotted)
	}
	return out
}

// dotNames adds the names that a tool's rules spell out.
func (l *Layer) dotNames(def *tool.Definition, rules *toolRules) {
	if def == nil || def.Effect != tool.Write {
		return
	}
	for _, r := range slices.Concat(rules.ask, rules.allow) {
		for _, a := range r.args {
			if formatIs(def, a.name, "path") {
				l.dotted = append(l.dotted, a.dotNames()...)
			}
		}
	}
}

// dotNames returns the literal components with a leading dot, folded.
func (c *constraint) dotNames() []string {
	parts := slices.Concat(c.globs...)
	for _, one := range c.in {
		parts = append(parts, strings.Split(strings.TrimPrefix(one, canonicalText("")), "/")...)
	}
	var names []string
	for _, part := range parts {
		if strings.HasPrefix(part, ".") && !strings.ContainsAny(part, `*?[\`) {
			names = append(names, fileroot.Fold(part))
		}
	}
	return names
}
