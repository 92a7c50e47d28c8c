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

// A firstKey is the beginning of an object in the text.
type firstKey struct {
	keys       []string // keys that count
	stage      keyStage
	quote      byte // around the key; 0 for none
	candidates uint // keys it can be, one bit each
	length     int  // bytes read of the key
	isQuoted   bool // a quote or backslash precedes the object
}

// A keyStage is the part of the beginning being read.
type keyStage int

const (
	beforeKey keyStage = iota
	withinKey
	afterKey
)

// beginFirstKey begins an object at the held brace.
func (s *Scanner) beginFirstKey() {
	s.firstKey = firstKey{isQuoted: s.afterQuotedMarker || s.textLine.inCode() || s.textLine.isAfterQuote(), keys: s.markers.firstKeys, candidates: ^uint(0)}
	s.state, s.lineBlank = inFirstKey, false
}

// readFirstKey reads an object in the text until its first key is known.
func (s *Scanner) readFirstKey(p []byte) int {
	c, k := p[0], &s.firstKey
	switch {
	case c == ':' && k.isComplete():
		s.enterKeyedObject()
		return 0
	case isSpace(c) && k.stage != withinKey && len(s.held) > maxLookahead, !k.accept(c):
		s.leaveFirstKey()
		return 0
	}
	s.hold(p[:1])
	return 1
}

// isComplete reports whether a colon now would complete a key that counts.
func (k *firstKey) isComplete() bool {
	return k.stage == afterKey || k.stage == withinKey && k.quote == 0 && k.isWhole()
}

// isWhole reports whether a candidate has been read completely.
func (k *firstKey) isWhole() bool {
	for i, key := range k.keys {
		if k.candidates>>i&1 != 0 && len(key) == k.length {
			return true
		}
	}
	return false
}

// accept reports whether a byte continues a key that counts.
func (k *firstKey) accept(c byte) bool {
	switch k.stage {
	case beforeKey:
		switch {
		case isSpace(c):
		case c == '"' || c == '\'':
			k.stage, k.quote = withinKey, c
		default:
			k.stage = withinKey
			return k.acceptLetter(c)
		}
	case withinKey:
		if !k.isWhole() || c != k.quote && (k.quote != 0 || !isSpace(c)) {
			return k.acceptLetter(c)
		}
		k.stage = afterKey
	case afterKey:
		return isSpace(c)
	}
	return true
}

// acceptLetter reports whether a byte continues a candidate, and keeps those candidates.
func (k *firstKey) acceptLetter(c byte) bool {
	fits := uint(0)
	for i, key := range k.keys {
		if k.length < len(key) && key[k.length] == c {
			fits |= k.candidates & (1 << i)
		}
	}
	k.candidates = fits
	k.length++
	return fits != 0
}

// enterKeyedObject handles the first key of an object with calls.
func (s *Scanner) enterKeyedObject() {
	if !s.firstKey.isQuoted && !s.foreign.open() {
		s.enterBareObject(s.heldAt)
		s.body.write(s.held)
		s.held = s.held[:0]
		return
	}
	f := diag.New(diag.QuotedCall, diag.Bytes(s.heldAt, s.heldAt+1), "a quoted object with calls is not read")
	if s.foreign.open() {
		s.releaseText()
	} else {
		s.beginSkipped()
	}
	s.report(f)
}

// leaveFirstKey continues after the beginning of an object without calls.
func (s *Scanner) leaveFirstKey() {
	if s.firstKey.quote != 0 && !s.foreign.isCode {
		s.beginSkipped()
		return
	}
	s.lineBlank = s.beginsLine(s.held)
	s.release()
	s.state = inProse
}

// rawFence ends JSON outside fences: it begins a fence.
var rawFence = literal.Fence{Char: '`', Len: 3}

// A skippedObject is a JSON object in the text without calls.
type skippedObject struct {
	lit       *literal.Scanner
	fence     literal.Fence // ends the object
	emittedTo int           // offset up to which it has been emitted
}

// beginSkipped begins to skip an object, if it is JSON.
func (s *Scanner) beginSkipped() {
	o, around := &s.skipped, rawFence
	if s.foreign.open() {
		around = literal.Fence{Char: s.foreign.char, Len: s.foreign.length}
	}
	o.lit, o.fence, o.emittedTo = s.literals.json(literal.Options{Fence: around}), around, s.heldAt+len(s.held)
	o.lit.ResetAt(s.heldAt)
	o.lit.ExpectPunct("{", false)
	o.lit.Write(s.held[:1])
	o.lit.ExpectKey()
	o.lit.Write(s.held[1:])
	s.release()
	s.state = inSkippedKey
}

// skipObject skips the rest of an object that lit has begun to read, with open brackets.
func (s *Scanner) skipObject(lit *literal.Scanner, fence literal.Fence, around string) {
	s.skipped = skippedObject{lit: lit, fence: fence, emittedTo: lit.Offset()}
	lit.SkipRest(around)
}

// readSkipped reads a skipped object. After its first key it must be JSON, and is skipped up to its last
// bracket.
func (s *Scanner) readSkipped(p []byte) int {
	o := &s.skipped
	n, state := s.readLiteral(o.lit, p)
	s.emitSkipped(p[:n], o.lit.CommittedOffset())
	switch {
	case state == literal.NeedMore:
	case state == literal.FenceClosed:
		s.resumeAtRun(o.fence, o.lit.End())
	case state == literal.Done && s.state == inSkippedKey:
		o.lit.SkipRest("{")
		s.state = inSkippedObject
	default:
		s.state, s.lineBlank = inProse, o.lit.IsLineStart()
	}
	return n
}

// emitSkipped emits a skipped object up to an offset, which is in the next bytes p or among the fence characters
// before them.
func (s *Scanner) emitSkipped(p []byte, end int) {
	o := &s.skipped
	if waiting := min(s.at, end) - o.emittedTo; waiting > 0 {
		s.emitContent(o.emittedTo, strings.Repeat(string(o.fence.Char), waiting))
	}
	s.emitContent(s.at, string(p[:max(0, end-s.at)]))
	o.emittedTo = max(o.emittedTo, end)
}

// resumeAtRun continues after a run of fence characters.
func (s *Scanner) resumeAtRun(f literal.Fence, at int) {
	s.opener = fence{char: f.Char, length: f.Len, at: at}
	s.held, s.heldAt = append(s.held[:0], bytes.Repeat([]byte{f.Char}, f.Len)...), at
	s.state, s.lineBlank = inRun, false
}
