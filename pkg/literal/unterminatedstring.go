package literal

import (
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// The delimiters at both ends of a string look the same, so a missing one shows only later: text
// follows where none is allowed.

// A lastString is the last string in an object whose strings have delimiters.
type lastString struct {
	kind        stringKind
	outStart    int // start in the output
	textStart   int // start of its text, if it has delimiters
	closerStart int // offset of its closing delimiter, in that case
	end         int
	triedReopen bool // treatClosingDelimiterAsOpening has been tried
}

// A stringKind is the way a string is quoted.
type stringKind int

const (
	delimitedString stringKind = iota
	quotedString
	bareString
)

// readUnexpectedAfterValue reads an unexpected token after a value: a delimiter or something else.
func (s *Scanner) readUnexpectedAfterValue(atDelimiter bool) int {
	last := &s.lastString
	isLast := last.end == s.args.lastEnd
	if isLast && last.kind == delimitedString && !last.triedReopen {
		last.triedReopen = true
		if s.treatClosingDelimiterAsOpening() || s.endObjectBeforeStop(false) {
			return 0
		}
	}
	if !atDelimiter {
		s.fail(diag.BadLiteral, s.pos, s.pos+1, "missing comma or closing bracket")
		return 0
	}
	remove := diag.Edit{Start: s.pos, End: s.pos + len(s.delimiter)}
	if isLast {
		s.note(diag.StrayMarker, s.pos, remove.End, diag.Warning, "extra string delimiter after a string").addFix("remove it", diag.Safe, remove)
	} else {
		s.noteAmbiguous(diag.StrayMarker, s.pos, remove.End, "extra string delimiter after a value that may be text").addFix("remove it", diag.Unsafe, remove)
	}
	return len(s.delimiter)
}

// blanks can separate tokens.
const blanks = " \t\r\n\v\f"

// treatClosingDelimiterAsOpening reads the closing delimiter of the last string as the opening one of the next. It
// returns false if the text between does not end like the start of a string: with a comma and,
// in an object, a key and a colon.
func (s *Scanner) treatClosingDelimiterAsOpening() bool {
	last := s.lastString
	raw := s.Captured(last.textStart)[:last.closerStart-last.textStart]
	s.steps += len(raw)
	object := s.args.top().char == '{'
	comma, key := findLastMember(raw, object)
	if comma < 0 {
		return false
	}
	s.noteUnterminated(raw[:comma], last.textStart, object, "a comma")
	s.replaceString(last.outStart, raw[:comma])
	s.readComma()
	if object {
		s.tokenStart = last.textStart + comma + strings.Index(raw[comma:], key)
		s.args.appendItemComma()
		from := len(s.args.out)
		s.args.out = appendJSONString(s.args.out, key)
		if s.endKey(from, s.tokenStart+len(key), false); s.isWritingOutput() {
			s.readColon(':')
		}
	}
	s.openDelimitedString(last.closerStart)
	for _, c := range []byte(s.Captured(last.closerStart + len(s.delimiter))) {
		s.emitRune(rune(c)) // whitespace
	}
	return true
}

// findLastMember finds the start of a last member or item at the end of a text before a string. It
// returns the index of its comma and its key, or -1 if not found.
func findLastMember(text string, object bool) (comma int, key string) {
	rest := strings.TrimRight(text, blanks)
	if object {
		before, ok := strings.CutSuffix(rest, ":")
		before = strings.TrimRight(before, blanks)
		i := len(before)
		for i > 0 && isBareKeyByte(before[i-1]) {
			i--
		}
		if !ok || i == len(before) {
			return -1, ""
		}
		key, rest = before[i:], strings.TrimRight(before[:i], blanks)
	}
	if !strings.HasSuffix(rest, ",") {
		return -1, ""
	}
	return len(rest) - 1, key
}

// canContainMembers reports whether a text contains more possible members or items.
func canContainMembers(text string, object bool) bool {
	for {
		_, rest, found := strings.Cut(text, ",")
		if !found || !object {
			return found
		}
		rest = strings.TrimLeft(rest, blanks)
		n := 0
		for n < len(rest) && isBareKeyByte(rest[n]) {
			n++
		}
		if n > 0 && strings.HasPrefix(strings.TrimLeft(rest[n:], blanks), ":") {
			return true
		}
		text = rest[n:]
	}
}

// noteUnterminated reports a missing closing delimiter: the string may extend past its assumed
// end.
func (s *Scanner) noteUnterminated(text string, start int, object bool, before string) {
	end := start + len(text)
	edit := diag.Edit{Start: end, End: end, New: s.delimiter}
	s.valueChanged = true
	title, what := "add it", "unterminated string: missing delimiter before "+before
	if canContainMembers(text, object) {
		title, what = "add it at the end", "unterminated string: the position of the missing delimiter is unknown"
	}
	s.noteAmbiguous(diag.WrongCloser, start, end, "%s", what).addFix(title, diag.Unsafe, edit)
}

// replaceString replaces the last string of the output.
func (s *Scanner) replaceString(from int, text string) {
	s.args.out = appendJSONString(s.args.out[:from], text)
}

// endObjectBeforeStop ends the object before the first stop in a string: the open one at the end
// of the text, or otherwise the last one. It returns false if the open brackets are not all
// closed before the stop.
func (s *Scanner) endObjectBeforeStop(atEnd bool) bool {
	if !s.isWritingOutput() || atEnd && s.str.isKey {
		return false
	}
	from, text, raw := s.lastString.outStart, s.lastString.textStart, ""
	if atEnd {
		from, text = s.str.outStart, s.tokenStart+len(s.delimiter)
		raw = s.Captured(text)
	} else {
		raw = s.Captured(text)[:s.lastString.closerStart-text]
	}
	s.steps += len(raw)
	stop := s.stops.Index([]byte(raw))
	if stop < 0 {
		return false
	}
	before := strings.TrimRight(raw[:stop], blanks)
	value, ok := s.cutPendingClosers(before)
	if !ok || !utf8.ValidString(value) {
		return false
	}
	s.noteUnterminated(value, text, s.args.top().char == '{', "the closing brace")
	s.replaceString(from, value)
	s.args.out = append(s.args.out, s.missingClosers()...)
	s.end, s.state, s.mode = text+len(before), Done, inGap
	return true
}

// cutPendingClosers cuts the closers of all open brackets from the end of a text, and reports whether
// they are there.
func (s *Scanner) cutPendingClosers(text string) (string, bool) {
	missing := s.missingClosers()
	for i := len(missing) - 1; i >= 0; i-- {
		rest, ok := strings.CutSuffix(strings.TrimRight(text, blanks), missing[i:i+1])
		if !ok {
			return "", false
		}
		text = rest
	}
	return text, true
}
