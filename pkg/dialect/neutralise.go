package dialect

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
)

// Neutralise makes JSON inert for a prompt: the result contains no [Markers] and none of the extra markers of
// the run, in any case, and is the same JSON value. The first characters of markers and invisible characters
// ([diag.IsInvisible]) are written as \uXXXX. An extra marker must be longer than such an escape, without quotes
// and backslashes. The input is returned if there is nothing to escape.
func Neutralise(json []byte, extra ...string) []byte {
	n := neutraliser{json: diag.EscapeInvisibleJSON(json), extra: extra}
	n.rewrite()
	if n.done == 0 {
		return n.json
	}
	return append(n.out, n.json[n.done:]...)
}

// NeutraliseText makes text other than JSON inert: it writes the same \uXXXX escapes as [Neutralise] and leaves
// the rest unchanged.
func NeutraliseText(text string, extra ...string) string {
	quoted := []byte(quote.JSON(text))
	inert := Neutralise(quoted, extra...)
	if bytes.Equal(quoted, inert) {
		return text
	}
	return plainEscapes.Replace(string(inert[1 : len(inert)-1]))
}

// plainEscapes undoes the escapes of JSON strings that text does not need.
var plainEscapes = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\r`, "\r", `\t`, "\t")

// stemsByFirstByte lists the stems, and the markers without a stem, by first byte in lower case. An automaton would not
// do: it finds where markers end, and here the beginning counts, in a text that changes with each escape.
var stemsByFirstByte = sync.OnceValue(func() *[256][]string {
	var by [256][]string
	for _, stem := range slices.Concat(stems, tableMarkers()) {
		c := lower(stem[0])
		by[c] = append(by[c], stem)
	}
	return &by
})

// A neutraliser rewrites one text.
type neutraliser struct {
	json  []byte
	extra []string
	stems *[256][]string
	out   []byte
	done  int // bytes of json copied to out
	steps int // bytes compared; tests count them
}

// rewrite scans the text, and inside strings each character.
func (n *neutraliser) rewrite() {
	n.stems = stemsByFirstByte()
	inside, forced := false, false
	for i := 0; i < len(n.json); {
		c := n.json[i]
		switch {
		case c == '"':
			inside = !inside
			i++
		case !inside:
			i++
		case c == '\\':
			size := escapeLen(n.json[i:])
			forced = n.startsMarkerAfterBackslash(string(n.json[i:i+size]), i+size)
			i += size
		case forced || n.startsMarker("", n.json[i:]):
			i, forced = n.writeAsEscape(i)
		default:
			i++
		}
	}
}

// writeAsEscape writes the character at i as an escape. It returns the index of the next character, and whether that
// must be escaped as well, because a marker now begins in the escape.
func (n *neutraliser) writeAsEscape(i int) (int, bool) {
	n.out = append(n.out, n.json[n.done:i]...)
	r, size := utf8.DecodeRune(n.json[i:])
	escaped := len(n.out)
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		n.out = appendEscape(appendEscape(n.out, high), low)
	} else {
		n.out = appendEscape(n.out, r)
	}
	n.done = i + size
	return n.done, n.startsMarkerAfterBackslash(string(n.out[escaped:]), n.done)
}

func appendEscape(b []byte, unit rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[unit>>12&15], hex[unit>>8&15], hex[unit>>4&15], hex[unit&15])
}

// startsMarker reports whether first followed by rest begins with a marker.
func (n *neutraliser) startsMarker(first string, rest []byte) bool {
	c := rest[0]
	if first != "" {
		c = first[0]
	}
	for _, stem := range n.stems[lower(c)] {
		if n.hasPrefix(first, rest, stem) {
			return true
		}
	}
	for _, marker := range n.extra {
		if n.hasPrefix(first, rest, marker) {
			return true
		}
	}
	return false
}

// startsMarkerAfterBackslash reports whether a marker begins after the backslash of an escape, which the text at index
// i follows.
func (n *neutraliser) startsMarkerAfterBackslash(escape string, i int) bool {
	for k := 1; k < len(escape); k++ {
		if n.startsMarker(escape[k:], n.json[i:]) {
			return true
		}
	}
	return false
}

// hasPrefix reports whether first followed by rest begins with prefix, ignoring ASCII case.
func (n *neutraliser) hasPrefix(first string, rest []byte, prefix string) bool {
	if prefix == "" || len(first)+len(rest) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		n.steps++
		c := prefix[i]
		if i < len(first) && lower(first[i]) != lower(c) || i >= len(first) && lower(rest[i-len(first)]) != lower(c) {
			return false
		}
	}
	return true
}

// escapeLen returns the length of the escape at the start of text.
func escapeLen(text []byte) int {
	if len(text) > 1 && text[1] == 'u' {
		return min(6, len(text))
	}
	return min(2, len(text))
}
