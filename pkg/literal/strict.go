package literal

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// Most objects are strict JSON and arrive whole. They are read here at once, with
// the same result as byte by byte and several times as fast. What is unusual in
// any way, or not there yet, is left to the scanner, which begins at the start of
// the object again.

// Bounds of what is read at once.
const (
	strictDepth  = 64
	strictKeys   = 32 // in the objects around one place: each is compared with all in its object
	strictDigits = 15 // a float holds them all
	strictGaps   = 1 << 15
	strictBytes  = math.MaxInt32
)

// A strict reads an object at once.
type strict struct {
	text []byte
	at   int
	base int // offset of the text
	into *object

	depth   int
	arrays  uint64 // the brackets that are open, a bit for each that is one of an array
	opened  bool   // what was read last is an opening bracket
	escaped bool   // the string that was read last holds an escape
	keys    [strictKeys]span
	keyed   uint8                  // how many keys are known
	keyFrom [strictDepth + 1]uint8 // where those of each object begin

	name  span // the key of the member that is being read
	value int  // where its value begins
	gaps  int  // how many blanks stand before that
}

// A span is a part of the text.
type span struct{ from, to int32 }

func (r *strict) cut(s span) []byte { return r.text[s.from:s.to] }

// atOnce tries to read a whole object. It returns how many bytes it has read: all
// of them or none.
func (s *Scanner) atOnce(p []byte) int {
	o := &s.object
	o.fresh = false
	if s.strict == nil {
		s.strict = new(strict)
	}
	r := s.strict
	r.begin(p, s.at, o)
	whole := r.object()
	r.text = nil
	s.steps += r.at
	if !whole || !utf8.Valid(p[:r.at]) {
		o.clear()
		if !s.holding {
			s.keepFrom(s.at)
		}
		return 0
	}
	o.text = s.texts.add(p[:r.at])
	for i := range o.found {
		m := &o.found[i]
		m.text = o.text[m.begin-s.at : m.end-s.at]
	}
	if s.holding {
		s.kept.Write(p[:r.at])
	}
	s.at += r.at
	s.lineBlank, s.used = false, false
	s.end, s.state = s.at, Done
	return r.at
}

// begin makes the reader ready for another object.
func (r *strict) begin(text []byte, base int, into *object) {
	r.text, r.at, r.base, r.into = text, 0, base, into
	r.depth, r.arrays, r.keyed = 0, 0, 0
}

// object reads the object at the start of the text, whose members are noted.
func (r *strict) object() bool {
	if len(r.text) == 0 || len(r.text) > strictBytes || r.text[0] != '{' {
		return false
	}
	r.open('{')
	for r.depth > 0 {
		if !r.next() {
			return false
		}
	}
	return true
}

// member takes the member whose value has just ended.
func (r *strict) member() {
	o := r.into
	key, keyEnd := r.base+int(r.name.from)-1, r.base+int(r.name.to)+1
	i := o.wanted(r.cut(r.name))
	switch {
	case i >= 0:
		m := o.add()
		m.Index, m.key, m.keyEnd, m.begin, m.end = i, key, keyEnd, r.base+r.value, r.base+r.at
		m.gapsFrom, m.gapsTo = int32(r.gaps), int32(len(o.gaps))
	case o.others == 0:
		o.other = diag.Bytes(key, keyEnd)
		fallthrough
	default:
		o.others++
	}
}

// next reads the next item with its key and what stands behind it, or the
// bracket that the item opens. It reports false if there is none.
func (r *strict) next() bool {
	c, array := r.blank(), r.inArray()
	if r.opened && isClosing(c, array) {
		r.close()
		return r.behind()
	}
	if !array {
		if c != '"' || !r.key() {
			return false
		}
		c = r.blank()
	}
	if r.depth == 1 {
		r.value, r.gaps = r.at, len(r.into.gaps)
	}
	if c == '{' || c == '[' {
		r.open(c)
		return r.depth < strictDepth
	}
	return r.item(c) && r.behind()
}

// behind reads what stands behind an item: the brackets that close there, and the
// comma behind them.
func (r *strict) behind() bool {
	for {
		switch r.depth {
		case 0:
			return true
		case 1:
			r.member()
		}
		switch c := r.blank(); {
		case c == ',':
			r.at++
			r.opened = false
			return true
		case !isClosing(c, r.inArray()):
			return false
		}
		r.close()
	}
}

