package jsonrepair

import "strings"

// A scan looks for the end of a string whose quotation marks may be missing or
// not escaped. At each mark it decides, by what follows within a window, whether
// it closes the string, belongs to it, or shows that the closing one was
// forgotten before.
type scan struct {
	*reader
	p      piece
	isKey  bool
	inner  int // marks without a backslash that belong to the string
	last   int // offset of the last of them
	braces int // brackets that are open in the string
	arrays int
	atLast int // brackets that were open at the last inner mark
}

// A verdict is what a quotation mark in a string is.
type verdict int

const (
	belongs verdict = iota
	closes
	forgotten // the closing mark should stand before
)

// run returns the piece with its content.
func (s *scan) run() piece {
	if s.budget <= 0 {
		return s.short()
	}
	limit := s.end
	for i := s.p.from; i < limit; {
		c := s.text[i]
		if c == '\\' {
			n, mark := s.backslash(i)
			if !mark {
				i += n
				continue
			}
		}
		m := s.quoteAt(i)
		if m.width == 0 || !s.p.mark.closes(m.char) || m.slants > s.p.mark.slants {
			s.bracket(c)
			i++
			continue
		}
		switch v, at := s.judge(i, m.width); v {
		case closes:
			s.steps += i - s.p.from
			return s.closedAt(i, m.width)
		case forgotten:
			s.spend(i - s.p.from)
			return s.openAt(at)
		}
		s.inner++
		s.last, s.atLast = i, s.braces+s.arrays
		i += m.width
	}
	s.spend(limit - s.p.from)
	return s.unclosed()
}

// backslash returns the length of the escape at an offset, and whether it is a
// quotation mark of a document that was escaped.
func (s *scan) backslash(i int) (int, bool) {
	if s.p.mark.slants == 0 {
		return 2, false
	}
	n := 1
	for i+n < s.end && s.text[i+n] == '\\' {
		n++
	}
	if n == 1 && s.quoteAt(i).width > 0 {
		return 0, true
	}
	return n + 1, false
}

func (s *scan) bracket(c byte) {
	switch {
	case c == '{':
		s.braces++
	case c == '[':
		s.arrays++
	case c == '}' && s.braces > 0:
		s.braces--
	case c == ']' && s.arrays > 0:
		s.arrays--
	}
}

// closedAt returns the piece that ends with the mark at an offset.
func (s *scan) closedAt(i, width int) piece {
	s.p.to, s.p.next, s.p.closed, s.p.guessed = i, i+width, true, s.inner > 0
	if next := s.quoteAt(s.p.next); s.p.doubled && next.width > 0 && s.p.mark.closes(next.char) {
		s.p.next += next.width
	}
	return s.p
}

// openAt returns the piece whose closing mark is missing in front of an offset.
func (s *scan) openAt(at int) piece {
	s.p.to = max(s.p.from, s.backSkip(at, s.p.from))
	if strings.HasSuffix(s.text[s.p.from:s.p.to], `\"`) && s.p.mark.char == '"' && s.p.mark.slants == 0 {
		s.p.to-- // the backslash belongs to the content, the mark closes it
		s.p.next, s.p.closed, s.p.guessed = s.p.to+1, true, true
		return s.p
	}
	s.p.next = s.p.to
	if s.p.to == s.p.from {
		return s.p
	}
	if c := s.text[s.p.to-1]; (c == '"' || c == '\'') && c != byte(s.p.mark.char) {
		s.p.to-- // a mark of another kind closes it
		s.p.closed, s.p.guessed = true, true
	}
	return s.p
}

// judge decides what the mark at an offset is.
func (s *scan) judge(i, width int) (verdict, int) {
	j := s.skip(i + width)
	switch {
	case s.p.doubled && j == i+width && s.quoteAt(j).width > 0 && s.p.mark.closes(s.quoteAt(j).char):
		return closes, 0
	case j >= s.end:
		return closes, 0
	case s.isKey:
		return s.judgeKey(i, j)
	}
	if v, at := s.shows(i, j); v != belongs {
		return v, at
	}
	if s.endsValue(i, j, width) {
		return closes, 0
	}
	return belongs, 0
}

