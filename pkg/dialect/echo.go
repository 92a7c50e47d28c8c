package dialect

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// minDistinctive is how many letters and digits the values of a call have that a text does
// not say by chance.
const minDistinctive = 4

// An echo is a call that is looked for in what a model was told.
type echo struct {
	text      []byte // of the call, tight; empty where it says nothing
	name      []byte // its words
	args      []*echoArg
	plainName bool // the name is a plain word
	readOnly  bool
	userText  *seenText // what the user says; nil for nothing
}

// An echoArg is one argument of a call.
type echoArg struct {
	required   bool
	values     []valueWords
	keyed      [][]byte // the words of each key and of the values after it
	symbols    [][]byte // the values without words, tight, in quotes
	weight     int      // letters and digits in values
	hasUnkeyed bool     // there is a value without a key

	pendingKey, pendingWords []byte // the words of the latest key while the argument is read, and of the values after it
	hasPending               bool   // there are such values
}

// A valueWords is the words of a value, and those of what it means where it has escapes.
type valueWords struct{ words, decoded []byte }

// newEcho returns what is looked for of a call.
func newEcho(u EchoCandidate) *echo {
	e := &echo{name: wordsOf(normalize([]byte(u.Name))), plainName: isPlainWord(u.Name), readOnly: u.ReadOnly}
	if strings.TrimSpace(u.Text) != u.Name {
		e.text = stripSpace(normalize([]byte(u.Text)))
	}
	args := u.Args
	if args == nil {
		args = u.RawArgs
	}
	for _, a := range argumentsIn(args) {
		p := &echoArg{required: u.Required == nil || slices.Contains(u.Required, a.name), pendingKey: wordsOf([]byte(a.name))}
		p.read(a.raw)
		e.args = append(e.args, p)
	}
	return e
}

// An argument is a member of the arguments, or an element of those by position, which has no name.
type argument struct {
	name string
	raw  []byte
}

// argumentsIn returns the arguments of a call, as far as they are JSON.
func argumentsIn(args json.RawMessage) (all []argument) {
	dec := jsontext.NewDecoder(bytes.NewReader(args), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	open, err := dec.ReadToken()
	if err != nil {
		return nil
	}
	for {
		var a argument
		if kind := dec.PeekKind(); kind == '}' || kind == ']' || kind == 0 {
			return all
		}
		if open.Kind() == '{' {
			name, err := dec.ReadToken()
			if err != nil {
				return all
			}
			a.name = name.String()
		}
		raw, err := dec.ReadValue()
		if err != nil {
			return all
		}
		a.raw = slices.Clone(raw)
		all = append(all, a)
	}
}

// read takes in the value of the argument.
func (p *echoArg) read(raw []byte) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	for token, err := dec.ReadToken(); err == nil; token, err = dec.ReadToken() {
		p.readToken(token, dec)
	}
	p.endPending()
}

// readToken takes the next token of the argument.
func (p *echoArg) readToken(token jsontext.Token, dec *jsontext.Decoder) {
	switch token.Kind() {
	case '{', '}':
		p.endPending()
	case '[', ']':
	default:
		if kind, length := dec.StackIndex(dec.StackDepth()); kind == '{' && length%2 == 1 {
			p.endPending()
			p.pendingKey = wordsOf([]byte(token.String()))
			return
		}
		p.hasPending = true
		p.pendingWords = appendWords(p.pendingWords, p.addValue(token))
	}
}

// endPending ends the values after a key.
func (p *echoArg) endPending() {
	if p.hasPending {
		p.hasUnkeyed = p.hasUnkeyed || len(p.pendingKey) <= 1
		p.keyed = append(p.keyed, appendWords(p.pendingKey, p.pendingWords))
		p.pendingKey = nil
	}
	p.pendingWords, p.hasPending = nil, false
}

// addValue takes a value that is no object or list, and returns its words.
func (p *echoArg) addValue(token jsontext.Token) []byte {
	text := normalize([]byte(token.String()))
	w := wordsOf(text)
	if len(w) <= 1 {
		p.symbols = append(p.symbols, stripSpace(slices.Concat([]byte{'"'}, text, []byte{'"'})))
		return nil
	}
	if k := token.Kind(); k == '"' || k == '0' {
		p.weight += weightOf(w)
	}
	v := valueWords{words: w}
	if meant := normalize(percentDecoded(entityDecoded(text))); !bytes.Equal(meant, text) {
		v.decoded = wordsOf(meant)
	}
	p.values = append(p.values, v)
	return w
}

