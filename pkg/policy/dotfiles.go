package policy

import (
	"slices"
	"strings"

	"oneshot/pkg/fileroot"
	"oneshot/pkg/tool"
)

// WritableDotFileNames returns the names with a leading dot that tools may write. In each layer a rule that asks about or allows a
// write must spell the name out, as .obsidian in ".obsidian/**/*.md". Wildcards do not match a leading dot here, so
// "**" opens none.
func (p *Policy) WritableDotFileNames() []string {
	var out []string // nil before the first layer
	if p.countUserLayers() == 0 {
		return nil
	}
	for _, l := range p.Layers {
		out = intersect(out, l.dotted)
	}
	return out
}

// collectDotFileNames adds the names that a tool's rules spell out.
func (l *Layer) collectDotFileNames(def *tool.Definition, rules *toolRules) {
	if def == nil || def.Effect != tool.Write {
		return
	}
	for _, r := range slices.Concat(rules.ask, rules.allow) {
		for _, a := range r.args {
			if def.HasFormat(a.name, "path") {
				l.dotted = append(l.dotted, a.dotFileNames()...)
			}
		}
	}
}

// dotFileNames returns the literal path segments with a leading dot, case-folded.
func (c *constraint) dotFileNames() []string {
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
