package redact

import (
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// Encodings that a model or a server can produce without running a program.
func TestMoreSpellings(t *testing.T) {
	const value = "sk-KITE-9f8e7d6c5b4a"
	s := of(t, value)
	twice := func(text string) string {
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(text))))
	}
	entities := func(format string) string {
		var b strings.Builder
		for _, r := range value {
			fmt.Fprintf(&b, format, r)
		}
		return b.String()
	}
	texts := map[string]string{
		"reversed":       string(reversed(value)),
		"decimal":        entities("&#%d;"),
		"hexadecimal":    entities("&#x%x;"),
		"capital X":      entities("&#X%X;"),
		"named":          strings.ReplaceAll(value, "-", "&#45;"),
		"in JSON":        strings.ReplaceAll(entities("&#%d;"), "&", `\u0026`),
		"in an address":  strings.ReplaceAll(strings.ReplaceAll(entities("&#%d;"), "&", "%26"), "#", "%23"),
		"without an end": strings.ReplaceAll(value, "-", "&#45"),
	}
	for _, before := range []string{"", "a", "ab", "abc", "abcd"} {
		texts["base32 behind "+before] = base32.StdEncoding.EncodeToString([]byte(before + value + "!"))
		texts["small base32 behind "+before] = strings.ToLower(base32.StdEncoding.EncodeToString([]byte(before + value)))
		texts["base64 twice behind "+before] = twice(before + value + "??")
	}
	for name, text := range texts {
		if hidden := s.Hide("say " + text + "."); !strings.Contains(hidden, Mask) || s.Contains(hidden) {
			t.Errorf("%s: %q became %q", name, text, hidden)
		}
	}
	for _, text := range []string{"a &amp; b", "&#115;&#107;", "&nosuch; &; &#; &#x;", "&", "AT&T; R&D"} {
		if got := s.Hide(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Secret URL fields are masked in output for people.
func TestHideFields(t *testing.T) {
	for text, want := range map[string]string{
		"GET https://a.test/x?access_token=abcdef123&b=1: 500": "GET https://a.test/x?access_token=***&b=1: 500",
		`"https://a.test/b?sv=2&sig=aB%2Bc9d8e7"`:              `"https://a.test/b?sv=2&sig=***"`,
		"https://a.test/#id_token=eyJhbGciOi":                  "https://a.test/#id_token=***",
		"?X-Amz-Signature=0a1b2c3d4e5f (try)":                  "?X-Amz-Signature=*** (try)",
		"?code=4/0AbCdEfGhIj1":                                 "?code=***",
		"?token=abcdefgh12345678,":                             "?token=***,",
		"?code=404&key=name":                                   "?code=404&key=name",
		"?access_token=***":                                    "?access_token=***",
		"a && token=abc ? b : c":                               "a && token=abc ? b : c",
		"?q=sig=abcdefgh":                                      "?q=sig=abcdefgh",
	} {
		if got := HideKeys(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestOrdinary(t *testing.T) {
	for value, want := range map[string]bool{
		"password": true, "Password1": true, "CHANGEME": true, "summer2026": true, "12345678": true, "20261123": true, "aaaaaaaaaaaaaaaaaaaa": true,
		"sk-KITE-9f8e7d6c": false, "correcthorsebattery": false, "aB3dE5fG7hJ9": false, "12345678901234": false, "hunter2hunter2": false,
	} {
		if IsOrdinary(value) != want {
			t.Errorf("%q: %v", value, !want)
		}
	}
}
