package literal

import (
	"math"
	"slices"
	"unicode/utf8"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
)

// Most objects and values are strict JSON and arrive whole. They are parsed here in one pass,
// several times as fast as byte by byte and with the same result. Anything unusual or incomplete
// is left to the scanner, which restarts at its beginning.

// Limits of the fast path.
const (
	strictDepth  = 64
	strictKeys   = 32 // in the objects around one position: each key is compared with all in its object
	strictDigits = 15 // a 64-bit float holds them all
	strictGaps   = 1 << 15
	strictBytes  = math.MaxInt32
)

// A strictParser parses an object or a value in one pass. It records whitespace in values.
type strictParser struct {
	text   []byte
	base   int // offset of the text
	object *object

	isWhole    bool // the text is exactly one value
	outerDepth int  // number of brackets around the item: for a value one, for its imaginary object
	depth      int
	arrays     uint64 // a bit for each open bracket: 1 for an array
	justOpened bool   // the last token is an opening bracket
	keys       [strictKeys]span
	keyCount   uint8                  // length of keys
	firstKey   [strictDepth + 1]uint8 // first key of each open object

	name       span // key of the current member
	valueStart int  // start of its value
	gaps       int  // number of gaps before it
}

// A span is a range of the text.
type span struct{ from, to int32 }

func (r *strictParser) slice(s span) []byte { return r.text[s.from:s.to] }

// tryStrict tries to parse a complete object or value. It returns how many bytes it has read:
// all or none.
func (s *Scanner) tryStrict(p []byte) int {
	s.object.untried = false
	if s.strict == nil {
		s.strict = new(strictParser)
	}
	r := s.strict
	r.reset(p, s.pos, &s.object)
	from, n, whole := 0, 0, false
	if s.goal == goalObject {
		n, whole = r.parseObject()
	} else {
		from, n, whole = r.parseValue()
	}
	r.text = nil
	s.steps += n
	if !whole || s.canBeginStop(p[n-1]) || !utf8.Valid(p[from:n]) { // a stop can begin with the last bracket
		s.object.reset()
		if !s.capturing {
			s.captureFrom(s.pos)
		}
		return 0
	}
	if s.goal == goalObject {
		s.storeStrictObject(p[:n])
	} else {
		s.storeStrictValue(p[:n], from)
	}
	if s.pinned {
		s.captured.block.Write(p[:n])
	}
	s.pos += n
	s.lineBlank, s.dirty = false, false
	s.end, s.state = s.pos, Done
	return n
}

// A Strict parses texts that are one value of strict JSON. The zero value is ready to use.
type Strict struct {
	reader strictParser
	object object
}

// Append appends the value of a text without whitespace between its tokens. It returns false,
// and appends nothing, for a text that is not strict JSON and for some that are: those with
// escapes that have more than one spelling, or with numbers that a 64-bit float may not hold.
func (s *Strict) Append(b, text []byte) ([]byte, bool) {
	b, ok := s.reader.appendTo(b, text, &s.object)
	s.reader.text = nil
	return b, ok
}

// appendTo is [Strict.Append] with a reusable object.
func (r *strictParser) appendTo(b, text []byte, o *object) ([]byte, bool) {
	r.reset(text, 0, o)
	r.isWhole = true
	from, n, whole := r.parseValue()
	if end, _ := r.skipBlanks(n); !whole || end != len(text) || !utf8.Valid(text[from:n]) {
		return b, false
	}
	return o.appendWithoutGaps(slices.Grow(b, n-from), text[:n], from), true
}

// storeStrictObject stores an object parsed by tryStrict.
func (s *Scanner) storeStrictObject(text []byte) {
	o := &s.object
	o.text = s.textArena.clone(text)
	for i := range o.found {
		m := &o.found[i]
		m.text = o.text[m.begin-s.pos : m.end-s.pos]
	}
}

// storeStrictValue stores a value parsed by tryStrict, after some whitespace.
func (s *Scanner) storeStrictValue(text []byte, blanks int) {
	s.part.start = s.pos + blanks
	size := len(text) - blanks
	for _, gap := range s.object.gaps {
		size -= int(gap.to - gap.from)
	}
	s.part.value = s.object.appendWithoutGaps(s.valueArena.alloc(size), text, blanks)
}

