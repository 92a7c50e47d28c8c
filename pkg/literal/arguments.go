package literal

import (
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// A want is the token that the grammar allows next.
type want int

const (
	wantItem  want = iota // an item or the closing bracket
	wantKey               // a key or the closing brace
	wantColon             // the colon after a key
	wantValue             // the value after a colon
	wantNext              // a comma or the closing bracket
)

// arguments holds the arguments of a call, or one value, and their JSON output.
type arguments struct {
	out             []byte
	open            []bracket // open brackets; the first is the call's own, if there is one
	want            want
	hasKeywords     bool // keyword arguments
	pending         word // a word: a key if ":" or "=" follows, otherwise a value
	lastKeyBare     bool // the last key was an unquoted word
	lastEnd         int  // end of the last token
	lastIsString    bool // the last value is a string, which Python continues with an adjacent one
	key             pendingKey
	hasPlaceholders bool // out contains parenPlaceholder
}

type bracket struct {
	char                   byte
	pos                    int // offset in the text
	items                  int
	keys                   keySet
	keyOutStart, keyOutEnd int // the latest key in the output
	outStart               int // offset in the output
}

// reset reuses the buffers, unless they are large.
func (a *arguments) reset() {
	out := a.out[:0]
	if cap(out) > maxBlock {
		out = nil
	}
	*a = arguments{out: out, open: a.open[:0]}
}

// countOpen returns how many brackets of a kind are open.
func (a *arguments) countOpen(char byte) int {
	n := 0
	for _, b := range a.open {
		if b.char == char {
			n++
		}
	}
	return n
}

func (a *arguments) top() *bracket {
	if len(a.open) == 0 {
		return &bracket{}
	}
	return &a.open[len(a.open)-1]
}

// push opens a bracket. The call's own is written as an array until keyword arguments turn it
// into an object.
func (a *arguments) push(char byte, at int) {
	if a.open == nil {
		a.open = make([]bracket, 0, 4)
	}
	if a.out == nil {
		a.out = make([]byte, 0, 64)
	}
	a.open = append(a.open, bracket{char: char, pos: at, outStart: len(a.out)})
	a.want = wantItem
	switch char {
	case '(', pythonParen:
		char = '['
	case '{':
		a.want = wantKey
	}
	a.out = append(a.out, char)
	a.lastEnd = at + 1
}

// appendItemComma writes the comma before an item or key if one is needed.
func (a *arguments) appendItemComma() {
	if top := a.top(); len(a.open) > 0 {
		if top.items > 0 {
			a.out = append(a.out, ',')
		}
		top.items++
	}
}

// readArgumentStart reads the first byte of a token in the arguments.
func (s *Scanner) readArgumentStart(c byte) int {
	if s.args.pending.text != "" && c != ':' && c != '=' {
		s.addPendingAsValue()
		return 0
	}
	switch {
	case s.isQuote(c):
		s.openString(c, s.pos)
		return 1
	case isNonASCII(c):
		return s.beginNonASCII()
	case canBeginWord(c):
		return s.beginWord()
	case isDigit(c), strings.IndexByte("+-.", c) >= 0 && s.args.want != wantNext:
		s.tokenStart, s.mode = s.pos, inNumber
		return 0
	}
	s.readPunctuation(c)
	if s.phase != inArguments || s.state == Invalid {
		return 0
	}
	s.args.lastEnd = s.pos + 1
	return 1
}

func (s *Scanner) readPunctuation(c byte) {
	switch {
	case c == '(' && s.lang == python:
		s.openBracket(pythonParen)
	case c == '[', c == '{':
		s.openBracket(c)
	case c == ']', c == '}', c == ')':
		s.closeBracket(c)
	case c == ',':
		s.readComma()
	case c == ':', c == '=':
		s.readColon(c)
	default:
		s.failNonLiteral(s.pos, c)
	}
}

// failNonLiteral reports a character that is not part of a literal.
func (s *Scanner) failNonLiteral(at int, c byte) {
	if s.args.pending.text != "" {
		s.addPendingAsValue()
	}
	if c == pythonParen {
		c = '('
	}
	if s.isWritingOutput() {
		s.fail(diag.NotALiteral, at, at+1, "unexpected %q: expressions are not evaluated", c)
	}
}

// beginValue begins a value in the innermost bracket. It reports an error and returns false if
// no value may begin here.
func (s *Scanner) beginValue(start, end int) bool {
	a := &s.args
	switch {
	case a.want == wantNext:
		s.fail(diag.BadLiteral, start, end, "missing comma or closing bracket")
	case a.want == wantKey:
		s.fail(diag.BadLiteral, start, end, "expected a key: a word or a quoted string")
	case a.want == wantColon:
		s.failMissingColon(start)
	case a.hasKeywords && len(a.open) == 1 && a.want == wantItem:
		s.fail(diag.KeywordArgs, start, end, "positional and keyword arguments are mixed")
	default:
		if a.want == wantItem {
			a.appendItemComma()
		}
		s.recordPartStart(start)
		return true
	}
	return false
}

// failAtUnescapedQuote reports an error and returns true if a word directly follows a quote: the
// quote is unescaped and ended its string too early.
func (s *Scanner) failAtUnescapedQuote(w word) bool {
	at := w.start - s.captureStart
	if s.args.want != wantNext || w.start != s.args.lastEnd || at <= 0 {
		return false
	}
	text := s.captured.text()
	if at > len(text) || !s.isQuote(text[at-1]) {
		return false
	}
	s.fail(diag.UnescapedQuote, w.start-1, w.start, "unescaped quote inside a string: the string ends here, but text follows")
	return true
}

// rejectSecondObject reports an error and returns true if an object directly follows a member
// value that is an object.
func (s *Scanner) rejectSecondObject(c byte) bool {
	a := &s.args
	if c != '{' || a.want != wantNext || a.top().char != '{' {
		return false
	}
	text, at := s.captured.text(), a.lastEnd-s.captureStart
	if at <= 0 || at > len(text) || text[at-1] != '}' {
		return false
	}
	s.fail(diag.ConcatenatedValues, s.pos, s.pos+1, "unexpected second object after a member value")
	return true
}

// endValue ends a complete value.
func (s *Scanner) endValue(end int) {
	s.args.want, s.args.lastEnd, s.args.lastIsString = wantNext, end, false
	switch len(s.args.open) {
	case 0:
		s.end, s.state = end, Done
	case 1:
		s.storeMember(end)
	}
}

func (s *Scanner) openBracket(c byte) {
	depth := len(s.args.open)
	if s.goal != goalValue && s.goal != goalDelimited {
		depth-- // the call's own bracket
	}
	if c != '{' && s.args.want == wantKey { // a computed key
		s.failNonLiteral(s.pos, c)
		return
	}
	if s.endAtNextObject(c) || s.rejectSecondObject(c) || !s.beginValue(s.pos, s.pos+1) {
		return
	}
	if depth == s.maxDepth {
		s.fail(diag.TooDeep, s.pos, s.pos+1, "arrays and objects are nested more than %d levels deep", s.maxDepth)
		return
	}
	s.args.push(c, s.pos)
}

var closerOf = map[byte]byte{'(': ')', '[': ']', '{': '}', pythonParen: ')'}

func (s *Scanner) closeBracket(c byte) {
	a := &s.args
	top := a.top()
	switch {
	case closerOf[top.char] != c:
		s.failUnmatchedCloser(c)
		return
	case a.want == wantColon:
		s.failKeyWithoutColon()
		return
	case a.want == wantValue:
		s.fail(diag.BadLiteral, s.pos, s.pos+1, "missing value before %q", c)
		return
	}
	trailing := (s.lang == jsonText || s.lang == delimited) && a.want != wantNext && top.items > 0
	open := *top
	a.open = a.open[:len(a.open)-1]
	if trailing {
		s.noteTrailingComma(a.lastEnd - 1)
	}
	switch {
	case open.char == pythonParen:
		s.endParens(open, a.want == wantItem)
	case c == ')':
		s.endCall()
	default:
		a.out = append(a.out, c)
		s.endValue(s.pos + 1)
	}
}

// endCall ends the call at its closing parenthesis.
func (s *Scanner) endCall() {
	bracket := byte(']')
	if s.args.hasKeywords {
		bracket = '}'
		s.noteKeywordArgs()
	}
	s.args.out = append(s.args.out, bracket)
	s.args.removeParenPlaceholders()
	s.end, s.state = s.pos+1, Done
}

func (s *Scanner) readComma() {
	a := &s.args
	switch {
	case a.want == wantColon:
		s.failKeyWithoutColon()
	case a.want != wantNext:
		s.fail(diag.BadLiteral, s.pos, s.pos+1, "missing value before the comma")
	case a.top().char == '{':
		a.want = wantKey
	default:
		a.want = wantItem
	}
	a.lastIsString = false
}

func (s *Scanner) readColon(c byte) {
	a := &s.args
	switch {
	case a.pending.text != "":
		s.readArgNameSeparator(c)
	case a.want == wantColon && c == ':' && s.lang == python:
		s.readPythonColon()
	case a.want == wantColon && c == ':':
		a.out = append(a.out, ':')
		a.want = wantValue
		if s.goal == goalKey {
			s.end, s.state = s.pos+1, Done
		}
	default:
		s.failNonLiteral(s.pos, c)
	}
}

// failKeyWithoutColon reports a key without a colon: in Python an element of a set.
func (s *Scanner) failKeyWithoutColon() {
	if s.lang == python {
		s.fail(diag.NotALiteral, s.args.key.start, s.args.key.end, "JSON has no sets")
		return
	}
	s.failMissingColon(s.pos)
}

func (s *Scanner) failMissingColon(at int) {
	if s.args.lastKeyBare {
		start, end := at, at+1
		if n := len(s.findings) - 1; n >= 0 && s.findings[n].Code == diag.UnquotedKey { // the missing colon is the cause, not the quotes
			start, end = s.findings[n].Span.Start, s.findings[n].Span.End
			s.findings = s.findings[:n]
		}
		s.fail(diag.NotALiteral, start, end, "missing colon after this word: variables are not evaluated")
		s.findings[len(s.findings)-1].Hint = `an object is {"key": value}`
		return
	}
	if s.rejectBareStringWithComma(at) {
		return
	}
	s.fail(diag.BadLiteral, at, at+1, "missing colon after the key")
}

// beginString begins a string after its opening quote.
func (s *Scanner) beginString(quote byte) {
	a := &s.args
	if s.joinAdjacentString() {
		return
	}
	s.str.isKey = a.want == wantKey
	switch {
	case s.str.isKey && quote == '`':
		s.fail(diag.BadLiteral, s.tokenStart, s.pos, "a key cannot be a template literal")
		return
	case s.str.isKey:
		a.appendItemComma()
	case !s.beginValue(s.tokenStart, s.tokenStart+1):
		return
	}
	s.str.outStart = len(a.out)
	a.out = append(a.out, '"')
}

// endString ends a string after its closing quote.
func (s *Scanner) endString(end int) {
	a := &s.args
	a.out = append(a.out, '"')
	if !utf8.Valid(a.out[s.str.outStart:]) {
		at := s.tokenStart + validUTF8Len(s.tokenText())
		s.fail(diag.InvalidUTF8, at, at+1, "invalid UTF-8 in a string")
		return
	}
	if s.lang == delimited {
		s.noteQuotesInsteadOfDelimiters(end)
	} else {
		s.noteStringRepairs(end)
	}
	switch {
	case s.lang == python:
		s.endPythonString(end)
	case s.str.isKey:
		s.endKey(s.str.outStart, end, false)
	default:
		s.endValue(end)
		if s.lang == delimited {
			s.lastString = lastString{kind: quotedString, end: end}
		}
	}
}
