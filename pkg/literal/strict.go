package literal

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// Most objects and values are strict JSON and arrive whole. They are read here at
// once, with the same result as byte by byte and several times as fast. What is
// unusual in any way, or not there yet, is left to the scanner, which begins at the
// start of it again.

// Bounds of what is read at once.
const (
	strictDepth  = 64
	strictKeys   = 32 // in the objects around one place: each is compared with all in its object
	strictDigits = 15 // a float holds them all
	strictGaps   = 1 << 15
	strictBytes  = math.MaxInt32
)

// A strict reads an object or a value at once. A value is read as if it were that of
// a member: blanks in it are noted.
type strict struct {
	text []byte
	base int // offset of the text
	into *object

	alone   bool // the text is one value, which ends with it
	outer   int  // how many brackets are open around what is read: for a value one, that of its object
	depth   int
	arrays  uint64 // the brackets that are open, a bit for each that is one of an array
	opened  bool   // what was read last is an opening bracket
	keys    [strictKeys]span
	keyed   uint8                  // how many keys are known
	keyFrom [strictDepth + 1]uint8 // where those of each object begin

	name span // the key of the member that is being read
	from int  // where its value begins
	gaps int  // how many blanks stand before that
}

// A span is a part of the text.
type span struct{ from, to int32 }

func (r *strict) cut(s span) []byte { return r.text[s.from:s.to] }

// atOnce tries to read a whole object or value. It returns how many bytes it has
// read: all of them or none.
func (s *Scanner) atOnce(p []byte) int {
	s.object.fresh = false
	if s.strict == nil {
		s.strict = new(strict)
	}
	r := s.strict
	r.begin(p, s.at, &s.object)
	from, n, whole := 0, 0, false
	if s.goal == anObject {
		n, whole = r.object()
	} else {
		from, n, whole = r.value()
	}
	r.text = nil
	s.steps += n
	if !whole || s.mayStop(p[n-1]) || !utf8.Valid(p[from:n]) { // a stop can begin with the last bracket
		s.object.clear()
		if !s.keeping {
			s.keepFrom(s.at)
		}
		return 0
	}
	if s.goal == anObject {
		s.takeObject(p[:n])
	} else {
		s.takeValue(p[:n], from)
	}
	if s.holding {
		s.kept.block.Write(p[:n])
	}
	s.at += n
	s.lineBlank, s.used = false, false
	s.end, s.state = s.at, Done
	return n
}

// A Strict reads texts that are one value of strict JSON. The zero value is ready.
type Strict struct {
	reader strict
	object object
}

// Append appends the value that a text is, without blanks between its tokens. It
// reports false, and appends nothing, for any text that is not strictly JSON, and for
// some that are: such as have escapes that can be written in more than one way, or a
// number that a 64-bit float may not hold.
func (s *Strict) Append(b, text []byte) ([]byte, bool) {
	b, ok := s.reader.appendTo(b, text, &s.object)
	s.reader.text = nil
	return b, ok
}

// appendTo is [Strict.Append] with room for an object.
func (r *strict) appendTo(b, text []byte, o *object) ([]byte, bool) {
	r.begin(text, 0, o)
	r.alone = true
	from, n, whole := r.value()
	if end, _ := r.blank(n); !whole || end != len(text) || !utf8.Valid(text[from:n]) {
		return b, false
	}
	return o.pack(slices.Grow(b, n-from), text[:n], from), true
}

// takeObject takes an object that was read at once.
func (s *Scanner) takeObject(text []byte) {
	o := &s.object
	o.text = s.texts.add(text)
	for i := range o.found {
		m := &o.found[i]
		m.text = o.text[m.begin-s.at : m.end-s.at]
	}
}

// takeValue takes a value that was read at once, behind some blanks.
func (s *Scanner) takeValue(text []byte, blanks int) {
	s.part.start = s.at + blanks
	size := len(text) - blanks
	for _, gap := range s.object.gaps {
		size -= int(gap.to - gap.from)
	}
	s.part.value = s.object.pack(s.bytes.room(size), text, blanks)
}

