package echo

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"html"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxNesting bounds the nesting of quotes: a result is JSON whose strings may contain JSON.
const maxNesting = 4

// decodings returns the normalized text and its decoded forms: unquoted up to maxNesting times, with entities,
// %-escapes and base64 decoded, and without tags and line breaks.
func decodings(text []byte) [][]byte {
	all := [][]byte{normalizeUnicode(text)}
	unquote := func(text []byte) []byte { plain, _ := unescapeBackslashes(text); return plain }
	all = append(all, repeatedDecodings(text, unquote)...)
	if slices.ContainsFunc(all, func(reading []byte) bool { return bytes.ContainsAny(reading, "&%") }) {
		all = append(all, repeatedDecodings(text, func(text []byte) []byte { return decodePercent(decodeEntities(unquote(text))) })...)
	}
	for _, read := range []func([]byte) []byte{stripMarkup, decodeBase64Runs} {
		for _, reading := range all {
			if other := read(reading); !bytes.Equal(other, reading) {
				all = append(all, other)
			}
		}
	}
	return all
}

// repeatedDecodings decodes a text repeatedly while that changes it, and returns all results.
func repeatedDecodings(text []byte, decode func([]byte) []byte) (all [][]byte) {
	for range maxNesting {
		plain := decode(text)
		if bytes.Equal(plain, text) {
			break
		}
		text, all = plain, append(all, normalizeUnicode(plain))
	}
	return all
}

// normalizeUnicode returns a text in NFKC, where full-width letters become plain ones, without invisible characters.
func normalizeUnicode(text []byte) []byte {
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

func decodeEntities(text []byte) []byte {
	if bytes.IndexByte(text, '&') < 0 {
		return text
	}
	return []byte(html.UnescapeString(string(text)))
}

// decodePercent decodes %-escapes and leaves invalid ones.
func decodePercent(text []byte) []byte {
	at := bytes.IndexByte(text, '%')
	if at < 0 {
		return text
	}
	all := make([]byte, 0, len(text))
	for ; at >= 0; at = bytes.IndexByte(text, '%') {
		all = append(all, text[:at]...)
		if c, ok := parseHexByte(text[at+1:]); ok {
			all, text = append(all, c), text[at+3:]
		} else {
			all, text = append(all, '%'), text[at+1:]
		}
	}
	return append(all, text...)
}

// minBase64 is the length from which base64 is decoded.
const minBase64 = 16

// decodeBase64Runs decodes base64 of plain text and leaves the rest.
func decodeBase64Runs(text []byte) []byte {
	var all []byte
	done := 0
	for i := 0; i < len(text); {
		n := base64Len(text[i:])
		if plain, ok := decodePlainBase64(text[i : i+n]); ok {
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

// base64Len returns the length of the leading base64 characters, in either alphabet.
func base64Len(text []byte) (n int) {
	for n < len(text) && (isWordByte(text[n]) || bytes.IndexByte([]byte("+/-"), text[n]) >= 0) {
		n++
	}
	return n
}

// decodePlainBase64 decodes base64 if the result is plain text.
func decodePlainBase64(code []byte) (plain []byte, ok bool) {
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

// parseHexByte parses two leading hexadecimal digits.
func parseHexByte(text []byte) (c byte, ok bool) {
	if len(text) < 2 {
		return 0, false
	}
	var decoded [1]byte
	_, err := hex.Decode(decoded[:], text[:2])
	return decoded[0], err == nil
}

// maxTagLen bounds the tags that are removed inside words.
const maxTagLen = 256

// stripMarkup removes tags, emphasis marks and line breaks, which can be inside words.
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

// tagLen returns the length of the HTML tag at the start of a text, or 0.
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
