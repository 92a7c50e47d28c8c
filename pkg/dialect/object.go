package dialect

import (
	"bytes"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// JSON outside of fences. At the start of a response every object and array may
// hold calls. Behind text an object must say so with its first key, because texts
// have braces of many kinds; other objects are passed over whole, so that nothing
// in their strings is taken for calls.

// A firstKey is the beginning of an object in the text.
type firstKey struct {
	keys   []string // those that count
	stage  keyStage
	quote  byte // around the key; 0 for none
	fits   uint // which keys it can be, a bit for each
	length int  // how much of them has been read
	quoted bool // a quote or a backslash stands before the object
}

// A keyStage says how far the beginning of an object has been read.
type keyStage int

const (
	beforeKey keyStage = iota
	withinKey
	behindKey
)

// beginKey begins to read an object at the brace that is held.
func (s *Scanner) beginKey() {
	s.key = firstKey{quoted: s.inQuoted || s.line.inCode() || s.line.behindQuote(), keys: s.marks.keys, fits: ^uint(0)}
	s.place, s.lineBlank = inKey, false
}

// readKey reads an object in the text up to where it is known what its first key
// is.
func (s *Scanner) readKey(p []byte) int {
	c, k := p[0], &s.key
	switch {
	case c == ':' && k.complete():
		s.firstKeyFits()
		return 0
	case isSpace(c) && k.stage != withinKey && len(s.held) > longestLead, !k.add(c):
		s.noFirstKey()
		return 0
	}
	s.hold(p[:1])
	return 1
}

// complete reports whether a colon would make it a key that counts.
func (k *firstKey) complete() bool {
	return k.stage == behindKey || k.stage == withinKey && k.quote == 0 && k.isWhole()
}

// isWhole reports whether all of a key has been read.
func (k *firstKey) isWhole() bool {
	for i, key := range k.keys {
		if k.fits>>i&1 != 0 && len(key) == k.length {
			return true
		}
	}
	return false
}

// add reports whether a byte goes on with a key that counts.
func (k *firstKey) add(c byte) bool {
	switch k.stage {
	case beforeKey:
		switch {
		case isSpace(c):
		case c == '"' || c == '\'':
			k.stage, k.quote = withinKey, c
		default:
			k.stage = withinKey
			return k.letter(c)
		}
	case withinKey:
		if !k.isWhole() || c != k.quote && (k.quote != 0 || !isSpace(c)) {
			return k.letter(c)
		}
		k.stage = behindKey
	case behindKey:
		return isSpace(c)
	}
	return true
}

// letter reports whether a byte is the next of a key, and keeps the keys that it
// is of.
func (k *firstKey) letter(c byte) bool {
	fits := uint(0)
	for i, key := range k.keys {
		if k.length < len(key) && key[k.length] == c {
			fits |= k.fits & (1 << i)
		}
	}
	k.fits = fits
	k.length++
	return fits != 0
}

// firstKeyFits follows the key of an object that holds calls.
func (s *Scanner) firstKeyFits() {
	if !s.key.quoted && !s.foreign.open() {
		s.enterObject(s.heldAt)
		s.body.write(s.held)
		s.held = s.held[:0]
		return
	}
	f := diag.New(diag.QuotedCall, diag.Bytes(s.heldAt, s.heldAt+1), "an object with calls that is quoted is not read")
	if s.foreign.open() {
		s.text()
	} else {
		s.beginOther()
	}
	s.find(f)
}

// noFirstKey goes on behind the beginning of an object that holds no calls.
func (s *Scanner) noFirstKey() {
	if s.key.quote != 0 && !s.foreign.code {
		s.beginOther()
		return
	}
	s.lineBlank = s.beginsLine(s.held)
	s.release()
	s.place = inProse
}

// rawFence is what ends JSON outside of fences: the beginning of one.
var rawFence = literal.Fence{Char: '`', Len: 3}

// An aside is an object in the text that is not ours, which is passed over.
type aside struct {
	lit   *literal.Scanner
	fence literal.Fence // that ends it
	shown int           // up to where it has become content
}

// beginOther begins to pass over an object that is not ours, if it is JSON.
func (s *Scanner) beginOther() {
	o, around := &s.aside, rawFence
	if s.foreign.open() {
		around = literal.Fence{Char: s.foreign.char, Len: s.foreign.length}
	}
	o.lit, o.fence, o.shown = s.literals.json(literal.Options{Fence: around}), around, s.heldAt+len(s.held)
	o.lit.MoveTo(s.heldAt)
	o.lit.ExpectMark("{", false)
	o.lit.Write(s.held[:1])
	o.lit.ExpectKey()
	o.lit.Write(s.held[1:])
	s.release()
	s.place = inOtherKey
}

// passOver passes over the rest of an object that a scanner has begun to read,
// and in which some brackets are open.
func (s *Scanner) passOver(lit *literal.Scanner, fence literal.Fence, around string) {
	s.aside = aside{lit: lit, fence: fence, shown: lit.At()}
	lit.PassRest(around)
}

// readOther reads on in an object that is not ours. Behind its first key it is
// JSON, and is passed over up to its last bracket.
func (s *Scanner) readOther(p []byte) int {
	o := &s.aside
	n, state := s.read(o.lit, p)
	s.show(p[:n], o.lit.Settled())
	switch {
	case state == literal.More:
	case state == literal.Fenced:
		s.beginRun(o.fence, o.lit.End())
	case state == literal.Done && s.place == inOtherKey:
		o.lit.PassRest("{")
		s.place = inOther
	default:
		s.place, s.lineBlank = inProse, o.lit.LineStart()
	}
	return n
}

// show makes content of an object that is not ours up to an offset, which lies in
// the next bytes p or among the fence characters before them that have waited.
func (s *Scanner) show(p []byte, end int) {
	o := &s.aside
	if waiting := min(s.at, end) - o.shown; waiting > 0 {
		s.content(o.shown, strings.Repeat(string(o.fence.Char), waiting))
	}
	s.content(s.at, string(p[:max(0, end-s.at)]))
	o.shown = max(o.shown, end)
}

// beginRun goes on behind a run of fence characters that has been read.
func (s *Scanner) beginRun(f literal.Fence, at int) {
	s.opener = fence{char: f.Char, length: f.Len, at: at}
	s.held, s.heldAt = append(s.held[:0], bytes.Repeat([]byte{f.Char}, f.Len)...), at
	s.place, s.lineBlank = inRun, false
}
