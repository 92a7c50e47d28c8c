package redact

import (
	"slices"
	"strings"
)

// A keyForm is what keys of a service look like: how they begin, and what follows.
type keyForm struct {
	begins string
	more   string // characters besides letters and digits of ASCII
	least  int    // how many characters follow at least
	dense  bool   // they are told from words: see dense
}

// keyForms are the forms of keys that are hidden wherever something is said to people. They
// are few, and each has a beginning that ordinary text, digests and UUIDs do not have.
var keyForms = []keyForm{
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

// keyStarts are the bytes with which something begins that [keyAt] finds.
var keyStarts = func() (starts [256]bool) {
	starts['-'], starts['e'] = true, true
	for _, f := range keyForms {
		starts[f.begins[0]] = true
	}
	return starts
}()

// HideKeys returns a text without what looks like a key of a well-known service, such as
// AKIA with 16 letters and digits, a JSON web token, or a private key in PEM form, and without
// the values of fields of addresses that are secrets, such as ?access_token=. Of a key
// that stands there cut, with dots or stars, what is before these is hidden.
func HideKeys(text string) string {
	var spans []span
	for i := 0; i < len(text); {
		if c := text[i]; c == '?' || c == '&' || c == '#' {
			if from, to := inAddress(text[i:]); to > 0 {
				spans = append(spans, span{i + from, i + to})
				i += to
				continue
			}
		}
		if !keyStarts[text[i]] || text[i] != '-' && inWord(text[:i]) {
			i++
			continue
		}
		from, to := keyAt(text[i:])
		if to > 0 {
			spans = append(spans, span{i + from, i + to})
		}
		i += max(to, 1)
	}
	return masked(text, spans)
}

// inWord reports whether no key can begin behind a text. An escape such as \n is no letter.
func inWord(before string) bool {
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

// keyAt returns where in a text the secret part of a key stands that begins with it; to is 0
// if there is none.
func keyAt(text string) (from, to int) {
	switch text[0] {
	case '-':
		return 0, privateKey(text)
	case 'e':
		return 0, webToken(text)
	}
	for _, f := range keyForms {
		if !strings.HasPrefix(text, f.begins) {
			continue
		}
		if from, to := f.in(text); to > 0 {
			return from, to
		}
	}
	return 0, 0
}

// in returns where in a text with the beginning of a key the secret part stands.
func (f keyForm) in(text string) (from, to int) {
	from = len(f.begins)
	to = from + run(text[from:], f.more)
	const telling = 4 // characters of a cut key
	switch {
	case to-from >= telling && dots(text[to:]) >= len(Mask):
		return from, to
	case to-from < f.least, f.dense && !dense(text[from:to]):
		return 0, 0
	}
	return 0, to
}

// dense reports whether a text has letters and digits in such a row as no words and dates have
// them that are joined by dashes.
func dense(text string) bool {
	const least = 12
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == '-' || r == '_' })
	return slices.ContainsFunc(parts, func(part string) bool {
		return len(part) >= least && strings.ContainsAny(part, "0123456789") && strings.Trim(part, "0123456789") != ""
	})
}

// run returns how many letters, digits and other characters a text begins with.
func run(text, more string) int {
	for i := range len(text) {
		if !isAlnum(text[i]) && strings.IndexByte(more, text[i]) < 0 {
			return i
		}
	}
	return len(text)
}

// webToken returns the length of the JSON web token that a text begins with: three parts in
// base64, of which the first is the beginning of an object.
func webToken(text string) int {
	const least = 8 // characters of a part
	if !strings.HasPrefix(text, "eyJ") {
		return 0
	}
	at := 0
	for k := range 3 {
		n := run(text[at:], "_-")
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

// privateKey returns the length of the private key in PEM form that a text begins with. One
// without an end goes on to the end of the text.
func privateKey(text string) int {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	const longest = 64 // of what is between the dashes
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
