package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

const (
	minLineLen       = 16 // minimum bytes of a line that is masked individually
	minHalvedLineLen = 64 // minimum bytes of a line with masked halves: shorter halves may be ordinary words
)

// spellings returns the texts to search for a value, and whether halves of them match: the value, its long
// lines, and their [encodings]. Escapes are not included: the searched text is unescaped instead.
func spellings(v value) map[string]bool {
	all := map[string]bool{}
	add := func(text string, halves bool) {
		for _, spelling := range append(encodings(text), text) {
			all[spelling] = all[spelling] || halves
		}
	}
	add(v.text, v.matchHalves)
	if !strings.Contains(v.text, "\n") {
		return all
	}
	for line := range strings.Lines(v.text) {
		if line = strings.TrimSpace(line); len(line) >= minLineLen && !strings.HasPrefix(line, "-----") {
			add(line, len(line) >= minHalvedLineLen)
		}
	}
	return all
}

// encodings returns a value in lower and upper case (as in host names), hexadecimal, base64 once and
// twice, base32, form encoding (plus for space), and reversed.
func encodings(value string) []string {
	digits := hex.EncodeToString([]byte(value))
	out := []string{strings.ToLower(value), strings.ToUpper(value), digits, strings.ToUpper(digits), strings.ReplaceAll(value, " ", "+"), string(reversed(value))}
	for offset := range 3 {
		once := base64At(value, offset)
		out = append(out, once, strings.NewReplacer("+", "-", "/", "_").Replace(once))
		for offset := range 3 {
			out = append(out, base64At(once, offset))
		}
	}
	for offset := range 5 {
		text := base32At(value, offset)
		out = append(out, text, strings.ToLower(text))
	}
	return slices.DeleteFunc(out, func(text string) bool { return len(text) < MinLength })
}

// base32At is [base64At] for base32, with groups of five bytes.
func base32At(value string, offset int) string {
	text := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(append(make([]byte, offset), value...))
	const bits = 5 // of a character
	first, end := (8*offset+bits-1)/bits, 8*(offset+len(value))/bits
	return text[first:end]
}

// base64At returns the base64 characters that depend only on the value, if offset bytes (0 to 2) precede it
// in its group of three.
func base64At(value string, offset int) string {
	text := base64.RawStdEncoding.EncodeToString(append(make([]byte, offset), value...))
	const bits = 6 // of a character
	first, end := (8*offset+bits-1)/bits, 8*(offset+len(value))/bits
	return text[first:end]
}
