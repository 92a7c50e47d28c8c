package dialect

import (
	"bytes"
	"encoding/json"
	"html"
	"index/suffixarray"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
)

// Heard is what a model was told by others than its user, such as the results of
// tools. A call that stands in it is an echo: whoever wrote it must not be able to
// have it carried out by having it repeated. What is asked of it may be asked at
// the same time, but not while something is added. The zero value is empty.
type Heard struct{ texts []*heardText }

// Add adds a text, which must not change.
func (h *Heard) Add(text []byte) { h.AddResult("", nil, text) }

// AddResult adds what a call with these arguments gave back, as [Heard.Add] does. It makes no
// echo of an equal call: that one was made before anybody said it, and whoever answers it could
// have it done twice without asking. So a call can be tried again whose failure quotes it.
func (h *Heard) AddResult(name string, args json.RawMessage, text []byte) {
	h.texts = append(h.texts, &heardText{text: text, of: callKey(name, args)})
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
func (h *Heard) Clone() *Heard {
	if h == nil {
		return &Heard{}
	}
	return &Heard{slices.Clone(h.texts)}
}

// Has reports whether a call of a tool with these arguments, which are JSON, is an echo
// of one of the texts. The text of the call, as it is written, is "" for a native one.
// It is an echo
//
//   - where its text stands, whatever blanks and quotes there are, and
//   - where its name stands together with all of its arguments, in whatever notation and
//     order: what counts are words, which are letters and digits, without regard to case,
//     and what escapes in the text mean, also where it is quoted several times.
//
// Results say what the next calls are about: a list of files holds the path that is read
// next. So the name has to stand there, too, and alone that is enough only for names and
// values that no text says by chance: a name that is no plain word (drop_file, readPage),
// and values of [tellingBytes] letters and digits besides true, false and null. Otherwise
// each value has to stand right behind its key, or all of them behind the name: search
// and 5 stand on every other page, and search(5) does not. A call without arguments says
// nothing that somebody else could have chosen but its name, and is an echo only where
// its text stands, which has to be more than that.
func (h *Heard) Has(name string, args json.RawMessage, text string) bool {
	if len(h.texts) == 0 {
		return false
	}
	e, key := newEcho(name, args, text), callKey(name, args)
	return slices.ContainsFunc(h.texts, func(t *heardText) bool { return (key == "" || t.of != key) && e.in(t) })
}

// A heardText is one text that a model was told. What is looked for in it is made
// when it is needed.
type heardText struct {
	text         []byte
	of           string // the key of the call whose result it is
	words, tight struct {
		sync.Once
		haystack
	}
}

// worded returns the words of the text.
func (t *heardText) worded() *haystack {
	t.words.Do(func() { t.words.text = each(t.text, wordsOf) })
	return &t.words.haystack
}

// written returns the text without its blanks and with one kind of quotes.
func (t *heardText) written() *haystack {
	t.tight.Do(func() { t.tight.text = each(t.text, unspaced) })
	return &t.tight.haystack
}

// mostQuotes is how often a text is quoted at most: a result is JSON, in which a string
// may hold JSON, in which another one may.
const mostQuotes = 4

// each returns a text, and behind it what it says when it is taken out of its quotes
// once, twice and so on, and what its entities mean, each in some form. Between them
// stands what no UTF-8 holds.
func each(text []byte, form func([]byte) []byte) []byte {
	all := form(text)
	for range mostQuotes {
		plain, ok := unescaped(text)
		if !ok {
			break
		}
		text, all = plain, append(append(all, 0xff), form(plain)...)
	}
	if bytes.IndexByte(text, '&') >= 0 {
		all = append(append(all, 0xff), form([]byte(html.UnescapeString(string(text))))...)
	}
	return all
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

// unspaced returns a text without blanks, and with one kind of quotes.
func unspaced(text []byte) []byte {
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

// mostSearches is how often a text is searched from its beginning. Its index takes
// as long as a few hundred searches, and is worth it for many calls only.
const mostSearches = 256

// A haystack is a text in which many others are looked for.
type haystack struct {
	text  []byte
	asked atomic.Int64
	once  sync.Once
	index *suffixarray.Index
}

// has reports whether a text stands in it.
func (h *haystack) has(text []byte) bool {
	if h.asked.Add(1) <= mostSearches {
		return bytes.Contains(h.text, text)
	}
	h.once.Do(func() { h.index = suffixarray.New(h.text) })
	return len(h.index.Lookup(text, 1)) > 0
}

// hasAll reports whether all of some texts stand in it.
func (h *haystack) hasAll(texts [][]byte) bool {
	return !slices.ContainsFunc(texts, func(text []byte) bool { return !h.has(text) })
}
