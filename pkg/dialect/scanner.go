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
	Reasoning Reasoning // where reasoning may be
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
	// ContentWasReasoning says that all content so far was reasoning: a closing marker of it has
	// come, whose opening marker was in the prompt.
	ContentWasReasoning bool
}

// A Scanner reads a response while it arrives. What it finds does not depend on
// how the response is cut into pieces, only where content is cut does. It looks
// at every byte a bounded number of times, and keeps no more of the response
// than the current call, or what can still become one, a marker or the opening
// line of a fence.
type Scanner struct {
	markers    *markerSet
	tools      Toolset
	emit       func(Event)
	whole      string // the text, if all of it is known
	state      scanState
	at         int       // offset of the next byte
	last       byte      // the byte before it
	calls      int       // found so far
	revoked    int       // how many of them do not count
	steps      int       // bytes and pieces looked at; tests count them
	contentEnd int       // offset after the latest content; tests compare it with the text
	nameAt     diag.Span // where the name of the latest call is

	search            search
	pushback          []byte    // the end of what has been read, to be read once more
	unreadPieces      [][]byte  // what comes before the next piece, the last of it first
	held              []byte    // bytes that are content, unless they belong to a marker or a frame
	heldAt            int       // where they begin
	textLine          lineState // the text before them
	lineBlank         bool      // the line before them holds only blanks
	afterQuotedMarker bool      // only blanks are between them and a marker of calls that is quoted
	pending           pending   // the marker that was read last, until it is known what it means
	reasoning         reasoningState
	opener            fence // the run of fence characters that was read last
	info              info  // its info string
	foreign           fence // the fence around the text that is not ours, if any
	frame             frame
	callHolders       int      // fences, and values of JSON outside of markers, that hold calls
	hintedDialect     *Dialect // that of the latest marker which only one dialect has
	list              openList // the marker around calls that is open
	unmatched         unmatchedOpen
	elements          toolElements
	body              body // reads the open frame, if any
	resync            resync
	*bodyPool
	matched         int           // how much of an info string has been read after a closing run
	firstKey        firstKey      // the beginning of an object in the text
	skipped         skippedObject // the object in the text that is not ours
	surrounding     surroundingText
	message         messageState
	precedingWord   lastWord
	callsOnly       bool // the dialect of the last frame wants its calls alone
	hasBegun        bool // something else than blanks has been read
	ids             idSet
	lastCall        lastCall
	callCut         bool       // the latest call was cut off
	unbalanced      bool       // it has a bracket too many or too few: so have those after it
	workEnded       bool       // the call that ends the work has been made
	rawTextDialects []*Dialect // those of calls whose values are text up to a marker, and can hold one
	detected        detected
}

// NewScanner returns a scanner that passes what it finds to emit, in the order
// of the text. A call is passed at its last byte, or, where its arguments are
// text without an end of their own, as soon as something else begins. Findings
// about it follow it.
func NewScanner(o Options, emit func(Event)) *Scanner {
	s := new(Scanner)
	s.begin(o.markerSet(), o.Reasoning, o.Tools, emit)
	return s
}

// markerSet returns what is searched in the text.
func (o *Options) markerSet() *markerSet {
	if o.Dialect.Name == "" {
		return allMarkers()
	}
	return markerSetOf(&o.Dialect)
}

// begin makes the scanner read a response, in the room of the last if there was one.
func (s *Scanner) begin(markers *markerSet, reasoning Reasoning, tools Toolset, emit func(Event)) {
	*s = Scanner{
		markers: markers, tools: tools, emit: emit, lineBlank: true,
		search: search{matcher: markers.matcher}, reasoning: reasoningState{mode: reasoning, inside: reasoning == ReasoningOpen},
		held: s.held[:0], pushback: s.pushback[:0], unmatched: unmatchedOpen{text: s.unmatched.text[:0]}, precedingWord: lastWord{s.precedingWord.text[:0]}, bodyPool: s.bodyPool, rawTextDialects: s.rawTextDialects[:0],
	}
	if s.bodyPool == nil {
		s.bodyPool = new(bodyPool)
	}
	if len(markers.dialects) == 1 {
		s.detected.dialect = markers.dialects[0]
	}
	s.state = s.stateBetweenFrames()
}

