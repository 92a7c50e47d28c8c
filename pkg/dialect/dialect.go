// Package dialect reads and writes tool calls in the formats of models. A dialect consists of a framing (where a
// response can contain calls) and a grammar (how they are written). [Scanner] reads a response while it arrives
// and [Scan] a whole one. [Native] finishes a call that a server has parsed, and [Neutralise] escapes the
// markers in text that must not look like a response.
//
// The package does not know which tools exist and runs nothing.
//
// Its files build on each other. A row of the dialect table is a [Dialect] (dialect.go); presets (*dialects.go) fill
// in the fields that a family of dialects shares. A [Scanner] finds markers, a selector decides which use of a
// marker counts, and the body of a frame, created by its grammar, reads the calls (one file per grammar). All three
// report to a sink, which emits the events of the response.
package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect/markup"
)

// An ArgumentSpan is the location of an argument in the text of a call.
type ArgumentSpan = markup.ArgumentSpan

// A Dialect is one way to write calls.
type Dialect struct {
	Name     string
	Title    string
	Families []string // models that write it without instructions
	Aliases  []string // other names it is known by
	Example  string   // a response with one call; if a row of the table has none, a rendered call
	Doc      string
	Ending   string // the tool that ends the work
	// ResultTags are the texts that models of this dialect expect before and after results.
	ResultTags [2]string
	// HasJSONTools reports whether models of this dialect expect definitions as JSON, not as signatures.
	HasJSONTools bool

	framing  framing
	grammar  grammar
	hasNonce bool // not a row of the table: its fences carry a nonce
}

// A framing defines where calls can be: after markers, in code fences, or in JSON outside of both.
type framing struct {
	markers           []marker
	closers           []string      // markers that end the frame of another marker
	fences            []fenceSpec   // fences of calls
	reasoning         []*delimiters // reasoning markers; nil for those that most models write
	implicit          []marker      // openers without a marker, at the start of the response and after a frame
	firstKeys         []string      // after text, bare JSON counts only if its first key is one of these
	bareGrammar       *grammar      // of JSON outside fences, if it differs from grammar
	listKeys          []string      // keys of lists of calls; the first is the dialect's own
	affixes           [2]string     // written around a rendered call
	strictMembers     bool          // an object with members of another dialect is a call only of a known tool
	callsOnly         bool          // a response should contain nothing but calls
	multiple          bool          // objects without a list around them can be several calls
	ignoreAfterEnding bool          // text after the call of the ending tool does not count
	stopsAtCloser     bool          // the model stops at the marker after all calls, and servers cut it off
	needsRecipient    bool          // a call counts only in a message for a tool, see messageState
	isAnswer          bool          // the text is an answer: reasoning only precedes it
	keepsPromptedTags bool          // tags that only prompts ask for are text
}

// A fenceSpec is a fence of calls.
type fenceSpec struct {
	info      string    // the info string, in lower case
	adjacent  string    // bytes that may follow it directly
	certain   bool      // the info string alone shows that the fence holds calls
	lookahead lookahead // for the first word; nil accepts anything
	mismatch  string    // message for a fence with another first word
}

// A grammar defines how calls are written in a frame.
type grammar struct {
	memberNames *memberNames             // of JSON
	newBody     func(*sink, *frame) body // reads calls
	// render appends a call and reports whether parsing the output with these tools yields the same call: raw text
	// cannot represent every value.
	render func(d *Dialect, b []byte, c chat.Call, tools Toolset) ([]byte, bool)
	// argumentSpans parses the text of a call again and returns where its arguments are; nil if arguments are
	// delimited by brackets, commas and quotes.
	argumentSpans   func(text string, tools Toolset) (json.RawMessage, []ArgumentSpan)
	stringDelimiter string // delimits strings on both sides, if the grammar has its own delimiter
	lineBased       bool   // arguments are lines, and end at the end of reasoning
}

// A marker is a text with a special meaning in a response, outside of frames.
type marker struct {
	text           string
	role           role
	lineStart      bool          // only at the start of a line
	lookahead      lookahead     // must match the text after it; nil for anything
	ownLookahead   lookahead     // replaces lookahead if no other dialect is read
	skip           string        // optional text skipped after it
	grammar        *grammar      // of the frame it begins, if it differs from the dialect's
	missingOpener  string        // the marker that is missing from calls found by this one
	opensList      bool          // it begins a frame and encloses all others as well
	sharedWithText bool          // it also encloses text that is not a call
	needsTool      bool          // the Python call after it must name a known tool, if tools are known
	effect         messageEffect // on a message
	messageStart   bool          // only where no text precedes it in its message
}

// A messageEffect is the effect of a marker, other than a header, on a message.
type messageEffect uint8

const (
	noEffect messageEffect = iota
	endsMessage
	beginsAnswer // text for the user
	beginsResult // a result of a call
)

// A role is the effect of a marker.
type role uint8

const (
	open            role = iota // opens a frame; the grammar reads after the marker
	openKeep                    // opens a frame; the grammar reads the marker as well
	listOpen                    // precedes calls, without a meaning of its own
	listClose                   // follows calls
	reasoningOpen               // opens reasoning
	reasoningClose              // closes reasoning
	ignore                      // surrounds messages, without a meaning of its own
	ignoreKeepSpace             // the same, but blanks after it are text
	continuation                // closes a part of a call: after a call it means that the call continues
	resultOpen                  // begins a result, which is for the model to read and not to write
	lateFence                   // a run of fence characters and an info string of calls, after text on its line
	fenceRun                    // a run of fence characters
	openBrace                   // the opening brace of an object
	implicitOpen                // no marker: opens a frame where there is no text yet
)

// A markerUse is the meaning of a marker in one dialect, or in reasoning delimiters.
type markerUse struct {
	*marker
	dialect    *Dialect
	delimiters *delimiters
}

// delimiters are the markers around reasoning.
type delimiters struct {
	name         string
	needsOpener  bool // no prompt contains the opener: a closer alone means nothing
	sharedCloser bool // its closer ends other messages as well, and means nothing outside reasoning
	markers      []marker
}

// exampleCall is the call of examples.
var exampleCall = chat.Call{Name: "get_weather", Arguments: json.RawMessage(`{"city": "Oslo"}`)}

// HasMarkers reports whether calls in this dialect follow markers or are in fences of their own, so that prose
// and data are not mistaken for calls.
func (d Dialect) HasMarkers() bool {
	return len(d.framing.fences) > 0 || slices.ContainsFunc(d.framing.markers, func(m marker) bool { return m.role != ignore })
}

// opensOnlyCalls reports whether only calls can follow a marker, and the marker is not a word.
func (u markerUse) opensOnlyCalls() bool {
	return u.role <= listOpen && !u.sharedWithText && strings.ContainsAny(u.text, "<[")
}

// bodyGrammar returns the grammar of the text after a marker.
func (u markerUse) bodyGrammar() *grammar {
	switch {
	case u.grammar != nil:
		return u.grammar
	case u.role == implicitOpen:
		return u.dialect.bareGrammar()
	}
	return &u.dialect.grammar
}

// bareGrammar returns the grammar of frames without a marker.
func (d *Dialect) bareGrammar() *grammar {
	if d.framing.bareGrammar != nil {
		return d.framing.bareGrammar
	}
	return &d.grammar
}

// ignoredMarkers returns markers without a meaning of their own.
func ignoredMarkers(texts ...string) []marker {
	all := make([]marker, len(texts))
	for i, text := range texts {
		all[i] = marker{text: text, role: ignore}
	}
	return all
}
