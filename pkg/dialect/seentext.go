package dialect

import (
	"bytes"
	"encoding/json"
	"index/suffixarray"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
)

// SeenText is what a model was told by others than its user, such as the results of
// tools. A call that is in it is an echo: whoever wrote it must not be able to
// have it carried out by having it repeated. What is asked of it may be asked at
// the same time, but not while something is added. The zero value is empty.
type SeenText struct {
	texts    []*seenText // oldest first
	index    postings    // of their words and anchors
	userText *seenText   // what the user says; nil for nothing
}

// Add adds a text, which must not change.
func (h *SeenText) Add(text []byte) { h.AddResult("", nil, text) }

// AddResult adds what a call with these arguments gave back, as [SeenText.Add] does. It makes no
// echo of an equal call: that one was made before anybody said it, and whoever answers it could
// have it done twice without asking. So a call can be tried again whose failure quotes it.
func (h *SeenText) AddResult(name string, args json.RawMessage, text []byte) {
	h.texts = append(h.texts, &seenText{text: text, resultOf: callKey(name, args)})
	terms := map[uint32]struct{}{}
	for _, reading := range decodings(text) {
		addWords(terms, wordsOf(reading))
		addAnchors(terms, stripSpace(reading))
	}
	h.index.add(len(h.texts)-1, terms)
}

// AddUserText adds the user's own words. A value that the user says is no sign of an echo, unless the call as a
// whole is spelled out.
func (h *SeenText) AddUserText(text string) {
	all := []byte(text)
	if h.userText != nil {
		all = slices.Concat(h.userText.text, []byte("\n"), all)
	}
	h.userText = &seenText{text: all}
}

// callKey returns the same for equal calls, whose numbers are written alike, "" for none and for
// one whose arguments are no JSON.
func callKey(name string, args json.RawMessage) string {
	v := jsontext.Value(slices.Clone(args))
	if name == "" || v.Format(jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false)) != nil {
		return ""
	}
	return name + " " + string(v)
}

// Clone returns a copy, to which more can be added; an empty one of nil.
func (h *SeenText) Clone() *SeenText {
	if h == nil {
		return &SeenText{}
	}
	return &SeenText{slices.Clone(h.texts), h.index, h.userText}
}

// An EchoCandidate is a call that may be an echo.
type EchoCandidate struct {
	Name    string
	RawArgs json.RawMessage // the arguments as the model wrote them
	Args    json.RawMessage // the same by the names of the parameters; nil: Written
	Text    string          // the call as it is written; "" for a native one
	// Required are the arguments that the tool needs; nil: all are. Any other one counts only if it is said.
	Required []string
	ReadOnly bool // it changes nothing
}

// HasEcho reports whether a call of a tool with these arguments, which are JSON, is an echo, for which all of
// its arguments count: see [SeenText.IsEcho].
func (h *SeenText) HasEcho(name string, args json.RawMessage, text string) bool {
	return h.IsEcho(EchoCandidate{Name: name, RawArgs: args, Text: text})
}

// IsEcho reports whether a call is an echo: it is spelled out in one of the texts, or one of them, or
// [nearby] bytes of two that follow one another, say all that it is made of.
//
// It is spelled out where its text is, whatever blanks and quotes there are, and where its name and its
// values are together, in whatever notation and order, with nothing but names of arguments and what is
// common in calls between them.
//
// What counts are words, which are letters and digits, without regard to case, as a reader sees them: see
// [decodings]. Results say what the next calls are about: a list of files holds the path that is read
// next. So the name has to be said as well, and with values anywhere that is enough only for names and values
// that no text says by chance: a name that is no plain word (drop_file, readPage), and values of
// [minDistinctive] letters and digits besides true, false and null. Otherwise each value has to are right
// after its key. What the user says does not count. For a call that changes nothing two of the arguments
// that it needs have to be said so: to read what a page names is ordinary work.
//
// A call without arguments says nothing that somebody else could have chosen but its name, and is an echo
// only where its text is, which has to be more than that.
func (h *SeenText) IsEcho(u EchoCandidate) bool {
	if len(h.texts) == 0 {
		return false
	}
	e, key := newEcho(u), callKey(u.Name, u.RawArgs)
	e.userText = h.userText
	counts := func(t *seenText) bool { return key == "" || t.resultOf != key }
	alone, across := h.wordCandidates(e, counts)
	return slices.ContainsFunc(append(alone, h.textCandidates(e)...), func(i int) bool { return counts(h.texts[i]) && e.isIn(h.texts[i]) }) ||
		slices.ContainsFunc(across, func(i int) bool { return counts(h.texts[i]) && e.isSplitAcross(h.textBefore(i, counts), h.texts[i]) })
}

