package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

const (
	longLine   = 16 // from how many bytes on a line of a secret is hidden on its own
	halvedLine = 64 // and from how many on in halves: shorter ones can be of ordinary words
)

// spellings returns the texts that are searched for a value, and whether halves of them are
// to be found, too: the value, its long lines, and each of them as [encoded]. Escapes are no
// spellings: they are taken out of the text that is searched.
func spellings(v value) map[string]bool {
	all := map[string]bool{}
	add := func(text string, halves bool) {
		for _, spelling := range append(encoded(text), text) {
			all[spelling] = all[spelling] || halves
		}
	}
	add(v.text, v.halves)
	if !strings.Contains(v.text, "\n") {
		return all
	}
	for line := range strings.Lines(v.text) {
		if line = strings.TrimSpace(line); len(line) >= longLine && !strings.HasPrefix(line, "-----") {
			add(line, len(line) >= halvedLine)
		}
	}
	return all
}

// encoded returns a value in capital and in small letters, as the name of a host has it, in
// hexadecimal, in base64, once and twice, in base32, with a plus for each blank, as a form
// has it, and from its end to its beginning.
func encoded(value string) []string {
	digits := hex.EncodeToString([]byte(value))
	out := []string{strings.ToLower(value), strings.ToUpper(value), digits, strings.ToUpper(digits), strings.ReplaceAll(value, " ", "+"), reversed(value)}
	for before := range 3 {
		once := inBase64(value, before)
		out = append(out, once, strings.NewReplacer("+", "-", "/", "_").Replace(once))
		for before := range 3 {
			out = append(out, inBase64(once, before))
		}
	}
	for before := range 5 {
		text := inBase32(value, before)
		out = append(out, text, strings.ToLower(text))
	}
	return slices.DeleteFunc(out, func(text string) bool { return len(text) < Shortest })
}

// inBase32 is [inBase64] for base32, whose groups have five bytes.
func inBase32(value string, before int) string {
	text := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(append(make([]byte, before), value...))
	const bits = 5 // of a character
	first, end := (8*before+bits-1)/bits, 8*(before+len(value))/bits
	return text[first:end]
}

// inBase64 returns the characters of base64 that a value makes when a number of bytes, 0
// to 2, stands before it in its group of three: those that nothing else has a part in.
func inBase64(value string, before int) string {
	text := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), value...))
	const bits = 6 // of a character
	first, end := (8*before+bits-1)/bits, 8*(before+len(value))/bits
	return text[first:end]
}
