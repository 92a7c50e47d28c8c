package literal

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// Keys and values without quotes, where strings stand between private marks.

// bareKey reads a key up to a byte that cannot be a part of one.
func (s *Scanner) bareKey(p []byte) int {
	n := 0
	for n < len(p) && isBareKeyByte(p[n]) && !s.mayInterrupt(p[n]) {
		n++
	}
	if n > 0 {
		return n
	}
	marked, n, stopped := s.interrupts(p)
	switch {
	case stopped:
		return n
	case !marked && isBareKeyByte(p[0]):
		return 1
	}
	s.endBareKey()
	return 0
}

func isBareKeyByte(c byte) bool { return c > ' ' && strings.IndexByte(",:{}[]\"'`", c) < 0 }

// mayInterrupt reports whether a mark or a stop can begin with a byte.
func (s *Scanner) mayInterrupt(c byte) bool { return c == s.private[0] || s.mayStop(c) }

// interrupts reports whether p begins with a mark, or else with a stop, of which
// n bytes were read. It is a stop, too, where that is not known yet.
func (s *Scanner) interrupts(p []byte) (marked bool, n int, stopped bool) {
	if p[0] == s.private[0] && s.begins(s.private, p) {
		return true, 0, false
	}
	if !s.undecided && s.mayStop(p[0]) {
		n, stopped = s.atStop(p)
	}
	return false, n, stopped || s.undecided
}

func (s *Scanner) endBareKey() {
	s.mode = inGap
	key, a := s.tokenText(), &s.args
	if !utf8.ValidString(key) {
		s.fault(diag.InvalidUTF8, s.token, s.at, "these bytes are not UTF-8")
		return
	}
	a.beginItem()
	from := len(a.out)
	a.out = appendText(a.out, key)
	s.endKey(from, s.at, false)
}

// bare reads a value up to the comma or bracket behind it.
func (s *Scanner) bare(p []byte) int {
	n := 0
	for n < len(p) && strings.IndexByte(",{}[]", p[n]) < 0 && !s.mayInterrupt(p[n]) {
		n++
	}
	if n > 0 {
		return n
	}
	marked, n, stopped := s.interrupts(p)
	switch {
	case stopped:
		return n
	case marked || strings.IndexByte(",}]", p[0]) >= 0:
		s.endBare()
		return 0
	case p[0] == '{' || p[0] == '[':
		s.mode = inGap
		s.fault(diag.BadLiteral, s.at, s.at+1, "%q stands in a value without quotes", p[0])
		return 0
	}
	return 1
}

// endBare takes a value without quotes.
func (s *Scanner) endBare() {
	s.mode = inGap
	text := strings.TrimRight(s.tokenText(), " \t\r\n\v\f")
	w := word{text, s.token, s.token + len(text)}
	json, known := words[text]
	number, numeric := bareNumber(text)
	switch {
	case !utf8.ValidString(text):
		s.fault(diag.InvalidUTF8, w.start, w.end, "these bytes are not UTF-8")
	case !s.mayBegin(w.start, w.end):
	case nonNumbers[strings.TrimLeft(text, "+-")]:
		s.nonNumber(w)
	case known:
		s.noteWord(w, json)
		s.args.out = append(s.args.out, json...)
		s.endItem(w.end)
	case numeric:
		s.takeNumber(w, number)
		if number.json != text {
			s.ambiguous = true // it can be text that looks like a number
		}
	default:
		s.bareString(w)
	}
}

// bareNumber reads a text as a number, and reports false if it is none.
func bareNumber(text string) (numeral, bool) {
	if digits := strings.TrimLeft(text, "+-."); digits == "" || !isDigit(digits[0]) {
		return numeral{}, false
	}
	number := readNumber(text)
	return number, !number.broken
}

// bareString takes text without quotes as a string.
func (s *Scanner) bareString(w word) {
	a, from := &s.args, len(s.args.out)
	a.out = appendText(a.out, w.text)
	s.changed = true
	edits := []diag.Edit{{Start: w.start, End: w.start, New: s.private}, {Start: w.end, End: w.end, New: s.private}}
	if strings.IndexByte(w.text, ':') >= 0 {
		s.doubt(diag.BareValue, w.start, w.end, "it is unknown where this text without quotes ends").fix("add marks", diag.Unsafe, edits...)
	} else {
		s.note(diag.BareValue, w.start, w.end, diag.Warning, "the string has no marks around it").fix("add marks", diag.Unsafe, edits...)
	}
	s.endItem(w.end)
	s.last = lastString{kind: inNothing, from: from, end: w.end}
}

// bareOpen reports, and makes a fault of it, whether a key without a colon, before an offset, is a part of the string
// without marks before it: that holds a comma.
func (s *Scanner) bareOpen(at int) bool {
	n := len(s.notes) - 1
	if n < 0 || s.notes[n].Code != diag.BareValue || s.notes[n].Span.End != s.last.end || strings.Count(s.Kept(s.last.end)[:at-s.last.end], ",") > 1 {
		return false
	}
	value := s.notes[n]
	s.notes = s.notes[:n]
	s.fault(diag.BareValue, value.Span.Start, at, "the string has no marks around it and holds a comma: its end is uncertain")
	s.notes[n].Path, s.passing.bare = value.Path, true
	return true
}

// endBareOpen takes all that has been passed over to the string without marks, if that is the fault. A stop ends it,
// or else a brace.
func (s *Scanner) endBareOpen(stop string) {
	n := len(s.notes) - 1
	if !s.passing.bare || n < 0 {
		return
	}
	f := &s.notes[n]
	f.Span.End = f.Span.Start + len(strings.TrimRight(s.Kept(f.Span.Start)[:s.at-f.Span.Start], blanks))
	if stop != "" {
		f.Message = fmt.Sprintf(`the string has no marks around it and holds a comma, and no "}" stands before %s: its end is uncertain`, excerpt(stop))
	}
}
