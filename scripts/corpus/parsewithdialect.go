package main

import (
	"bytes"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/tool"
)

// A start is the state in which a text begins.
type start = dialect.Reasoning

// The states, as the rules of the corpus name them.
const (
	startAuto = dialect.ReasoningAuto
	startOpen = dialect.ReasoningOpen
	startOff  = dialect.ReasoningOff
)

var startNames = map[start]string{startAuto: "auto", startOpen: "open", startOff: "off"}

// A setting is how a text is read.
type setting struct {
	dialect string // name or alias; "" to detect it
	tools   []toolDef
	start   start
}

// A reading is the result of reading a text with oneshot.
type reading struct {
	dialect            string
	content, reasoning string
	calls              []chat.Call
	findings           []diag.Finding
}

// isDialect reports whether there is a dialect of that name or alias.
func isDialect(name string) bool {
	_, ok := dialect.Lookup(name)
	return ok
}

// dialectOptions returns the options of the reader for a setting.
func (s setting) dialectOptions() dialect.Options {
	d, _ := dialect.Lookup(s.dialect)
	return dialect.Options{Dialect: d, Tools: toolset(s.tools), Reasoning: s.start}
}

// toolset returns the shapes of tools; nil if none are known.
func toolset(tools []toolDef) dialect.Toolset {
	if len(tools) == 0 {
		return nil
	}
	shapes := dialect.Toolset{}
	for _, t := range tools {
		shapes[t.Name] = (&tool.Definition{Schema: t.Parameters}).Shape
	}
	return shapes
}

// readText reads a whole text.
func readText(text string, s setting) reading {
	r := dialect.Scan(text, s.dialectOptions())
	return reading{r.Dialect.Name, r.Content, r.Reasoning, r.Calls, r.Findings}
}

// readPieces reads a text that arrives in pieces.
func readPieces(pieces [][]byte, s setting) reading {
	r := &reading{}
	sc, findings := r.newScanner(s)
	for _, p := range pieces {
		sc.Write(bytes.Clone(p))
	}
	sc.Close()
	d, _, _ := sc.Detected()
	r.dialect = d.Name
	r.findings = findings.Locate(string(bytes.Join(pieces, nil)))
	return *r
}

// readUnfinished reads a text without ending it.
func readUnfinished(text string, s setting) reading {
	r := &reading{}
	sc, findings := r.newScanner(s)
	sc.Write([]byte(text))
	r.findings = findings.Locate(text)
	return *r
}

// newScanner returns a scanner whose results go to a reading.
func (g *reading) newScanner(s setting) (*dialect.Scanner, *dialect.Findings) {
	findings := &dialect.Findings{}
	return dialect.NewScanner(s.dialectOptions(), func(e dialect.Event) {
		switch {
		case e.Finding != nil:
			findings.Add(*e.Finding)
		case e.Call != nil:
			g.calls = append(g.calls, *e.Call)
		case e.ContentWasReasoning:
			g.reasoning, g.content = g.reasoning+g.content, ""
		case e.Revoked:
			for i := range g.calls {
				dialect.Suppress(&g.calls[i])
			}
		default:
			g.content += e.Content
			g.reasoning += e.Reasoning
		}
	}), findings
}

// dialectNames returns the names of all dialects.
func dialectNames() []string {
	var all []string
	for _, d := range dialect.Dialects() {
		all = append(all, d.Name)
	}
	return all
}

// isSameDialect reports whether two names or aliases belong to one dialect.
func isSameDialect(a, b string) bool {
	x, ok := dialect.Lookup(a)
	y, also := dialect.Lookup(b)
	return ok && also && x.Name == y.Name
}

// canonicalDialect returns the name of a dialect for a name or alias.
func canonicalDialect(name string) string {
	if d, ok := dialect.Lookup(name); ok {
		return d.Name
	}
	return name
}

// renderCall renders a response with one call, if the dialect can express it.
func renderCall(name string, c chat.Call, tools []toolDef) (text string, ok bool) {
	d, _ := dialect.Lookup(name)
	return d.Render(c, toolset(tools))
}

// finishNative finishes a call that a server has parsed.
func finishNative(c chat.Call) (chat.Call, []diag.Finding) { return dialect.Native(c) }