// appendWithoutGaps appends a text from an index on without the recorded whitespace.
func (o *object) appendWithoutGaps(b, text []byte, from int) []byte {
	for _, gap := range o.gaps {
		b = append(b, text[from:gap.from]...)
		from = int(gap.to)
	}
	return append(b, text[from:]...)
}

func (r *strictParser) reset(text []byte, base int, into *object) {
	r.text, r.base, r.object = text, base, into
	r.outerDepth, r.depth, r.arrays, r.keyCount, r.isWhole = 0, 0, 0, 0, false
	into.gaps = into.gaps[:0]
}

// The functions below parse the token at an index and return the index after it: passing the
// index is faster than storing it. On failure they return [failedAt] of the index they have
// reached, which is negative.

func failedAt(looked int) int { return ^looked }

// parseObject parses the object at the start of the text and records its members. It returns how
// many bytes it has looked at, and whether they are an object.
func (r *strictParser) parseObject() (n int, whole bool) {
	if len(r.text) == 0 || len(r.text) > strictBytes || r.text[0] != '{' {
		return 0, false
	}
	r.open('{')
	return r.parseRest(1)
}

// parseRest parses up to the end of the outermost open bracket.
func (r *strictParser) parseRest(i int) (n int, whole bool) {
	for r.depth > r.outerDepth {
		if i = r.parseItem(i); i < 0 {
			return failedAt(i), false
		}
	}
	return i, true
}

// parseValue parses a value after optional whitespace. It returns where it begins, how many
// bytes it has looked at, and whether they are a complete value.
func (r *strictParser) parseValue() (from, n int, whole bool) {
	i, c := r.skipBlanks(0)
	if len(r.text) > strictBytes || c == 0 {
		return i, i, false
	}
	r.outerDepth, r.depth, r.firstKey[1] = 1, 1, 0
	if c == '{' || c == '[' {
		r.open(c)
		n, whole = r.parseRest(i + 1)
		return i, n, whole
	}
	end := r.parseScalar(i, c)
	switch {
	case end < 0:
		return i, failedAt(end), false
	case c == '"':
		return i, end, true
	}
	next, c := r.skipBlanks(end)
	return i, end, c == ',' || c == '}' || c == ']' || r.isWhole && next == len(r.text)
}

// addMember records the member whose value has just ended.
func (r *strictParser) addMember(end int) {
	o := r.object
	key, keyEnd := r.base+int(r.name.from)-1, r.base+int(r.name.to)+1
	i := o.requestedNameIndex(r.slice(r.name))
	switch {
	case i >= 0:
		m := o.addMember()
		m.Index, m.key, m.keyEnd, m.begin, m.end = i, key, keyEnd, r.base+r.valueStart, r.base+end
		m.gapsFrom, m.gapsTo = int32(r.gaps), int32(len(o.gaps))
	case o.others == 0:
		o.other = diag.Bytes(key, keyEnd)
		fallthrough
	default:
		o.others++
	}
}

// parseItem parses the next item with its key, and the tokens after it or the bracket that it
// opens.
func (r *strictParser) parseItem(i int) int {
	c, array := byte(0), r.isInArray()
	if i, c = r.skipBlanks(i); r.justOpened && isClosingBracket(c, array) {
		r.close()
		return r.parseAfterItem(i + 1)
	}
	if !array {
		if i = r.parseKey(i, c); i < 0 {
			return i
		}
		i, c = r.skipBlanks(i)
	}
	if r.depth == 1 {
		r.valueStart, r.gaps = i, len(r.object.gaps)
	}
	if c == '{' || c == '[' {
		r.open(c)
		if r.depth == strictDepth {
			return failedAt(i)
		}
		return i + 1
	}
	if i = r.parseScalar(i, c); i < 0 {
		return i
	}
	return r.parseAfterItem(i)
}

// parseAfterItem parses the tokens after an item: closing brackets and a comma.
func (r *strictParser) parseAfterItem(i int) int {
	for c := byte(0); ; i++ {
		switch r.depth {
		case r.outerDepth:
			return i
		case 1:
			r.addMember(i)
		}
		switch i, c = r.skipBlanks(i); {
		case c == ',':
			r.justOpened = false
			return i + 1
		case !isClosingBracket(c, r.isInArray()):
			return failedAt(i)
		}
		r.close()
	}
}

