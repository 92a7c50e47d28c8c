package jsonrepair

import (
	"slices"
	"strings"
)

// A scan looks for the end of a string whose quotation marks may be missing or not escaped. At each
// mark, a window of the text after it decides whether the mark closes the string, belongs to it, or
// shows that the closing mark was forgotten before.
type scan struct {
	*reader
	p      piece
	isKey  bool
	member bool // the string is the value of a member
	inner  int  // marks without a backslash that belong to the string
	last   int  // offset of the last of them
	open   int  // brackets that are open in the string
}

// findStringEnd returns the piece with its content.
func (s *scan) findStringEnd() piece {
	s.member = s.top() != nil && s.top().object
	for i := s.p.from; i < s.end; {
		c, m := s.text[i], s.quoteAt(i)
		switch {
		case c == '\\' && !m.escaped, c == '\\' && !s.p.mark.escaped:
			i++
			for s.p.mark.escaped && i < s.end && s.text[i] == '\\' {
				i++
			}
			i++
			continue
		case !s.p.mark.isClosedBy(m):
			if c == '{' || c == '[' {
				s.open++
			} else if c == '}' || c == ']' {
				s.open = max(s.open-1, 0)
			}
			i++
			continue
		}
		if end := s.missingEnd(i, m.width); end >= 0 {
			s.chargeBudget(i - s.p.from)
			return s.unclosedPieceEndingAt(end)
		}
		if s.isEnd(i, m.width) {
			s.steps += i - s.p.from
			return s.closedStringPiece(i, m.width)
		}
		s.inner++
		s.last = i
		i += m.width
	}
	s.chargeBudget(s.end - s.p.from)
	return s.unclosedPiece()
}

// closedStringPiece returns the piece that ends with the mark at an offset.
func (s *scan) closedStringPiece(i, width int) piece {
	s.p.to, s.p.next, s.p.guessed = i, i+width, s.inner > 0
	if m := s.quoteAt(s.p.next); s.p.doubled && s.p.mark.isClosedBy(m) {
		s.p.next += m.width
	}
	return s.p
}

// unclosedPieceEndingAt returns the piece whose closing mark is missing in front of an offset. A mark of
// another kind, or a mark after a backslash, counts as the closing mark if it ends the content.
func (s *scan) unclosedPieceEndingAt(at int) piece {
	s.p.to = max(s.p.from, s.skipBack(at, s.p.from))
	s.p.next = s.p.to
	if s.p.to > s.p.from && (s.text[s.p.to-1] == '"' || s.text[s.p.to-1] == '\'') {
		if c := rune(s.text[s.p.to-1]); c != s.p.mark.char || !s.p.mark.escaped && s.text[s.p.to-2] == '\\' {
			s.p.to--
			s.p.guessed = true
		}
	}
	return s.p
}

// isEnd reports whether the mark at an offset closes the string.
func (s *scan) isEnd(i, width int) bool {
	j := s.blanksEnd(i + width)
	if s.isKey || j >= s.end || s.p.doubled && j == i+width && s.p.mark.isClosedBy(s.quoteAt(j)) {
		return true
	}
	c := s.text[j]
	switch {
	case isCloser(c):
		return s.isEndBeforeCloser(j, c)
	case s.commaLen(j) > 0:
		return s.isEndBeforeComma(j + s.commaLen(j))
	case s.colonLen(j) > 0:
		return !s.member && s.inner == 0
	case c == '+':
		return s.isQuoteAt(s.blanksEnd(j + 1))
	case s.fenceLen(j) > 0:
		return true
	case s.isQuoteAt(j):
		return s.isEndBeforeString(i, j, width)
	case s.member && s.isKeyAt(j):
		return strings.IndexByte(s.text[i:j], '\n') >= 0
	}
	return s.isEndBeforeWord(i, j, width)
}

// isEndBeforeCloser reports whether a mark in front of a closing bracket closes the string. The bracket
// may belong to the string.
func (s *scan) isEndBeforeCloser(j int, c byte) bool {
	nested := s.open > 0 && c != ')'
	if nested && s.inner > 0 || !slices.ContainsFunc(s.stack, func(f frame) bool { return c != ')' || f.closer == c }) {
		return false
	}
	depth := len(s.stack)
	for ; s.isCloserAt(j); depth-- {
		j = s.blanksEnd(j + 1)
	}
	if nested {
		return s.isItemEnd(j)
	}
	return s.inner == 0 || depth <= 0 || !s.isWordAt(j)
}

// isEndBeforeComma reports whether a mark in front of a comma that ends at k closes the string.
func (s *scan) isEndBeforeComma(k int) bool {
	k = s.blanksEnd(k)
	switch {
	case !s.member:
		return s.inner == 0 || !s.isWordAt(k) || s.isScalarAt(k)
	case k >= s.end || s.isKeyAt(k) || s.isCloserAt(k) || strings.IndexByte("{[,.", s.text[k]) >= 0:
		return true
	}
	return s.inner == 0 && !s.isClosedByNextQuote(k)
}

// isClosedByNextQuote reports whether the next quotation mark behind words closes a
// value, so that the words belong to it.
func (s *scan) isClosedByNextQuote(k int) bool {
	for limit := min(s.end, k+window); k < limit; k++ {
		s.steps++
		if m := s.quoteAt(k); s.p.mark.isClosedBy(m) {
			return s.isItemEnd(s.blanksEnd(k + m.width))
		}
	}
	return false
}

