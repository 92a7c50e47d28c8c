package tool

import (
	"fmt"
	"maps"
	"slices"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
)

// A Registry holds the tools that a run may use. It knows the [EndingTools] and [AskUser], too. It
// may be read by several goroutines while nothing is registered.
type Registry struct {
	defs   []*Definition // in the order of registration, without the endings
	byName map[string]*Definition
}

// NewRegistry returns a registry of definitions. A name that stands twice is a
// finding, and the first definition counts.
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

// Register adds a definition, unless its name is taken, which is a finding.
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

// definedIn says where a definition stands.
func (d *Definition) definedIn() string {
	switch {
	case EndingTool(d.Name) == d, d == AskUser:
		return "in oneshot itself"
	case d.File == "":
		return "without a file"
	}
	return fmt.Sprintf("in %s:%d", d.File, max(d.Line, 1))
}

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

// All returns the definitions in the order of registration, without the
// [EndingTools].
func (r *Registry) All() []*Definition { return slices.Clone(r.defs) }

// Names returns the names of all tools, also of the [EndingTools], in the order of the alphabet.
func (r *Registry) Names() []string { return slices.Sorted(maps.Keys(r.byName)) }

// Suggest returns the tool that was probably meant by a name that no tool has,
// or "".
func (r *Registry) Suggest(name string) string { return schema.ClosestMatch(name, r.Names()) }
