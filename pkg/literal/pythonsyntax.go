package literal

import (
	"bytes"
	"strings"

	"oneshot/pkg/diag"
)

// NewPython returns a scanner for one Python call name(args) with literal arguments. Whitespace
// and comments may precede it. [Scanner.Next] prepares it for the next call. The caller reads
// the text between calls, such as the brackets and commas of a list and the ")" of a wrapper
// (see [Options]). A statement that is not a call ends with its line, or before a comma or
// closing bracket of the surrounding text.
func NewPython(o Options) *Scanner { return newScanner(goalCall, python, o) }

// IsInWrapperCall reports whether the call is the first argument of the wrapper, whose ")" has not
// been read.
func (s *Scanner) IsInWrapperCall() bool { return s.head.wrapped }

// beginWrapperCall reads the parenthesis of the wrapper.
func (s *Scanner) beginWrapperCall() {
	s.head.wrapperWord, s.head.wrapperParen, s.head.word = s.head.word, s.pos, ""
}

// readInWrapper reads the first argument of the wrapper. If it is not a call, the wrapper is the
// call.
func (s *Scanner) readInWrapper(c byte) int {
	h := &s.head
	switch {
	case h.word == "" && canBeginWord(c):
		return s.beginWord()
	case c == '(' && isName(h.word):
		start := h.wordEnd - len(h.word)
		text := s.Captured(start)
		s.captureFrom(start)
		s.captured.block.WriteString(text)
		h.wrapped = true
		s.beginCall()
		return 1
	}
	argument := word{h.word, h.wordEnd - len(h.word), h.wordEnd}
	h.word, h.token = h.wrapperWord, diag.Span{}
	s.beginArguments(h.wrapperParen)
	s.args.pending = argument
	return 0
}

// isStringPrefix reports whether a word can precede the quote of a string.
func isStringPrefix(word string) bool {
	switch strings.ToLower(word) {
	case "r", "u", "b", "f", "br", "rb", "fr", "rf":
		return true
	}
	return false
}

// openPrefixedString begins a string with a prefix.
func (s *Scanner) openPrefixedString(prefix string, quote byte) {
	prefix = strings.ToLower(prefix)
	start := s.tokenStart
	s.openString(quote, start)
	s.str.raw = strings.Contains(prefix, "r")
	s.str.format = strings.Contains(prefix, "f")
	if strings.Contains(prefix, "b") && s.isWritingOutput() {
		s.fail(diag.NotALiteral, start, s.pos+1, "JSON cannot represent a bytes literal")
	}
}

// readOpeningQuotes reads the byte after the first quotes of a string: a third quote makes
// triple quotes, otherwise two are an empty string.
func (s *Scanner) readOpeningQuotes(c byte) int {
	switch {
	case c == s.str.quote && s.runLength == 2:
		s.str.triple = true
	case c == s.str.quote:
		s.runLength = 2
		return 1
	case s.runLength == 2:
		s.closeString(s.pos)
		return 0
	}
	s.mode = inText
	if s.str.triple {
		return 1
	}
	return 0
}

// readClosingQuotes reads quotes in a triple-quoted string: three close it.
func (s *Scanner) readClosingQuotes(c byte) int {
	switch {
	case c != s.str.quote:
		s.mode, s.lineBlank = inText, false
		for range s.runLength {
			s.emitRune(rune(s.str.quote))
		}
		return 0
	case s.runLength == 2:
		s.closeString(s.pos + 1)
	default:
		s.runLength++
	}
	return 1
}

// readFStringBrace reads the byte after a brace in an f-string: a doubled brace is text.
func (s *Scanner) readFStringBrace(c byte) int {
	s.mode = inText
	if c == s.str.brace {
		s.emitRune(rune(c))
		return 1
	}
	if s.isWritingOutput() {
		s.fail(diag.NotALiteral, s.pos-1, s.pos, "unsupported {…} interpolation in an f-string")
	}
	return 0
}

