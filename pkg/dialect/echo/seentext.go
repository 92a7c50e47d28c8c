// Package echo finds calls that repeat text which a model has read: the author of the text must not get them
// executed.
package echo

import (
	"bytes"
	"encoding/json"
	"index/suffixarray"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
)

// SeenText is the untrusted text that a model has read, such as tool results. A call that occurs in it is an
// echo: its author must not get it executed by having the model repeat it. Queries may run concurrently, but not
// with additions. The zero value is empty.
type SeenText struct {
	texts    []*indexedText // oldest first
	index    postings       // of their words and anchors
	userText *indexedText   // the user's own words; nil for none
}

// Add adds a text. The caller must not modify it.
func (h *SeenText) Add(text []byte) { h.AddResult("", nil, text) }

// AddResult adds the result of a call like [SeenText.Add], except that it makes no echo of an equal call. That
// call was made before the result existed, and its author could have it repeated without asking. So a call whose
// failure quotes it can be retried.
func (h *SeenText) AddResult(name string, args json.RawMessage, text []byte) {
	h.texts = append(h.texts, &indexedText{text: text, resultOf: callKey(name, args)})
	terms := map[uint32]struct{}{}
	for _, reading := range decodings(text) {
		addWords(terms, wordsOf(reading))
		addAnchors(terms, stripSpaceUnifyQuotes(reading))
	}
	h.index.add(len(h.texts)-1, terms)
}

// AddUserText adds the user's own words. Values in them are no evidence of an echo, unless the whole call is
// spelled out.
func (h *SeenText) AddUserText(text string) {
	all := []byte(text)
	if h.userText != nil {
		all = slices.Concat(h.userText.text, []byte("\n"), all)
	}
	h.userText = &indexedText{text: all}
}

// callKey returns equal keys for equal calls with normalized numbers. It returns "" without a name or with
// invalid JSON.
func callKey(name string, args json.RawMessage) string {
	v := jsontext.Value(slices.Clone(args))
	if name == "" || v.Format(jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false)) != nil {
		return ""
	}
	return name + " " + string(v)
}

// Clone returns an independent copy. The clone of nil is empty.
func (h *SeenText) Clone() *SeenText {
	if h == nil {
		return &SeenText{}
	}
	return &SeenText{slices.Clone(h.texts), h.index, h.userText}
}

// A Candidate is a call that may be an echo.
type Candidate struct {
	Name    string
	RawArgs json.RawMessage // as the model wrote them
	Args    json.RawMessage // by parameter name; nil for RawArgs
	Text    string          // as written; "" for a native call
	// Required lists the arguments that the tool requires; nil means all. Others count only if a text mentions them.
	Required []string
	ReadOnly bool // the tool changes nothing
}

// IsEcho reports whether a call is an echo: a text spells it out, or one text, or [nearby] bytes of two
// consecutive ones, contain all its parts.
//
// A text spells out a call if it contains the call's text, ignoring blanks and quotes, or its name and values
// together, in any notation and order, with only argument names and common call words between them.
//
// Otherwise words count: letters and digits, ignoring case, as a reader sees them (see [decodings]). Results
// naturally mention values that the next calls need: a list of files contains the path to read next. So the
// name must occur as well, and scattered values count only if chance is unlikely: the name is not an ordinary
// word (drop_file, readPage), or the values have [minDistinctive] letters and digits besides true, false and
// null. Otherwise each value must directly follow its key. Values from the user do not count. A read-only call
// needs two such required arguments: following a reference in a page is ordinary work.
//
// A call without arguments consists of its name alone. It is an echo only if a text contains the call's text,
// which must be more than the name.
func (h *SeenText) IsEcho(u Candidate) bool {
	if len(h.texts) == 0 {
		return false
	}
	e, key := newEcho(u), callKey(u.Name, u.RawArgs)
	e.userText = h.userText
	counts := func(t *indexedText) bool { return key == "" || t.resultOf != key }
	alone, across := h.candidateTextsByWords(e, counts)
	return slices.ContainsFunc(append(alone, h.candidateTexts(e)...), func(i int) bool { return counts(h.texts[i]) && e.isEchoOf(h.texts[i]) }) ||
		slices.ContainsFunc(across, func(i int) bool { return counts(h.texts[i]) && e.isSplitAcross(h.textBefore(i, counts), h.texts[i]) })
}

