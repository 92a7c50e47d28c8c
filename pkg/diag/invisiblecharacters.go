package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// IsInvisible reports whether a character is invisible or reorders others: controls, format
// characters such as zero-width spaces, bidi controls and tags, fillers, and variation
// selectors. Line feeds and tabs are visible. Before is the preceding character, 0 for none:
// an emoji selector or joiner after a symbol, and a joiner after a letter of a script that
// needs it, belong to that character. Of several in a row only the first is.
func IsInvisible(before, r rune) bool {
	const nonJoiner, joiner, asText, asEmoji = '\u200c', '\u200d', '\ufe0e', '\ufe0f'
	switch {
	case r >= ' ' && r < 0x7f, r == '\n', r == '\t':
		return false
	case r == joiner && (canBeEmojiBase(before) || before == asEmoji), (r == joiner || r == nonJoiner) && isInJoinerScript(before):
		return false
	case r == asText || r == asEmoji:
		return !canBeEmojiBase(before)
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// canBeEmojiBase reports whether a character can be the base of an emoji; digits can, in keycaps.
func canBeEmojiBase(r rune) bool {
	return unicode.In(r, unicode.So, unicode.Sm, unicode.Sk) || r >= '0' && r <= '9' || strings.ContainsRune("#*‼⁉〰", r)
}

// isInJoinerScript reports whether a character belongs to a script in which joiners change the
// spelling: Arabic and related scripts, and those of South and Southeast Asia.
func isInJoinerScript(r rune) bool {
	return r >= 0x600 && r < 0x10a0 && unicode.In(r, unicode.L, unicode.M) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// EscapeInvisible returns a text, possibly of several lines, with its invisible characters (see [IsInvisible]), which
// a terminal could interpret, escaped as \u200b and the like. Invalid UTF-8 becomes U+FFFD.
func EscapeInvisible(text string) string {
	var b strings.Builder
	before, done := rune(0), 0
	for i, r := range text {
		if IsInvisible(before, r) {
			b.WriteString(text[done:i])
			writeEscape(&b, r)
			done = i + len(string(r))
		}
		before = r
	}
	return strings.ToValidUTF8(b.String()+text[done:], "\ufffd")
}

// EscapeInvisibleJSON returns JSON with its invisible characters (see [IsInvisible]) as JSON escapes: the same value
// in printable form. It returns the argument itself if that has none.
func EscapeInvisibleJSON(text []byte) []byte {
	var out []byte
	before, done := rune(0), 0
	for i := 0; i < len(text); {
		if c := text[i]; c >= ' ' && c < 0x7f {
			before, i = rune(c), i+1
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r != '\r' && IsInvisible(before, r) { // a CR outside strings is white space
			out = append(out, text[done:i]...)
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
			done = i + size
		}
		before, i = r, i+size
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

func writeEscape(b *strings.Builder, r rune) {
	if r > 0xffff {
		fmt.Fprintf(b, `\U%08x`, r)
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}