// readPythonStringSpecial reads a byte that is special only in Python strings, and reports whether it
// is one.
func (s *Scanner) readPythonStringSpecial(c byte) (int, bool) {
	str := &s.str
	switch {
	case str.triple && c == str.quote:
		s.runLength, s.mode = 0, inClosing
		return 0, true
	case str.format && (c == '{' || c == '}'):
		str.brace, s.mode = c, inBrace
		return 1, true
	}
	return 0, false
}

// readPythonControl reads a raw control character. A line end is an error only in single quotes,
// NUL everywhere.
func (s *Scanner) readPythonControl(c byte) {
	str := &s.str
	switch {
	case c == 0, isNewline(c) && !str.triple:
		s.addEdit(&str.controls, diag.Edit{Start: s.pos, End: s.pos + 1, New: s.controlEscape(c)})
		if str.raw {
			str.controls.edits = nil
		}
	case c == '\r':
		str.skipLF, c = true, '\n'
	}
	s.emitRune(rune(c))
}

// readPythonEscape reads the byte after a backslash.
func (s *Scanner) readPythonEscape(c byte) int {
	str := &s.str
	switch c {
	case 'n', 't', 'r', 'b', 'f', 'v':
		s.emitRune(letterEscapes[c])
		str.hasLetterEscape = true
	case 'a':
		s.emitRune('\a')
		str.hasLetterEscape = true
	case '\'', '"', '\\':
		s.emitRune(rune(c))
	case '\r', '\n': // line continuation
		str.skipLF = c == '\r'
	case '0', '1', '2', '3', '4', '5', '6', '7':
		str.escapeKind, str.escapeDigits, str.escapeValue, s.mode = '8', 1, rune(c-'0'), inDigits
	case 'x', 'u', 'U', 'N':
		str.escapeKind, str.escapeDigits, str.escapeValue, s.mode = c, 0, 0, inDigits
	default: // Python keeps both
		s.emit([]byte(`\\`))
		s.addEdit(&str.keptBackslashes, diag.Edit{Start: str.escapeStart, End: str.escapeStart + 1, New: `\\`})
		return 0
	}
	return 1
}

// readRawEscape reads the byte after a backslash in a raw string, where both are text and an
// escaped quote does not end the string.
func (s *Scanner) readRawEscape(c byte) int {
	s.emit([]byte(`\\`))
	if c != '\\' && c != s.str.quote {
		return 0
	}
	s.emitRune(rune(c))
	return 1
}

// readPythonEscapeDigit reads a byte of an escape that JavaScript does not have, and reports
// whether it is one.
func (s *Scanner) readPythonEscapeDigit(c byte) (int, bool) {
	str := &s.str
	switch {
	case str.escapeKind == 'N' && c == '{':
		s.mode = inText
		s.fail(diag.NotALiteral, str.escapeStart, s.pos+1, "unsupported named character escape \\N{…}")
	case str.escapeKind == 'N':
		s.keepUnknownEscape()
	case str.escapeKind == '8' && (c < '0' || c > '7'):
		s.addCodeUnit(str.escapeValue)
	case str.escapeKind == '8':
		str.escapeValue = str.escapeValue<<3 | rune(c-'0')
		if str.escapeDigits++; str.escapeDigits == 3 {
			s.addCodeUnit(str.escapeValue)
		}
		return 1, true
	default:
		return 0, false
	}
	return 0, true
}

// Whether parentheses are a tuple or enclose a value is known only at their end.
const (
	pythonParen      byte = 'p'  // the char of their bracket
	parenPlaceholder byte = 0x01 // replaces the bracket in the output if the parentheses are not a tuple
)

// endParens ends a tuple, which becomes an array, or a value in parentheses.
func (s *Scanner) endParens(open bracket, comma bool) {
	a := &s.args
	if open.items == 1 && !comma {
		a.out[open.outStart] = parenPlaceholder
		a.hasPlaceholders = true
	} else {
		a.out = append(a.out, ']')
	}
	s.endValue(s.pos + 1)
}

