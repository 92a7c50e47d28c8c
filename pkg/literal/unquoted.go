package literal

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// Unquoted keys and values in objects whose strings have delimiters.

// scanBareKey reads an unquoted key.
func (s *Scanner) scanBareKey(p []byte) int {
	n, hasRead := s.scanBare(p, isBareKeyByte)
	if !hasRead {
		s.endBareKey()
	}
	return n
}

func isBareKeyByte(c byte) bool { return c > ' ' && strings.IndexByte(",:{}[]\"'`", c) < 0 }

func isBareValueByte(c byte) bool { return strings.IndexByte(",{}[]", c) < 0 }

// canInterrupt reports whether a string delimiter or a stop can begin with c.
func (s *Scanner) canInterrupt(c byte) bool { return c == s.delimiter[0] || s.canBeginStop(c) }

// scanBare reads unquoted text, or a stop. It returns false before a byte that ends the text, and before a string
// delimiter.
func (s *Scanner) scanBare(p []byte, isText func(byte) bool) (n int, hasRead bool) {
	for n < len(p) && isText(p[n]) && !s.canInterrupt(p[n]) {
		n++
	}
	switch {
	case n > 0:
		return n, true
	case p[0] == s.delimiter[0] && s.hasPrefix(s.delimiter, p):
		return 0, false
	case !s.undecided && s.canBeginStop(p[0]):
		if n, stopped := s.readStop(p); stopped {
			return n, true
		}
	}
	switch {
	case s.undecided:
		return 0, true
	case isText(p[0]):
		return 1, true
	}
	return 0, false
}

func (s *Scanner) endBareKey() {
	s.mode = inGap
	key, a := s.tokenText(), &s.args
	if !utf8.ValidString(key) {
		s.fail(diag.InvalidUTF8, s.tokenStart, s.pos, "invalid UTF-8")
		return
	}
	a.appendItemComma()
	from := len(a.out)
	a.out = appendJSONString(a.out, key)
	s.endKey(from, s.pos, false)
}

// scanBareValue reads an unquoted value up to the next comma or bracket.
func (s *Scanner) scanBareValue(p []byte) int {
	n, hasRead := s.scanBare(p, isBareValueByte)
	switch {
	case hasRead:
	case p[0] == '{' || p[0] == '[':
		s.mode = inGap
		s.fail(diag.BadLiteral, s.pos, s.pos+1, "unexpected %q in an unquoted value", p[0])
	default:
		s.endBareValue()
	}
	return n
}

// endBareValue ends an unquoted value.
func (s *Scanner) endBareValue() {
	s.mode = inGap
	text := strings.TrimRight(s.tokenText(), " \t\r\n\v\f")
	w := word{text, s.tokenStart, s.tokenStart + len(text)}
	json, known := wordValues[text]
	number, numeric := parseBareNumber(text)
	switch {
	case !utf8.ValidString(text):
		s.fail(diag.InvalidUTF8, w.start, w.end, "invalid UTF-8")
	case !s.beginValue(w.start, w.end):
	case nonNumbers[strings.TrimLeft(text, "+-")]:
		s.failNonFinite(w)
	case known:
		s.notePythonWord(w, json)
		s.args.out = append(s.args.out, json...)
		s.endValue(w.end)
	case numeric:
		s.addNumber(w, number)
		if number.json != text {
			s.ambiguous = true // it may be text that looks like a number
		}
	default:
		s.addBareString(w)
	}
}

// parseBareNumber parses an unquoted number and reports whether it is one.
func parseBareNumber(text string) (numeral, bool) {
	if digits := strings.TrimLeft(text, "+-."); digits == "" || !isDigit(digits[0]) {
		return numeral{}, false
	}
	number := parseNumber(text)
	return number, !number.invalid
}

// addBareString adds unquoted text as a string.
func (s *Scanner) addBareString(w word) {
	a, from := &s.args, len(s.args.out)
	a.out = appendJSONString(a.out, w.text)
	s.valueChanged = true
	edits := []diag.Edit{{Start: w.start, End: w.start, New: s.delimiter}, {Start: w.end, End: w.end, New: s.delimiter}}
	if strings.IndexByte(w.text, ':') >= 0 {
		s.noteAmbiguous(diag.UnquotedString, w.start, w.end, "ambiguous end of an unquoted string").addFix("add delimiters", diag.Unsafe, edits...)
	} else {
		s.note(diag.UnquotedString, w.start, w.end, diag.Warning, "missing delimiters around the string").addFix("add delimiters", diag.Unsafe, edits...)
	}
	s.endValue(w.end)
	s.lastString = lastString{kind: bareString, outStart: from, end: w.end}
}

// rejectBareStringWithComma reports an error and returns true if a key without a colon belongs to the
// unquoted string before it, which then contains a comma.
func (s *Scanner) rejectBareStringWithComma(at int) bool {
	n := len(s.findings) - 1
	if n < 0 || s.findings[n].Code != diag.UnquotedString || s.findings[n].Span.End != s.lastString.end || strings.Count(s.Captured(s.lastString.end)[:at-s.lastString.end], ",") > 1 {
		return false
	}
	value := s.findings[n]
	s.findings = s.findings[:n]
	s.fail(diag.UnquotedString, value.Span.Start, at, "unquoted string with a comma: its end is ambiguous")
	s.findings[n].Path, s.skip.bareFault = value.Path, true
	return true
}

// extendBareFault extends the finding about an unquoted string to all text skipped since. A stop
// ends it, or otherwise a brace.
func (s *Scanner) extendBareFault(stop string) {
	n := len(s.findings) - 1
	if !s.skip.bareFault || n < 0 {
		return
	}
	f := &s.findings[n]
	f.Span.End = f.Span.Start + len(strings.TrimRight(s.Captured(f.Span.Start)[:s.pos-f.Span.Start], blanks))
	if stop != "" {
		f.Message = fmt.Sprintf(`unquoted string with a comma and no "}" before %s: its end is ambiguous`, excerpt(stop))
	}
}
