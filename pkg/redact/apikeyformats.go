package redact

import (
	"slices"
	"strings"
)

// A keyFormat describes the keys of a service.
type keyFormat struct {
	prefix     string
	extraChars string // allowed in addition to ASCII letters and digits
	minLen     int    // minimum number of characters after the prefix
	dense      bool   // distinguished from words: see isDense
}

// keyFormats are the key formats that are masked in all output for people. They are few, each with a
// prefix that ordinary text, digests and UUIDs do not have.
var keyFormats = []keyFormat{
	{"ghp_", "", 36, false}, {"gho_", "", 36, false}, {"ghu_", "", 36, false}, {"ghs_", "", 36, false}, {"ghr_", "", 36, false},
	{"github_pat_", "_", 22, false},
	{"glpat-", "_-", 20, false},
	{"xoxb-", "-", 20, true}, {"xoxp-", "-", 20, true}, {"xoxa-", "-", 20, true}, {"xoxr-", "-", 20, true}, {"xoxs-", "-", 20, true}, {"xapp-", "-", 20, true},
	{"AKIA", "", 16, false}, {"ASIA", "", 16, false},
	{"AIzaSy", "_-", 33, false},
	{"ya29.", "_-", 20, false},
	{"sk-", "_-", 20, true}, // also sk-ant- and sk-proj-
	{"sk_live_", "", 16, false}, {"rk_live_", "", 16, false},
	{"gsk_", "", 40, false}, {"xai-", "", 40, false}, {"hf_", "", 30, false}, {"npm_", "", 36, false},
}

// keyFirstBytes are the first bytes of everything that [leadingAPIKey] finds.
var keyFirstBytes = func() (starts [256]bool) {
	starts['-'], starts['e'] = true, true
	for _, f := range keyFormats {
		starts[f.prefix[0]] = true
	}
	return starts
}()

// HideKeys masks texts that look like a key of a well-known service, such as AKIA with 16 letters and
// digits, a JSON web token, or a PEM private key, and the values of secret URL fields such as
// ?access_token=. Of a key truncated with dots or stars it masks the part before them.
func HideKeys(text string) string {
	var spans []span
	for i := 0; i < len(text); {
		if c := text[i]; c == '?' || c == '&' || c == '#' {
			if from, to := secretFieldRange(text[i:]); to > 0 {
				spans = append(spans, span{i + from, i + to})
				i += to
				continue
			}
		}
		if !keyFirstBytes[text[i]] || text[i] != '-' && hasWordByteAtEnd(text[:i]) {
			i++
			continue
		}
		from, to := leadingAPIKey(text[i:])
		if to > 0 {
			spans = append(spans, span{i + from, i + to})
		}
		i += max(to, 1)
	}
	return maskSpans(text, spans)
}

// hasWordByteAtEnd reports whether a key cannot begin after a text. An escape such as \n is not part of a word.
func hasWordByteAtEnd(before string) bool {
	n := len(before)
	if n == 0 || n > 1 && before[n-2] == '\\' {
		return false
	}
	c := before[n-1]
	return isAlnum(c) || c == '_' || c == '-'
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// leadingAPIKey returns the range to mask of a key that a text begins with. To is 0 if not found.
func leadingAPIKey(text string) (from, to int) {
	switch text[0] {
	case '-':
		return 0, pemKeyLength(text)
	case 'e':
		return 0, jwtLength(text)
	}
	for _, f := range keyFormats {
		if !strings.HasPrefix(text, f.prefix) {
			continue
		}
		if from, to := f.rangeToMask(text); to > 0 {
			return from, to
		}
	}
	return 0, 0
}

// rangeToMask returns the range to mask in a text with the prefix of a key: the whole key, or the part of a truncated
// key after the prefix; 0, 0 if the text begins with no key.
func (f keyFormat) rangeToMask(text string) (from, to int) {
	from = len(f.prefix)
	to = from + alnumPrefixLen(text[from:], f.extraChars)
	const telling = 4 // minimum characters of a truncated key
	switch {
	case to-from >= telling && ellipsisLen(text[to:]) >= len(Mask):
		return from, to
	case to-from < f.minLen, f.dense && !isDense(text[from:to]):
		return 0, 0
	}
	return 0, to
}

// isDense reports whether a text mixes letters and digits in a way that hyphenated words and dates do not.
func isDense(text string) bool {
	const least = 12
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == '-' || r == '_' })
	return slices.ContainsFunc(parts, func(part string) bool {
		return len(part) >= least && strings.ContainsAny(part, "0123456789") && strings.Trim(part, "0123456789") != ""
	})
}

// alnumPrefixLen returns how many letters, digits and extra characters a text begins with.
func alnumPrefixLen(text, more string) int {
	for i := range len(text) {
		if !isAlnum(text[i]) && strings.IndexByte(more, text[i]) < 0 {
			return i
		}
	}
	return len(text)
}

// jwtLength returns the length of the JSON web token that a text begins with: three base64 parts, the
// first of which encodes an object.
func jwtLength(text string) int {
	const least = 8 // characters of a part
	if !strings.HasPrefix(text, "eyJ") {
		return 0
	}
	at := 0
	for k := range 3 {
		n := alnumPrefixLen(text[at:], "_-")
		if at += n; n < least {
			return 0
		}
		if k < 2 {
			if at == len(text) || text[at] != '.' {
				return 0
			}
			at++
		}
	}
	return at
}

// pemKeyLength returns the length of the PEM private key that a text begins with. A key without an end
// extends to the end of the text.
func pemKeyLength(text string) int {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	const longest = 64 // maximum bytes between the dashes
	rest, ok := strings.CutPrefix(text, begin)
	if !ok {
		return 0
	}
	label := rest[:min(len(rest), longest)]
	if i := strings.Index(label, dashes); i >= 0 {
		label = label[:i]
	}
	if !strings.HasSuffix(label, "PRIVATE KEY") && !strings.HasSuffix(label, "PRIVATE KEY BLOCK") {
		return 0
	}
	i := strings.Index(text, end)
	if i < 0 {
		return len(text)
	}
	if k := strings.Index(text[i+len(end):], dashes); k >= 0 {
		return i + len(end) + k + len(dashes)
	}
	return len(text)
}
