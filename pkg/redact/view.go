package redact

import (
	"html"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A view is a text with escapes taken out, and where its bytes stand in the text.
type view struct {
	text  string
	parts []part
	of    *view // the view that it was made of; nil for the text itself
}

// A part is where a view and its text go on side by side, or, with a size, an escape.
type part struct {
	view, text int // where it begins
	size       int // of the escape in the text
}

// views returns how a text can be read: as it is, without the escapes of JSON, of
// addresses, of HTML, and of several of them, as far as there are any.
func views(text string) []view {
	out := []view{{text: text}}
	if v, ok := out[0].without('\\', jsonEscape); ok {
		out = append(out, v)
	}
	for _, of := range out {
		if v, ok := of.without('%', percentEscape); ok {
			out = append(out, v)
		}
	}
	for _, of := range out {
		if v, ok := of.without('&', htmlEscape); ok {
			out = append(out, v)
		}
	}
	return out
}

// without returns a view without the escapes that begin with a byte, if there are any.
func (v view) without(lead byte, escape func(string) (string, int)) (view, bool) {
	var b strings.Builder
	next := view{of: &v}
	at := 0
	for i := strings.IndexByte(v.text, lead); i >= 0; {
		plain, size := escape(v.text[i:])
		if size > 0 {
			next.copy(&b, v.text, at, i)
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
	next.copy(&b, v.text, at, len(v.text))
	next.text = b.String()
	return next, true
}

// copy takes a part of a text as it is.
func (v *view) copy(b *strings.Builder, text string, from, to int) {
	if from < to {
		v.parts = append(v.parts, part{view: b.Len(), text: from})
		b.WriteString(text[from:to])
	}
}

// origin returns where a span of a view, which is not empty, stands in the text.
func (v view) origin(s span) span {
	for at := &v; at.of != nil; at = at.of {
		first, last := at.part(s.from), at.part(s.to-1)
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

// part returns the part in which a byte of the view stands.
func (v *view) part(at int) part {
	i := sort.Search(len(v.parts), func(i int) bool { return v.parts[i].view > at })
	return v.parts[i-1]
}

// jsonEscape reads an escape of JSON. Its size is 0 if there is none.
func jsonEscape(text string) (plain string, size int) {
	if len(text) < 2 {
		return "", 0
	}
	if i := strings.IndexByte(`"\/bfnrt`, text[1]); i >= 0 {
		return "\"\\/\b\f\n\r\t"[i : i+1], 2
	}
	if text[1] == 'x' { // of many languages, though not of JSON
		return hexByte(text, 2)
	}
	r, ok := unit(text)
	switch {
	case !ok:
		return "", 0
	case !utf16.IsSurrogate(r):
		return string(r), 6
	}
	low, _ := unit(text[6:])
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return "", 0
	}
	return string(r), 12
}

// unit reads an escape of four digits.
func unit(text string) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}

// htmlEscape reads a character reference of HTML: by its name, with a semicolon, or by its
// number. Its size is 0 if there is none.
func htmlEscape(text string) (plain string, size int) {
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

// percentEscape reads an escape of an address. Its size is 0 if there is none.
func percentEscape(text string) (plain string, size int) { return hexByte(text, 1) }

// hexByte reads a byte in two digits at an index, with which an escape ends.
func hexByte(text string, at int) (plain string, size int) {
	if len(text) < at+2 {
		return "", 0
	}
	n, err := strconv.ParseUint(text[at:at+2], 16, 8)
	if err != nil {
		return "", 0
	}
	return string([]byte{byte(n)}), at + 2
}
