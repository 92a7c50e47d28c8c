package dialect

import (
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// Options say what is known beside the text of a response.
type Options struct {
	Dialect   Dialect   // the zero value: told from the text
	Tools     Toolset   // nil: not known
	Reasoning Reasoning // where reasoning may stand
}

// An Event is something that a scanner has found. Exactly one field is set.
type Event struct {
	Content   string        // a piece of the text outside calls and reasoning
	Reasoning string        // a piece of what the model thinks, outside calls
	Call      *chat.Call    // a call, complete or with a fault
	Finding   *diag.Finding // with byte offsets, and the index of its call
	// Revoked says that the calls so far do not count: they are drafts, or parts of
	// an argument. A finding about each of them has come before.
	Revoked bool
	// Before says that all content so far was reasoning: a closing mark of it has
	// come, whose opening mark was in the prompt.
	Before bool
}

// A Scanner reads a response while it arrives. What it finds does not depend on
// how the response is cut into pieces, only where content is cut does. It looks
// at every byte a bounded number of times, and keeps no more of the response
// than the current call, or what can still become one, a mark or the opening
// line of a fence.
type Scanner struct {
	marks  *markSet
	tools  Toolset
	emit   func(Event)
	whole  string // the text, if all of it is known
	place  place
	at     int       // offset of the next byte
	last   byte      // the byte before it
	calls  int       // found so far
	gone   int       // how many of them do not count
	steps  int       // bytes and pieces looked at; tests count them
	shown  int       // offset behind the latest content; tests compare it with the text
	nameAt diag.Span // where the name of the latest call stands

	search    search
	given     []byte   // the end of what has been read, to be read once more
	again     [][]byte // what comes before the next piece, the last of it first
	held      []byte   // bytes that are content, unless they belong to a mark or a frame
	heldAt    int      // where they begin
	line      line     // what stands before them
	lineBlank bool     // the line before them holds only blanks
	inQuoted  bool     // only blanks stand between them and a mark of calls that is quoted
	pending   pending  // the mark that was read last, until it is known what it means
	thinking  thinking
	opener    fence // the run of fence characters that was read last
	info      info  // its info string
	foreign   fence // the fence around the text that is not ours, if any
	frame     frame
	holders   int      // fences, and values of JSON outside of marks, that hold calls
	hint      *Dialect // that of the latest mark which only one dialect has
	wrap      wrap     // the mark around calls that is open
	claim     claim
	elements  toolElements
	body      body // reads the open frame, if any
	resync    resync
	*bodies
	matched  int      // how much of an info string has been read behind a closing run
	key      firstKey // the beginning of an object in the text
	aside    aside    // the object in the text that is not ours
	outside  outside
	address  address
	word     lastWord
	alone    bool // the dialect of the last frame wants its calls alone
	begun    bool // something else than blanks has been read
	ids      idSet
	previous previous
	cut      bool       // the latest call was cut off
	unpaired bool       // it has a bracket too many or too few: so have those behind it
	ended    bool       // the call that ends the work has been made
	raw      []*Dialect // those of calls whose values are text up to a mark, and can hold one
	detected detected
}

// NewScanner returns a scanner that passes what it finds to emit, in the order
// of the text. A call is passed at its last byte, or, where its arguments are
// text without an end of their own, as soon as something else begins. Findings
// about it follow it.
func NewScanner(o Options, emit func(Event)) *Scanner {
	s := new(Scanner)
	s.begin(o.marks(), o.Reasoning, o.Tools, emit)
	return s
}

// marks returns what is searched in the text.
func (o *Options) marks() *markSet {
	if o.Dialect.Name == "" {
		return everyMark()
	}
	return marksOf(&o.Dialect)
}

// begin makes the scanner read a response, in the room of the last if there was one.
func (s *Scanner) begin(marks *markSet, reasoning Reasoning, tools Toolset, emit func(Event)) {
	*s = Scanner{
		marks: marks, tools: tools, emit: emit, lineBlank: true,
		search: search{matcher: marks.matcher}, thinking: thinking{mode: reasoning, inside: reasoning == ReasoningOpen},
		held: s.held[:0], given: s.given[:0], claim: claim{head: s.claim.head[:0]}, word: lastWord{s.word.text[:0]}, bodies: s.bodies, raw: s.raw[:0],
	}
	if s.bodies == nil {
		s.bodies = new(bodies)
	}
	if len(marks.rows) == 1 {
		s.detected.row = marks.rows[0]
	}
	s.place = s.betweenFrames()
}

// Write reads the next bytes of the response. It does not keep p.
func (s *Scanner) Write(p []byte) {
	for i := 0; i < len(p) || len(s.again) > 0; {
		if top := len(s.again) - 1; top >= 0 {
			again := s.again[top]
			n := s.advance(again)
			if s.again[top] = again[n:]; n == len(again) {
				s.again = s.again[:top]
			}
			s.goBack()
			continue
		}
		i += s.advance(p[i:])
		i -= s.goBackIn(i)
	}
}

// goBackIn is [Scanner.goBack] behind so many bytes of a piece. Where what was
// given back stands there it returns its length: it is read in one with what
// follows it.
func (s *Scanner) goBackIn(read int) (back int) {
	if back = len(s.given); back > read {
		s.goBack()
		return 0
	}
	s.at -= back
	s.steps += back
	s.given = s.given[:0]
	return back
}

// goBack makes what was given back the next that is read.
func (s *Scanner) goBack() {
	if len(s.given) > 0 {
		s.at -= len(s.given)
		s.steps += len(s.given)
		s.again = append(s.again, s.given)
		s.given = nil
	}
}

// advance reads the next bytes of p, at least one or else a change of place.
func (s *Scanner) advance(p []byte) int {
	n := s.step(p)
	if n > 0 {
		s.last = p[n-1]
	}
	s.at += n
	s.steps += n + 1
	return n
}

// readAgain makes the next bytes of the text of those that have been read last.
func (s *Scanner) readAgain(text []byte) { s.given = append(s.given[:0], text...) }

// Close says that the response has ended.
func (s *Scanner) Close() {
	s.closePlaces()
	s.endMessage()
	s.closeWrap()
	s.closeOutside()
	s.closeElements()
	s.passLack(false)
	s.endOfReasoning()
	s.place = inProse
}

// closePlaces ends all that the end of the text leaves open, and what is read for that.
func (s *Scanner) closePlaces() {
	for s.closePlace(); len(s.given) > 0; s.closePlace() {
		s.goBack()
		s.Write(nil)
	}
	s.release()
	if s.place == inOther || s.place == inOtherKey {
		s.show(nil, s.at)
	}
}

// closePlace ends what the end of the text, or of a segment, leaves open.
func (s *Scanner) closePlace() {
	switch s.place {
	case inInfo:
		if s.infoComplete() {
			s.ours()
		}
	case inReopen:
		if s.matched == len(s.frame.reopens()) {
			s.reopen()
		}
	case inLead:
		s.closeLead()
	}
	if s.place == inFirst {
		s.closeFirst()
	}
	if s.place == inBody && len(s.given) == 0 {
		s.closeBody()
	}
}

// content passes on text outside calls, which stands at an offset.
func (s *Scanner) content(at int, text string) {
	if text == "" {
		return
	}
	s.shown = at + len(text)
	s.steps += s.word.add(text) + s.line.add(text) + s.claim.add(text)
	s.inQuoted = s.inQuoted && strings.TrimLeft(text, " \t\r\n") == ""
	if s.thinking.inside {
		s.thinking.text = s.thinking.text || strings.TrimLeft(text, " \t\r\n") != ""
		s.emit(Event{Reasoning: text})
		return
	}
	s.steps += s.outside.add(at, text)
	s.address.text = s.address.text || s.outside.to > at
	if len(s.tools) > 0 && !s.claim.open && !s.foreign.code {
		s.steps += s.elements.add(s.tools, at, text)
	}
	s.begun = s.begun || s.outside.any
	s.emit(Event{Content: text})
}

// said returns a piece of the text, which stands at an offset: of the whole text, where
// that is known.
func (s *Scanner) said(at int, piece []byte) string {
	if s.whole != "" {
		return s.whole[at : at+len(piece)]
	}
	return string(piece)
}

// read reads p with a scanner of literals, and counts the steps of that.
func (s *Scanner) read(lit *literal.Scanner, p []byte) (int, literal.State) {
	before := lit.Steps()
	n, state := lit.Write(p)
	s.steps += lit.Steps() - before
	return n, state
}

// hold keeps the next bytes until it is known what they are.
func (s *Scanner) hold(p []byte) {
	if len(s.held) == 0 {
		s.heldAt = s.at
	}
	s.held = append(s.held, p...)
}

// release makes content of the bytes that were held.
func (s *Scanner) release() {
	s.content(s.heldAt, s.said(s.heldAt, s.held))
	s.drop()
}

// drop forgets the bytes that were held.
func (s *Scanner) drop() { s.held = s.held[:0] }
