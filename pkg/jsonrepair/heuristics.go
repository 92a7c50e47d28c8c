package jsonrepair

import "strings"

// endsValue reports whether a mark closes a value, by what follows it at j.
func (s *scan) endsValue(i, j, width int) bool {
	rest := s.text[j:s.end]
	c := rest[0]
	switch {
	case isCloser(c):
		return s.endsBefore(j, c)
	case commaLen(rest) > 0:
		return s.commaFollows(j + commaLen(rest))
	case colonLen(rest) > 0:
		return !s.inObject() && s.inner == 0
	case c == '+':
		k := s.skip(j + 1)
		return k < s.end && s.quoteAt(k).width > 0
	case fenceLen(rest) > 0:
		return true
	case s.quoteAt(j).width > 0:
		return s.stringFollows(i, j, width)
	case s.inObject() && s.keyAt(j):
		return strings.IndexByte(s.text[i:j], '\n') >= 0
	}
	return s.wordFollows(i, j, width)
}

// endsBefore decides about a mark in front of a closing bracket.
func (s *scan) endsBefore(j int, c byte) bool {
	nested := c == '}' && s.braces > 0 || c == ']' && s.arrays > 0
	if nested && s.inner > 0 {
		return false
	}
	open := false
	for k := len(s.stack) - 1; k >= 0 && !open; k-- {
		open = s.stack[k].closer == c || len(s.stack[k].extra) > 0
	}
	if !open && (len(s.stack) == 0 || c == ')') {
		return false
	}
	last, depth := j, len(s.stack)
	for ; j < s.end && isCloser(s.text[j]); depth-- {
		last = j
		j = s.skip(j + 1)
	}
	switch {
	case j >= s.end || s.inner == 0 && !nested || fenceLen(s.text[j:s.end]) > 0:
		return true
	case nested:
		return commaLen(s.text[j:]) > 0 || strings.IndexByte(s.text[last:j], '\n') >= 0
	}
	return !s.wordAt(j) || strings.IndexByte("{[", s.text[j]) >= 0 || depth <= 0
}

// commaFollows decides about a mark in front of a comma that ends at k.
func (s *scan) commaFollows(k int) bool {
	k = s.skip(k)
	if k >= s.end || isCloser(s.text[k]) || strings.HasPrefix(s.text[k:s.end], "...") {
		return true
	}
	if !s.inObject() {
		return s.inner == 0 || !s.wordAt(k) || s.scalarAt(k)
	}
	c := s.text[k]
	switch {
	case s.keyAt(k), c == '{', c == '[', c == ',', s.quotedPair(k):
		return true
	case s.inner > 0:
		return false
	}
	return s.quoteAt(k).width > 0 || !s.closesLater(k)
}

// scalarAt reports whether a number, word of JSON or bracket stands at an offset.
func (s *scan) scalarAt(k int) bool {
	c := s.text[k]
	return isDigit(c) || c == '-' || c == '{' || c == '[' ||
		prefixLen(s.text[k:s.end], "true", "false", "null") > 0
}

// closesLater reports whether the next quotation mark behind words closes a
// value, so that the words belong to it.
func (s *scan) closesLater(k int) bool {
	for limit := min(s.end, k+window); k < limit; k++ {
		s.steps++
		m := s.quoteAt(k)
		if m.width == 0 || !s.p.mark.closes(m.char) {
			continue
		}
		j := s.skip(k + m.width)
		return j >= s.end || isCloser(s.text[j]) || commaLen(s.text[j:s.end]) > 0
	}
	return false
}

// stringFollows decides about a mark in front of another one at j.
func (s *scan) stringFollows(i, j, width int) bool {
	if (s.inObject() || s.inner == 0 && j > i+width) && s.keyAt(j) {
		return true
	}
	if s.inner > 0 && s.inObject() || j == i+width && s.inObject() {
		return false
	}
	if !s.inObject() && j > i+width && s.inner == 0 && s.quoteAt(j).char != s.p.mark.char {
		return true
	}
	end := s.quickEnd(j)
	if end < 0 {
		return false
	}
	k := s.skip(end)
	switch {
	case k >= s.end:
		return end > j+2*s.quoteAt(j).width || j > i+width
	case j == i+width:
		return false
	}
	return !s.wordAt(k) && s.text[k] != ':' && s.text[k] != '+' || s.scalarAt(k)
}

// wordFollows decides about a mark before text at j that is not one of the
// above: it closes the value if no other mark can, before the next delimiter.
func (s *scan) wordFollows(i, j, width int) bool {
	if s.text[j] == ';' || s.inner > 0 {
		return s.text[j] == ';' && s.inner == 0
	}
	word, depth := true, 0
	for k := j; k < min(s.end, j+window); k++ {
		s.steps++
		c := s.text[k]
		m := s.quoteAt(k)
		switch {
		case c == '{' || c == '[':
			depth++
		case depth > 0 && (c == '}' || c == ']'):
			depth--
		case m.width > 0 && s.p.mark.closes(m.char):
			return !s.inObject() && len(s.stack) > 0 && word && j > i+width && s.itemEndsAt(k+m.width)
		case c == '}' || c == ']' || c == '\n' && len(s.stack) > 0:
			return true
		case c == ',':
			return s.inObject() && s.keyAt(s.skip(k+1)) || !s.inObject() && len(s.stack) > 0
		case isBlank(c):
			word = false
		}
	}
	return !s.inObject() && len(s.stack) > 0 && s.scalarAt(j)
}

// itemEndsAt reports whether an item ends in front of an offset.
func (s *scan) itemEndsAt(i int) bool {
	j := s.skip(i)
	return j >= s.end || s.text[j] == ',' || isCloser(s.text[j])
}
