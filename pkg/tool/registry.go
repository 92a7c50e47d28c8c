package tool

import (
	"fmt"
	"maps"
	"slices"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
)

// A Registry holds the tools that a run may use. It always contains the [EndingTools] and [AskUser]. It is safe for
// concurrent reads while nothing is registered.
type Registry struct {
	defs   []*Definition // in the order of registration, without the endings
	byName map[string]*Definition
}

// NewRegistry returns a registry of definitions. A duplicate name is a finding; the first definition wins.
func NewRegistry(defs ...*Definition) (*Registry, []diag.Finding) {
	r := &Registry{byName: map[string]*Definition{}}
	for _, d := range EndingTools {
		r.byName[d.Name] = d
	}
	r.byName[AskUser.Name] = AskUser
	var findings []diag.Finding
	for _, d := range defs {
		findings = append(findings, r.Register(d)...)
	}
	return r, findings
}

// Register adds a definition. A duplicate name is a finding.
func (r *Registry) Register(d *Definition) []diag.Finding {
	if first, taken := r.byName[d.Name]; taken {
		f := diag.New(diag.DefName, d.nameSpan, "the tool %s is defined twice, first %s", d.Name, first.definedIn())
		f.File = d.File
		return []diag.Finding{f}
	}
	r.defs = append(r.defs, d)
	r.byName[d.Name] = d
	return nil
}

func (d *Definition) definedIn() string {
	switch {
	case d.isInEveryRegistry():
		return "in oneshot itself"
	case d.File == "":
		return "without a file"
	}
	return fmt.Sprintf("in %s:%d", d.File, max(d.Line, 1))
}

// isInEveryRegistry reports whether the definition is one of the [EndingTools] or [AskUser].
func (d *Definition) isInEveryRegistry() bool { return LookupEndingTool(d.Name) == d || d == AskUser }

// Get returns the definition of that name.
func (r *Registry) Get(name string) (*Definition, bool) {
	d, ok := r.byName[name]
	return d, ok
}

// Has reports whether there is a tool of that name.
func (r *Registry) Has(name string) bool {
	_, ok := r.byName[name]
	return ok
}

// All returns the definitions in the order of registration, without the [EndingTools].
func (r *Registry) All() []*Definition { return slices.Clone(r.defs) }

// Names returns the names of all tools, including the [EndingTools], sorted.
func (r *Registry) Names() []string { return slices.Sorted(maps.Keys(r.byName)) }

// Suggest returns the tool name closest to an unknown one, or "".
func (r *Registry) Suggest(name string) string { return schema.ClosestMatch(name, r.Names()) }
