package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Invisible reports whether a reader of a text would not see a character, or would see others
// because of it in another order: controls, format characters such as blanks without a width,
// marks of direction and tags, fillers, and selectors of variants. Line feeds and tabs are
// none. Before is the character in front of it, 0 for none: behind a symbol a selector of
// emoji and a joiner are part of that, and joiners behind the letters that need them. So of
// several in a row all but one are invisible.
func Invisible(before, r rune) bool {
	const nonJoiner, joiner, asText, asEmoji = '\u200c', '\u200d', '\ufe0e', '\ufe0f'
	switch {
	case r >= ' ' && r < 0x7f, r == '\n', r == '\t':
		return false
	case r == joiner && (isSymbol(before) || before == asEmoji), (r == joiner || r == nonJoiner) && isJoining(before):
		return false
	case r == asText || r == asEmoji:
		return !isSymbol(before)
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// isSymbol reports whether a character can be the base of an emoji. Digits are, in keycaps.
func isSymbol(r rune) bool {
	return unicode.In(r, unicode.So, unicode.Sm, unicode.Sk) || r >= '0' && r <= '9' || strings.ContainsRune("#*‼⁉〰", r)
}

// isJoining reports whether a character is of a script in which joiners change what is
// written: Arabic and its relatives, and those of India and its neighbours.
func isJoining(r rune) bool {
	return r >= 0x600 && r < 0x10a0 && unicode.In(r, unicode.L, unicode.M) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// Visible returns a text, of one or several lines, with escapes such as \u200b in the places
// of characters that are [Invisible], which a terminal could obey. What is not UTF-8
// is replaced by U+FFFD.
func Visible(text string) string {
	var b strings.Builder
	before, done := rune(0), 0
	for i, r := range text {
		if Invisible(before, r) {
			b.WriteString(text[done:i])
			writeEscape(&b, r)
			done = i + len(string(r))
		}
		before = r
	}
	return strings.ToValidUTF8(b.String()+text[done:], "\ufffd")
}

// VisibleJSON returns JSON text with characters that are [Invisible] as the escapes that JSON
// has for them: the same value, in a text that can be shown. It is returned as it is if it
// holds none.
func VisibleJSON(text []byte) []byte {
	var out []byte
	before, done := rune(0), 0
	for i := 0; i < len(text); {
		if c := text[i]; c >= ' ' && c < 0x7f {
			before, i = rune(c), i+1
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r != '\r' && Invisible(before, r) { // what stands outside of strings is a blank
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