// pack appends a text from an index on, without the blanks that were noted.
func (o *object) pack(b, text []byte, from int) []byte {
	for _, gap := range o.gaps {
		b = append(b, text[from:gap.from]...)
		from = int(gap.to)
	}
	return append(b, text[from:]...)
}

// begin makes the reader ready for another object or value.
func (r *strict) begin(text []byte, base int, into *object) {
	r.text, r.base, r.into = text, base, into
	r.outer, r.depth, r.arrays, r.keyed, r.alone = 0, 0, 0, 0, false
	into.gaps = into.gaps[:0]
}

// The functions below read what stands at an index of the text, and return the
// index behind it: one that is handed on costs less than one that is kept. If it is
// not there they return [amiss] of how far they have looked, which is below 0.

func amiss(looked int) int { return ^looked }

// object reads the object at the start of the text, whose members are noted. It
// returns how many bytes it has looked at, and whether they are an object.
func (r *strict) object() (n int, whole bool) {
	if len(r.text) == 0 || len(r.text) > strictBytes || r.text[0] != '{' {
		return 0, false
	}
	r.open('{')
	return r.inside(1)
}

// inside reads the rest of what is open.
func (r *strict) inside(i int) (n int, whole bool) {
	for r.depth > r.outer {
		if i = r.next(i); i < 0 {
			return amiss(i), false
		}
	}
	return i, true
}

// value reads a value and the blanks before it. It returns where it begins, how many
// bytes it has looked at, and whether they are a value that ends there.
func (r *strict) value() (from, n int, whole bool) {
	i, c := r.blank(0)
	if len(r.text) > strictBytes || c == 0 {
		return i, i, false
	}
	r.outer, r.depth, r.keyFrom[1] = 1, 1, 0
	if c == '{' || c == '[' {
		r.open(c)
		n, whole = r.inside(i + 1)
		return i, n, whole
	}
	end := r.item(i, c)
	switch {
	case end < 0:
		return i, amiss(end), false
	case c == '"':
		return i, end, true
	}
	behind, c := r.blank(end)
	return i, end, c == ',' || c == '}' || c == ']' || r.alone && behind == len(r.text)
}

// member takes the member whose value has just ended.
func (r *strict) member(end int) {
	o := r.into
	key, keyEnd := r.base+int(r.name.from)-1, r.base+int(r.name.to)+1
	i := o.wanted(r.cut(r.name))
	switch {
	case i >= 0:
		m := o.add()
		m.Index, m.key, m.keyEnd, m.begin, m.end = i, key, keyEnd, r.base+r.from, r.base+end
		m.gapsFrom, m.gapsTo = int32(r.gaps), int32(len(o.gaps))
	case o.others == 0:
		o.other = diag.Bytes(key, keyEnd)
		fallthrough
	default:
		o.others++
	}
}

// next reads the next item with its key and what stands behind it, or the
// bracket that the item opens.
func (r *strict) next(i int) int {
	c, array := byte(0), r.inArray()
	if i, c = r.blank(i); r.opened && isClosing(c, array) {
		r.close()
		return r.behind(i + 1)
	}
	if !array {
		if i = r.key(i, c); i < 0 {
			return i
		}
		i, c = r.blank(i)
	}
	if r.depth == 1 {
		r.from, r.gaps = i, len(r.into.gaps)
	}
	if c == '{' || c == '[' {
		r.open(c)
		if r.depth == strictDepth {
			return amiss(i)
		}
		return i + 1
	}
	if i = r.item(i, c); i < 0 {
		return i
	}
	return r.behind(i)
}

// behind reads what stands behind an item: the brackets that close there, and the
// comma behind them.
func (r *strict) behind(i int) int {
	for c := byte(0); ; i++ {
		switch r.depth {
		case r.outer:
			return i
		case 1:
			r.member(i)
		}
		switch i, c = r.blank(i); {
		case c == ',':
			r.opened = false
			return i + 1
		case !isClosing(c, r.inArray()):
			return amiss(i)
		}
		r.close()
	}
}