// isInArray reports whether the innermost bracket is an array.
func (r *strictParser) isInArray() bool { return r.arrays&1 != 0 }

func isClosingBracket(c byte, array bool) bool { return c == ']' && array || c == '}' && !array }

// skipBlanks skips whitespace and also returns the next byte, 0 at the end.
func (r *strictParser) skipBlanks(i int) (int, byte) {
	if text := r.text; i < len(text) && text[i] > ' ' {
		return i, text[i]
	}
	return r.skipBlanksSlow(i)
}

// skipBlanksSlow is [strictParser.skipBlanks] for whitespace that is there. It records
// whitespace in the values of members.
func (r *strictParser) skipBlanksSlow(from int) (int, byte) {
	text, i := r.text, from
	for i < len(text) && isJSONBlank(text[i]) {
		i++
	}
	if i > from && r.depth > 1 {
		r.object.gaps = append(r.object.gaps, span{int32(from), int32(i)})
	}
	if i == len(text) || len(r.object.gaps) > strictGaps {
		return i, 0
	}
	return i, text[i]
}

func isJSONBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func (r *strictParser) open(c byte) {
	r.depth++
	r.arrays <<= 1
	if c == '[' {
		r.arrays |= 1
	}
	r.justOpened = true
	r.firstKey[r.depth] = r.keyCount
}

func (r *strictParser) close() {
	r.keyCount = r.firstKey[r.depth]
	r.depth--
	r.arrays >>= 1
}

// parseKey parses a key that begins with c, and its colon. The key must be new in its object.
func (r *strictParser) parseKey(i int, c byte) int {
	if c != '"' || r.keyCount == strictKeys {
		return failedAt(i)
	}
	end := quote.SkipPlain(r.text, i+1)
	if end >= len(r.text) || r.text[end] != '"' {
		return failedAt(end) // or it has an escape
	}
	place := span{int32(i + 1), int32(end)}
	if !r.isNewKey(r.slice(place)) {
		return failedAt(end)
	}
	r.keys[r.keyCount] = place
	r.keyCount++
	if r.depth == 1 {
		r.name = place
	}
	if i, c = r.skipBlanks(end + 1); c != ':' {
		return failedAt(i)
	}
	return i + 1
}

// isNewKey reports whether the innermost object has no such key yet.
func (r *strictParser) isNewKey(key []byte) bool {
	for _, k := range r.keys[r.firstKey[r.depth]:r.keyCount] {
		if int(k.to-k.from) == len(key) && string(r.slice(k)) == string(key) {
			return false
		}
	}
	return true
}

// parseScalar parses a string, number or word that begins with c.
func (r *strictParser) parseScalar(i int, c byte) int {
	switch c {
	case '"':
		return r.parseString(i)
	case 't':
		return r.parseWord(i, "true")
	case 'f':
		return r.parseWord(i, "false")
	case 'n':
		return r.parseWord(i, "null")
	}
	return r.parseNumber(i)
}

// parseWord parses a word. parseItem rejects a byte that directly follows it.
func (r *strictParser) parseWord(i int, w string) int {
	end := i + len(w)
	if end > len(r.text) || string(r.text[i:end]) != w {
		return failedAt(i)
	}
	return end
}

// parseString parses a string whose escapes have only one spelling.
func (r *strictParser) parseString(i int) int {
	text := r.text
	for i++; ; i += 2 {
		i = quote.SkipPlain(text, i)
		switch {
		case i >= len(text) || text[i] < 0x20:
			return failedAt(i)
		case text[i] == '"':
			return i + 1
		case i+1 >= len(text) || !isShortEscape(text[i+1]):
			return failedAt(i)
		}
	}
}

// isShortEscape reports whether c is the letter of the canonical escape of a character.
func isShortEscape(c byte) bool {
	switch c {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}

// parseNumber parses a number that fits a 64-bit float.
func (r *strictParser) parseNumber(i int) int {
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
		return failedAt(i)
	}
	if i < len(text) && text[i] == '.' {
		from = i + 1
		for i = from; i < len(text) && isDigit(text[i]); {
			i++
		}
		if i == from {
			return failedAt(i)
		}
		digits += i - from
	}
	if digits > strictDigits {
		return failedAt(i)
	}
	return i
}
