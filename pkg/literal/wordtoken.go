package literal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
)

// A word is a word or number token.
type word struct {
	text       string
	start, end int
}

// endKey ends a key. Its JSON form is the output from an offset on.
func (s *Scanner) endKey(from, end int, bare bool) {
	a, top := &s.args, s.args.top()
	key := a.out[from:]
	top.keyOutStart, top.keyOutEnd = from, len(a.out)
	if !top.keys.add(key) {
		s.fail(diag.DuplicateKey, s.tokenStart, end, "duplicate key %s: the intended value is unknown", excerpt(key))
		return
	}
	a.want, a.lastKeyBare, a.lastEnd = wantColon, bare, end
	s.recordKeyOfPart(key, end)
}

// endWord adds a word token to the arguments.
func (s *Scanner) endWord(text string) {
	w := word{trimUnicodeSpace(text), s.tokenStart, s.pos}
	a := &s.args
	switch {
	case !utf8.ValidString(text):
		s.fail(diag.InvalidUTF8, w.start, w.end, "invalid UTF-8")
	case a.want == wantKey && s.lang == python:
		s.addConstantKey(w)
	case a.want == wantKey && isBareKey(w.text):
		a.appendItemComma()
		from := len(a.out)
		a.out = appendJSONString(a.out, w.text)
		s.noteBareKey(w, a.out[from:])
		s.endKey(from, w.end, true)
	case a.want == wantItem && a.top().char == '(':
		a.pending = w
		a.lastEnd = w.end
	default:
		s.addWordValue(w)
	}
}

// isBareKey reports whether a word can be an unquoted key.
func isBareKey(word string) bool {
	for _, r := range word {
		if !(r < utf8.RuneSelf && isNameByte(byte(r))) && !unicode.In(r, unicode.L, unicode.Nd, unicode.Mn, unicode.Mc) {
			return false
		}
	}
	return true
}

// addPendingAsValue adds the pending word as a value: it is not a key.
func (s *Scanner) addPendingAsValue() {
	w := s.args.pending
	s.args.pending = word{}
	s.addWordValue(w)
}

// addWordValue adds a word as a value.
func (s *Scanner) addWordValue(w word) {
	json, known := wordValues[w.text]
	switch {
	case s.failAtUnescapedQuote(w), !s.beginValue(w.start, w.end):
		return
	case nonNumbers[w.text]:
		s.failNonFinite(w)
		return
	case !known && hasLeadingSmartQuote(w.text):
		s.fail(diag.SmartQuote, w.start, w.end, "%s is in typographic quotes, which JSON does not allow", excerpt(w.text))
		return
	case !known:
		s.failNotLiteral(w)
		return
	}
	s.notePythonWord(w, json)
	s.args.out = append(s.args.out, json...)
	s.endValue(w.end)
}

func (s *Scanner) failNotLiteral(w word) {
	s.fail(diag.NotALiteral, w.start, w.end, "%s is not a literal: expressions are not evaluated", excerpt(w.text))
}

// notePythonWord reports a word that only Python has. In Python, models write the words of JSON
// as often, and both are accepted.
func (s *Scanner) notePythonWord(w word, json string) {
	if s.lang == python || w.text == json {
		return
	}
	s.note(diag.PythonLiteral, w.start, w.end, diag.Warning, "Python literal %s; read as %s", w.text, json).
		addFix("write "+json, diag.Safe, diag.Edit{Start: w.start, End: w.end, New: json})
}

// hasLeadingSmartQuote reports whether a word begins with a typographic quote.
func hasLeadingSmartQuote(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return strings.ContainsRune("“”„‟‘’‚‛«»", r)
}

// wordValues maps words to their JSON values.
var wordValues = map[string]string{
	"true": "true", "false": "false", "null": "null",
	"True": "true", "False": "false", "None": "null",
}

// trimUnicodeSpace removes Unicode whitespace around a word.
func trimUnicodeSpace(word string) string {
	if !isNonASCII(word[0]) && !isNonASCII(word[len(word)-1]) {
		return word
	}
	return strings.TrimFunc(word, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
}

// excerpt shortens a quotation in a message.
func excerpt[T string | []byte](text T) string { return quote.Shorten(string(text), 40) }
