package dialect

import (
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// Options configure the reading of a response.
type Options struct {
	Dialect   Dialect   // the zero value detects the dialect
	Tools     Toolset   // nil if unknown
	Reasoning Reasoning // where reasoning is expected
}

// An Event is a part of the response. Exactly one field is set.
type Event struct {
	Content   string        // text outside calls and reasoning
	Reasoning string        // reasoning text outside calls
	Call      *chat.Call    // complete or faulty
	Finding   *diag.Finding // with byte offsets, and the index of its call
	// Revoked invalidates all calls so far: they are drafts, or parts of an argument. A finding for each of them
	// precedes it.
	Revoked bool
	// ContentWasReasoning turns all content so far into reasoning: its closing marker has come, and the opening one
	// was in the prompt.
	ContentWasReasoning bool
}

// A Scanner reads a response while it arrives. Its events do not depend on how the response is split into
// pieces, except for the boundaries of content. It inspects every byte a bounded number of times, and buffers
// only the current call and text that may become a call, a marker or the opening line of a fence.
type Scanner struct {
	markers    *markerSet
	tools      Toolset
	emit       func(Event)
	whole      string // the whole response, if known
	state      scanState
	at         int       // offset of the next byte
	last       byte      // the byte before it
	calls      int       // number of calls so far
	revoked    int       // number of calls revoked
	steps      int       // bytes and pieces inspected; tests count them
	contentEnd int       // offset after the latest content; tests compare it with the text
	nameSpan   diag.Span // of the name of the latest call

	search            search
	pushback          []byte    // bytes read that will be read again
	unreadPieces      [][]byte  // pieces to be read before the next one, the last of it first
	held              []byte    // bytes that become content unless they belong to a marker or frame
	heldAt            int       // offset of held
	textLine          lineState // state of the line before held
	lineBlank         bool      // the line before held is blank
	afterQuotedMarker bool      // only blanks separate held from a quoted marker of calls
	pending           pending   // the latest marker, while it is not resolved
	reasoning         reasoningState
	opener            fence // the latest run of fence characters
	info              info  // its info string
	foreign           fence // the open fence without calls, if any
	frame             frame
	callHolders       int      // fences and bare JSON values with calls
	hintedDialect     *Dialect // of the latest marker that only one dialect has
	list              openList // the open marker around calls
	unmatched         unmatchedOpen
	elements          toolElements
	body              body // parses the open frame, if any
	resync            resync
	*bodyPool
	matched         int           // bytes read of an info string after a closing run
	firstKey        firstKey      // the beginning of an object in the text
	skipped         skippedObject // the object being skipped
	surrounding     surroundingText
	message         messageState
	precedingWord   lastWord
	callsOnly       bool // the dialect of the last frame allows nothing but calls
	hasBegun        bool // a non-blank byte has been read
	ids             idSet
	lastCall        lastCall
	callCut         bool       // the latest call was cut off
	unbalanced      bool       // its brackets do not match, which explains later strays
	workEnded       bool       // the call that ends the work has been made
	rawTextDialects []*Dialect // of calls with text values, which can contain markers
	detected        detected
}

// NewScanner returns a scanner that passes events to emit, in text order. A call is emitted at its last byte or,
// if its arguments are text without a terminator, as soon as something else begins. Findings about it follow.
func NewScanner(o Options, emit func(Event)) *Scanner {
	s := new(Scanner)
	s.begin(o.markerSet(), o.Reasoning, o.Tools, emit)
	return s
}

// markerSet returns the markers to search for.
func (o *Options) markerSet() *markerSet {
	if o.Dialect.Name == "" {
		return allMarkers()
	}
	return markerSetOf(&o.Dialect)
}

// begin resets the scanner for a response, reusing its buffers.
func (s *Scanner) begin(markers *markerSet, reasoning Reasoning, tools Toolset, emit func(Event)) {
	*s = Scanner{
		markers: markers, tools: tools, emit: emit, lineBlank: true,
		search: search{Automaton: markers.Automaton}, reasoning: reasoningState{mode: reasoning, inside: reasoning == ReasoningOpen},
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

// Write reads the next bytes of the response. It does not retain p.
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

// rewindWithin is [Scanner.rewind] within the current piece, of which some bytes have been read. It returns the
// number of bytes to go back, so that they are read together with the next ones.
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

// rewind makes the pushed-back bytes the next to be read.
func (s *Scanner) rewind() {
	if len(s.pushback) > 0 {
		s.at -= len(s.pushback)
		s.steps += len(s.pushback)
		s.unreadPieces = append(s.unreadPieces, s.pushback)
		s.pushback = nil
	}
}

// advance reads the next bytes of p, at least one or none with a state change.
func (s *Scanner) advance(p []byte) int {
	n := s.step(p)
	if n > 0 {
		s.last = p[n-1]
	}
	s.at += n
	s.steps += n + 1
	return n
}

// unread pushes back the last bytes read.
func (s *Scanner) unread(text []byte) { s.pushback = append(s.pushback[:0], text...) }

// Close ends the response.
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

// closeStates closes everything that is open at the end of the text, including what that makes the scanner read
// again.
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

// closeState closes what is open at the end of the text or of a segment.
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

// emitContent emits text outside calls, at an offset.
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

// textOf returns a piece of the text as a string, without copying if the whole text is known.
func (s *Scanner) textOf(at int, piece []byte) string {
	if s.whole != "" {
		return s.whole[at : at+len(piece)]
	}
	return string(piece)
}

// readLiteral reads p with a literal scanner, and counts its steps.
func (s *Scanner) readLiteral(lit *literal.Scanner, p []byte) (int, literal.State) {
	before := lit.Steps()
	n, state := lit.Write(p)
	s.steps += lit.Steps() - before
	return n, state
}

// hold buffers the next bytes until they are classified.
func (s *Scanner) hold(p []byte) {
	if len(s.held) == 0 {
		s.heldAt = s.at
	}
	s.held = append(s.held, p...)
}

// release emits the held bytes as content.
func (s *Scanner) release() {
	s.emitContent(s.heldAt, s.textOf(s.heldAt, s.held))
	s.drop()
}

// drop discards the held bytes.
func (s *Scanner) drop() { s.held = s.held[:0] }
