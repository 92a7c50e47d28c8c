package secret

import (
	"encoding/base64"
	"encoding/hex"
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
// hexadecimal, in base64, and with a plus for each blank, as a form has it.
func encoded(value string) []string {
	digits := hex.EncodeToString([]byte(value))
	out := []string{strings.ToLower(value), strings.ToUpper(value), digits, strings.ToUpper(digits), strings.ReplaceAll(value, " ", "+")}
	for before := range 3 {
		text := inBase64(value, before)
		out = append(out, text, strings.NewReplacer("+", "-", "/", "_").Replace(text))
	}
	return out
}

// inBase64 returns the characters of base64 that a value makes when a number of bytes, 0
// to 2, stands before it in its group of three: those that nothing else has a part in.
func inBase64(value string, before int) string {
	text := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), value...))
	const bits = 6 // of a character
	first, end := (8*before+bits-1)/bits, 8*(before+len(value))/bits
	return text[first:end]
}
