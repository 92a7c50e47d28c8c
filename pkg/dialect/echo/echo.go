package echo

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

// minDistinctive is the number of letters and digits from which the values of a call are unlikely to occur in a
// text by chance.
const minDistinctive = 4

// An echo is a call that is searched for in text the model has seen.
type echo struct {
	text      []byte // of the call, without spaces; empty if it has only the name
	name      []byte // its words
	args      []*echoArg
	plainName bool // the name is an ordinary word
	readOnly  bool
	userText  *indexedText // the user's own words; nil for none
}

// An echoArg is one argument of a call.
type echoArg struct {
	required   bool
	values     []valueWords
	keyed      [][]byte // the words of each key with its values
	symbols    [][]byte // values without words, without spaces, in quotes
	weight     int      // letters and digits in its values
	hasUnkeyed bool     // a value has no key

	pendingKey, pendingWords []byte // the latest key and the values after it, while reading
	hasPending               bool   // there are values after the key
}

// valueWords are the words of a value, and those of its decoded form if it has escapes.
type valueWords struct{ words, decoded []byte }

func newEcho(u Candidate) *echo {
	e := &echo{name: wordsOf(normalizeUnicode([]byte(u.Name))), plainName: isOrdinaryWord(u.Name), readOnly: u.ReadOnly}
	if strings.TrimSpace(u.Text) != u.Name {
		e.text = stripSpaceUnifyQuotes(normalizeUnicode([]byte(u.Text)))
	}
	args := u.Args
	if args == nil {
		args = u.RawArgs
	}
	for _, a := range parseArguments(args) {
		p := &echoArg{required: u.Required == nil || slices.Contains(u.Required, a.name), pendingKey: wordsOf([]byte(a.name))}
		p.addValues(a.raw)
		e.args = append(e.args, p)
	}
	return e
}

// An argument is a member of the arguments, or a positional argument without a name.
type argument struct {
	name string
	raw  []byte
}

// parseArguments returns the arguments of a call up to the first syntax error.
func parseArguments(args json.RawMessage) (all []argument) {
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

// addValues adds the value of the argument.
func (p *echoArg) addValues(raw []byte) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	for token, err := dec.ReadToken(); err == nil; token, err = dec.ReadToken() {
		p.readToken(token, dec)
	}
	p.endKeyedValues()
}

func (p *echoArg) readToken(token jsontext.Token, dec *jsontext.Decoder) {
	switch token.Kind() {
	case '{', '}':
		p.endKeyedValues()
	case '[', ']':
	default:
		if kind, length := dec.StackIndex(dec.StackDepth()); kind == '{' && length%2 == 1 {
			p.endKeyedValues()
			p.pendingKey = wordsOf([]byte(token.String()))
			return
		}
		p.hasPending = true
		p.pendingWords = joinWords(p.pendingWords, p.addValue(token))
	}
}

// endKeyedValues ends the values of a key.
func (p *echoArg) endKeyedValues() {
	if p.hasPending {
		p.hasUnkeyed = p.hasUnkeyed || len(p.pendingKey) <= 1
		p.keyed = append(p.keyed, joinWords(p.pendingKey, p.pendingWords))
		p.pendingKey = nil
	}
	p.pendingWords, p.hasPending = nil, false
}

// addValue adds a scalar value, and returns its words.
func (p *echoArg) addValue(token jsontext.Token) []byte {
	text := normalizeUnicode([]byte(token.String()))
	w := wordsOf(text)
	if len(w) <= 1 {
		p.symbols = append(p.symbols, stripSpaceUnifyQuotes(slices.Concat([]byte{'"'}, text, []byte{'"'})))
		return nil
	}
	if k := token.Kind(); k == '"' || k == '0' {
		p.weight += alnumCount(w)
	}
	v := valueWords{words: w}
	if meant := normalizeUnicode(decodePercent(decodeEntities(text))); !bytes.Equal(meant, text) {
		v.decoded = wordsOf(meant)
	}
	p.values = append(p.values, v)
	return w
}