// removeParenPlaceholders removes the placeholders of parentheses from the output.
func (a *arguments) removeParenPlaceholders() {
	if !a.hasPlaceholders {
		return
	}
	rest := a.out
	a.out = a.out[:0]
	for {
		i := bytes.IndexByte(rest, parenPlaceholder)
		if i < 0 {
			a.out = append(a.out, rest...)
			return
		}
		a.out = append(a.out, rest[:i]...)
		rest = rest[i+1:]
	}
}

// A pendingKey is a key whose colon has not been read: an adjacent string can still continue it.
type pendingKey struct {
	from       int // start in the output
	start, end int
	word       string // the source text, if it is not a string
}

// joinAdjacentString makes the current string a continuation of an adjacent one, and reports whether
// there is one.
func (s *Scanner) joinAdjacentString() bool {
	a := &s.args
	if !a.lastIsString {
		return false
	}
	s.str.isKey = a.want == wantColon
	a.out = a.out[:len(a.out)-1]
	s.str.outStart = len(a.out)
	return true
}

// endPythonString ends a string that an adjacent one can continue.
func (s *Scanner) endPythonString(end int) {
	a := &s.args
	switch {
	case !s.str.isKey:
		s.endValue(end)
	case a.want == wantColon:
		a.key.end, a.lastEnd = end, end
	default:
		a.key = pendingKey{from: s.str.outStart, start: s.tokenStart, end: end}
		a.want, a.lastKeyBare, a.lastEnd = wantColon, false, end
	}
	a.lastIsString = true
}

// readPythonColon reads the colon after a key.
func (s *Scanner) readPythonColon() {
	a := &s.args
	key := a.key
	a.key, a.lastIsString = pendingKey{}, false
	s.tokenStart = key.start
	if key.word != "" {
		s.valueChanged = true
		s.note(diag.UnquotedKey, key.start, key.end, diag.Warning, "non-string key %s; read as a string", excerpt(key.word)).
			addFix("add quotes", diag.Unsafe, diag.Edit{Start: key.start, End: key.end, New: string(a.out[key.from:])})
	}
	if s.endKey(key.from, key.end, false); s.isWritingOutput() {
		a.out = append(a.out, ':')
		a.want = wantValue
	}
}

// addValueKey adds a number or word, given as JSON, as a key.
func (s *Scanner) addValueKey(w word, json string) {
	a := &s.args
	a.appendItemComma()
	a.key = pendingKey{len(a.out), w.start, w.end, w.text}
	a.out = appendJSONString(a.out, json)
	a.want, a.lastKeyBare, a.lastEnd, a.lastIsString = wantColon, false, w.end, false
}

// addPythonNumberKey adds a number as a key.
func (s *Scanner) addPythonNumberKey(w word) {
	number := parseNumber(w.text)
	if number.invalid {
		s.failNumber(w)
		return
	}
	s.addValueKey(w, number.json)
}

// addConstantKey adds a word as a key.
func (s *Scanner) addConstantKey(w word) {
	json, known := wordValues[w.text]
	if !known {
		s.failNotLiteral(w)
		return
	}
	s.addValueKey(w, json)
}

// endFaultyBeforeOuter ends a faulty call or a non-call, and returns true, if c belongs to the
// surrounding text.
func (s *Scanner) endFaultyBeforeOuter(c byte) bool {
	p := &s.skip
	switch {
	case s.lang != python || s.pos == s.head.start:
		return false
	case s.phase == skipping && c == ']' && p.squares == 0:
	case s.phase == inNonCall && p.depth == 0 && (c == ']' || c == ')' || c == '}' || c == ','):
	default:
		return false
	}
	s.end, s.state = s.pos, Invalid
	return true
}

// countSquareBrackets counts the square brackets in a faulty call.
func (p *skipState) countSquareBrackets(c byte) {
	switch c {
	case '[':
		p.squares++
	case ']':
		p.squares--
	}
}
