package policy

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/ahocorasick"
	"oneshot/pkg/chat"
	"oneshot/pkg/quote"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

const (
	maxIdentifierBytes  = 512      // bytes; longer values are never known
	minDistinctiveBytes = 8        // bytes; longer values are not part of another by chance
	maxKnownBytes       = 32 << 20 // bytes of results and their calls; the oldest are dropped first
)

// knownValues are the values a run may name as identifiers: everything in the user's messages and in results. A value
// counts only as a whole, not inside a longer word or number.
type knownValues struct {
	hasPrompt bool         // the prompt was added
	user      textSource   // messages of the user
	results   []textSource // oldest first
	size      int          // bytes of JSON in results
}

// A textSource is text that can contain identifiers. It is decoded on the first lookup, because most runs have none.
type textSource struct {
	tool          string // tool of the result
	data          []byte // JSON of a result
	callArguments []byte // JSON; values in it do not become known by the result
	decoded       bool
	text          string // texts of data, or messages; NUL around and between them
	argumentTexts string // texts of callArguments
}

func (s *textSource) decode() {
	if !s.decoded {
		s.decoded, s.text, s.argumentTexts = true, textValues(s.data), withURLDecoded(textValues(s.callArguments))
	}
}

// checkIdentifiers returns a denial if an identifier in the arguments is unknown.
func (s *State) checkIdentifiers(f Facts) (d Decision, ok bool) {
	if f.Trusted {
		return d, true
	}
	named := f.Def.IdentifiersIn(f.Arguments)
	if len(named) == 0 {
		return d, true
	}
	at := s.known.firstUnknown(named)
	if at < 0 {
		return d, true
	}
	d = Decision{Arguments: f.Arguments}.deny("floor:identifier",
		"%s: %s appears neither in the messages of the user nor in an earlier result; take the value from there, do not make one up",
		named[at].Argument, quote.JSON(quote.Shorten(named[at].Value, 64)))
	d.Code = chat.InvalidArguments
	return d, false
}

// firstUnknown returns the index of the first unknown value, or -1.
func (k *knownValues) firstUnknown(named []tool.Identifier) int {
	index := map[string]int{}
	var texts []string
	for i, n := range named {
		if n.Number {
			named[i].Value = plainNumber(n.Value)
			n = named[i]
		}
		if n.Value == "" || len(n.Value) > maxIdentifierBytes {
			return i
		}
		if _, twice := index[n.Value]; !twice {
			index[n.Value] = len(texts)
			texts = append(texts, n.Value)
		}
	}
	good := k.areKnown(texts)
	for i, n := range named {
		if !good[index[n.Value]] {
			return i
		}
	}
	return -1
}

// areKnown reports for each text whether it is known. It searches the latest results first.
func (k *knownValues) areKnown(texts []string) []bool {
	good := make([]bool, len(texts))
	f := ahocorasick.New(texts, nil)
	markKnown(f, &k.user, good)
	for i := len(k.results) - 1; i >= 0 && slices.Contains(good, false); i-- {
		k.results[i].decode()
		markKnown(f, &k.results[i], good)
	}
	return good
}

// markKnown marks the texts of an automaton that a source makes known.
func markKnown(f *ahocorasick.Automaton, s *textSource, good []bool) {
	echoed := map[int]bool{}
	f.FindAll(s.argumentTexts, func(text, from, to int) {
		if to-from >= minDistinctiveBytes || isWholeWord(s.argumentTexts, from, to) {
			echoed[text] = true
		}
	})
	f.FindAll(s.text, func(text, from, to int) {
		good[text] = good[text] || !echoed[text] && isWholeWord(s.text, from, to)
	})
}

// isWholeWord reports whether a part of a text is not inside a longer word or number.
func isWholeWord(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	first, _ := utf8.DecodeRuneInString(text[from:to])
	last, _ := utf8.DecodeLastRuneInString(text[from:to])
	after, _ := utf8.DecodeRuneInString(text[to:])
	switch {
	case from > 0 && isWordRune(before) && isWordRune(first), to < len(text) && isWordRune(last) && isWordRune(after):
		return false
	case from > 1 && before == '.' && isDigit(text[from-2]) && isDigit(text[from]):
		return false
	}
	return !(to+1 < len(text) && after == '.' && isDigit(text[to+1]) && isDigit(text[to-1]))
}

