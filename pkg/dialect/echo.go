package dialect

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// tellingBytes is how many letters and digits the values of a call have that a text does
// not say by chance.
const tellingBytes = 4

// An echo is a call that is looked for in what a model was told.
type echo struct {
	text   []byte   // of the call, tight; empty where it says nothing
	name   []byte   // its words
	values [][]byte // the words of each value
	keyed  [][]byte // the words of each key and of the values behind it
	signs  [][]byte // the values without words, tight, in quotes
	flat   []byte   // the words of the name and of all values, in their order
	weight int      // letters and digits in values
	plain  bool     // the name is a plain word
	loose  bool     // there is a value without a key

	key, behind []byte // the words of the latest key while arguments are read, and of the values behind it
	given       bool   // there are such values
}

// newEcho returns what is looked for of a call.
func newEcho(name string, args json.RawMessage, text string) *echo {
	e := &echo{name: wordsOf([]byte(name)), plain: isPlainWord(name)}
	if strings.TrimSpace(text) != name {
		e.text = unspaced([]byte(text))
	}
	e.flat = slices.Clone(e.name)
	dec := jsontext.NewDecoder(bytes.NewReader(args), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	for token, err := dec.ReadToken(); err == nil; token, err = dec.ReadToken() {
		e.take(token, dec)
	}
	e.end()
	return e
}

// take takes the next token of the arguments.
func (e *echo) take(token jsontext.Token, dec *jsontext.Decoder) {
	switch token.Kind() {
	case '{', '}':
		e.end()
	case '[', ']':
	default:
		if kind, length := dec.StackIndex(dec.StackDepth()); kind == '{' && length%2 == 1 {
			e.end()
			e.key = wordsOf([]byte(token.String()))
			return
		}
		e.given = true
		e.behind = appendWords(e.behind, e.value(token))
	}
}

// end ends the values behind a key.
func (e *echo) end() {
	if e.given {
		e.loose = e.loose || len(e.key) <= 1
		e.keyed = append(e.keyed, appendWords(e.key, e.behind))
	}
	e.key, e.behind, e.given = nil, nil, false
}

// value takes a value that is no object or list, and returns its words.
func (e *echo) value(token jsontext.Token) []byte {
	text := []byte(token.String())
	w := wordsOf(text)
	if len(w) <= 1 {
		e.signs = append(e.signs, unspaced(slices.Concat([]byte{'"'}, text, []byte{'"'})))
		return nil
	}
	if k := token.Kind(); k == '"' || k == '0' {
		e.weight += len(w) - 1 - bytes.Count(w[1:], []byte{' '})
	}
	e.values, e.flat = append(e.values, w), appendWords(e.flat, w)
	return w
}

// appendWords appends words to others.
func appendWords(to, more []byte) []byte {
	if len(to) > 0 && len(more) > 0 {
		more = more[1:]
	}
	return append(to, more...)
}

// in reports whether the call stands in a text.
func (e *echo) in(t *heardText) bool {
	if len(e.text) > 0 && t.written().has(e.text) {
		return true
	}
	if len(e.name) <= 1 || len(e.values)+len(e.signs) == 0 || !t.worded().has(e.name) {
		return false
	}
	for _, sign := range e.signs {
		if !t.written().has(sign) {
			return false
		}
	}
	telling := !e.plain && e.weight >= tellingBytes
	return telling && t.worded().hasAll(e.values) || !e.loose && t.worded().hasAll(e.keyed) || len(e.signs) == 0 && t.worded().has(e.flat)
}

// isPlainWord reports whether a name is a word as it stands in any text: of letters of
// one case, but for the first one.
func isPlainWord(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// unescaped returns a text with what its escapes mean, in strings of whatever notation
// and outside of them, and false if it has none.
func unescaped(text []byte) ([]byte, bool) {
	at := bytes.IndexByte(text, '\\')
	if at < 0 {
		return text, false
	}
	all := make([]byte, 0, len(text))
	for ; at >= 0; at = bytes.IndexByte(text, '\\') {
		all = append(all, text[:at]...)
		var n int
		all, n = appendMeant(all, text[at:])
		text = text[at+n:]
	}
	return append(all, text...), true
}

// appendMeant appends what the escape at the beginning of a text means, and returns how
// long it is.
func appendMeant(all, text []byte) ([]byte, int) {
	if len(text) < 2 {
		return all, 1
	}
	switch c := text[1]; c {
	case 'n', 'r', 't', 'b', 'f', 'v':
		return append(all, ' '), 2
	case 'u', 'x', 'U':
		r, n := escapedRune(text)
		if utf16.IsSurrogate(r) {
			low, more := escapedRune(text[n:])
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return utf8.AppendRune(all, both), n + more
			}
		}
		if n > 0 {
			return utf8.AppendRune(all, r), n
		}
	}
	return append(all, text[1]), 2
}

// escapedRune returns the character that an escape with hexadecimal digits at the
// beginning of a text means, and how long it is; 0 if there is none.
func escapedRune(text []byte) (rune, int) {
	if len(text) < 3 || text[0] != '\\' {
		return 0, 0
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	at, end := 2, 2+digits
	braced := text[1] == 'u' && text[2] == '{'
	if braced {
		at = 3
		end = 3 + max(0, bytes.IndexByte(text[3:min(len(text), 12)], '}'))
	}
	if digits == 0 || end == at || end > len(text) {
		return 0, 0
	}
	r, err := strconv.ParseUint(string(text[at:end]), 16, 32)
	if err != nil {
		return 0, 0
	}
	if braced {
		end++
	}
	return rune(min(r, utf8.MaxRune+1)), end
}
