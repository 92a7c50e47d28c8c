package literal

import (
	"bytes"
	"strings"

	"oneshot/pkg/diag"
)

// NewPython returns a scanner for one call of Python, name(args), with literals
// for arguments. Blanks and comments may stand before it. Behind a call
// [Scanner.Next] goes on with the next; what stands between calls, such as the
// brackets and commas of a list, is for the caller to read, and so is the ")" of
// a wrapper (see [Options]). A statement that is no call ends before a comma or
// closing bracket of what is around it, or with its line.
func NewPython(o Options) *Scanner { return newScanner(aCall, python, o) }

// Wrapped reports whether the call that was read is the first argument of the
// wrapper, whose ")" is still to come.
func (s *Scanner) Wrapped() bool { return s.head.wrapped }

// beginWrapper reads the parenthesis of the wrapper.
func (s *Scanner) beginWrapper() {
	s.head.outer, s.head.paren, s.head.word = s.head.word, s.at, ""
}

// insideWrapper reads what follows the parenthesis of the wrapper: a call, or an
// argument, with which the wrapper is the call.
func (s *Scanner) insideWrapper(c byte) int {
	h := &s.head
	switch {
	case h.word == "" && beginsWord(c):
		return s.beginWord()
	case c == '(' && isName(h.word):
		start := h.ended - len(h.word)
		text := s.Kept(start)
		s.keepFrom(start)
		s.kept.block.WriteString(text)
		h.wrapped = true
		s.beginCall()
		return 1
	}
	argument := word{h.word, h.ended - len(h.word), h.ended}
	h.word, h.token = h.outer, diag.Span{}
	s.beginArguments(h.paren)
	s.args.pending = argument
	return 0
}

// isPrefix reports whether a word can stand right before the quote of a string.
func isPrefix(word string) bool {
	switch strings.ToLower(word) {
	case "r", "u", "b", "f", "br", "rb", "fr", "rf":
		return true
	}
	return false
}

// openPrefixed begins a string with a prefix.
func (s *Scanner) openPrefixed(prefix string, quote byte) {
	prefix = strings.ToLower(prefix)
	start := s.token
	s.openString(quote, start)
	s.str.verbatim = strings.Contains(prefix, "r")
	s.str.format = strings.Contains(prefix, "f")
	if strings.Contains(prefix, "b") && s.reading() {
		s.fault(diag.NotALiteral, start, s.at+1, "bytes are no text, and JSON has nothing for them")
	}
}

// openingQuotes reads what stands behind the first quotes of a string: a third makes
// triple quotes, otherwise two are an empty string.
func (s *Scanner) openingQuotes(c byte) int {
	switch {
	case c == s.str.quote && s.run == 2:
		s.str.triple = true
	case c == s.str.quote:
		s.run = 2
		return 1
	case s.run == 2:
		s.closeString(s.at)
		return 0
	}
	s.mode = inText
	if s.str.triple {
		return 1
	}
	return 0
}

// closingQuotes reads quotes in a string in triple quotes: three close it.
func (s *Scanner) closingQuotes(c byte) int {
	switch {
	case c != s.str.quote:
		s.mode, s.lineBlank = inText, false
		for range s.run {
			s.putRune(rune(s.str.quote))
		}
		return 0
	case s.run == 2:
		s.closeString(s.at + 1)
	default:
		s.run++
	}
	return 1
}

// brace reads what stands behind a brace in an f-string: another makes text of
// both.
func (s *Scanner) brace(c byte) int {
	s.mode = inText
	if c == s.str.brace {
		s.putRune(rune(c))
		return 1
	}
	if s.reading() {
		s.fault(diag.NotALiteral, s.at-1, s.at, "{…} in an f-string would have to be evaluated")
	}
	return 0
}

// pythonSpecial reads a byte of a string that only Python treats so. It reports
// false if it is none.
func (s *Scanner) pythonSpecial(c byte) (int, bool) {
	str := &s.str
	switch {
	case str.triple && c == str.quote:
		s.run, s.mode = 0, inClosing
		return 0, true
	case str.format && (c == '{' || c == '}'):
		str.brace, s.mode = c, inBrace
		return 1, true
	}
	return 0, false
}

// pythonControl reads a raw control character. Only a line end ends a string in
// single quotes, and only NUL can stand nowhere.
func (s *Scanner) pythonControl(c byte) {
	str := &s.str
	switch {
	case c == 0, isNewline(c) && !str.triple:
		s.mend(&str.raw, diag.Edit{Start: s.at, End: s.at + 1, New: s.controlEscape(c)})
		if str.verbatim {
			str.raw.edits = nil
		}
	case c == '\r':
		str.newline, c = true, '\n'
	}
	s.putRune(rune(c))
}

// pythonEscape reads the byte behind a backslash.
func (s *Scanner) pythonEscape(c byte) int {
	str := &s.str
	switch c {
	case 'n', 't', 'r', 'b', 'f', 'v':
		s.putRune(named[c])
		str.known = true
	case 'a':
		s.putRune('\a')
		str.known = true
	case '\'', '"', '\\':
		s.putRune(rune(c))
	case '\r', '\n': // a line continuation
		str.newline = c == '\r'
	case '0', '1', '2', '3', '4', '5', '6', '7':
		str.kind, str.digits, str.value, s.mode = '8', 1, rune(c-'0'), inDigits
	case 'x', 'u', 'U', 'N':
		str.kind, str.digits, str.value, s.mode = c, 0, 0, inDigits
	default: // Python keeps both
		s.put([]byte(`\\`))
		s.mend(&str.kept, diag.Edit{Start: str.escape, End: str.escape + 1, New: `\\`})
		return 0
	}
	return 1
}

