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

// A valueLocation is the location of a value in a text and, for an object member, of its name.
type valueLocation struct {
	schema.Location
	exact  bool // the value itself, not an enclosing one
	isText bool // the dialect writes the value as plain text, so no JSON can replace it
}

// locateInText locates the values at JSON pointers into a call's arguments in the call's text, for
// any notation with brackets, commas and quotes. A value that is missing from the text gets the
// location of its innermost enclosing value. The result is nil for other notations.
func locateInText(text string, args []byte, pointers []string) map[string]valueLocation {
	return locateAligned(text, args, pointers, (*alignment).matchAtAnyBracket)
}

// locateAligned locates values in a text that match aligns with the JSON.
func locateAligned(text string, args []byte, pointers []string, match func(*alignment, []byte) bool) map[string]valueLocation {
	if len(pointers) == 0 {
		return nil
	}
	enclosing := map[string]bool{"": true} // the values and their ancestors
	for _, p := range pointers {
		for at := jsontext.Pointer(p); !enclosing[string(at)]; at = at.Parent() {
			enclosing[string(at)] = true
		}
	}
	spots := schema.Locate(args, slices.Collect(maps.Keys(enclosing)))
	a := newAlignment(text, spots)
	if !match(a, args) {
		return nil
	}
	places := map[string]valueLocation{}
	for _, p := range pointers {
		at := jsontext.Pointer(p)
		for at != "" && spots[string(at)].Value.End == 0 {
			at = at.Parent()
		}
		spot := spots[string(at)]
		places[p] = valueLocation{Location: schema.Location{Name: a.span(spot.Name), Value: a.span(spot.Value)}, exact: string(at) == p}
	}
	return places
}

// An alignment maps the tokens of JSON to their offsets in the text that the JSON was read from.
type alignment struct {
	starts, ends map[int]int // text offset by JSON offset, for the wanted values only
	text         string
	at           int
}

// newAlignment returns an alignment that records the locations of some values in a text.
func newAlignment(text string, spots map[string]schema.Location) *alignment {
	a := &alignment{starts: map[int]int{}, ends: map[int]int{}, text: text}
	for _, s := range spots {
		for _, span := range []diag.Span{s.Name, s.Value} {
			a.starts[span.Start], a.ends[span.End] = 0, 0
		}
	}
	return a
}

// span returns the span of the text for a span of the JSON.
func (a *alignment) span(s diag.Span) diag.Span {
	return diag.Bytes(a.starts[s.Start], a.ends[s.End])
}

// matchTokensToEnd reports whether the whole text matches the JSON.
func (a *alignment) matchTokensToEnd(args []byte) bool {
	if !a.matchTokens(args) {
		return false
	}
	a.skipSeparators()
	return a.at == len(a.text)
}

// matchAtAnyBracket tries to match the JSON at each of the first brackets in the text.
func (a *alignment) matchAtAnyBracket(args []byte) bool {
	const maxTries = 8
	from := 0
	for range maxTries {
		i := strings.IndexAny(a.text[from:], "{[(")
		if i < 0 {
			return false
		}
		a.at = from + i
		if a.matchTokens(args) {
			return true
		}
		from += i + 1
	}
	return false
}

// matchTokens compares the JSON and the text token by token and stops at the first difference.
func (a *alignment) matchTokens(args []byte) bool {
	dec, jsonEnd := jsontext.NewDecoder(bytes.NewReader(args), jsontext.AllowDuplicateNames(true)), 0
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return false
		}
		a.skipSeparators()
		start := a.at
		if kind, n := dec.StackIndex(dec.StackDepth()); !a.matchToken(token, kind == '{' && n%2 == 1) {
			return false
		}
		for strings.IndexByte(" \t\r\n,:", args[jsonEnd]) >= 0 {
			jsonEnd++
		}
		a.recordOffset(a.starts, jsonEnd, start)
		jsonEnd = int(dec.InputOffset())
		a.recordOffset(a.ends, jsonEnd, a.at)
		if dec.StackDepth() == 0 {
			return true
		}
	}
}

func (a *alignment) recordOffset(places map[int]int, offset, at int) {
	if _, ok := places[offset]; ok {
		places[offset] = at
	}
}

// skipSeparators skips everything without meaning between tokens: white space, commas, the
// separator after a name, and comments.
func (a *alignment) skipSeparators() {
	for a.at < len(a.text) {
		rest := a.text[a.at:]
		switch {
		case strings.IndexByte(" \t\r\n,:=", rest[0]) >= 0:
			a.at++
		case strings.HasPrefix(rest, "//"), rest[0] == '#':
			a.skipPast(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			a.skipPast(rest, "*/")
		default:
			return
		}
	}
}

// skipPast moves behind the next marker, or to the end.
func (a *alignment) skipPast(rest, marker string) {
	a.at += len(rest)
	if i := strings.Index(rest, marker); i >= 0 {
		a.at -= len(rest) - i - len(marker)
	}
}

// matchToken consumes the text's next token if it equals a JSON token.
func (a *alignment) matchToken(t jsontext.Token, name bool) bool {
	switch t.Kind() {
	case '{', '[':
		return a.matchByte(byte(t.Kind())) || a.matchByte('(')
	case '}', ']':
		return a.matchByte(byte(t.Kind())) || a.matchByte(')')
	case '"':
		text := t.String()
		return a.matchString(text) || name && a.scanWord() == text
	}
	return a.scanWord() != ""
}

func (a *alignment) matchByte(c byte) bool {
	if a.at < len(a.text) && a.text[a.at] == c {
		a.at++
		return true
	}
	return false
}

// scanWord consumes a bare word or number.
func (a *alignment) scanWord() string {
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

// stringDelimiters are the string delimiters of dialects that define their own.
var stringDelimiters = sync.OnceValue(dialect.StringDelimiters)

// matchString consumes a string with the given value. A string with escapes always matches.
func (a *alignment) matchString(text string) bool {
	rest := a.text[a.at:]
	for _, quote := range stringDelimiters() {
		if inner, ok := strings.CutPrefix(rest, quote); ok && strings.HasPrefix(inner, text+quote) {
			a.at += len(quote) + len(text) + len(quote)
			return true
		}
	}
	if rest == "" || strings.IndexByte("\"'`", rest[0]) < 0 {
		return false
	}
	quote := rest[:1]
	if three := strings.Repeat(quote, 3); quote != "`" && strings.HasPrefix(rest, three) {
		quote = three
	}
	end := closingQuote(rest, quote)
	if end < 0 {
		return false
	}
	content := rest[len(quote):end]
	if strings.IndexByte(content, '\\') < 0 && content != text {
		return false
	}
	a.at += end + len(quote)
	return true
}

// closingQuote returns the offset of a string's closing quote, or -1.
func closingQuote(rest, quote string) int {
	for i := len(quote); i < len(rest); i++ {
		switch {
		case rest[i] == '\\':
			i++
		case strings.HasPrefix(rest[i:], quote):
			return i
		}
	}
	return -1
}
