// Package dialect reads and writes tool calls in the formats of models. A dialect is a framing, which says where
// a response may hold calls, and a grammar, which says how they are written. [Scanner] reads a response while it
// arrives and [Scan] a whole one. [Native] finishes a call that a server has parsed, and [Neutralise] makes text
// inert that must not look like a response.
//
// The package does not know which tools exist and runs nothing.
package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"oneshot/pkg/chat"
	"oneshot/pkg/schema"
)

// A Dialect is one way to write calls.
type Dialect struct {
	Name     string
	Title    string
	Families []string // models that write it without instructions
	Aliases  []string // other names it is known by
	Example  string   // a response with one call; if a row of the table has none, a rendered call
	Doc      string
	Ending   string // the tool that ends the work; "" if no prompt teaches the dialect

	framing  framing
	grammar  grammar
	hasNonce bool // not a row of the table: its fences carry a nonce
}

// A framing says where calls are: after markers, in code fences, or in JSON
// outside of both.
type framing struct {
	markers           []marker
	closers           []string      // markers that end what a marker began
	fences            []fenceSpec   // fences of calls
	reasoning         []*delimiters // reasoning markers; nil for those that most models write
	implicit          []marker      // openers without a marker, at the start of the response and after a frame
	firstKeys         []string      // after text, bare JSON counts only if its first key is one of these
	bareGrammar       *grammar      // of JSON outside fences, if it differs from grammar
	listKeys          []string      // keys of lists of calls; the first is the dialect's own
	affixes           [2]string     // what a renderer writes around a call
	strictMembers     bool          // an object with members of another dialect is a call only of a known tool
	callsOnly         bool          // a response should contain nothing but calls
	multiple          bool          // objects without a list around them can be several calls
	ignoreAfterEnding bool          // text after the call of the ending tool does not count
	stopsAtCloser     bool          // the model stops at the marker after all calls, and servers cut it off
	needsRecipient    bool          // a call counts only in a message for a tool, see messageState
}

// A fenceSpec is a fence of calls.
type fenceSpec struct {
	info      string    // the info string, in lower case
	adjacent  string    // bytes that may follow it directly
	certain   bool      // the info string alone shows that the fence holds calls
	lookahead lookahead // for the first word; nil accepts anything
	mismatch  string    // message for a fence with another first word
}

// A grammar says how calls are written in a frame.
type grammar struct {
	memberNames *memberNames                // of JSON
	newBody     func(*Scanner, *frame) body // reads calls
	// render appends a call and reports whether parsing the output with these tools yields the same call: raw text
	// cannot represent every value.
	render func(d *Dialect, b []byte, c chat.Call, tools Toolset) ([]byte, bool)
	// argumentSpans parses the text of a call again and returns where its arguments are; nil if arguments are
	// delimited by brackets, commas and quotes.
	argumentSpans   func(text string, tools Toolset) (json.RawMessage, []ArgumentSpan)
	stringDelimiter string // delimits strings on both sides, if the grammar has its own delimiter
	lineBased       bool   // arguments are lines, and end at the end of reasoning
}

// Dialects returns all readable dialects. Callers must not modify the list.
func Dialects() []Dialect { return table() }

// table is built on first use: most commands read no response.
var table = sync.OnceValue(func() []Dialect {
	return withExamples(slices.Concat(taughtDialects(), jsonDialects(), namedDialects(), markupDialects(), pythonDialects(), quotedDialects(), channelDialects()))
})

// withExamples adds the missing examples.
func withExamples(rows []Dialect) []Dialect {
	for i := range rows {
		if d := &rows[i]; d.Example == "" {
			example, _ := d.grammar.render(d, nil, exampleCall, nil)
			d.Example = string(example) + "\n"
		}
	}
	return rows
}

// exampleCall is the call of examples.
var exampleCall = chat.Call{Name: "get_weather", Arguments: json.RawMessage(`{"city": "Oslo"}`)}

// IsTeachable reports whether a prompt can teach the dialect to a model. The others are only read.
func (d Dialect) IsTeachable() bool { return d.Ending != "" }

// HasMarkers reports whether calls in this dialect follow markers or are in fences of their own, so that prose
// and data are not mistaken for calls.
func (d Dialect) HasMarkers() bool {
	return len(d.framing.fences) > 0 || slices.ContainsFunc(d.framing.markers, func(m marker) bool { return m.role != ignore })
}

// ReasoningDelimiters returns the names of the markers around reasoning in this dialect.
func (d Dialect) ReasoningDelimiters() []string {
	var names []string
	for _, w := range d.reasoningDelimiters() {
		names = append(names, w.name)
	}
	return names
}

// Lookup returns the dialect with this name or alias.
func Lookup(name string) (Dialect, bool) {
	for _, d := range Dialects() {
		if d.Name == name || slices.Contains(d.Aliases, name) {
			return d, true
		}
	}
	return Dialect{}, false
}

// DidYouMean returns a hint for an unknown dialect name, or "": the dialect or other name that contains the word
// as a part (openai in native_openai_chat), or one with a similar spelling.
func DidYouMean(word string, others ...string) string {
	var names []string
	for _, d := range Dialects() {
		names = append(append(names, d.Name), d.Aliases...)
	}
	names = append(names, others...)
	for _, name := range names {
		if slices.Contains(strings.Split(name, "_"), strings.ToLower(word)) {
			return "did you mean " + name + "?"
		}
	}
	return schema.DidYouMean(word, names)
}

// Render returns a response with one call in this dialect that [Scan] reads back with the same tools. The
// arguments must be a JSON object, or an array for a positional call where the dialect has positions. It reports
// false if the dialect cannot represent the call.
func (d Dialect) Render(c chat.Call, tools Toolset) (string, bool) {
	b, ok := d.grammar.render(&d, nil, c, tools)
	return string(b) + "\n", ok && !(d.grammar.lineBased && containsReasoningEnd(string(b)))
}
