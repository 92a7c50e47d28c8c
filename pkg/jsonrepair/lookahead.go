package jsonrepair

import (
	"strings"
	"unicode/utf8"
)

// window is how far the reader looks ahead, in bytes.
const window = 512

// none is the offset of something that does not exist.
const none = -1

// A source is a text in which the reader looks ahead.
type source struct {
	text     string
	end      int // where the document ends at the latest
	lastLine int // start of the last line
	steps    int // bytes looked at; tests count them
}

// A quoteMark is a quotation mark at an offset.
type quoteMark struct {
	width   int // with its backslash; 0 if there is none
	char    rune
	escaped bool // a backslash is in front of it
}

// doubles and singles are the characters that can serve as a double or a single quotation mark.
const (
	doubles = "\"“”„‟«»＂"
	singles = "'‘’‚‛`´＇"
)

func isQuoteChar(c rune) bool {
	return c == '"' || c == '\'' || c == '`' || c >= 0x80 && (strings.ContainsRune(doubles, c) || strings.ContainsRune(singles, c))
}

// quoteAt returns the quotation mark at an offset.
func (s *source) quoteAt(i int) quoteMark {
	n := 0
	if i < s.end && s.text[i] == '\\' {
		n = 1
	}
	if i+n >= s.end {
		return quoteMark{}
	}
	char, w := utf8.DecodeRuneInString(s.text[i+n:])
	if n == 1 && char != '"' && char != '\'' || !isQuoteChar(char) {
		return quoteMark{}
	}
	return quoteMark{n + w, char, n > 0}
}

// isClosedBy reports whether another mark can close a string that a quotation mark has opened.
// Only the same straight mark closes a straight one.
func (q quoteMark) isClosedBy(m quoteMark) bool {
	switch {
	case m.width == 0 || m.escaped && !q.escaped:
		return false
	case q.char == '"' || q.char == '\'':
		return m.char == q.char
	}
	return strings.ContainsRune(doubles, q.char) == strings.ContainsRune(doubles, m.char)
}

func (s *source) isQuoteAt(i int) bool { return s.quoteAt(i).width > 0 }

// commaLen returns the length of the comma, or of another separator used as one, at an offset; 0
// if there is none.
func (s *source) commaLen(i int) int {
	return prefixLen(s.text[min(i, s.end):s.end], ",", ";", "，", "、")
}

// colonLen does the same for a colon.
func (s *source) colonLen(i int) int {
	return prefixLen(s.text[min(i, s.end):s.end], ":", "=>", ":=", "=", "：")
}

// fenceLen returns how many backticks of a code fence are at an offset, 0 if there are fewer
// than three.
func (s *source) fenceLen(i int) int {
	text := s.text[min(i, s.end):min(i+window, s.end)]
	if n := len(text) - len(strings.TrimLeft(text, "`")); n >= 3 {
		return n
	}
	return 0
}

func (s *source) isCloserAt(i int) bool { return i < s.end && isCloser(s.text[i]) }

// isItemEnd reports whether a comma, a closing bracket, a fence or the end of the text is at an offset.
func (s *source) isItemEnd(i int) bool {
	return i >= s.end || s.isCloserAt(i) || s.commaLen(i) > 0 || s.fenceLen(i) > 0
}

// commentLen returns the length of the comment at an offset. An unclosed comment ends at
// the limit. A comment with # ends in front of a closing bracket if it is on the last line: then
// the document is on one line.
func (s *source) commentLen(i, limit int) int {
	text, end := s.text[i:limit], none
	switch {
	case strings.HasPrefix(text, "/*"):
		if end = strings.Index(text[2:], "*/"); end >= 0 {
			end += 4
		}
	case text[0] == '#' && i >= s.lastLine:
		end = strings.IndexAny(text, "}]")
	case text[0] == '#' || strings.HasPrefix(text, "//"):
		end = strings.IndexAny(text, "\n\r")
	default:
		return 0
	}
	if end < 0 {
		end = len(text)
	}
	s.steps += end
	return end
}

// blanksEnd returns the offset behind blanks and comments. It ends after a window.
func (s *source) blanksEnd(i int) int {
	from, limit := i, min(s.end, i+window)
	for i < limit {
		n := blankCharLen(s.text[i:s.end])
		if n == 0 {
			n = s.commentLen(i, limit)
		}
		if n == 0 {
			break
		}
		i += n
	}
	s.steps += i - from + 1
	return min(i, s.end)
}

