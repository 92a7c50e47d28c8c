// Package dialect knows how models write calls: a dialect is a framing, which
// says where in a response calls are, and a grammar, which says how they are
// written there. [Scanner] reads a response while it arrives, [Scan] a whole
// one, [Native] finishes a call that a server has read, and [Neutralise] makes a
// text inert that must not look like a response.
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
	Families []string // models that write it without being told to
	Aliases  []string // other names it is known by
	Example  string   // a response with one call
	Doc      string
	Ending   string // the tool that ends the work; "" where no prompt teaches the dialect

	framing  framing
	grammar  grammar
	hasNonce bool // it is no row of the table: its fences have a word besides
}

// A framing says where calls are: after markers, in code fences, or in JSON
// outside of both.
type framing struct {
	markers           []marker
	closers           []string      // markers that end what a marker began
	fences            []fenceSpec   // fences of calls
	reasoning         []*delimiters // reasoning markers; nil for those that most models write
	implicit          []marker      // where there is no text yet, calls can begin with these leads
	firstKeys         []string      // JSON outside of fences counts after text if its first key is one of these
	bareGrammar       *grammar      // of JSON outside of fences, if that is not the dialect's
	listKeys          []string      // keys of lists of calls; the first is the dialect's own
	affixes           [2]string     // what a renderer writes around a call
	strictMembers     bool          // an object with the members of relatives is a call only of a tool that is known
	callsOnly         bool          // the calls are all that a response should hold
	multiple          bool          // objects without a list around them can be several calls
	ignoreAfterEnding bool          // the text after the call of the ending does not count
	stopsAtCloser     bool          // the model stops with the marker after all calls, and servers cut it off
	needsRecipient    bool          // a call counts only in a message for a tool, see address
}

// A fenceSpec is a fence of calls.
type fenceSpec struct {
	info      string    // the info string, in lower case
	adjacent  string    // bytes that can be right after it
	certain   bool      // the info string alone says that it holds calls
	lookahead lookahead // what its first word must be; nil for anything
	mismatch  string    // what a fence is that has another first word
}

// A grammar says how calls are written in a frame.
type grammar struct {
	memberNames *memberNames                // of JSON
	newBody     func(*Scanner, *frame) body // reads calls
	// render writes one, and reports whether reading it again, with these tools,
	// would give the same call: raw text cannot hold everything.
	render func(d *Dialect, b []byte, c chat.Call, tools Toolset) ([]byte, bool)
	// argumentSpans reads the text of a call again, and says where its arguments are; nil
	// where they are in brackets, with commas and quotes.
	argumentSpans   func(text string, tools Toolset) (json.RawMessage, []ArgumentSpan)
	stringDelimiter string // is on both sides of a string, if the grammar has a marker of its own for it
	lineBased       bool   // arguments are lines, and end where reasoning does
}

// Dialects returns every dialect that can be read. The list is not to be changed.
func Dialects() []Dialect { return table() }

// table is made when it is first asked for: most commands read no response.
var table = sync.OnceValue(func() []Dialect {
	return slices.Concat(taughtDialects(), jsonDialects(), namedDialects(), markupDialects(), pythonDialects(), quotedDialects(), channelDialects())
})

// IsTeachable reports whether a prompt can tell a model to write this dialect. The
// others are only read.
func (d Dialect) IsTeachable() bool { return d.Ending != "" }

// HasMarkers reports whether calls in this dialect follow markers or in fences of their own,
// so that prose and data are not mistaken for them.
func (d Dialect) HasMarkers() bool {
	return len(d.framing.fences) > 0 || slices.ContainsFunc(d.framing.markers, func(m marker) bool { return m.role != ignore })
}

// ReasoningDelimiters returns the markers around what a model thinks, as they are written with
// this dialect.
func (d Dialect) ReasoningDelimiters() []string {
	var names []string
	for _, w := range d.reasoningDelimiters() {
		names = append(names, w.name)
	}
	return names
}

// Lookup returns the dialect of that name or alias.
func Lookup(name string) (Dialect, bool) {
	for _, d := range Dialects() {
		if d.Name == name || slices.Contains(d.Aliases, name) {
			return d, true
		}
	}
	return Dialect{}, false
}

// DidYouMean is the hint that names what was probably meant by the name of no dialect, or "": a
// dialect or another name of which it is a part, as openai is of native_openai_chat, or one
// spelt like it.
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

// Render writes a response with one call in this dialect, so that [Scan] reads
// it again with the same tools. The call's arguments must be a JSON object; where
// arguments can have positions, those of a positional call are an array. It
// reports false where the dialect cannot say what the call holds.
func (d Dialect) Render(c chat.Call, tools Toolset) (string, bool) {
	b, ok := d.grammar.render(&d, nil, c, tools)
	return string(b) + "\n", ok && !(d.grammar.lineBased && containsReasoningEnd(string(b)))
}
