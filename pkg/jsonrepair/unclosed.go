package jsonrepair

import "strings"

// unclosed returns the piece of a string that has no closing mark. Where brackets
// end the text that are still open the mark was forgotten, otherwise the text was
// cut off.
func (s *scan) unclosed() piece {
	limit := s.lastLine()
	if s.isKey {
		if k := strings.IndexByte(s.text[s.p.from:limit], ':'); k >= 0 {
			return s.openAt(s.p.from + k)
		}
	}
	body := s.withoutClosers(limit)
	if body == limit {
		return s.cutAt(limit)
	}
	s.steps += body - s.p.from
	switch {
	case s.isKey:
	case s.inObject():
		body = s.memberEnd(body)
	case len(s.stack) > 0:
		body = s.itemEnd(body)
	default:
		return s.cutAt(limit)
	}
	return s.openAt(body)
}

// lastLine returns the end of the text a string may reach to: a fence around the
// document ends it.
func (s *scan) lastLine() int {
	if s.fenced {
		if k := strings.Index(s.text[s.p.from:s.end], "\n```"); k >= 0 {
			return s.p.from + k
		}
	}
	end := s.backSkip(s.end, s.p.from)
	if text := strings.TrimRight(s.text[s.p.from:end], "`"); end-s.p.from-len(text) >= 3 {
		return s.p.from + len(text)
	}
	return s.end
}

// withoutClosers returns the end of the text without the closing brackets at its
// end that close what is open.
func (s *scan) withoutClosers(end int) int {
	body, depth := end, len(s.stack)
	for i := s.backSkip(end, s.p.from); i > s.p.from && depth > 0; i = s.backSkip(i-1, s.p.from) {
		c := s.text[i-1]
		if c != '}' && c != ']' && c != ',' && c != ';' {
			break
		}
		if c == '}' || c == ']' {
			depth--
			body = i - 1
		}
	}
	return body
}

// cutAt returns the piece that is cut off in front of an offset. Half an escape
// is left out.
func (s *scan) cutAt(limit int) piece {
	s.p.cut = true
	s.p.to, s.p.next = limit, limit
	if k := strings.LastIndexByte(s.text[max(s.p.from, limit-6):limit], '\\'); k >= 0 {
		k += max(s.p.from, limit-6)
		n := 1
		for k-n >= s.p.from && s.text[k-n] == '\\' {
			n++
		}
		if n%2 == 1 && (characterLen(s.text[k:limit]) < 0) {
			s.p.to = k
		}
	}
	if body := strings.TrimRight(s.text[s.p.from:s.p.to], " \t\r\n"); strings.HasSuffix(body, " +") {
		s.p.to = s.p.from + len(body) - 2
	}
	return s.p
}

// memberEnd returns where the value of a member ends at the latest: in front of a
// comma that a key without quotes follows.
func (s *scan) memberEnd(body int) int {
	depth := 0
	for i := s.p.from; i < body; i++ {
		switch s.text[i] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case ',':
			if depth == 0 && s.keyAt(s.skip(i+1)) {
				return i
			}
		case '\n':
			if k := s.skip(i); depth == 0 && k < body && s.keyAt(k) {
				return i
			}
		}
	}
	return body
}

// itemEnd returns where an item of an array ends at the latest: in front of a
// comma.
func (s *scan) itemEnd(body int) int {
	depth := 0
	for i := s.p.from; i < body; i++ {
		switch s.text[i] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth = max(depth-1, 0)
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return body
}

// short returns the piece where nothing is left of the budget: it ends with the
// next mark, or in front of the next delimiter, on its line.
func (s *scan) short() piece {
	i := s.p.from
	for ; i < s.end && strings.IndexByte(",}]\n", s.text[i]) < 0; i++ {
		if s.text[i] == '\\' && i+1 < s.end {
			i++
		} else if m := s.quoteAt(i); m.width > 0 && s.p.mark.closes(m.char) {
			return s.closedAt(i, m.width)
		}
	}
	s.steps += i - s.p.from
	return s.openAt(min(i, s.end))
}
