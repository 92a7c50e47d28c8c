// Package markup reads calls written as tags with raw text between them: the key in the tag,
// <parameter=KEY>VALUE</parameter>, or in a tag of its own,
// <arg_key>KEY</arg_key><arg_value>VALUE</arg_value>.
//
// A [Syntax] describes as data how a dialect writes the tags of one call. A [Scanner] reads one
// such call from a text that arrives in pieces. Values have no escapes, so the scanner decides
// by the following text whether a tag ends a value or belongs to it. Types come from the tool
// definitions. Package dialect finds the calls in a response and reads the wrappers around them.
package markup

import (
	"encoding/json"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
	"oneshot/pkg/schema"
)

// A State is the progress of a [Scanner].
type State int

// The states of a scanner. It reads further only in state [NeedMore].
const (
	NeedMore  State = iota // the end of the call has not been reached
	Done                   // a call was read to its end; see its status
	Truncated              // the text has ended inside a call
	NoCall                 // there is no call here
)

// A Toolset has a function for each known tool that returns the shape of its arguments. It is called for calls
// in dialects with plain text values.
type Toolset map[string]func() *schema.Shape

// Shape returns the shape of the arguments of a tool, nil if unknown.
func (t Toolset) Shape(name string) *schema.Shape {
	if shape := t[name]; shape != nil {
		return shape()
	}
	return nil
}

// Options configure a scanner.
type Options struct {
	Base  int            // offset of the first byte in the whole text; all offsets include it
	Tools Toolset        // nil if unknown
	Stops *literal.Stops // strings that end the call wherever they begin in it
}

// A Scanner reads one call, with its opening tag, from the bytes written to it. Whitespace may
// precede it. It keeps the text of the call and its arguments.
type Scanner struct {
	m       machine
	out     output
	stops   stops
	state   State
	reading result
	rest    string
}

// New returns a scanner for one call. The first byte written to it is the first of the call's
// opening tag, or whitespace before it.
func New(s *Syntax, o Options) *Scanner {
	r := new(Scanner)
	r.Reset(s, o)
	return r
}

// Reset makes the scanner read another call, like a new scanner. Results returned before stay
// valid.
func (r *Scanner) Reset(s *Syntax, o Options) {
	*r = Scanner{
		m:     machine{builder: builder{lexer: lexer{syntax: s, words: s.markerWords(), text: reusableBuffer(r.m.text), attrBuffer: r.m.attrBuffer[:0]}, base: o.Base, tools: o.Tools}},
		out:   output{args: reusableBuffer(r.out.args), scratch: reusableBuffer(r.out.scratch), arguments: r.out.arguments[:0], strictJSON: r.out.strictJSON},
		stops: stops{Stops: o.Stops, lookahead: r.stops.lookahead[:0]},
	}
	r.m.out = &r.out
}

// minPiece is the least number of bytes read at once. A call costs only its own length, however
// much follows it in the same piece.
const minPiece = 512

// Write reads from p until the state is no longer [NeedMore]. It returns how many bytes it has
// read and does not retain p. A call is [Done] exactly with the last byte of its closing tag. If
// it ends in another way, [Scanner.Unread] returns the bytes after its end from earlier pieces.
func (s *Scanner) Write(p []byte) (int, State) {
	n := 0
	for n < len(p) && s.state == NeedMore {
		before := len(s.m.text) + len(s.stops.lookahead)
		piece := min(len(p)-n, max(minPiece, before))
		s.stops.appendUpToStop(&s.m, p[n:n+piece])
		s.m.run()
		n += s.finishIfEnded(before, piece)
	}
	return n, s.state
}

// finishIfEnded finishes the scanner if its machine has ended. It returns how many of the last
// bytes belong to the call.
func (s *Scanner) finishIfEnded(before, piece int) int {
	if s.m.state != atEnd {
		return piece
	}
	end := s.m.end
	if before > end {
		s.rest = (string(s.m.text[end:]) + string(s.stops.lookahead))[:before-end]
	}
	s.finish()
	return max(0, end-before)
}

// Close marks the end of the text and returns the last state. An unfinished call is reported as
// truncated and is never executable.
func (s *Scanner) Close() State {
	if s.state == NeedMore {
		s.m.text = append(s.m.text, s.stops.lookahead...)
		s.stops.lookahead = nil
		s.m.final = true
		s.m.run()
		s.finishIfEnded(len(s.m.text), 0)
	}
	return s.state
}

func (s *Scanner) finish() {
	s.state = Done
	switch {
	case s.m.notCall:
		s.state = NoCall
		if s.m.openingTooLong {
			s.reading.findings = []diag.Finding{diag.New(diag.NotACall, diag.Bytes(s.m.base+s.m.start, s.m.base+s.m.start+1), "unterminated opening tag of a call: no end within %d bytes", maxOpeningTag)}
		}
		return
	case s.m.truncated:
		s.state = Truncated
	}
	s.reading = s.m.finishCall()
	s.m.text = reusableBuffer(s.m.text)
}

// Call returns the call, and false if there was none or the text ended before its name. A faulty
// call, and one truncated inside a parameter, has a name and a text but no arguments. One
// truncated after a parameter has the complete ones.
func (s *Scanner) Call() (chat.Call, bool) {
	return s.reading.call, s.reading.call.Name != ""
}

// NameSpan returns the span of the tool name.
func (s *Scanner) NameSpan() (start, end int) {
	return s.reading.nameSpan.start, s.reading.nameSpan.end
}

// Alternatives returns the readings of an ambiguous call, that of [Scanner.Call] first; nil for
// any other call. If the other reading is a value that continues after the end, it is not
// returned.
func (s *Scanner) Alternatives() []chat.Call { return s.reading.alternatives }

// Findings returns the findings about the call in the order of the text.
func (s *Scanner) Findings() []diag.Finding { return s.reading.findings }

// Unread returns the bytes after the call from earlier pieces, for the caller to read again:
// whitespace, and a marker that ends the call without being part of it. In state [NoCall] it is
// all text of earlier pieces.
func (s *Scanner) Unread() string { return s.rest }

// End returns the offset after the call, in state [NoCall] the start offset.
func (s *Scanner) End() int { return s.m.base + s.m.end }

// Steps returns how many bytes and markers were looked at, for tests.
func (s *Scanner) Steps() int { return s.m.steps + s.reading.steps }

// LocateArguments reads the text of one call again and returns its arguments with their spans;
// nil if it is not a call or cannot be read. There are no spans if the arguments are one object.
func LocateArguments(s *Syntax, text string, tools Toolset) (json.RawMessage, []ArgumentSpan) {
	if bare := strings.TrimPrefix(text, s.Token); !strings.HasPrefix(bare, s.delimiters().Open) {
		return nil, nil
	}
	m := parseTraced(s, text, tools)
	if m.incomplete { // a marker after the call has ended its last value
		m = parseTraced(s, text+m.callClosingTag(), tools)
	}
	if m.notCall || m.incomplete || m.out.invalid {
		return nil, nil
	}
	return m.out.argumentsJSON(), m.out.tracer.argumentSpans()
}

// parseTraced returns a machine that has read the text of a call with tracing enabled.
func parseTraced(s *Syntax, text string, tools Toolset) *machine {
	m := &machine{
		builder:       builder{lexer: lexer{syntax: s, words: s.markerWords(), text: []byte(text), final: true}, tools: tools, out: &output{tracer: tracer{enabled: true}}},
		endsAtCallEnd: true,
	}
	m.run()
	return m
}