// alnumCount returns the number of letters and digits in words.
func alnumCount(words []byte) int { return len(words) - 1 - bytes.Count(words[1:], []byte{' '}) }

func joinWords(to, more []byte) []byte {
	if len(to) > 0 && len(more) > 0 {
		more = more[1:]
	}
	return append(slices.Clip(to), more...)
}

// isEchoOf reports whether a text contains the call.
func (e *echo) isEchoOf(t *indexedText) bool {
	if len(e.text) > 0 && t.tightForm().contains(e.text) {
		return true
	}
	matched := e.matchedArgs(t)
	return len(matched) > 0 && (e.isSpelledOut(t, matched) || e.isDescribed(t, matched))
}

// matchedArgs returns the arguments that a text contains, if it contains the name and all required arguments,
// else none. If no argument is required, the missing values must not outweigh the matched ones.
func (e *echo) matchedArgs(t *indexedText) (matched []*echoArg) {
	if len(e.name) <= 1 || !t.wordForm().contains(e.name) {
		return nil
	}
	unmatchedWeight, needed := 0, false
	for _, p := range e.args {
		switch {
		case len(p.values)+len(p.symbols) == 0:
		case p.isInText(t):
			matched, unmatchedWeight, needed = append(matched, p), unmatchedWeight-p.weight, needed || p.required
		case p.required:
			return nil
		default:
			unmatchedWeight += p.weight
		}
	}
	if !needed && unmatchedWeight > 0 {
		return nil
	}
	return matched
}

// isInText reports whether a text contains all values of the argument.
func (p *echoArg) isInText(t *indexedText) bool {
	return !slices.ContainsFunc(p.values, func(v valueWords) bool { return !v.isInText(t) }) && t.tightForm().containsAll(p.symbols)
}

func (v valueWords) isInText(t *indexedText) bool {
	return t.wordForm().contains(v.words) || len(v.decoded) > 1 && t.wordForm().contains(v.decoded)
}

// isDescribed reports whether the parts of a call in a text, in any order and distance, are too distinctive to
// occur by chance.
func (e *echo) isDescribed(t *indexedText, matched []*echoArg) bool {
	matched = slices.DeleteFunc(slices.Clone(matched), func(p *echoArg) bool { return len(p.values) > 0 && e.userText != nil && p.isInText(e.userText) })
	weight, keyed, distinctive := 0, true, 0
	for _, p := range matched {
		weight += p.weight
		keyed = keyed && !p.hasUnkeyed && t.wordForm().containsAll(p.keyed)
		if p.required && p.weight >= minDistinctive {
			distinctive++
		}
	}
	if len(matched) == 0 || e.readOnly && distinctive < 2 {
		return false
	}
	return !e.plainName && weight >= minDistinctive || keyed
}

// callWords are words between a name and its arguments in some notations.
var callWords = map[string]bool{
	"name": true, "function": true, "tool": true, "type": true, "call": true, "invoke": true, "recipient": true,
	"arguments": true, "argument": true, "args": true, "parameters": true, "parameter": true, "params": true, "param": true,
	"input": true, "value": true, "string": true, "arg_key": true, "arg_value": true, "tool_call": true, "function_call": true,
}

// isSpelledOut reports whether a text has the name and the matched arguments side by side.
func (e *echo) isSpelledOut(t *indexedText, matched []*echoArg) bool {
	if flat, ok := e.nameAndValueWords(matched); ok && t.wordForm().contains(flat) {
		return true
	}
	if slices.ContainsFunc(matched, func(p *echoArg) bool { return len(p.symbols) > 0 }) {
		return false
	}
	own := e.connectingWords(matched)
	words := t.wordForm().text
	for from := 0; ; {
		i := bytes.Index(words[from:], e.name)
		if i < 0 {
			return false
		}
		begin, end := from+i, from+i+len(e.name)-1
		begin -= knownSuffixLen(words[from:begin+1], own)
		end += knownPrefixLen(words[end:], own)
		if !slices.ContainsFunc(matched, func(p *echoArg) bool { return !p.isWithinWords(words[begin : end+1]) }) {
			return true
		}
		from = end
	}
}