// weightOf returns how many letters and digits words have.
func weightOf(words []byte) int { return len(words) - 1 - bytes.Count(words[1:], []byte{' '}) }

// appendWords appends words to others.
func appendWords(to, more []byte) []byte {
	if len(to) > 0 && len(more) > 0 {
		more = more[1:]
	}
	return append(slices.Clip(to), more...)
}

// isIn reports whether the call is in a text.
func (e *echo) isIn(t *seenText) bool {
	if len(e.text) > 0 && t.tightForm().has(e.text) {
		return true
	}
	said := e.matchedArgs(t)
	return len(said) > 0 && (e.isSpelledOut(t, said) || e.isDescribed(t, said))
}

// matchedArgs returns the arguments that a text says, if it says the name and all that are needed; none otherwise.
// Where the tool needs none, what it does not say must not be more than what it says.
func (e *echo) matchedArgs(t *seenText) (said []*echoArg) {
	if len(e.name) <= 1 || !t.wordForm().has(e.name) {
		return nil
	}
	unsaid, needed := 0, false
	for _, p := range e.args {
		switch {
		case len(p.values)+len(p.symbols) == 0:
		case p.isInText(t):
			said, unsaid, needed = append(said, p), unsaid-p.weight, needed || p.required
		case p.required:
			return nil
		default:
			unsaid += p.weight
		}
	}
	if !needed && unsaid > 0 {
		return nil
	}
	return said
}

// isInText reports whether all values of an argument are in a text.
func (p *echoArg) isInText(t *seenText) bool {
	return !slices.ContainsFunc(p.values, func(v valueWords) bool { return !v.isInText(t) }) && t.tightForm().hasAll(p.symbols)
}

func (v valueWords) isInText(t *seenText) bool {
	return t.wordForm().has(v.words) || len(v.decoded) > 1 && t.wordForm().has(v.decoded)
}

// isDescribed reports whether what a text says of a call, in whatever order and distance, is nothing that it
// would say by chance.
func (e *echo) isDescribed(t *seenText, said []*echoArg) bool {
	said = slices.DeleteFunc(slices.Clone(said), func(p *echoArg) bool { return len(p.values) > 0 && e.userText != nil && p.isInText(e.userText) })
	weight, keyed, telling := 0, true, 0
	for _, p := range said {
		weight += p.weight
		keyed = keyed && !p.hasUnkeyed && t.wordForm().hasAll(p.keyed)
		if p.required && p.weight >= minDistinctive {
			telling++
		}
	}
	if len(said) == 0 || e.readOnly && telling < 2 {
		return false
	}
	return !e.plainName && weight >= minDistinctive || keyed
}

// callWords are words that are between a name and its arguments in some notation.
var callWords = map[string]bool{
	"name": true, "function": true, "tool": true, "type": true, "call": true, "invoke": true, "recipient": true,
	"arguments": true, "argument": true, "args": true, "parameters": true, "parameter": true, "params": true, "param": true,
	"input": true, "value": true, "string": true, "arg_key": true, "arg_value": true, "tool_call": true, "function_call": true,
}

// isSpelledOut reports whether a text has the name and the arguments that it says side by side.
func (e *echo) isSpelledOut(t *seenText, said []*echoArg) bool {
	if flat, ok := e.flatWords(said); ok && t.wordForm().has(flat) {
		return true
	}
	if slices.ContainsFunc(said, func(p *echoArg) bool { return len(p.symbols) > 0 }) {
		return false
	}
	own := e.vocabulary(said)
	words := t.wordForm().text
	for from := 0; ; {
		i := bytes.Index(words[from:], e.name)
		if i < 0 {
			return false
		}
		begin, end := from+i, from+i+len(e.name)-1
		begin -= knownWordsBefore(words[from:begin+1], own)
		end += knownWordsAfter(words[end:], own)
		if !slices.ContainsFunc(said, func(p *echoArg) bool { return !p.isWithin(words[begin : end+1]) }) {
			return true
		}
		from = end
	}
}

// isWithin reports whether all values of an argument are among some words.
func (p *echoArg) isWithin(words []byte) bool {
	return !slices.ContainsFunc(p.values, func(v valueWords) bool {
		return !bytes.Contains(words, v.words) && (len(v.decoded) <= 1 || !bytes.Contains(words, v.decoded))
	})
}

