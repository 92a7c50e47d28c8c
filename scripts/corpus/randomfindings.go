package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/lint"
	"oneshot/pkg/tool"
)

// A sampledFinding is a finding with the text that it is about.
type sampledFinding struct {
	*row
	record  lint.ParseResult
	finding diag.Finding
}

// codeAndDialect returns the code and the dialect of a finding.
func (d sampledFinding) codeAndDialect() string {
	return string(d.finding.Code) + " " + d.record.Dialect
}

// printSampledFindings prints the requested number of findings for review, each
// with another code or dialect as long as there are others.
func (q request) printSampledFindings(rows []*row, out io.Writer) {
	found := make([][]sampledFinding, len(rows))
	inParallel(len(rows), func(i int) { found[i] = findingsOf(rows[i]) })
	random := rand.New(rand.NewPCG(q.seed, 0))
	byKind := map[string][]sampledFinding{}
	for _, d := range slices.Concat(found...) {
		byKind[d.codeAndDialect()] = append(byKind[d.codeAndDialect()], d)
	}
	kinds := slices.Sorted(func(yield func(string) bool) {
		for kind := range byKind {
			if !yield(kind) {
				return
			}
		}
	})
	random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	for i, kind := range kinds[:min(q.findings, len(kinds))] {
		d := byKind[kind][random.IntN(len(byKind[kind]))]
		fmt.Fprintf(out, "## %d. %s\n\n", i+1, d.ID)
		d.print(out)
	}
}

// findingsOf reads a row as the command parse does and returns its findings.
func findingsOf(r *row) []sampledFinding {
	if _, not := inapplicableReason(r); not || r.Kind != "" || r.Input == "" {
		return nil
	}
	o := lint.Options{Reasoning: reasoningRule(r).start, Tools: r.newRegistry()}
	if !strings.HasPrefix(r.Dialect, "native_") {
		o.Dialect, _ = dialect.Lookup(r.dialectName())
	}
	var all []sampledFinding
	for record := range lint.ParseCapture("", []byte(r.wrappedText()), o) {
		for _, f := range record.Findings {
			all = append(all, sampledFinding{r, record, f})
		}
	}
	return all
}

// newRegistry returns the tools of a row; nil if there are none or they cannot
// be defined.
func (r *row) newRegistry() *tool.Registry {
	if len(r.Tools) == 0 {
		return nil
	}
	type function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters,omitempty"`
	}
	var functions []function
	for _, t := range r.Tools {
		functions = append(functions, function(t))
	}
	list, err := json.Marshal(functions)
	if err != nil {
		return nil
	}
	registry, err := tool.ParseFunctions(list)
	if err != nil {
		return nil
	}
	return registry
}

// print prints a finding, the text and the reading.
func (d sampledFinding) print(out io.Writer) {
	f, text := d.finding, string(d.record.Text.Bytes)
	start, end := max(f.Span.Start-d.record.Text.Offset, 0), max(f.Span.End-d.record.Text.Offset, 0)
	start, end = min(start, len(text)), min(end, len(text))
	fmt.Fprintf(out, "dialect %s; --reasoning %s; %s\n", cmp.Or(d.record.Dialect, "none"), startNames[reasoningRule(d.row).start], d.toolNames())
	fmt.Fprintf(out, "text, which begins on line %d: %s\n", d.record.Text.LinesBefore+1, clipAround(goLiteral(text), start, len(text) < 4*excerpt))
	for i, c := range d.record.Calls {
		fmt.Fprintf(out, "call %d: %s %s, %s, executable %t\n", i, c.Name, clipAround(string(c.Arguments), 0, false), c.Status, c.Executable)
	}
	for _, other := range d.record.Findings {
		if other.String() != f.String() {
			fmt.Fprintf(out, "beside it: %s\n", other)
		}
	}
	fmt.Fprintf(out, "FINDING: %s\n", f)
	fmt.Fprintf(out, "at: %s\n", clipAround(goLiteral(text[start:end]), 0, false))
	if f.Hint != "" {
		fmt.Fprintf(out, "hint: %s\n", f.Hint)
	}
	for _, fix := range f.Fixes {
		fmt.Fprintf(out, "fix (%s): %s: %s\n", fix.Kind, fix.Title, d.fixedText(fix))
	}
	fmt.Fprintln(out)
}

// fixedText returns the text after a fix.
func (d sampledFinding) fixedText(fix diag.Fix) string {
	edits := slices.Clone(fix.Edits)
	for i := range edits {
		edits[i].Start -= d.record.Text.Offset
		edits[i].End -= d.record.Text.Offset
	}
	if len(edits) == 0 {
		return "no edit"
	}
	fixed, made, err := diag.Apply(string(d.record.Text.Bytes), []diag.Fix{{Kind: fix.Kind, Edits: edits}})
	if err != nil || made == 0 {
		return "cannot be applied"
	}
	return clipAround(goLiteral(fixed), edits[0].Start, false)
}

// toolNames returns the tools of a row with the names of their parameters.
func (d sampledFinding) toolNames() string {
	var names []string
	for _, t := range d.Tools {
		var schema struct{ Properties map[string]any }
		_ = json.Unmarshal(t.Parameters, &schema) // an invalid schema shows no properties
		names = append(names, t.Name+"("+strings.Join(slices.Sorted(maps.Keys(schema.Properties)), ", ")+")")
	}
	if len(names) == 0 {
		return "no tools given"
	}
	return "tools " + strings.Join(names, ", ")
}