// inArray reports whether the innermost bracket is one of an array.
func (r *strict) inArray() bool { return r.arrays&1 != 0 }

func isClosing(c byte, array bool) bool { return c == ']' && array || c == '}' && !array }

// blank reads blanks, and also returns the byte behind them, 0 if there is none.
func (r *strict) blank(i int) (int, byte) {
	if text := r.text; i < len(text) && text[i] > ' ' {
		return i, text[i]
	}
	return r.blanks(i)
}

// blanks is [strict.blank] where there are some. Those in the values of members
// are noted.
func (r *strict) blanks(from int) (int, byte) {
	text, i := r.text, from
	for i < len(text) && isWhite(text[i]) {
		i++
	}
	if i > from && r.depth > 1 {
		r.into.gaps = append(r.into.gaps, span{int32(from), int32(i)})
	}
	if i == len(text) || len(r.into.gaps) > strictGaps {
		return i, 0
	}
	return i, text[i]
}

func isWhite(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func (r *strict) open(c byte) {
	r.depth++
	r.arrays <<= 1
	if c == '[' {
		r.arrays |= 1
	}
	r.opened = true
	r.keyFrom[r.depth] = r.keyed
}

func (r *strict) close() {
	r.keyed = r.keyFrom[r.depth]
	r.depth--
	r.arrays >>= 1
}

// key reads a key that begins with c and is new in its object, and its colon.
func (r *strict) key(i int, c byte) int {
	if c != '"' || r.keyed == strictKeys {
		return amiss(i)
	}
	end := skipPlain(r.text, i+1)
	if end >= len(r.text) || r.text[end] != '"' {
		return amiss(end) // or it has an escape
	}
	place := span{int32(i + 1), int32(end)}
	if !r.isNew(r.cut(place)) {
		return amiss(end)
	}
	r.keys[r.keyed] = place
	r.keyed++
	if r.depth == 1 {
		r.name = place
	}
	if i, c = r.blank(end + 1); c != ':' {
		return amiss(i)
	}
	return i + 1
}

// isNew reports whether the innermost object has no such key yet.
func (r *strict) isNew(key []byte) bool {
	for _, k := range r.keys[r.keyFrom[r.depth]:r.keyed] {
		if int(k.to-k.from) == len(key) && string(r.cut(k)) == string(key) {
			return false
		}
	}
	return true
}

// item reads a value that begins with c and opens no bracket.
func (r *strict) item(i int, c byte) int {
	switch c {
	case '"':
		return r.string(i)
	case 't':
		return r.word(i, "true")
	case 'f':
		return r.word(i, "false")
	case 'n':
		return r.word(i, "null")
	}
	return r.number(i)
}

// word reads a word. That nothing else stands right behind it is seen by next.
func (r *strict) word(i int, w string) int {
	end := i + len(w)
	if end > len(r.text) || string(r.text[i:end]) != w {
		return amiss(i)
	}
	return end
}

// string reads a string without escapes that are written in more than one way.
func (r *strict) string(i int) int {
	text := r.text
	for i++; ; i += 2 {
		i = skipPlain(text, i)
		switch {
		case i >= len(text) || text[i] < 0x20:
			return amiss(i)
		case text[i] == '"':
			return i + 1
		case i+1 >= len(text) || !isShortEscape(text[i+1]):
			return amiss(i)
		}
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
func (r *strict) number(i int) int {
	text := r.text
	if i < len(text) && text[i] == '-' {
		i++
	}
	from := i
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	digits := i - from
	if digits == 0 || digits > 1 && text[from] == '0' {
		return amiss(i)
	}
	if i < len(text) && text[i] == '.' {
		from = i + 1
		for i = from; i < len(text) && isDigit(text[i]); {
			i++
		}
		if i == from {
			return amiss(i)
		}
		digits += i - from
	}
	if digits > strictDigits {
		return amiss(i)
	}
	return i
}