// nearby is the maximum distance, in bytes, between the parts of a call in two texts.
const nearby = 4 << 10

// An indexedText is one text the model has read. Its searchable forms are built on first use.
type indexedText struct {
	text         []byte
	resultOf     string // key of the call that returned it
	once         sync.Once
	words, tight haystack

	join   sync.Once
	before []byte       // the nearby text before it
	joined *indexedText // before and the beginning of the text
}

// joinedWith returns the text before joined with the beginning of this one. It is cached for the usual before;
// calls that exclude some texts get another.
func (t *indexedText) joinedWith(before []byte) *indexedText {
	made := func() *indexedText {
		return &indexedText{text: slices.Concat(before, []byte{0xff}, t.text[:min(len(t.text), nearby)])}
	}
	t.join.Do(func() { t.before, t.joined = before, made() })
	if bytes.Equal(before, t.before) {
		return t.joined
	}
	return made()
}

// buildForms builds the searchable forms of all decodings: words, and text without blanks and with one kind of
// quotes. A byte that UTF-8 does not contain separates them.
func (t *indexedText) buildForms() {
	t.once.Do(func() {
		for _, reading := range decodings(t.text) {
			t.words.text = append(append(t.words.text, 0xff), wordsOf(reading)...)
			t.tight.text = append(append(t.tight.text, 0xff), stripSpaceUnifyQuotes(reading)...)
		}
	})
}

func (t *indexedText) wordForm() *haystack {
	t.buildForms()
	return &t.words
}

// tightForm returns the text without blanks and with one kind of quotes.
func (t *indexedText) tightForm() *haystack {
	t.buildForms()
	return &t.tight
}

// wordsOf returns the words of a text, with a blank around each. Each non-ASCII character is a word, because
// some scripts have no blanks.
func wordsOf(text []byte) []byte {
	all := append(make([]byte, 0, len(text)+2), ' ')
	for _, c := range text {
		switch {
		case isWordByte(c):
			if all[len(all)-1] >= 0x80 {
				all = append(all, ' ')
			}
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			all = append(all, c)
		case c >= 0x80 && c < 0xc0: // a continuation byte
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

// isWordByte reports whether an ASCII character is part of a word.
func isWordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// stripSpaceUnifyQuotes removes blanks and unifies quotes.
func stripSpaceUnifyQuotes(text []byte) []byte {
	all := make([]byte, 0, len(text))
	for _, c := range text {
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case c == '\'' || c == '`':
			all = append(all, '"')
		default:
			all = append(all, c)
		}
	}
	return all
}

// maxPlainSearches is the number of searches before a suffix array is built, which costs as much as a few
// hundred searches.
const maxPlainSearches = 256

// A haystack is a text that is searched many times.
type haystack struct {
	text     []byte
	searches atomic.Int64
	once     sync.Once
	index    *suffixarray.Index
}

// contains reports whether the haystack contains a text.
func (h *haystack) contains(text []byte) bool {
	if h.searches.Add(1) <= maxPlainSearches {
		return bytes.Contains(h.text, text)
	}
	h.once.Do(func() { h.index = suffixarray.New(h.text) })
	return len(h.index.Lookup(text, 1)) > 0
}

// containsAll reports whether the haystack contains all texts.
func (h *haystack) containsAll(texts [][]byte) bool {
	return !slices.ContainsFunc(texts, func(text []byte) bool { return !h.contains(text) })
}
