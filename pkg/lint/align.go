package lint

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/schema"
)

// A valuePlace is where a value stands in a text and, in an object, its name.
type valuePlace struct {
	schema.Spot
	exact bool // it is the value, and not one around it
	text  bool // it is text, and no JSON can be written there
}

// argumentPlaces returns where the values at some JSON pointers into the arguments
// of a call stand in its text, which is what was read as those arguments in
// whatever notation has brackets, commas and quotes. Of a value that does not stand
// there the place is that of the innermost one around it that does. Nothing is
// returned where the notation is another.
func argumentPlaces(text string, args []byte, pointers []string) map[string]valuePlace {
	return aligned(text, args, pointers, (*alignment).find)
}

// aligned returns the places of values in a text in which an alignment looks for
// what they stand in.
func aligned(text string, args []byte, pointers []string, look func(*alignment, []byte) bool) map[string]valuePlace {
	if len(pointers) == 0 {
		return nil
	}
	around := map[string]bool{"": true} // the values, and those around them
	for _, p := range pointers {
		for at := jsontext.Pointer(p); !around[string(at)]; at = at.Parent() {
			around[string(at)] = true
		}
	}
	spots := schema.Locate(args, slices.Collect(maps.Keys(around)))
	a := newAlignment(text, spots)
	if !look(a, args) {
		return nil
	}
	places := map[string]valuePlace{}
	for _, p := range pointers {
		at := jsontext.Pointer(p)
		for at != "" && spots[string(at)].Value.End == 0 {
			at = at.Parent()
		}
		spot := spots[string(at)]
		places[p] = valuePlace{Spot: schema.Spot{Name: a.place(spot.Name), Value: a.place(spot.Value)}, exact: string(at) == p}
	}
	return places
}

// An alignment says where in a text the tokens of JSON stand that it was read as.
type alignment struct {
	starts, ends map[int]int // by offset in the JSON, of those that are wanted
	text         string
	at           int
}

// newAlignment returns one that looks for some values in a text.
func newAlignment(text string, spots map[string]schema.Spot) *alignment {
	a := &alignment{starts: map[int]int{}, ends: map[int]int{}, text: text}
	for _, s := range spots {
		for _, span := range []diag.Span{s.Name, s.Value} {
			a.starts[span.Start], a.ends[span.End] = 0, 0
		}
	}
	return a
}

// place returns where a stretch of the JSON stands in the text.
func (a *alignment) place(s diag.Span) diag.Span {
	return diag.Bytes(a.starts[s.Start], a.ends[s.End])
}

// whole reports whether the text is the JSON.
func (a *alignment) whole(args []byte) bool {
	if !a.walk(args) {
		return false
	}
	a.skip()
	return a.at == len(a.text)
}

// find looks for the JSON in the text: at the first brackets in it.
func (a *alignment) find(args []byte) bool {
	const most = 8
	from := 0
	for range most {
		i := strings.IndexAny(a.text[from:], "{[(")
		if i < 0 {
			return false
		}
		a.at = from + i
		if a.walk(args) {
			return true
		}
		from += i + 1
	}
	return false
}

// walk goes through the JSON and the text side by side. It reports false as soon as
// they do not say the same.
func (a *alignment) walk(args []byte) bool {
	dec, behind := jsontext.NewDecoder(bytes.NewReader(args), jsontext.AllowDuplicateNames(true)), 0
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return false
		}
		a.skip()
		start := a.at
		if kind, n := dec.StackIndex(dec.StackDepth()); !a.token(token, kind == '{' && n%2 == 1) {
			return false
		}
		for strings.IndexByte(" \t\r\n,:", args[behind]) >= 0 {
			behind++
		}
		a.note(a.starts, behind, start)
		behind = int(dec.InputOffset())
		a.note(a.ends, behind, a.at)
		if dec.StackDepth() == 0 {
			return true
		}
	}
}

// note takes a place that is wanted.
func (a *alignment) note(places map[int]int, offset, at int) {
	if _, ok := places[offset]; ok {
		places[offset] = at
	}
}

// skip passes over what means nothing between tokens: blanks, commas, what stands
// behind a name, and comments.
func (a *alignment) skip() {
	for a.at < len(a.text) {
		rest := a.text[a.at:]
		switch {
		case strings.IndexByte(" \t\r\n,:=", rest[0]) >= 0:
			a.at++
		case strings.HasPrefix(rest, "//"), rest[0] == '#':
			a.past(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			a.past(rest, "*/")
		default:
			return
		}
	}
}

// past goes behind the next mark, or to the end.
func (a *alignment) past(rest, mark string) {
	a.at += len(rest)
	if i := strings.Index(rest, mark); i >= 0 {
		a.at -= len(rest) - i - len(mark)
	}
}

// token passes over the token of the text that says the same as one of the JSON.
func (a *alignment) token(t jsontext.Token, name bool) bool {
	switch t.Kind() {
	case '{', '[':
		return a.char(byte(t.Kind())) || a.char('(')
	case '}', ']':
		return a.char(byte(t.Kind())) || a.char(')')
	case '"':
		text := t.String()
		return a.quoted(text) || name && a.word() == text
	}
	return a.word() != ""
}

func (a *alignment) char(c byte) bool {
	if a.at < len(a.text) && a.text[a.at] == c {
		a.at++
		return true
	}
	return false
}

// word passes over a word or number.
func (a *alignment) word() string {
	rest := a.text[a.at:]
	end := strings.IndexFunc(rest, func(c rune) bool {
		return strings.ContainsRune("{}[](),:=;\"'`/", c) || c <= ' '
	})
	if end >= 0 {
		rest = rest[:end]
	}
	a.at += len(rest)
	return rest
}

// stringMarks stand on both sides of a string in dialects that have their own.
var stringMarks = sync.OnceValue(dialect.StringMarks)

// quoted passes over a string that says a text. One with escapes is taken for it.
func (a *alignment) quoted(text string) bool {
	rest := a.text[a.at:]
	for _, mark := range stringMarks() {
		if inner, ok := strings.CutPrefix(rest, mark); ok && strings.HasPrefix(inner, text+mark) {
			a.at += len(mark) + len(text) + len(mark)
			return true
		}
	}
	if rest == "" || strings.IndexByte("\"'`", rest[0]) < 0 {
		return false
	}
	mark := rest[:1]
	if three := strings.Repeat(mark, 3); mark != "`" && strings.HasPrefix(rest, three) {
		mark = three
	}
	end := closing(rest, mark)
	if end < 0 {
		return false
	}
	said := rest[len(mark):end]
	if strings.IndexByte(said, '\\') < 0 && said != text {
		return false
	}
	a.at += end + len(mark)
	return true
}

// closing returns where the mark stands that closes a string, or -1.
func closing(rest, mark string) int {
	for i := len(mark); i < len(rest); i++ {
		switch {
		case rest[i] == '\\':
			i++
		case strings.HasPrefix(rest[i:], mark):
			return i
		}
	}
	return -1
}