// judgeKey decides about a mark in a key, with what follows it at j.
func (s *scan) judgeKey(i, j int) (verdict, int) {
	if colonLen(s.text[j:s.end]) > 0 {
		return closes, 0
	}
	if before := s.backSkip(i, s.p.from); before > s.p.from && s.text[before-1] == ':' {
		return forgotten, before - 1
	}
	for k := j; k < min(s.end, j+window); k++ {
		s.steps++
		c := s.text[k]
		if strings.IndexByte(",{}[]\n:", c) >= 0 {
			break
		}
		if m := s.quoteAt(k); m.width > 0 && s.p.mark.closes(m.char) {
			if n := s.skip(k + m.width); n < s.end && s.text[n] == ':' {
				return belongs, 0
			}
		}
	}
	return closes, 0
}

// shows decides whether a mark begins or ends another string, so that the closing
// mark of this one should stand before it.
func (s *scan) shows(i, j int) (verdict, int) {
	before := s.backSkip(i, s.p.from)
	if before == s.p.from {
		return belongs, 0
	}
	c := s.text[before-1]
	switch {
	case s.inObject() && s.text[j] == ':' && s.inner > 0:
		return s.keyAround(i)
	case c == '+' && s.wordAt(j):
		return forgotten, before - 1
	case c == ':' && s.inObject() && s.wordAt(j) && s.itemEnds(i):
		return s.keyBefore(before - 1)
	case c == ',' && !s.inObject() && s.wordAt(j) && (s.itemEnds(i) || strings.IndexByte(s.text[before:i], '\n') >= 0):
		return forgotten, before - 1
	}
	return belongs, 0
}

// keyAround decides about a mark in front of a colon: the closing mark was
// forgotten if the mark before this one and this one are those of a key, behind a
// comma or on a line of its own.
func (s *scan) keyAround(i int) (verdict, int) {
	start := s.backSkip(s.last, s.p.from)
	switch {
	case start == s.p.from || i-s.last > window || s.atLast > 0:
	case s.text[start-1] == ',':
		return forgotten, start - 1
	case strings.IndexByte(s.text[start:s.last], '\n') >= 0:
		return forgotten, start
	}
	return belongs, 0
}

// keyBefore decides about a colon in a string whose next mark begins another:
// the closing mark was forgotten if a comma and a key without quotes stand before
// the colon.
func (s *scan) keyBefore(colon int) (verdict, int) {
	k := s.backSkip(colon, s.p.from)
	if k == s.p.from {
		return belongs, 0
	}
	if c := s.text[k-1]; c == '"' || c == '\'' {
		low := max(s.p.from, k-1-window)
		k = low + max(0, strings.LastIndexByte(s.text[low:k-1], c))
	}
	for k > s.p.from && (isLetter(s.text[k-1]) || isDigit(s.text[k-1])) {
		k--
	}
	s.steps += colon - k
	comma := s.backSkip(k, s.p.from)
	if k == colon || comma == s.p.from || s.text[comma-1] != ',' {
		return belongs, 0
	}
	return forgotten, comma - 1
}

// inObject reports whether the string is the value of a member.
func (s *scan) inObject() bool { f := s.top(); return f != nil && f.object }

// wordAt reports whether text that is no delimiter stands at an offset.
func (s *scan) wordAt(i int) bool {
	return i < s.end && strings.IndexByte(",:]})\"'+", s.text[i]) < 0
}

// itemEnds reports whether a mark begins a string that ends as an item does.
func (s *scan) itemEnds(i int) bool {
	end := s.quickEnd(i)
	if end < 0 {
		return false
	}
	j := s.skip(end)
	return j >= s.end || strings.IndexByte(",])}", s.text[j]) >= 0
}