// Write reads the next bytes of the response. It does not keep p.
func (s *Scanner) Write(p []byte) {
	for i := 0; i < len(p) || len(s.unreadPieces) > 0; {
		if top := len(s.unreadPieces) - 1; top >= 0 {
			again := s.unreadPieces[top]
			n := s.advance(again)
			if s.unreadPieces[top] = again[n:]; n == len(again) {
				s.unreadPieces = s.unreadPieces[:top]
			}
			s.rewind()
			continue
		}
		i += s.advance(p[i:])
		i -= s.rewindWithin(i)
	}
}

// rewindWithin is [Scanner.rewind] after so many bytes of a piece. Where what was
// given back is there it returns its length: it is read in one with what
// follows it.
func (s *Scanner) rewindWithin(read int) (back int) {
	if back = len(s.pushback); back > read {
		s.rewind()
		return 0
	}
	s.at -= back
	s.steps += back
	s.pushback = s.pushback[:0]
	return back
}

// rewind makes what was given back the next that is read.
func (s *Scanner) rewind() {
	if len(s.pushback) > 0 {
		s.at -= len(s.pushback)
		s.steps += len(s.pushback)
		s.unreadPieces = append(s.unreadPieces, s.pushback)
		s.pushback = nil
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

// unread makes the next bytes of the text of those that have been read last.
func (s *Scanner) unread(text []byte) { s.pushback = append(s.pushback[:0], text...) }

// Close says that the response has ended.
func (s *Scanner) Close() {
	s.closeStates()
	s.endMessage()
	s.closeList()
	s.closeSurrounding()
	s.closeElements()
	s.emitDeferred(false)
	s.closeReasoning()
	s.state = inProse
}

// closeStates ends all that the end of the text leaves open, and what is read for that.
func (s *Scanner) closeStates() {
	for s.closeState(); len(s.pushback) > 0; s.closeState() {
		s.rewind()
		s.Write(nil)
	}
	s.release()
	if s.state == inSkippedObject || s.state == inSkippedKey {
		s.emitSkipped(nil, s.at)
	}
}

// closeState ends what the end of the text, or of a segment, leaves open.
func (s *Scanner) closeState() {
	switch s.state {
	case inInfo:
		if s.isInfoComplete() {
			s.openOwnFence()
		}
	case inReopen:
		if s.matched == len(s.frame.reopeningInfo()) {
			s.reopen()
		}
	case inLookahead:
		s.closeLookahead()
	}
	if s.state == inFenceStart {
		s.closeFenceStart()
	}
	if s.state == inBody && len(s.pushback) == 0 {
		s.closeBody()
	}
}

// emitContent emits text outside calls, which is at an offset.
func (s *Scanner) emitContent(at int, text string) {
	if text == "" {
		return
	}
	s.contentEnd = at + len(text)
	s.steps += s.precedingWord.add(text) + s.textLine.add(text) + s.unmatched.add(text)
	s.afterQuotedMarker = s.afterQuotedMarker && strings.TrimLeft(text, " \t\r\n") == ""
	if s.reasoning.inside {
		s.reasoning.hasText = s.reasoning.hasText || strings.TrimLeft(text, " \t\r\n") != ""
		s.emit(Event{Reasoning: text})
		return
	}
	s.steps += s.surrounding.add(at, text)
	s.message.hasText = s.message.hasText || s.surrounding.to > at
	if len(s.tools) > 0 && !s.unmatched.isOpen && !s.foreign.isCode {
		s.steps += s.elements.add(s.tools, at, text)
	}
	s.hasBegun = s.hasBegun || s.surrounding.hasText
	s.emit(Event{Content: text})
}

// textOf returns a piece of the text, which is at an offset: of the whole text, where
// that is known.
func (s *Scanner) textOf(at int, piece []byte) string {
	if s.whole != "" {
		return s.whole[at : at+len(piece)]
	}
	return string(piece)
}

// readLiteral reads p with a scanner of literals, and counts the steps of that.
func (s *Scanner) readLiteral(lit *literal.Scanner, p []byte) (int, literal.State) {
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
	s.emitContent(s.heldAt, s.textOf(s.heldAt, s.held))
	s.drop()
}

// drop forgets the bytes that were held.
func (s *Scanner) drop() { s.held = s.held[:0] }
