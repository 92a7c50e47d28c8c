package redact

import (
	"html"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A view is an unescaped text with a mapping to the original text.
type view struct {
	text   string
	parts  []part
	parent *view // the view it was made from; nil for the text itself
}

// A part is a run of a view that equals its text, or, with a size, an escape.
type part struct {
	view, text int // begin in the view
	size       int // length of the escape in the text
}

// views returns the possible readings of a text: as it is, and unescaped from JSON, URL and HTML escapes and
// combinations of them, if it has any.
func views(text string) []view {
	out := []view{{text: text}}
	if v, ok := out[0].unescape('\\', decodeJSONEscape); ok {
		out = append(out, v)
	}
	for _, of := range out {
		if v, ok := of.unescape('%', decodePercentEscape); ok {
			out = append(out, v)
		}
	}
	for _, of := range out {
		if v, ok := of.unescape('&', decodeHTMLEscape); ok {
			out = append(out, v)
		}
	}
	return out
}

// unescape returns a view with the escapes that begin with lead resolved. It reports false if there are none.
func (v view) unescape(lead byte, escape func(string) (string, int)) (view, bool) {
	var b strings.Builder
	next := view{parent: &v}
	at := 0
	for i := strings.IndexByte(v.text, lead); i >= 0; {
		plain, size := escape(v.text[i:])
		if size > 0 {
			next.appendText(&b, v.text, at, i)
			next.parts = append(next.parts, part{b.Len(), i, size})
			b.WriteString(plain)
			at = i + size
		}
		i += max(size, 1)
		if k := strings.IndexByte(v.text[i:], lead); k >= 0 {
			i += k
		} else {
			i = -1
		}
	}
	if len(next.parts) == 0 {
		return v, false
	}
	next.appendText(&b, v.text, at, len(v.text))
	next.text = b.String()
	return next, true
}

// appendText appends unescaped text.
func (v *view) appendText(b *strings.Builder, text string, from, to int) {
	if from < to {
		v.parts = append(v.parts, part{view: b.Len(), text: from})
		b.WriteString(text[from:to])
	}
}

// originalSpan converts a nonempty span of a view to one of the original text.
func (v view) originalSpan(s span) span {
	for at := &v; at.parent != nil; at = at.parent {
		first, last := at.partAt(s.from), at.partAt(s.to-1)
		from, to := first.text, last.text+last.size
		if first.size == 0 {
			from += s.from - first.view
		}
		if last.size == 0 {
			to += s.to - last.view
		}
		s = span{from, to}
	}
	return s
}

// partAt returns the part that contains a byte of the view.
func (v *view) partAt(at int) part {
	i := sort.Search(len(v.parts), func(i int) bool { return v.parts[i].view > at })
	return v.parts[i-1]
}

// decodeJSONEscape decodes a JSON escape. Size is 0 if the text does not begin with one.
func decodeJSONEscape(text string) (plain string, size int) {
	if len(text) < 2 {
		return "", 0
	}
	if i := strings.IndexByte(`"\/bfnrt`, text[1]); i >= 0 {
		return "\"\\/\b\f\n\r\t"[i : i+1], 2
	}
	if text[1] == 'x' { // common in other languages, not in JSON
		return parseHexByte(text, 2)
	}
	r, ok := parseUTF16Escape(text)
	switch {
	case !ok:
		return "", 0
	case !utf16.IsSurrogate(r):
		return string(r), 6
	}
	low, _ := parseUTF16Escape(text[6:])
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return "", 0
	}
	return string(r), 12
}

// parseUTF16Escape parses an escape of four hexadecimal digits.
func parseUTF16Escape(text string) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}

// decodeHTMLEscape decodes an HTML character reference: named with a semicolon, or numeric. Size is 0 if the
// text does not begin with one.
func decodeHTMLEscape(text string) (plain string, size int) {
	const longest = 34 // &CounterClockwiseContourIntegral;
	if !strings.HasPrefix(text, "&#") {
		end := strings.IndexByte(text[:min(len(text), longest)], ';')
		if end < 0 {
			return "", 0
		}
		if plain = html.UnescapeString(text[:end+1]); strings.HasPrefix(plain, "&") && plain != "&" {
			return "", 0
		}
		return plain, end + 1
	}
	digits, begin := "0123456789", len("&#")
	if strings.HasPrefix(text[begin:], "x") || strings.HasPrefix(text[begin:], "X") {
		digits, begin = "0123456789abcdefABCDEF", begin+1
	}
	rest := text[begin:min(len(text), begin+8)]
	size = begin + len(rest) - len(strings.TrimLeft(rest, digits))
	plain = html.UnescapeString(text[:size])
	if strings.HasPrefix(plain, "&#") {
		return "", 0
	}
	return plain, size + len(text[size:]) - len(strings.TrimPrefix(text[size:], ";"))
}

// decodePercentEscape decodes a URL escape. Size is 0 if the text does not begin with one.
func decodePercentEscape(text string) (plain string, size int) { return parseHexByte(text, 1) }

// parseHexByte parses the two hexadecimal digits of an escape at an index.
func parseHexByte(text string, at int) (plain string, size int) {
	if len(text) < at+2 {
		return "", 0
	}
	n, err := strconv.ParseUint(text[at:at+2], 16, 8)
	if err != nil {
		return "", 0
	}
	return string([]byte{byte(n)}), at + 2
}