// verbatimEscape reads the byte behind a backslash in a raw string, where both
// are text and the string goes on.
func (s *Scanner) verbatimEscape(c byte) int {
	s.put([]byte(`\\`))
	if c != '\\' && c != s.str.quote {
		return 0
	}
	s.putRune(rune(c))
	return 1
}

// pythonDigit reads a byte of an escape that JavaScript does not have. It reports
// false if it is none.
func (s *Scanner) pythonDigit(c byte) (int, bool) {
	str := &s.str
	switch {
	case str.kind == 'N' && c == '{':
		s.mode = inText
		s.fault(diag.NotALiteral, str.escape, s.at+1, "the names of characters are not known here")
	case str.kind == 'N':
		s.unknownEscape()
	case str.kind == '8' && (c < '0' || c > '7'):
		s.codeUnit(str.value)
	case str.kind == '8':
		str.value = str.value<<3 | rune(c-'0')
		if str.digits++; str.digits == 3 {
			s.codeUnit(str.value)
		}
		return 1, true
	default:
		return 0, false
	}
	return 0, true
}

// Of tuples, and parentheses around a value, it is known only at the end which
// they are.
const (
	parenthesis byte = 'p'  // the char of their bracket
	gone        byte = 0x01 // stands in the output for the bracket of what is no tuple
)

// endParenthesis ends a tuple, which becomes an array, or a value in parentheses,
// which is that value.
func (s *Scanner) endParenthesis(open bracket, comma bool) {
	a := &s.args
	if open.items == 1 && !comma {
		a.out[open.from] = gone
		a.holes = true
	} else {
		a.out = append(a.out, ']')
	}
	s.endItem(s.at + 1)
}

// closeHoles removes what stands in the output for parentheses.
func (a *arguments) closeHoles() {
	if !a.holes {
		return
	}
	rest := a.out
	a.out = a.out[:0]
	for {
		i := bytes.IndexByte(rest, gone)
		if i < 0 {
			a.out = append(a.out, rest...)
			return
		}
		a.out = append(a.out, rest[:i]...)
		rest = rest[i+1:]
	}
}

// A pendingKey is a key whose colon has not been read: another string can still
// continue it.
type pendingKey struct {
	from       int // where it begins in the output
	start, end int
	word       string // what is written, if it is no string
}

// continueString makes the string that begins here a continuation of the one
// right before it, and reports false if there is none.
func (s *Scanner) continueString() bool {
	a := &s.args
	if !a.strung {
		return false
	}
	s.str.key = a.want == wantColon
	a.out = a.out[:len(a.out)-1]
	s.str.from = len(a.out)
	return true
}

// endPythonString takes a string that another can continue.
func (s *Scanner) endPythonString(end int) {
	a := &s.args
	switch {
	case !s.str.key:
		s.endItem(end)
	case a.want == wantColon:
		a.key.end, a.last = end, end
	default:
		a.key = pendingKey{from: s.str.from, start: s.token, end: end}
		a.want, a.bareKey, a.last = wantColon, false, end
	}
	a.strung = true
}

// pythonColon reads the colon behind a key.
func (s *Scanner) pythonColon() {
	a := &s.args
	key := a.key
	a.key, a.strung = pendingKey{}, false
	s.token = key.start
	if key.word != "" {
		s.changed = true
		s.note(diag.BareKey, key.start, key.end, diag.Warning, "the keys of JSON are strings; %s is read as one", excerpt(key.word)).
			fix("add quotes", diag.Unsafe, diag.Edit{Start: key.start, End: key.end, New: string(a.out[key.from:])})
	}
	if s.endKey(key.from, key.end, false); s.reading() {
		a.out = append(a.out, ':')
		a.want = wantValue
	}
}

// valueKey takes a key that is no string but a number or word, given as what it
// is in JSON.
func (s *Scanner) valueKey(w word, json string) {
	a := &s.args
	a.beginItem()
	a.key = pendingKey{len(a.out), w.start, w.end, w.text}
	a.out = appendText(a.out, json)
	a.want, a.bareKey, a.last, a.strung = wantColon, false, w.end, false
}

// pythonNumberKey takes a number in the place of a key.
func (s *Scanner) pythonNumberKey(w word) {
	number := readNumber(w.text)
	if number.broken {
		s.numberFault(w)
		return
	}
	s.valueKey(w, number.json)
}

// wordKey takes a word in the place of a key.
func (s *Scanner) wordKey(w word) {
	json, known := words[w.text]
	if !known {
		s.noLiteral(w)
		return
	}
	s.valueKey(w, json)
}

// endBefore reports, and ends there, whether a call with a fault or a statement
// that is no call ends before this byte, which belongs to what is around it.
func (s *Scanner) endBefore(c byte) bool {
	p := &s.passing
	switch {
	case s.lang != python || s.at == s.head.start:
		return false
	case s.phase == skipping && c == ']' && p.squares == 0:
	case s.phase == junking && p.depth == 0 && (c == ']' || c == ')' || c == '}' || c == ','):
	default:
		return false
	}
	s.end, s.state = s.at, Bad
	return true
}

// passSquares counts the square brackets in a call with a fault.
func (p *passing) passSquares(c byte) {
	switch c {
	case '[':
		p.squares++
	case ']':
		p.squares--
	}
}
