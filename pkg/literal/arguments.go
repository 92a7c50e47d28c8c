package literal

import (
	"strings"
	"unicode"
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
	open    []bracket // the brackets that are open; the first is the call's own
	want    want
	keyed   bool  // keyword arguments
	pending word  // a word that is a key if ":" or "=" follows, and a value otherwise
	bareKey bool  // the last key was a bare word
	last    int   // where the last token of the arguments ends
}

// A bracket is an open bracket.
type bracket struct {
	char            byte
	at              int // where it stands
	items           int
	keys            keys
	keyFrom, keyEnd int // the latest key in the output
}

type word struct {
	text       string
	start, end int
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
		a.open, a.out = make([]bracket, 0, 2), make([]byte, 0, 64)
	}
	a.open = append(a.open, bracket{char: char, at: at})
	a.want = wantItem
	switch char {
	case '(':
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
	case isQuote(c):
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
	switch c {
	case '[', '{':
		s.openBracket(c)
	case ']', '}', ')':
		s.closeBracket(c)
	case ',':
		s.comma()
	case ':', '=':
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
		return true
	}
	return false
}

// endItem follows a complete value.
func (s *Scanner) endItem(end int) {
	s.args.want, s.args.last = wantNext, end
	if len(s.args.open) == 0 {
		s.end, s.state = end, Done
	}
}

func (s *Scanner) openBracket(c byte) {
	depth := len(s.args.open)
	if s.goal != aValue {
		depth-- // the call's own parenthesis
	}
	if c == '[' && s.args.want == wantKey { // a key that is computed
		s.argumentFault(s.at, c)
		return
	}
	if !s.mayBegin(s.at, s.at+1) {
		return
	}
	if depth == s.maxDepth {
		s.fault(diag.TooDeep, s.at, s.at+1, "more than %d arrays and objects stand in each other", s.maxDepth)
		return
	}
	s.args.begin(c, s.at)
}

var closing = map[byte]byte{'(': ')', '[': ']', '{': '}'}

func (s *Scanner) closeBracket(c byte) {
	a := &s.args
	top := a.top()
	switch {
	case closing[top.char] != c:
		s.bracketFault(c)
		return
	case a.want == wantColon:
		s.colonMissing(s.at)
		return
	case a.want == wantValue:
		s.fault(diag.BadLiteral, s.at, s.at+1, "a value is missing before %q", c)
		return
	}
	a.open = a.open[:len(a.open)-1]
	if c != ')' {
		a.out = append(a.out, c)
		s.endItem(s.at + 1)
		return
	}
	s.endCall()
}

// endCall follows the closing parenthesis.
func (s *Scanner) endCall() {
	bracket := byte(']')
	if s.args.keyed {
		bracket = '}'
		s.endKeywords()
	}
	s.args.out = append(s.args.out, bracket)
	s.end, s.state = s.at+1, Done
}

func (s *Scanner) comma() {
	a := &s.args
	switch {
	case a.want == wantColon:
		s.colonMissing(s.at)
	case a.want != wantNext:
		s.fault(diag.BadLiteral, s.at, s.at+1, "a value is missing before the comma")
	case a.top().char == '{':
		a.want = wantKey
	default:
		a.want = wantItem
	}
}

func (s *Scanner) colon(c byte) {
	a := &s.args
	switch {
	case a.pending.text != "":
		s.keyword(c)
	case a.want == wantColon && c == ':':
		a.out = append(a.out, ':')
		a.want = wantValue
	default:
		s.argumentFault(s.at, c)
	}
}

func (s *Scanner) colonMissing(at int) {
	if s.args.bareKey {
		s.fault(diag.NotALiteral, at, at+1, "a key without a value would stand for a variable, and nothing is evaluated")
		return
	}
	s.fault(diag.BadLiteral, at, at+1, "a colon is missing behind the key")
}

// beginString reads the opening quote of a string.
func (s *Scanner) beginString(quote byte) {
	a := &s.args
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
	s.noteString()
	if s.str.key {
		s.endKey(s.str.from, end, false)
	} else {
		s.endItem(end)
	}
}

// endKey takes a key whose JSON form is the output behind from.
func (s *Scanner) endKey(from, end int, bare bool) {
	a, top := &s.args, s.args.top()
	key := a.out[from:]
	top.keyFrom, top.keyEnd = from, len(a.out)
	if !top.keys.add(key) {
		s.fault(diag.DuplicateKey, s.token, end, "the key %s stands here for the second time; which value was meant is unknown", excerpt(key))
		return
	}
	a.want, a.bareKey, a.last = wantColon, bare, end
}

// argumentWord takes a word in the arguments.
func (s *Scanner) argumentWord(text string) {
	w := word{trimSpace(text), s.token, s.at}
	a := &s.args
	switch {
	case !utf8.ValidString(text):
		s.fault(diag.InvalidUTF8, w.start, w.end, "these bytes are not UTF-8")
	case a.want == wantKey && isKey(w.text):
		a.beginItem()
		from := len(a.out)
		a.out = appendText(a.out, w.text)
		s.endKey(from, w.end, true)
	case a.want == wantItem && a.top().char == '(':
		a.pending = w
		a.last = w.end
	default:
		s.wordValue(w)
	}
}

// isKey reports whether a word can be a key without quotes.
func isKey(word string) bool {
	for _, r := range word {
		if r != '_' && r != '$' && !unicode.In(r, unicode.L, unicode.Nd, unicode.Mn, unicode.Mc) {
			return false
		}
	}
	return true
}

// settle makes a value of the word that could have been a key.
func (s *Scanner) settle() {
	w := s.args.pending
	s.args.pending = word{}
	s.wordValue(w)
}

// wordValue takes a word that stands for a value.
func (s *Scanner) wordValue(w word) {
	json, known := words[w.text]
	switch {
	case !s.mayBegin(w.start, w.end):
		return
	case nonNumbers[w.text]:
		s.nonNumber(w)
		return
	case !known:
		s.fault(diag.NotALiteral, w.start, w.end, "%s is no literal, and nothing is evaluated", excerpt(w.text))
		return
	}
	if json != w.text {
		s.note(diag.PythonLiteral, w.start, w.end, diag.Warning, "%s is Python; it is read as %s", w.text, json).
			fix("write "+json, diag.Safe, diag.Edit{Start: w.start, End: w.end, New: json})
	}
	s.args.out = append(s.args.out, json...)
	s.endItem(w.end)
}

// words are the words that are values, with what they are in JSON.
var words = map[string]string{
	"true": "true", "false": "false", "null": "null",
	"True": "true", "False": "false", "None": "null",
}

// trimSpace removes the blanks of other alphabets around a word.
func trimSpace(word string) string {
	if !isForeign(word[0]) && !isForeign(word[len(word)-1]) {
		return word
	}
	return strings.TrimFunc(word, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
}

// excerpt shortens what is quoted in a message.
func excerpt[T string | []byte](text T) string {
	const most = 40
	if len(text) <= most {
		return strings.ToValidUTF8(string(text), "\ufffd")
	}
	return strings.ToValidUTF8(string(text[:most]), "") + "…"
}
