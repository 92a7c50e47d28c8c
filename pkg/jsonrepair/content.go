package jsonrepair

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// A content walks over the content of a string and collects what is to be edited
// in it, a note for each kind.
type content struct {
	text    string
	p       piece
	name    *strings.Builder // where the text goes, nil if it is not needed
	quotes  note
	escapes note
	raw     note
	bytes   note
}

// content notes what is to be edited between the quotation marks of a string.
func (r *reader) content(p piece, name *strings.Builder) {
	c := content{text: r.text, p: p, name: name,
		quotes:  note{code: diag.UnescapedQuote, text: "a string holds quotes without a backslash", title: "escape them", kind: diag.Unsafe},
		escapes: note{code: diag.BadEscape, text: "a string holds escapes that JSON does not have", title: "write what they say", kind: diag.Unsafe},
		raw:     note{code: diag.RawControl, text: "a string holds raw control characters", title: "escape them", kind: diag.Safe},
		bytes:   note{code: diag.InvalidUTF8, text: "a string holds bytes that are not UTF-8", title: "replace them", kind: diag.Unsafe},
	}
	if p.mark.char != '"' || p.raw {
		c.quotes.code, c.quotes.kind, c.quotes.text = diag.QuoteCharacter, diag.Safe, "a string holds double quotes"
	}
	for i := p.from; i < p.to; {
		i += c.step(i)
	}
	r.steps += p.to - p.from
	for _, n := range []note{c.quotes, c.escapes, c.raw, c.bytes} {
		if n.edits != nil {
			n.start, n.end = n.edits[0].Start, n.edits[len(n.edits)-1].End
			r.add(n)
		}
	}
}

// step takes one character or escape, and returns its length.
func (c *content) step(i int) int {
	b := c.text[i]
	switch {
	case b == '\\' && c.p.exact, b == '\\' && c.p.bare && !strings.HasPrefix(c.text[i:c.p.to], `\"`):
		return c.mend(i, 1, `\\`, '\\')
	case b == '\\':
		return c.escape(i)
	case b == '"':
		c.put('"')
		c.quotes.edits = append(c.quotes.edits, replace(i, i+1, `\"`))
	case b < 0x20:
		c.put(rune(b))
		c.raw.edits = append(c.raw.edits, replace(i, i+1, escapeOf(rune(b))))
	case b < utf8.RuneSelf:
		c.put(rune(b))
	default:
		r, w := utf8.DecodeRuneInString(c.text[i:c.p.to])
		if r == utf8.RuneError && w == 1 {
			c.bytes.edits = append(c.bytes.edits, replace(i, i+1, "\ufffd"))
		}
		c.put(r)
		return w
	}
	return 1
}

func (c *content) put(r rune) {
	if c.name != nil {
		c.name.WriteRune(r)
	}
}

// escapeOf returns the escape of a control character.
func escapeOf(r rune) string {
	const letters = "btn.fr" // 8 to 13
	if r >= '\b' && r <= '\r' && r != '\v' {
		return `\` + letters[r-'\b':r-'\b'+1]
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// escape takes an escape, and returns its length.
func (c *content) escape(i int) int {
	rest := c.text[i:c.p.to]
	if c.p.mark.slants == 1 {
		if n := c.twice(i, rest); n > 0 {
			return n
		}
	}
	if len(rest) == 1 {
		return c.mend(i, 1, `\\`, '\\')
	}
	switch e := rest[1]; e {
	case '"', '\\', '/':
		c.put(rune(e))
		return 2
	case 'b', 't', 'n', 'f', 'r':
		c.put(rune("\b\t\n.\f\r"[strings.IndexByte("btn.fr", e)]))
		return 2
	case 'u':
		return c.unicode(i, rest)
	}
	return c.otherEscape(i, rest)
}

// twice takes an escape of a document that was escaped once more.
func (c *content) twice(i int, rest string) int {
	for _, e := range [...]struct{ from, to string }{{`\\\"`, `\"`}, {`\\"`, `\"`}, {`\\\\`, `\\`}} {
		if strings.HasPrefix(rest, e.from) {
			return c.mend(i, len(e.from), e.to, rune(e.to[1]))
		}
	}
	if strings.HasPrefix(rest, `\\`) && len(rest) > 2 && strings.IndexByte("btnfru/", rest[2]) >= 0 {
		return c.mend(i, 1, "", 0)
	}
	return 0
}

// mend replaces n bytes, which say one character.
func (c *content) mend(i, n int, with string, says rune) int {
	c.escapes.edits = append(c.escapes.edits, replace(i, i+n, with))
	if says != 0 {
		c.put(says)
	}
	return n
}

// unicode takes an escape that begins with \u.
func (c *content) unicode(i int, rest string) int {
	if n := characterLen(rest); n > 0 {
		r, _ := strconv.ParseUint(rest[2:6], 16, 32) // four hexadecimal digits
		c.put(rune(r))
		return n
	}
	if n, r := longEscape(rest); n > 0 {
		return c.mend(i, n, string(r), r)
	}
	return c.mend(i, 1, `\\`, '\\')
}

// longEscape reads \u{…} of JavaScript and \U of Python with eight digits. It
// returns the length and the character, 0 if it is none.
func longEscape(text string) (int, rune) {
	digits, n := "", 0
	if text[1] == 'U' && len(text) >= 10 {
		digits, n = text[2:10], 10
	} else if k := strings.IndexByte(text[:min(len(text), 12)], '}'); strings.HasPrefix(text, `\u{`) && k > 0 {
		digits, n = text[3:k], k+1
	}
	r, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || r < 0x20 || r == '"' || r == '\\' || !utf8.ValidRune(rune(r)) {
		return 0, 0
	}
	return n, rune(r)
}

// otherEscape takes an escape that JSON does not have. A quote needs none, a line
// end is kept, and what JavaScript means by a letter or number is written as JSON
// has it. The backslash of everything else is kept: most are in the paths of
// Windows and in regular expressions.
func (c *content) otherEscape(i int, rest string) int {
	r, w := utf8.DecodeRuneInString(rest[1:])
	switch {
	case isQuote(r) || r == '\n':
		return c.mend(i, 1, "", 0)
	case r == 'v' && c.p.mark.char != '"':
		return c.mend(i, 2, `\u000b`, '\v')
	case r == '0' && len(rest) > 2 && !isDigit(rest[2]):
		return c.mend(i, 2, `\u0000`, 0)
	case r == 'x' && len(rest) > 3 && isHex(rest[2]) && isHex(rest[3]):
		return c.mend(i, 4, `\u00`+rest[2:4], 'x')
	case r == 'U':
		return c.unicode(i, rest)
	case r < 0x20 && w == 1:
		return c.mend(i, 1, "", 0)
	}
	return c.mend(i, 1, `\\`, '\\')
}

// characterLen returns the length of the escape or character of several bytes at
// the start of a text: 0 if it is none, -1 if the text ends in it.
func characterLen(text string) int {
	switch {
	case text[0] != '\\':
		r, w := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && w <= 1 && !utf8.FullRuneInString(text):
			return -1
		case r == utf8.RuneError && w <= 1:
			return 0
		}
		return w
	case len(text) == 1:
		return -1
	case text[1] != 'u':
		if strings.IndexByte(`"\/bfnrt`, text[1]) < 0 {
			return 0
		}
		return 2
	}
	for k := 2; k < 6; k++ {
		if k == len(text) {
			return -1
		}
		if !isHex(text[k]) {
			return 0
		}
	}
	return 6
}