// isWithinWords reports whether words contain all values of the argument.
func (p *echoArg) isWithinWords(words []byte) bool {
	return !slices.ContainsFunc(p.values, func(v valueWords) bool {
		return !bytes.Contains(words, v.words) && (len(v.decoded) <= 1 || !bytes.Contains(words, v.decoded))
	})
}

// knownPrefixLen returns the length of the leading known words, each with the blank before it. The words begin
// with a blank.
func knownPrefixLen(words []byte, known map[string]bool) (n int) {
	for {
		size := bytes.IndexByte(words[n+1:], ' ')
		if size < 0 || !known[string(words[n+1:n+1+size])] {
			return n
		}
		n += 1 + size
	}
}

// knownSuffixLen is [knownPrefixLen] for trailing words.
func knownSuffixLen(words []byte, known map[string]bool) (n int) {
	for {
		end := len(words) - 1 - n
		at := bytes.LastIndexByte(words[:max(end, 0)], ' ')
		if at < 0 || !known[string(words[at+1:end])] {
			return n
		}
		n = len(words) - 1 - at
	}
}

// nameAndValueWords returns the name and all values in order, or false if a value has no words.
func (e *echo) nameAndValueWords(matched []*echoArg) (flat []byte, ok bool) {
	flat = slices.Clone(e.name)
	for _, p := range matched {
		for _, v := range p.values {
			flat = joinWords(flat, v.words)
		}
		if len(p.symbols) > 0 {
			return nil, false
		}
	}
	return flat, true
}

// connectingWords returns the words of the call and those common in calls.
func (e *echo) connectingWords(matched []*echoArg) map[string]bool {
	all := maps.Clone(callWords)
	add := func(words []byte) {
		for word := range bytes.FieldsSeq(words) {
			all[string(word)] = true
		}
	}
	add(e.name)
	for _, p := range matched {
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

// joinedTail returns the last [nearby] bytes of two texts, separated by a byte that UTF-8 does not contain.
func joinedTail(before, text []byte) []byte {
	if len(text) >= nearby {
		return text[len(text)-nearby:]
	}
	all := slices.Concat(before, []byte{0xff}, text)
	return all[max(0, len(all)-nearby):]
}

// windowStep is the step of the window over two texts.
const windowStep = nearby / 8

// isSplitAcross reports whether a text and the text before it describe the call together.
func (e *echo) isSplitAcross(before []byte, t *indexedText) bool {
	following := t.text[:min(len(t.text), nearby)]
	if len(before) == 0 || !e.isDescribedBy(t.joinedWith(before)) {
		return false
	}
	if len(before)+len(following) <= nearby {
		return true
	}
	for n := windowStep; n <= nearby; n += windowStep {
		window := slices.Concat(before[max(0, len(before)-nearby+n-windowStep):], []byte{0xff}, following[:min(n, len(following))])
		if e.isDescribedBy(&indexedText{text: window}) {
			return true
		}
	}
	return false
}

// isDescribedBy reports whether a text describes the call, in any order and distance.
func (e *echo) isDescribedBy(t *indexedText) bool {
	matched := e.matchedArgs(t)
	return len(matched) > 0 && e.isDescribed(t, matched)
}

// isOrdinaryWord reports whether a name looks like an ordinary word: letters of one case, except for the first.
func isOrdinaryWord(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// unescapeBackslashes decodes the backslash escapes of a text in any notation, inside and outside strings. It reports false
// if there are none.
func unescapeBackslashes(text []byte) ([]byte, bool) {
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

// appendUnescaped appends the decoded escape at the start of a text, and returns the length of the escape.
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

// decodeEscape returns the character of a hexadecimal escape at the start of a text, and the length of the
// escape, or 0.
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
