package dialect

import (
	"bytes"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// JSON outside fences. At the start of a response any object or array may contain calls. After text an object
// needs a known first key, because braces have many uses in text. Other objects are skipped whole, so that their
// strings are not mistaken for calls.

// beginFirstKey begins an object at the held brace.
func (s *Scanner) beginFirstKey() {
	s.firstKey = firstKey{isQuoted: s.afterQuotedMarker || s.textLine.isInInlineCode() || s.textLine.isAfterQuote(), keys: s.markers.firstKeys, candidates: ^uint(0)}
	s.state = inFirstKey
	s.setLineBlank(false)
}

// readFirstKey reads an object in the text until its first key is known.
func (s *Scanner) readFirstKey(p []byte) int {
	c, k := p[0], &s.firstKey
	switch {
	case c == ':' && k.isKeyCompleteAtColon():
		s.enterAtFirstKey()
		return 0
	case isSpace(c) && k.stage != withinKey && len(s.held) > maxLookahead, !k.acceptByte(c):
		s.rejectFirstKey()
		return 0
	}
	s.hold(p[:1])
	return 1
}

// enterAtFirstKey handles the first key of an object with calls.
func (s *Scanner) enterAtFirstKey() {
	if !s.firstKey.isQuoted && !s.foreign.isOpen() {
		s.enterBareObject(s.heldAt)
		s.body.write(s.held)
		s.held = s.held[:0]
		return
	}
	f := diag.New(diag.QuotedCall, diag.Bytes(s.heldAt, s.heldAt+1), "a quoted object with calls is not read")
	if s.foreign.isOpen() {
		s.emitHeldAsText()
	} else {
		s.beginSkippedObject()
	}
	s.report(f)
}

// rejectFirstKey continues after the beginning of an object without calls.
func (s *Scanner) rejectFirstKey() {
	if s.firstKey.quote != 0 && !s.foreign.isCode {
		s.beginSkippedObject()
		return
	}
	s.updateLinePrefix(s.held)
	s.emitHeld()
	s.state = inProse
}

// beginSkippedObject begins to skip an object, if it is JSON.
func (s *Scanner) beginSkippedObject() {
	o, around := &s.skipped, rawFence
	if s.foreign.isOpen() {
		around = literal.Fence{Char: s.foreign.char, Len: s.foreign.length}
	}
	o.lit, o.fence, o.emittedTo = s.literals.json(literal.Options{Fence: around}), around, s.heldAt+len(s.held)
	o.lit.ResetAt(s.heldAt)
	o.lit.ExpectPunct("{", false)
	o.lit.Write(s.held[:1])
	o.lit.ExpectKey()
	o.lit.Write(s.held[1:])
	s.emitHeld()
	s.state = inSkippedKey
}

// readSkippedObject reads a skipped object. After its first key it must be JSON, and is skipped up to its last
// bracket.
func (s *Scanner) readSkippedObject(p []byte) int {
	o := &s.skipped
	n, state := s.readLiteral(o.lit, p)
	o.emitUpTo(&s.sink, p[:n], o.lit.CommittedOffset())
	switch {
	case state == literal.NeedMore:
	case state == literal.FenceClosed:
		s.resumeAtFenceRun(o.fence, o.lit.End())
	case state == literal.Done && s.state == inSkippedKey:
		o.lit.SkipToClosingBracket("{")
		s.state = inSkippedObject
	default:
		s.state = inProse
		s.setLineBlank(o.lit.IsLineStart())
	}
	return n
}

// emitUpTo emits the object up to an offset, which is in the next bytes p or among the fence characters before them.
func (o *skippedObject) emitUpTo(s *sink, p []byte, end int) {
	if waiting := min(s.at, end) - o.emittedTo; waiting > 0 {
		s.emitContent(o.emittedTo, strings.Repeat(string(o.fence.Char), waiting))
	}
	s.emitContent(s.at, string(p[:max(0, end-s.at)]))
	o.emittedTo = max(o.emittedTo, end)
}

// resumeAtFenceRun continues after a run of fence characters.
func (s *Scanner) resumeAtFenceRun(f literal.Fence, at int) {
	s.opener = fence{char: f.Char, length: f.Len, at: at}
	s.held, s.heldAt = append(s.held[:0], bytes.Repeat([]byte{f.Char}, f.Len)...), at
	s.state = inRun
	s.setLineBlank(false)
}