// nearby is how far apart, in bytes, what a call is made of can be in two texts.
const nearby = 4 << 10

// A seenText is one text that a model was told. What is looked for in it is made
// when it is needed.
type seenText struct {
	text         []byte
	resultOf     string // the key of the call whose result it is
	once         sync.Once
	words, tight haystack

	join   sync.Once
	before []byte    // what was told before it, as far as it is nearby
	joined *seenText // that and its beginning
}

// joinedWith returns what is told nearby where a text begins. It is made once for what was told before the text
// in the run; for a call of which some of that does not count, it is another.
func (t *seenText) joinedWith(before []byte) *seenText {
	made := func() *seenText {
		return &seenText{text: slices.Concat(before, []byte{0xff}, t.text[:min(len(t.text), nearby)])}
	}
	t.join.Do(func() { t.before, t.joined = before, made() })
	if bytes.Equal(before, t.before) {
		return t.joined
	}
	return made()
}

// buildForms makes what is looked for in the text: all that it says, as words, and without its blanks and with
// one kind of quotes. Between readings is what no UTF-8 holds.
func (t *seenText) buildForms() {
	t.once.Do(func() {
		for _, reading := range decodings(t.text) {
			t.words.text = append(append(t.words.text, 0xff), wordsOf(reading)...)
			t.tight.text = append(append(t.tight.text, 0xff), stripSpace(reading)...)
		}
	})
}

// wordForm returns the words of the text.
func (t *seenText) wordForm() *haystack {
	t.buildForms()
	return &t.words
}

// tightForm returns the text without its blanks and with one kind of quotes.
func (t *seenText) tightForm() *haystack {
	t.buildForms()
	return &t.tight
}

// wordsOf returns the words of a text, with a blank around each. A character that is not
// ASCII is a word, for there are no blanks in some scripts.
func wordsOf(text []byte) []byte {
	all := append(make([]byte, 0, len(text)+2), ' ')
	for _, c := range text {
		switch {
		case isWordByte(c):
			if all[len(all)-1] >= 0x80 {
				all = append(all, ' ')
			}
			all = append(all, lower(c))
		case c >= 0x80 && c < 0xc0: // the rest of a character
			all = append(all, c)
		default:
			if all[len(all)-1] != ' ' {
				all = append(all, ' ')
			}
			if c >= 0xc0 && c < 0xf8 {
				all = append(all, c)
			}
		}
	}
	if all[len(all)-1] != ' ' {
		all = append(all, ' ')
	}
	return all
}

// isWordByte reports whether an ASCII character belongs to a word.
func isWordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// stripSpace returns a text without blanks, and with one kind of quotes.
func stripSpace(text []byte) []byte {
	all := make([]byte, 0, len(text))
	for _, c := range text {
		switch {
		case isSpace(c):
		case c == '\'' || c == '`':
			all = append(all, '"')
		default:
			all = append(all, c)
		}
	}
	return all
}

// maxPlainSearches is how often a text is searched from its beginning. Its index takes
// as long as a few hundred searches, and is worth it for many calls only.
const maxPlainSearches = 256

// A haystack is a text in which many others are looked for.
type haystack struct {
	text     []byte
	searches atomic.Int64
	once     sync.Once
	index    *suffixarray.Index
}

// has reports whether a text is in it.
func (h *haystack) has(text []byte) bool {
	if h.searches.Add(1) <= maxPlainSearches {
		return bytes.Contains(h.text, text)
	}
	h.once.Do(func() { h.index = suffixarray.New(h.text) })
	return len(h.index.Lookup(text, 1)) > 0
}

// hasAll reports whether all of some texts are in it.
func (h *haystack) hasAll(texts [][]byte) bool {
	return !slices.ContainsFunc(texts, func(text []byte) bool { return !h.has(text) })
}