// isEndBeforeString reports whether a mark in front of another mark at j closes the string.
func (s *scan) isEndBeforeString(i, j, width int) bool {
	apart := j > i+width
	if s.member && s.isKeyAt(j) {
		return true
	}
	k := s.blanksEnd(max(s.stringEnd(j), 0))
	return apart && (s.inner == 0 || !s.member) && k > j && (!s.isWordAt(k) || s.isScalarAt(k)) && s.colonLen(k) == 0
}

// isEndBeforeWord reports whether a mark in front of other text at j closes the string: it does if no
// other mark before the next delimiter can.
func (s *scan) isEndBeforeWord(i, j, width int) bool {
	item := len(s.stack) > 0 && !s.member
	for k := j; s.inner == 0 && k < min(s.end, j+window); k++ {
		s.steps++
		c, m := s.text[k], s.quoteAt(k)
		switch {
		case s.p.mark.isClosedBy(m):
			return item && j > i+width && s.isItemEnd(s.blanksEnd(k+m.width))
		case c == '}' || c == ']' || c == '\n' && len(s.stack) > 0:
			return true
		case c == ',':
			return item || s.member && s.isKeyAt(s.blanksEnd(k+1))
		}
	}
	return item && s.inner == 0 && s.isScalarAt(j)
}

// isWordAt reports whether text that is no delimiter is at an offset.
func (s *scan) isWordAt(i int) bool {
	return i < s.end && strings.IndexByte(",:[]{})\"'+", s.text[i]) < 0
}

// missingEnd returns the offset in front of which the closing mark is missing if the
// mark at i begins or ends another string; none if it does not.
func (s *scan) missingEnd(i, width int) int {
	j, before := s.blanksEnd(i+width), s.skipBack(i, s.p.from)
	if before == s.p.from || j >= s.end {
		return none
	}
	c := s.text[before-1]
	switch {
	case s.isKey:
		if c == ':' && s.colonLen(j) == 0 {
			return before - 1
		}
	case s.member && s.text[j] == ':' && s.inner > 0:
		return s.endBeforeKey(i)
	case c == '+' && s.isWordAt(j):
		return before - 1
	case c == ',' && !s.member && s.isWordAt(j) && (s.isQuotedItemAt(i) || strings.IndexByte(s.text[before:i], '\n') >= 0):
		return before - 1
	}
	return none
}

// isQuotedItemAt reports whether a mark begins a string that ends as an item does.
func (s *scan) isQuotedItemAt(i int) bool {
	end := s.stringEnd(i)
	return end >= 0 && s.isItemEnd(s.blanksEnd(end))
}

// endBeforeKey returns where a string ends if the mark before the one at i and that one are those
// of a key, behind a comma or on a line of its own.
func (s *scan) endBeforeKey(i int) int {
	start := s.skipBack(s.last, s.p.from)
	switch {
	case start == s.p.from || i-s.last > window || s.open > 0:
		return none
	case s.text[start-1] == ',':
		return start - 1
	case strings.IndexByte(s.text[start:s.last], '\n') >= 0:
		return start
	}
	return none
}

// unclosedPiece returns the piece of a string that has no closing mark. If the text ends with the
// closing brackets of open frames, the mark was forgotten; otherwise the text was cut off.
func (s *scan) unclosedPiece() piece {
	limit := s.end
	if k := strings.LastIndex(s.text[s.p.from:s.end], "\n```"); k >= 0 && s.fenced {
		limit = s.p.from + k
	}
	if k := strings.IndexByte(s.text[s.p.from:limit], ':'); k >= 0 && s.isKey {
		return s.unclosedPieceEndingAt(s.p.from + k)
	}
	body, depth := limit, len(s.stack)
	for i := s.skipBack(limit, s.p.from); i > s.p.from && depth > 0; i = s.skipBack(i-1, s.p.from) {
		if c := s.text[i-1]; c == '}' || c == ']' {
			depth--
			body = i - 1
		} else if c != ',' && c != ';' {
			break
		}
	}
	if body == limit || len(s.stack) == 0 {
		return s.truncatedPiece(limit)
	}
	s.steps += body - s.p.from
	return s.unclosedPieceEndingAt(s.endOfItem(body))
}

// truncatedPiece returns the piece that is cut off in front of an offset. Half an escape
// is left out.
func (s *scan) truncatedPiece(limit int) piece {
	s.p.cut = true
	s.p.to, s.p.next = limit, limit
	low := max(s.p.from, limit-6)
	if k := low + strings.LastIndexByte(s.text[low:limit], '\\'); k >= low {
		slashes := len(s.text[s.p.from:k+1]) - len(strings.TrimRight(s.text[s.p.from:k+1], `\`))
		if slashes%2 == 1 && escapeLen(s.text[k:limit]) < 0 {
			s.p.to = k
		}
	}
	return s.p
}

// endOfItem returns the latest end of a value without closing mark: for an item of an array a comma, for
// a member a comma or line end that a key follows.
func (s *scan) endOfItem(body int) int {
	for i := s.p.from; i < body; i++ {
		if c := s.text[i]; c == ',' && !s.member || s.member && (c == ',' || c == '\n') && s.isKeyAt(s.blanksEnd(i+1)) {
			return i
		}
	}
	return body
}