// knownWordsAfter returns how many bytes at the beginning of some words, which begin with a blank, are known
// words, each with the blank before it.
func knownWordsAfter(words []byte, known map[string]bool) (n int) {
	for {
		size := bytes.IndexByte(words[n+1:], ' ')
		if size < 0 || !known[string(words[n+1:n+1+size])] {
			return n
		}
		n += 1 + size
	}
}

// knownWordsBefore is [knownWordsAfter] at the end of some words.
func knownWordsBefore(words []byte, known map[string]bool) (n int) {
	for {
		end := len(words) - 1 - n
		at := bytes.LastIndexByte(words[:max(end, 0)], ' ')
		if at < 0 || !known[string(words[at+1:end])] {
			return n
		}
		n = len(words) - 1 - at
	}
}

// flatWords returns the name and all values in their order, and false where some have no words.
func (e *echo) flatWords(said []*echoArg) (flat []byte, ok bool) {
	flat = slices.Clone(e.name)
	for _, p := range said {
		for _, v := range p.values {
			flat = appendWords(flat, v.words)
		}
		if len(p.symbols) > 0 {
			return nil, false
		}
	}
	return flat, true
}

// vocabulary returns the words of a call, and those that are common in calls.
func (e *echo) vocabulary(said []*echoArg) map[string]bool {
	all := maps.Clone(callWords)
	add := func(words []byte) {
		for word := range bytes.FieldsSeq(words) {
			all[string(word)] = true
		}
	}
	add(e.name)
	for _, p := range said {
		for _, words := range p.keyed {
			add(words)
		}
		for _, v := range p.values {
			add(v.words)
			add(v.decoded)
		}
	}
	return all
}

// lastNearby returns the last bytes of a text and of what is before it, with what no UTF-8 holds between.
func lastNearby(before, text []byte) []byte {
	if len(text) >= nearby {
		return text[len(text)-nearby:]
	}
	all := slices.Concat(before, []byte{0xff}, text)
	return all[max(0, len(all)-nearby):]
}

// windowStep is how far a window over two texts is moved.
const windowStep = nearby / 8

// isSplitAcross reports whether a call is said by a text together with what is before it, if there is anything.
func (e *echo) isSplitAcross(before []byte, t *seenText) bool {
	following := t.text[:min(len(t.text), nearby)]
	if len(before) == 0 || !e.isDescribedBy(t.joinedWith(before)) {
		return false
	}
	if len(before)+len(following) <= nearby {
		return true
	}
	for n := windowStep; n <= nearby; n += windowStep {
		window := slices.Concat(before[max(0, len(before)-nearby+n-windowStep):], []byte{0xff}, following[:min(n, len(following))])
		if e.isDescribedBy(&seenText{text: window}) {
			return true
		}
	}
	return false
}

// isDescribedBy reports whether a text says a call, in whatever order and distance.
func (e *echo) isDescribedBy(t *seenText) bool {
	said := e.matchedArgs(t)
	return len(said) > 0 && e.isDescribed(t, said)
}

// isPlainWord reports whether a name is a word as it is in any text: of letters of
// one case, but for the first one.
func isPlainWord(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// unescape returns a text with what its escapes mean, in strings of whatever notation
// and outside of them, and false if it has none.
func unescape(text []byte) ([]byte, bool) {
	at := bytes.IndexByte(text, '\\')
	if at < 0 {
		return text, false
	}
	all := make([]byte, 0, len(text))
	for ; at >= 0; at = bytes.IndexByte(text, '\\') {
		all = append(all, text[:at]...)
		var n int
		all, n = appendUnescaped(all, text[at:])
		text = text[at+n:]
	}
	return append(all, text...), true
}

// appendUnescaped appends what the escape at the beginning of a text means, and returns how
// long it is.
func appendUnescaped(all, text []byte) ([]byte, int) {
	if len(text) < 2 {
		return all, 1
	}
	switch c := text[1]; c {
	case 'n', 'r':
		return append(all, '\n'), 2
	case 't', 'b', 'f', 'v':
		return append(all, ' '), 2
	case 'u', 'x', 'U':
		r, n := decodeEscape(text)
		if utf16.IsSurrogate(r) {
			low, more := decodeEscape(text[n:])
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

// decodeEscape returns the character that an escape with hexadecimal digits at the
// beginning of a text means, and how long it is; 0 if there is none.
func decodeEscape(text []byte) (rune, int) {
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
