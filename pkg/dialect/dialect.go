// Package dialect knows how models write calls: a dialect is a framing, which
// says where in a response calls stand, and a grammar, which says how they are
// written there. [Scanner] reads a response while it arrives, [Scan] a whole
// one, and [Neutralise] makes a text inert that must not look like a response.
//
// The package does not know which tools exist and runs nothing.
package dialect

import (
	"slices"
	"strings"

	"oneshot/pkg/chat"
)

// A Dialect is one way to write calls.
type Dialect struct {
	Name     string
	Title    string
	Families []string // models that write it without being told to
	Aliases  []string // other names it is known by
	Example  string   // a response with one call
	Doc      string

	framing framing
	grammar grammar
}

// A framing says where calls stand: in code fences with an info string. One
// that only differs in case is accepted, too.
type framing struct {
	info string
}

// A grammar says how calls are written in a frame.
type grammar struct {
	body   func(*Scanner, frame) body         // reads calls
	render func(b []byte, c chat.Call) []byte // writes one
}

// Dialects lists every dialect that can be read.
var Dialects = []Dialect{
	{
		Name:    "tool",
		Title:   "Calls in tool fences",
		Aliases: []string{"tool_fence_ts"},
		Example: "I will look at the page.\n\n```tool\nreturn wget(\"https://example.com/\", 5000);\n```\n",
		Doc: `A code fence of three or more backticks or tildes with the info string "tool" holds
statements "return name(arguments);". Several statements are several calls, as are several
fences. "return" and ";" may be missing. Arguments are literals of JavaScript: strings in
single, double or template quotes, numbers, true, false, null, arrays and objects, with
trailing commas and comments. They go to the parameters in order; one object instead names
them. Nothing is evaluated, and text inside a string is never a fence or a call.`,
		framing: framing{info: "tool"},
		grammar: script,
	},
}

// Named returns the dialect of that name or alias.
func Named(name string) (Dialect, bool) {
	for _, d := range Dialects {
		if d.Name == name || slices.Contains(d.Aliases, name) {
			return d, true
		}
	}
	return Dialect{}, false
}

// Render writes a call in this dialect, so that [Scan] reads it again. The
// call's arguments must be a JSON object or, if it is positional, an array.
func (d Dialect) Render(c chat.Call) string {
	b := append([]byte("```"), d.framing.info...)
	b = append(b, '\n')
	b = d.grammar.render(b, c)
	return strings.TrimRight(string(b), "\n") + "\n```\n"
}
