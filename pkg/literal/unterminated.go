package literal

import (
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// Private marks look the same at both ends of a string, so one that is missing
// shows only later, by text in a place where none can stand.

// A lastString is the string that was read last where strings stand between
// private marks.
type lastString struct {
	kind        stringKind
	outStart    int  // where it begins in the output
	textStart   int  // where its text begins, if it stands between marks
	closerStart int  // where its closing mark stands, then
	end         int  // where it ends
	triedReopen bool // another reading has been tried
}

// A stringKind is what stands around a string.
type stringKind int

const (
	delimitedString stringKind = iota
	quotedString
	bareString
)

// readAfterValue reads what stands behind a value instead of a comma or bracket: a
// mark, or something else.
func (s *Scanner) readAfterValue(marked bool) int {
	last := &s.lastString
	isLast := last.end == s.args.lastEnd
	if isLast && last.kind == delimitedString && !last.triedReopen {
		last.triedReopen = true
		if s.reopenString() || s.endObjectBeforeStop(false) {
			return 0
		}
	}
	if !marked {
		s.fail(diag.BadLiteral, s.pos, s.pos+1, "missing comma or closing bracket")
		return 0
	}
	remove := diag.Edit{Start: s.pos, End: s.pos + len(s.delimiter)}
	if isLast {
		s.note(diag.StrayMarker, s.pos, remove.End, diag.Warning, "extra string delimiter after a string").fix("remove it", diag.Safe, remove)
	} else {
		s.noteAmbiguous(diag.StrayMarker, s.pos, remove.End, "extra string delimiter after a value that may be text").fix("remove it", diag.Unsafe, remove)
	}
	return len(s.delimiter)
}

// blanks are what can stand between tokens.
const blanks = " \t\r\n\v\f"

// reopenString reads the mark that closed the last string as one that opens the next,
// and reports false where that cannot be: the text between must end as what
// stands before a string, with a comma and, in an object, a key and a colon.
func (s *Scanner) reopenString() bool {
	last := s.lastString
	raw := s.Kept(last.textStart)[:last.closerStart-last.textStart]
	s.steps += len(raw)
	object := s.args.top().char == '{'
	comma, key := memberTail(raw, object)
	if comma < 0 {
		return false
	}
	s.noteUnterminated(raw[:comma], last.textStart, object, "a comma")
	s.replaceString(last.outStart, raw[:comma])
	s.readComma()
	if object {
		s.tokenStart = last.textStart + comma + strings.Index(raw[comma:], key)
		s.args.beginItem()
		from := len(s.args.out)
		s.args.out = appendJSONString(s.args.out, key)
		if s.endKey(from, s.tokenStart+len(key), false); s.isParsing() {
			s.readColon(':')
		}
	}
	s.openDelimited(last.closerStart)
	for _, c := range []byte(s.Kept(last.closerStart + len(s.delimiter))) {
		s.emitRune(rune(c)) // blanks
	}
	return true
}

// memberTail returns where the comma stands that begins the last of what looks
// like members of an object, or items of an array, at the end of a text in front
// of a string, and the key of that member. It is -1 if nothing does.
func memberTail(text string, object bool) (comma int, key string) {
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

// hasMember reports whether more of a text looks like members or items.
func hasMember(text string, object bool) bool {
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

// noteUnterminated notes that the closing mark of a string is missing: it may go on behind
// the place where it was taken to end.
func (s *Scanner) noteUnterminated(text string, start int, object bool, before string) {
	end := start + len(text)
	edit := diag.Edit{Start: end, End: end, New: s.delimiter}
	s.valueChanged = true
	title, what := "add it", "unterminated string: missing delimiter before "+before
	if hasMember(text, object) {
		title, what = "add it at the end", "unterminated string: the position of the missing delimiter is unknown"
	}
	s.noteAmbiguous(diag.WrongCloser, start, end, "%s", what).fix(title, diag.Unsafe, edit)
}

// replaceString gives the last string of the output, which begins at from, the
// text that it has.
func (s *Scanner) replaceString(from int, text string) {
	s.args.out = appendJSONString(s.args.out[:from], text)
}

// endObjectBeforeStop ends the object in front of the first stop in the string that is
// open, at the end of the text, or was read last, and reports false where that
// cannot be: all brackets that are open must be closed in front of the stop.
func (s *Scanner) endObjectBeforeStop(atEnd bool) bool {
	if !s.isParsing() || atEnd && s.str.isKey {
		return false
	}
	from, text, raw := s.lastString.outStart, s.lastString.textStart, ""
	if atEnd {
		from, text = s.str.outStart, s.tokenStart+len(s.delimiter)
		raw = s.Kept(text)
	} else {
		raw = s.Kept(text)[:s.lastString.closerStart-text]
	}
	stop := s.indexStop(raw)
	if stop < 0 {
		return false
	}
	before := strings.TrimRight(raw[:stop], blanks)
	value, ok := s.cutClosers(before)
	if !ok || !utf8.ValidString(value) {
		return false
	}
	s.noteUnterminated(value, text, s.args.top().char == '{', "the closing brace")
	s.replaceString(from, value)
	s.args.out = append(s.args.out, s.missingClosers()...)
	s.end, s.state, s.mode = text+len(before), Done, inGap
	return true
}

// cutClosers cuts the brackets that close all that are open from the end of a
// text, and reports false if they do not stand there.
func (s *Scanner) cutClosers(text string) (string, bool) {
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
