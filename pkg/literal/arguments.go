package literal

import (
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// A want is what the grammar allows next.
type want int

const (
	wantItem  want = iota // an item, or the closing bracket
	wantKey               // a key, or the closing brace
	wantColon             // the colon behind a key
	wantValue             // the value behind a colon
	wantNext              // a comma, or the closing bracket
)

// arguments are the arguments of a call, or one value, on their way to JSON.
type arguments struct {
	out     []byte
	open    []bracket // the brackets that are open; the first is the call's own, if it is one
	want    want
	keyed   bool // keyword arguments
	pending word // a word that is a key if ":" or "=" follows, and a value otherwise
	bareKey bool // the last key was a bare word
	last    int  // where the last token of the arguments ends
	strung  bool // it is a string, which in Python the next one continues
	key     pendingKey
	holes   bool // the output holds what stands for parentheses
}

// A bracket is an open bracket.
type bracket struct {
	char            byte
	at              int // where it stands
	items           int
	keys            keys
	keyFrom, keyEnd int // the latest key in the output
	from            int // where the bracket stands in the output
}

// reset makes room for other arguments in that of the last, unless it is large.
func (a *arguments) reset() {
	out := a.out[:0]
	if cap(out) > mostBlock {
		out = nil
	}
	*a = arguments{out: out, open: a.open[:0]}
}

// count returns how many brackets of a kind are open.
func (a *arguments) count(char byte) int {
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

// begin opens a bracket; that of a call becomes an array for the time being.
func (a *arguments) begin(char byte, at int) {
	if a.open == nil {
		a.open = make([]bracket, 0, 4)
	}
	if a.out == nil {
		a.out = make([]byte, 0, 64)
	}
	a.open = append(a.open, bracket{char: char, at: at, from: len(a.out)})
	a.want = wantItem
	switch char {
	case '(', parenthesis:
		char = '['
	case '{':
		a.want = wantKey
	}
	a.out = append(a.out, char)
	a.last = at + 1
}

// beginItem writes the comma that an item or key may need before it.
func (a *arguments) beginItem() {
	if top := a.top(); len(a.open) > 0 {
		if top.items > 0 {
			a.out = append(a.out, ',')
		}
		top.items++
	}
}

// argument reads the first byte of a token in the arguments.
func (s *Scanner) argument(c byte) int {
	if s.args.pending.text != "" && c != ':' && c != '=' {
		s.settle()
		return 0
	}
	switch {
	case s.isQuote(c):
		s.openString(c, s.at)
		return 1
	case isForeign(c):
		return s.beginForeign()
	case beginsWord(c):
		return s.beginWord()
	case isDigit(c), strings.IndexByte("+-.", c) >= 0 && s.args.want != wantNext:
		s.token, s.mode = s.at, inNumber
		return 0
	}
	s.punctuation(c)
	if s.phase != arguing || s.state == Bad {
		return 0
	}
	s.args.last = s.at + 1
	return 1
}

func (s *Scanner) punctuation(c byte) {
	switch {
	case c == '(' && s.lang == python:
		s.openBracket(parenthesis)
	case c == '[', c == '{':
		s.openBracket(c)
	case c == ']', c == '}', c == ')':
		s.closeBracket(c)
	case c == ',':
		s.comma()
	case c == ':', c == '=':
		s.colon(c)
	default:
		s.argumentFault(s.at, c)
	}
}

// argumentFault makes a fault of a character that is not part of a literal.
func (s *Scanner) argumentFault(at int, c byte) {
	if s.args.pending.text != "" {
		s.settle()
	}
	if c == parenthesis {
		c = '('
	}
	if s.reading() {
		s.fault(diag.NotALiteral, at, at+1, "%q is no part of a literal, and nothing is evaluated", c)
	}
}

// mayBegin begins an item of the innermost bracket, or makes a fault of a value
// where none may stand.
func (s *Scanner) mayBegin(start, end int) bool {
	a := &s.args
	switch {
	case a.want == wantNext:
		s.fault(diag.BadLiteral, start, end, "a comma or a closing bracket is missing before this")
	case a.want == wantKey:
		s.fault(diag.BadLiteral, start, end, "a key must be a word or a quoted string")
	case a.want == wantColon:
		s.colonMissing(start)
	case a.keyed && len(a.open) == 1 && a.want == wantItem:
		s.fault(diag.KeywordArgs, start, end, "arguments with and without names are mixed")
	default:
		if a.want == wantItem {
			a.beginItem()
		}
		s.beginPart(start)
		return true
	}
	return false
}

// refuseInnerQuote reports, and makes a fault of it, whether a quote that is not escaped ended a string too early: the
// word begins right behind it.
func (s *Scanner) refuseInnerQuote(w word) bool {
	at := w.start - s.keptFrom
	if s.args.want != wantNext || w.start != s.args.last || at <= 0 {
		return false
	}
	text := s.kept.text()
	if at > len(text) || !s.isQuote(text[at-1]) {
		return false
	}
	s.fault(diag.UnescapedQuote, w.start-1, w.start, "a quote inside a string is not escaped: the string ends here, and text follows")
	return true
}

// refuseSecondObject reports, and makes a fault of it, whether an object begins behind another
// one that is the value of a member.
func (s *Scanner) refuseSecondObject(c byte) bool {
	a := &s.args
	if c != '{' || a.want != wantNext || a.top().char != '{' {
		return false
	}
	text, at := s.kept.text(), a.last-s.keptFrom
	if at <= 0 || at > len(text) || text[at-1] != '}' {
		return false
	}
	s.fault(diag.Concatenated, s.at, s.at+1, "a second object follows the value of a member")
	return true
}

// endItem follows a complete value.
func (s *Scanner) endItem(end int) {
	s.args.want, s.args.last, s.args.strung = wantNext, end, false
	switch len(s.args.open) {
	case 0:
		s.end, s.state = end, Done
	case 1:
		s.endMember(end)
	}
}

func (s *Scanner) openBracket(c byte) {
	depth := len(s.args.open)
	if s.goal != aValue && s.goal != aQuoted {
		depth-- // the call's own bracket
	}
	if c != '{' && s.args.want == wantKey { // a key that is computed
		s.argumentFault(s.at, c)
		return
	}
	if s.nextBegins(c) || s.refuseSecondObject(c) || !s.mayBegin(s.at, s.at+1) {
		return
	}
	if depth == s.maxDepth {
		s.fault(diag.TooDeep, s.at, s.at+1, "arrays and objects are nested more than %d deep", s.maxDepth)
		return
	}
	s.args.begin(c, s.at)
}

var closing = map[byte]byte{'(': ')', '[': ']', '{': '}', parenthesis: ')'}

func (s *Scanner) closeBracket(c byte) {
	a := &s.args
	top := a.top()
	switch {
	case closing[top.char] != c:
		s.bracketFault(c)
		return
	case a.want == wantColon:
		s.noMember()
		return
	case a.want == wantValue:
		s.fault(diag.BadLiteral, s.at, s.at+1, "a value is missing before %q", c)
		return
	}
	trailing := (s.lang == jsonText || s.lang == quoted) && a.want != wantNext && top.items > 0
	open := *top
	a.open = a.open[:len(a.open)-1]
	if trailing {
		s.noteTrailingComma(a.last - 1)
	}
	switch {
	case open.char == parenthesis:
		s.endParenthesis(open, a.want == wantItem)
	case c == ')':
		s.endCall()
	default:
		a.out = append(a.out, c)
		s.endItem(s.at + 1)
	}
}

// endCall follows the closing parenthesis.
func (s *Scanner) endCall() {
	bracket := byte(']')
	if s.args.keyed {
		bracket = '}'
		s.endKeywords()
	}
	s.args.out = append(s.args.out, bracket)
	s.args.closeHoles()
	s.end, s.state = s.at+1, Done
}

func (s *Scanner) comma() {
	a := &s.args
	switch {
	case a.want == wantColon:
		s.noMember()
	case a.want != wantNext:
		s.fault(diag.BadLiteral, s.at, s.at+1, "a value is missing before the comma")
	case a.top().char == '{':
		a.want = wantKey
	default:
		a.want = wantItem
	}
	a.strung = false
}

func (s *Scanner) colon(c byte) {
	a := &s.args
	switch {
	case a.pending.text != "":
		s.keyword(c)
	case a.want == wantColon && c == ':' && s.lang == python:
		s.pythonColon()
	case a.want == wantColon && c == ':':
		a.out = append(a.out, ':')
		a.want = wantValue
		if s.goal == aKey {
			s.end, s.state = s.at+1, Done
		}
	default:
		s.argumentFault(s.at, c)
	}
}

// noMember makes a fault of a key that ends where its colon should stand: a set
// of Python has such members.
func (s *Scanner) noMember() {
	if s.lang == python {
		s.fault(diag.NotALiteral, s.args.key.start, s.args.key.end, "JSON has no sets")
		return
	}
	s.colonMissing(s.at)
}

func (s *Scanner) colonMissing(at int) {
	if s.args.bareKey {
		start, end := at, at+1
		if n := len(s.notes) - 1; n >= 0 && s.notes[n].Code == diag.BareKey { // the missing colon is the cause, not the quotes
			start, end = s.notes[n].Span.Start, s.notes[n].Span.End
			s.notes = s.notes[:n]
		}
		s.fault(diag.NotALiteral, start, end, "no colon follows this word: it is no key, and variables are not evaluated")
		s.notes[len(s.notes)-1].Hint = `an object is {"key": value}`
		return
	}
	if s.bareOpen(at) {
		return
	}
	s.fault(diag.BadLiteral, at, at+1, "a colon is missing after the key")
}

// beginString reads the opening quote of a string.
func (s *Scanner) beginString(quote byte) {
	a := &s.args
	if s.continueString() {
		return
	}
	s.str.key = a.want == wantKey
	switch {
	case s.str.key && quote == '`':
		s.fault(diag.BadLiteral, s.token, s.at, "a key cannot be a template")
		return
	case s.str.key:
		a.beginItem()
	case !s.mayBegin(s.token, s.token+1):
		return
	}
	s.str.from = len(a.out)
	a.out = append(a.out, '"')
}

// endString ends a string behind its closing quote.
func (s *Scanner) endString(end int) {
	a := &s.args
	a.out = append(a.out, '"')
	if !utf8.Valid(a.out[s.str.from:]) {
		at := s.token + invalidAt(s.tokenText())
		s.fault(diag.InvalidUTF8, at, at+1, "the string holds bytes that are not UTF-8")
		return
	}
	if s.lang == quoted {
		s.noteOtherQuotes(end)
	} else {
		s.noteString(end)
	}
	switch {
	case s.lang == python:
		s.endPythonString(end)
	case s.str.key:
		s.endKey(s.str.from, end, false)
	default:
		s.endItem(end)
		if s.lang == quoted {
			s.last = lastString{kind: inQuotes, end: end}
		}
	}
}
