// Package markup reads calls that are written as tags with raw text between
// them: the key in the tag, <parameter=KEY>VALUE</parameter>, or in a tag of its
// own, <arg_key>KEY</arg_key><arg_value>VALUE</arg_value>.
//
// A [Syntax] says, as data, how a dialect writes the tags of one call; a
// [Scanner] reads one such call from a text that arrives in pieces. Values are
// text without escapes, so a mark in a value is told from one behind it by what
// follows, and types come from the definitions of the tools. Where calls stand
// in a response, and the wrappers around them, are the business of package
// dialect.
package markup

import (
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A State says how far a [Scanner] has come.
type State int

// The states of a scanner. In every state but [More] it reads nothing further.
const (
	More State = iota // the end of the call has not been seen
	Done              // a call was read up to its end; its status says how well
	Cut               // the text has ended inside a call
	None              // there is no call here
)

// Options say where a scanner reads, and what it knows about the tools.
type Options struct {
	Base  int      // offset of the first byte in the whole text; all offsets count like it
	Tools Toolset  // nil: not known
	Stops []string // marks that cut the call off wherever they stand in it
}

// A Scanner reads one call, with its opening tag, from the bytes written to it.
// Blanks may stand before it. It keeps the text of the call and its arguments.
type Scanner struct {
	m       machine
	out     output
	stops   stops
	state   State
	reading result
	rest    string
}

// New returns a scanner for one call. The first byte written to it is the first
// of the opening tag of the call, or a blank before it.
func New(s *Syntax, o Options) *Scanner {
	r := new(Scanner)
	r.Reset(s, o)
	return r
}

// Reset makes the scanner read another call, as a new one would. What was returned
// before stays valid.
func (r *Scanner) Reset(s *Syntax, o Options) {
	*r = Scanner{
		m:     machine{syntax: s, words: s.words(), base: o.Base, tools: o.Tools, text: reuse(r.m.text), attrBuffer: r.m.attrBuffer[:0]},
		out:   output{args: reuse(r.out.args), scratch: reuse(r.out.scratch), arguments: r.out.arguments[:0], strictJSON: r.out.strictJSON},
		stops: stops{markers: o.Stops, lookahead: r.stops.lookahead[:0]},
	}
	r.m.out = &r.out
}

// maxReuse bounds the room that is kept from one call to the next, in bytes.
const maxReuse = 1 << 14

// reuse returns the room of a text that is not needed any more.
func reuse(text []byte) []byte {
	if cap(text) > maxReuse {
		return nil
	}
	return text[:0]
}

// minPiece is how many bytes are looked at at once at least, so that a call
// costs no more than its own length, however much stands behind it in a piece.
const minPiece = 512

// Write reads from p until the state is no longer [More]. It returns how many
// bytes it has read and does not keep p. A call is [Done] exactly with the last
// byte of its closing tag. Where it ends in another way, what was read behind
// the end before this p came is in [Scanner.Rest].
func (s *Scanner) Write(p []byte) (int, State) {
	n := 0
	for n < len(p) && s.state == More {
		before := len(s.m.text) + len(s.stops.lookahead)
		piece := min(len(p)-n, max(minPiece, before))
		s.stops.appendText(&s.m, p[n:n+piece])
		s.m.run()
		n += s.finishIfEnded(before, piece)
	}
	return n, s.state
}

// finishIfEnded ends the scanner if its machine has ended. It returns how many of the
// latest bytes belong to what was read.
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

// Close says that the text has ended, and returns the last state. A call that
// has not ended is cut off: it is reported and can never be executed.
func (s *Scanner) Close() State {
	if s.state == More {
		s.m.text = append(s.m.text, s.stops.lookahead...)
		s.stops.lookahead = nil
		s.m.final = true
		s.m.run()
		s.finishIfEnded(len(s.m.text), 0)
	}
	return s.state
}

// finish reads the call whose end is known.
func (s *Scanner) finish() {
	s.state = Done
	switch {
	case s.m.notCall:
		s.state = None
		if s.m.openingTooLong {
			s.reading.findings = []diag.Finding{diag.New(diag.NotACall, diag.Bytes(s.m.base+s.m.start, s.m.base+s.m.start+1), "unterminated opening tag of a call: no end within %d bytes", maxOpeningTag)}
		}
		return
	case s.m.truncated:
		s.state = Cut
	}
	s.reading = s.m.finishCall()
	s.m.text = reuse(s.m.text)
}

// Call returns the call that was read, and false if there was none, or it was cut
// off before its name had ended. A call with a fault, or that was cut off inside a
// parameter, has a name and a text but no arguments. One that was cut off behind a
// parameter shows those that are complete.
func (s *Scanner) Call() (chat.Call, bool) {
	return s.reading.call, s.reading.call.Name != ""
}

// Named returns where the name of the call stands.
func (s *Scanner) Named() (start, end int) { return s.reading.nameSpan.start, s.reading.nameSpan.end }

// Alternatives returns the readings of a call whose marks can be read in two
// ways, that of [Scanner.Call] first; nil for any other call. Where the other
// reading is a value that goes on behind the end, there is only the one.
func (s *Scanner) Alternatives() []chat.Call { return s.reading.alternatives }

// Findings returns what there is to say about the call, in the order of the text.
func (s *Scanner) Findings() []diag.Finding { return s.reading.findings }

// Rest returns what was read behind the end of the call in earlier pieces, to be
// read again: blanks, and the mark that ends the call without being part of it.
// In state [None] it is all that was read in earlier pieces.
func (s *Scanner) Rest() string { return s.rest }

// End returns the offset behind the call, and in state [None] where it was
// looked for.
func (s *Scanner) End() int { return s.m.base + s.m.end }

// Steps returns how many bytes and marks were looked at, which tests count.
func (s *Scanner) Steps() int { return s.m.steps + s.reading.steps }
