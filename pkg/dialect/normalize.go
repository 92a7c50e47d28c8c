package dialect

import (
	"bytes"
	"encoding/base64"
	"html"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxNesting is how often a text is quoted at most: a result is JSON, in which a string
// may hold JSON, in which another one may.
const maxNesting = 4

// decodings returns a text and what it says to a reader who takes it out of its quotes once, twice and so
// on, decodes entities, %-escapes and base64, and does not see tags and line breaks. Each is in its normal form.
func decodings(text []byte) [][]byte {
	all := [][]byte{normalize(text)}
	unquote := func(text []byte) []byte { plain, _ := unescape(text); return plain }
	all = append(all, repeatedDecodings(text, unquote)...)
	if slices.ContainsFunc(all, func(reading []byte) bool { return bytes.ContainsAny(reading, "&%") }) {
		all = append(all, repeatedDecodings(text, func(text []byte) []byte { return percentDecoded(entityDecoded(unquote(text))) })...)
	}
	for _, read := range []func([]byte) []byte{stripMarkup, base64Decoded} {
		for _, reading := range all {
			if other := read(reading); !bytes.Equal(other, reading) {
				all = append(all, other)
			}
		}
	}
	return all
}

// repeatedDecodings returns what a text says when it is decoded once, twice and so on, as far as that changes it.
func repeatedDecodings(text []byte, decode func([]byte) []byte) (all [][]byte) {
	for range maxNesting {
		plain := decode(text)
		if bytes.Equal(plain, text) {
			break
		}
		text, all = plain, append(all, normalize(plain))
	}
	return all
}

// normalize returns a text in the form NFKC, in which full-width letters are plain ones, and without the
// characters that nobody sees.
func normalize(text []byte) []byte {
	if !slices.ContainsFunc(text, func(c byte) bool { return c >= utf8.RuneSelf }) {
		return text
	}
	seen := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if !unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			seen = append(seen, text[:size]...)
		}
		text = text[size:]
	}
	return norm.NFKC.Bytes(seen)
}

func entityDecoded(text []byte) []byte {
	if bytes.IndexByte(text, '&') < 0 {
		return text
	}
	return []byte(html.UnescapeString(string(text)))
}

// percentDecoded decodes the escapes of addresses; what is none stays.
func percentDecoded(text []byte) []byte {
	at := bytes.IndexByte(text, '%')
	if at < 0 {
		return text
	}
	all := make([]byte, 0, len(text))
	for ; at >= 0; at = bytes.IndexByte(text, '%') {
		all = append(all, text[:at]...)
		if c, ok := hexByte(text[at+1:]); ok {
			all, text = append(all, c), text[at+3:]
		} else {
			all, text = append(all, '%'), text[at+1:]
		}
	}
	return append(all, text...)
}

// minBase64 is how many characters of base64 are decoded at least.
const minBase64 = 16

// base64Decoded decodes what is base64 of plain text; what is none stays.
func base64Decoded(text []byte) []byte {
	var all []byte
	done := 0
	for i := 0; i < len(text); {
		n := base64Len(text[i:])
		if plain, ok := plainBase64(text[i : i+n]); ok {
			all = append(append(append(append(all, text[done:i]...), ' '), plain...), ' ')
			done = i + n
		}
		i += max(n, 1)
	}
	if done == 0 {
		return text
	}
	return append(all, text[done:]...)
}

// base64Len returns how many characters of base64, in either alphabet, a text begins with.
func base64Len(text []byte) (n int) {
	for n < len(text) && (isWordByte(text[n]) || bytes.IndexByte([]byte("+/-"), text[n]) >= 0) {
		n++
	}
	return n
}

// plainBase64 returns the text that some characters are base64 of, if it is plain text.
func plainBase64(code []byte) (plain []byte, ok bool) {
	if len(code) < minBase64 {
		return nil, false
	}
	code = bytes.Map(func(r rune) rune {
		switch r {
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}, code)
	plain = make([]byte, base64.RawStdEncoding.DecodedLen(len(code)))
	n, err := base64.RawStdEncoding.Decode(plain, code)
	isOdd := func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) && !unicode.IsSpace(r) }
	return plain[:n], err == nil && !bytes.ContainsFunc(plain[:n], isOdd)
}

// hexByte returns the byte of two hexadecimal digits at the beginning of a text.
func hexByte(text []byte) (c byte, ok bool) {
	if len(text) < 2 {
		return 0, false
	}
	for _, digit := range text[:2] {
		i := bytes.IndexByte([]byte("0123456789abcdef"), lower(digit))
		if i < 0 {
			return 0, false
		}
		c = c<<4 | byte(i)
	}
	return c, true
}

// maxTagLen is how long a tag is at most that can be inside a word.
const maxTagLen = 256

// stripMarkup returns a text without tags, emphasis marks and line breaks, which can be inside words.
func stripMarkup(text []byte) []byte {
	all := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '<' && tagLen(text[i:]) > 0:
			i += tagLen(text[i:])
		case c == '*' || c == '`':
			i++
		case c == '\n' || c == '\r':
			all = bytes.TrimRight(all, " \t\r\n-")
			for i < len(text) && bytes.IndexByte([]byte(" \t\r\n>#|"), text[i]) >= 0 {
				i++
			}
		default:
			all = append(all, c)
			i++
		}
	}
	return all
}

// tagLen returns how long the tag of HTML at the beginning of a text is, 0 if there is none.
func tagLen(text []byte) int {
	if len(text) < 3 || !isWordByte(text[1]) && text[1] != '/' && text[1] != '!' {
		return 0
	}
	text = text[:min(len(text), maxTagLen)]
	end := bytes.IndexAny(text[1:], "<>")
	if end < 0 || text[1+end] != '>' {
		return 0
	}
	return end + 2
}
