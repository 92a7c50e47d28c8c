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
	kind  quoting
	from  int  // where it begins in the output
	text  int  // where its text begins, if it stands between marks
	mark  int  // where its closing mark stands, then
	end   int  // where it ends
	tried bool // another reading has been tried
}

// A quoting is what stands around a string.
type quoting int

const (
	inMarks quoting = iota
	inQuotes
	inNothing
)

// behindValue reads what stands behind a value instead of a comma or bracket: a
// mark, or something else.
func (s *Scanner) behindValue(marked bool) int {
	last := &s.last
	isLast := last.end == s.args.last
	if isLast && last.kind == inMarks && !last.tried {
		last.tried = true
		if s.reopen() || s.endBeforeStop(false) {
			return 0
		}
	}
	if !marked {
		s.fault(diag.BadLiteral, s.at, s.at+1, "a comma or a closing bracket is missing before this")
		return 0
	}
	remove := diag.Edit{Start: s.at, End: s.at + len(s.private)}
	if isLast {
		s.note(diag.StrayMarker, s.at, remove.End, diag.Warning, "extra mark after a string").fix("remove it", diag.Safe, remove)
	} else {
		s.doubt(diag.StrayMarker, s.at, remove.End, "extra mark after a value that may be text").fix("remove it", diag.Unsafe, remove)
	}
	return len(s.private)
}

// blanks are what can stand between tokens.
const blanks = " \t\r\n\v\f"

// reopen reads the mark that closed the last string as one that opens the next,
// and reports false where that cannot be: the text between must end as what
// stands before a string, with a comma and, in an object, a key and a colon.
func (s *Scanner) reopen() bool {
	last := s.last
	raw := s.Kept(last.text)[:last.mark-last.text]
	s.steps += len(raw)
	object := s.args.top().char == '{'
	comma, key := memberTail(raw, object)
	if comma < 0 {
		return false
	}
	s.noteUnshut(raw[:comma], last.text, object, "a comma")
	s.replaceString(last.from, raw[:comma])
	s.comma()
	if object {
		s.token = last.text + comma + strings.Index(raw[comma:], key)
		s.args.beginItem()
		from := len(s.args.out)
		s.args.out = appendText(s.args.out, key)
		if s.endKey(from, s.token+len(key), false); s.reading() {
			s.colon(':')
		}
	}
	s.openPrivate(last.mark)
	for _, c := range []byte(s.Kept(last.mark + len(s.private))) {
		s.putRune(rune(c)) // blanks
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

// noteUnshut notes that the closing mark of a string is missing: it may go on behind
// the place where it was taken to end.
func (s *Scanner) noteUnshut(text string, start int, object bool, before string) {
	end := start + len(text)
	edit := diag.Edit{Start: end, End: end, New: s.private}
	s.changed = true
	title, what := "add it", "the closing mark of the string is missing before "+before
	if hasMember(text, object) {
		title, what = "add it at the end", "the closing mark of a string is missing, and it is unknown where"
	}
	s.doubt(diag.WrongCloser, start, end, "%s", what).fix(title, diag.Unsafe, edit)
}

// replaceString gives the last string of the output, which begins at from, the
// text that it has.
func (s *Scanner) replaceString(from int, text string) {
	s.args.out = appendText(s.args.out[:from], text)
}

// endBeforeStop ends the object in front of the first stop in the string that is
// open, at the end of the text, or was read last, and reports false where that
// cannot be: all brackets that are open must be closed in front of the stop.
func (s *Scanner) endBeforeStop(atEnd bool) bool {
	if !s.reading() || atEnd && s.str.key {
		return false
	}
	from, text, raw := s.last.from, s.last.text, ""
	if atEnd {
		from, text = s.str.from, s.token+len(s.private)
		raw = s.Kept(text)
	} else {
		raw = s.Kept(text)[:s.last.mark-text]
	}
	stop := s.firstStop(raw)
	if stop < 0 {
		return false
	}
	before := strings.TrimRight(raw[:stop], blanks)
	value, ok := s.cutClosing(before)
	if !ok || !utf8.ValidString(value) {
		return false
	}
	s.noteUnshut(value, text, s.args.top().char == '{', "the brace")
	s.replaceString(from, value)
	s.args.out = append(s.args.out, s.missing()...)
	s.end, s.state, s.mode = text+len(before), Done, inGap
	return true
}

// cutClosing cuts the brackets that close all that are open from the end of a
// text, and reports false if they do not stand there.
func (s *Scanner) cutClosing(text string) (string, bool) {
	missing := s.missing()
	for i := len(missing) - 1; i >= 0; i-- {
		rest, ok := strings.CutSuffix(strings.TrimRight(text, blanks), missing[i:i+1])
		if !ok {
			return "", false
		}
		text = rest
	}
	return text, true
}