// isWordRune reports whether a rune can be part of a word such as item-7 or größe_2.
func isWordRune(r rune) bool {
	return r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// addPrompt adds the first message to the model, which contains the user's prompt.
func (k *knownValues) addPrompt(messages []chat.Message) {
	for _, m := range messages {
		if m.Role == chat.User && !k.hasPrompt {
			k.hasPrompt = true
			k.user.text += "\x00" + m.Content + "\x00" + unquoteJSONLines(m.Content)
		}
	}
}

// addUserInput adds arguments that a person supplied.
func (k *knownValues) addUserInput(args json.RawMessage) {
	if args != nil {
		k.user.text += textValues(args)
	}
}

// unquoteJSONLines returns the contents of lines that are JSON strings: input with markers is quoted that way.
func unquoteJSONLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		var inner string
		if line = strings.TrimSpace(line); strings.HasPrefix(line, `"`) && json.Unmarshal([]byte(line), &inner) == nil {
			b.WriteString(inner + "\x00")
		}
	}
	return b.String()
}

func (k *knownValues) addResult(call runfile.Call, r runfile.Result) {
	if !r.Result.OK() {
		return
	}
	k.results = append(k.results, textSource{tool: call.Name, data: recordedData(r), callArguments: call.Proposed})
	k.size += k.results[len(k.results)-1].size()
	for k.size > maxKnownBytes && len(k.results) > 1 {
		k.size -= k.results[0].size()
		k.results[0] = textSource{} // release memory
		k.results = k.results[1:]
	}
}

func (s *textSource) size() int { return len(s.data) + len(s.callArguments) }

// recordedData returns the data of a result as recorded, so that a resumed run knows the same.
func recordedData(r runfile.Result) []byte {
	var text string
	switch data := r.Result.Data; {
	case r.Truncated && json.Unmarshal(data, &text) == nil:
		return []byte(text)
	case len(data) > runfile.MaxResult:
		return bytes.ToValidUTF8(data[:runfile.MaxResult], nil)
	default:
		return data
	}
}

// textValues returns the strings and numbers of a JSON value, including member names, separated by NUL. A truncated
// value yields its complete strings, and of a truncated string the complete words.
func textValues(raw []byte) string {
	b := []byte{0}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return string(append(b, completeWords(raw[dec.InputOffset():])...))
		}
		switch token.Kind() {
		case '"':
			b = append(append(b, token.String()...), 0)
		case '0':
			b = append(append(b, plainNumber(token.String())...), 0)
		}
	}
}

// completeWords returns the complete words of a truncated JSON string.
func completeWords(raw []byte) []byte {
	raw = bytes.TrimLeft(raw, " \t\r\n,:")
	if !bytes.HasPrefix(raw, []byte(`"`)) {
		return nil
	}
	raw = bytes.TrimRightFunc(raw, func(r rune) bool { return r == '\\' || r == '.' || isWordRune(r) })
	text, _ := jsontext.AppendUnquote(nil, append(bytes.Clone(raw), '"')) // the valid part
	return append(text, 0)
}

// plainNumber writes a whole number without point and exponent, any other number unchanged.
func plainNumber(number string) string {
	digits, power, _ := strings.Cut(canonicalNumber(number), "e")
	zeros := 0
	for _, c := range power {
		if !isDigit(byte(c)) || zeros > 30 {
			return number
		}
		zeros = zeros*10 + int(c-'0')
	}
	if zeros > 30 {
		return number
	}
	return digits + strings.Repeat("0", zeros)
}

// withURLDecoded appends the URL-decoded form of texts with percent escapes.
func withURLDecoded(texts string) string {
	if !strings.Contains(texts, "%") {
		return texts
	}
	for part := range strings.SplitSeq(texts, "\x00") {
		if plain, err := url.QueryUnescape(part); err == nil && plain != part {
			texts += plain + "\x00"
		}
	}
	return texts
}