// skipBack returns the end of the text before an offset, without the blanks and
// comments between.
func (s *source) skipBack(i, from int) int {
	for low := max(from, i-window); i > low; i-- {
		s.steps++
		if i-low >= 4 && s.text[i-2:i] == "*/" {
			if k := strings.LastIndex(s.text[low:i-2], "/*"); k >= 0 {
				i = low + k + 1
				continue
			}
		}
		if !isBlank(s.text[i-1]) {
			break
		}
	}
	return i
}

// isKeyAt reports whether a key and its colon are at an offset.
func (s *source) isKeyAt(i int) bool {
	q := s.quoteAt(i)
	k := s.stringEnd(i)
	if q.width == 0 {
		return s.isBareKeyAt(i)
	} else if k < 0 || strings.ContainsAny(s.text[i+q.width:k], "\n{}") {
		return false
	}
	return s.colonLen(s.blanksEnd(k)) > 0
}

// isBareKeyAt is isKeyAt for a key without quotes, or without the first one.
func (s *source) isBareKeyAt(i int) bool {
	k := i
	for k < min(s.end, i+window) && (isWordByte(s.text[k]) || s.text[k] == '-' || s.text[k] == '.') {
		k++
	}
	s.steps += k - i
	if k == i {
		return false
	}
	k += s.quoteAt(k).width
	for k < min(s.end, i+window) && isBlank(s.text[k]) {
		k++
	}
	return s.colonLen(k) > 0 && !strings.HasPrefix(s.text[k:s.end], "://")
}

// stringEnd returns the end of the string at an offset, up to its next quotation
// mark; none if there is none within a window.
func (s *source) stringEnd(i int) int {
	q := s.quoteAt(i)
	if q.width == 0 {
		return none
	}
	for k := i + q.width; k < min(s.end, i+window); k++ {
		s.steps++
		if m := s.quoteAt(k); q.isClosedBy(m) && m.escaped == q.escaped {
			return k + m.width
		}
		if s.text[k] == '\\' && !q.escaped {
			k++
		}
	}
	return none
}

// matchingBracket returns the offset of the bracket that closes the one at an offset, none if
// it is too far.
func (s *source) matchingBracket(i int) int {
	depth := 0
	for k := i; k < min(s.end, i+window); k++ {
		s.steps++
		if c := s.text[k]; c == '(' || c == '{' || c == '[' {
			depth++
		} else if isCloser(c) {
			depth--
		}
		if depth == 0 {
			return k
		}
	}
	return none
}

// isMemberNext reports whether a comma and a key are at an offset.
func (s *source) isMemberNext(i int) bool {
	i = s.blanksEnd(i)
	return i < s.end && s.text[i] == ',' && s.isKeyAt(s.blanksEnd(i+1))
}

// runeEnd returns the end of the character at an offset.
func (s *source) runeEnd(i int) int {
	_, w := utf8.DecodeRuneInString(s.text[i:])
	return i + w
}

// ellipsisLen returns the length of dots at an offset that stand for more items, 0 if there
// are none.
func (s *source) ellipsisLen(i int) int {
	n := prefixLen(s.text[i:s.end], "...", "…")
	if n > 0 && !s.isItemEnd(s.blanksEnd(i+n)) {
		return 0
	}
	return n
}

// isContainerAt reports whether a bracket at an offset looks like the beginning of
// an object or array.
func (s *source) isContainerAt(i int) bool {
	c := s.text[i]
	if c != '{' && c != '[' {
		return false
	}
	k := s.blanksEnd(i + 1)
	if k >= s.end || s.text[k] == c+2 || s.isQuoteAt(k) || strings.IndexByte("{[(.,", s.text[k]) >= 0 {
		return true
	}
	return c == '{' && s.isKeyAt(k) || c == '[' && s.isScalarAt(k)
}

// isScalarAt reports whether a number or a word of JSON or Python begins at an offset.
func (s *source) isScalarAt(k int) bool {
	return k < s.end && (isDigit(s.text[k]) || prefixLen(s.text[k:s.end], "-", "true", "false", "null", "None", "True", "False") > 0)
}

// nextDocument returns the offset of the next document: of a fence around one, else of
// a bracket that looks like the beginning of one, else that offset.
func (s *source) nextDocument(from int) int {
	for i := from; i < s.end; {
		k := strings.Index(s.text[i:s.end], "```")
		if k < 0 {
			break
		}
		i += k
		body := i + s.fenceLen(i)
		if j := s.blanksEnd(body + wordLen(s.text[body:s.end])); j < s.end && strings.IndexByte(`{[("`, s.text[j]) >= 0 {
			return i
		}
		i = body
	}
	for i := from; i < s.end; i++ {
		if s.isContainerAt(i) {
			return i
		}
	}
	return from
}