// inArray reports whether the innermost bracket is one of an array.
func (r *strict) inArray() bool { return r.arrays&1 != 0 }

func isClosing(c byte, array bool) bool { return c == ']' && array || c == '}' && !array }

// blank reads blanks and returns the byte behind them, 0 if there is none. Those
// in the values of members are noted.
func (r *strict) blank() byte {
	text, i := r.text, r.at
	if i < len(text) && text[i] > ' ' {
		return text[i]
	}
	for i < len(text) && isWhite(text[i]) {
		i++
	}
	if i > r.at && r.depth > 1 {
		r.into.gaps = append(r.into.gaps, span{int32(r.at), int32(i)})
	}
	r.at = i
	if i == len(text) || len(r.into.gaps) > strictGaps {
		return 0
	}
	return text[i]
}

func isWhite(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func (r *strict) open(c byte) {
	r.at++
	r.depth++
	r.arrays <<= 1
	if c == '[' {
		r.arrays |= 1
	}
	r.opened = true
	r.keyFrom[r.depth] = r.keyed
}

func (r *strict) close() {
	r.at++
	r.keyed = r.keyFrom[r.depth]
	r.depth--
	r.arrays >>= 1
}

// key reads a key that is new in its object, and its colon.
func (r *strict) key() bool {
	from := r.at + 1
	if !r.string() {
		return false
	}
	place := span{int32(from), int32(r.at - 1)}
	key := r.cut(place)
	if r.keyed == strictKeys || r.escaped {
		return false
	}
	for _, k := range r.keys[r.keyFrom[r.depth]:r.keyed] {
		if string(r.cut(k)) == string(key) {
			return false
		}
	}
	r.keys[r.keyed] = place
	r.keyed++
	if r.depth == 1 {
		r.name = place
	}
	if r.blank() != ':' {
		return false
	}
	r.at++
	return true
}

// item reads a value that begins with c and opens no bracket.
func (r *strict) item(c byte) bool {
	switch c {
	case '"':
		return r.string()
	case 't':
		return r.word("true")
	case 'f':
		return r.word("false")
	case 'n':
		return r.word("null")
	}
	return r.number()
}

// word reads a word. That nothing else stands right behind it is seen by next.
func (r *strict) word(w string) bool {
	end := r.at + len(w)
	if end > len(r.text) || string(r.text[r.at:end]) != w {
		return false
	}
	r.at = end
	return true
}

// string reads a string without escapes that are written in more than one way.
func (r *strict) string() bool {
	text, i := r.text, r.at+1
	r.escaped = false
	for {
		i = skipPlain(text, i)
		switch {
		case i >= len(text) || text[i] < 0x20:
			return false
		case text[i] == '"':
			r.at = i + 1
			return true
		case i+1 >= len(text) || !isShortEscape(text[i+1]):
			return false
		}
		i += 2
		r.escaped = true
	}
}

// skipPlain returns the index of the next quote, backslash or control character
// of a string, eight bytes at a time: subtracting finds the bytes below a bound,
// and the lowest that it finds is never wrong.
func skipPlain(text []byte, i int) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		quote, slash := x^each*'"', x^each*'\\'
		special := ((x-each*0x20)&^x | (quote-each)&^quote | (slash-each)&^slash) & high
		if special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for i < len(text) && plainInDouble[text[i]] {
		i++
	}
	return i
}

// isShortEscape reports whether a character has an escape of that letter, and
// is written with it.
func isShortEscape(c byte) bool {
	switch c {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}

// number reads a number that every program can hold.
func (r *strict) number() bool {
	i, digits := r.at, 0
	if i < len(r.text) && r.text[i] == '-' {
		i++
	}
	from := i
	for i < len(r.text) && isDigit(r.text[i]) {
		i++
	}
	digits = i - from
	if digits == 0 || digits > 1 && r.text[from] == '0' {
		return false
	}
	if i < len(r.text) && r.text[i] == '.' {
		from = i + 1
		for i = from; i < len(r.text) && isDigit(r.text[i]); {
			i++
		}
		if i == from {
			return false
		}
		digits += i - from
	}
	r.at = i
	return digits <= strictDigits
}
