// Package dialect knows how models write calls: a dialect is a framing, which
// says where in a response calls stand, and a grammar, which says how they are
// written there. [Scanner] reads a response while it arrives, [Scan] a whole
// one, [Native] finishes a call that a server has read, and [Neutralise] makes a
// text inert that must not look like a response.
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
	Ending   string // the tool that ends the work

	framing framing
	grammar grammar
}

// A framing says where calls stand: in code fences with an info string (one that
// only differs in case is accepted, too), or also in JSON outside of fences.
type framing struct {
	info   string   // the info string of a fence of calls
	bare   bool     // a fence without one can be one, too
	begins string   // one of these bytes begins a fence of calls; "" for any
	other  string   // this word begins another program's fence with the same info string, in small letters
	keys   []string // JSON outside of fences counts: at the start, or if its first key is one of these
	alone  bool     // the calls are all that a response should hold
	final  bool     // what stands behind the call of the ending does not count
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
		Ending:  "finalResponse",
		framing: framing{info: "tool", other: "tool_name:"},
		grammar: script,
	},
	{
		Name:    "toolcalls",
		Title:   "Calls in one JSON object",
		Aliases: []string{"toolcalls_json"},
		Example: `{"toolCalls":[{"type":"wget","id":"w1","operation":"get","parameters":{"uri":"https://example.com/"}}]}` + "\n",
		Doc: `The response is one JSON object {"toolCalls":[…]}, raw or in a code fence with the info string
"json" or none. Each item is a call: "type" is the tool, "id" is unique in the response,
"operation" is for people, "parameters" is the object of arguments, and "priority" is a number
that may be missing. Every call that can be read counts, whatever stands beside it. So do, with
a finding, near relatives: "tool_calls", a list or a single call without the object around it,
and calls with other names for their members, such as "name" and "arguments". Text around the
object is a finding, and so is a call behind "end_turn", which is not run. Text inside a string
is never a fence or a call.`,
		Ending:  "end_turn",
		framing: framing{info: "json", bare: true, begins: "{[", keys: []string{"toolCalls", "tool_calls"}, alone: true, final: true},
		grammar: callList,
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

// Render writes a response with one call in this dialect, so that [Scan] reads
// it again. The call's arguments must be a JSON object; where arguments can have
// positions, those of a positional call are an array.
func (d Dialect) Render(c chat.Call) string {
	body := strings.TrimRight(string(d.grammar.render(nil, c)), "\n") + "\n"
	if d.framing.keys != nil {
		return body
	}
	return "```" + d.framing.info + "\n" + body + "```\n"
}
