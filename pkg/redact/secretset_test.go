package redact

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oneshot/internal/testsize"
)

const word = "very-secret-token"

// of returns a set of values, each of which can be masked.
func of(t testing.TB, values ...string) *Set {
	t.Helper()
	s := new(Set)
	for _, v := range values {
		if !s.Add(v) {
			t.Fatalf("%q is not hidden", v)
		}
	}
	return s
}

func TestHide(t *testing.T) {
	var s Set
	if got := s.Hide(word); got != word || !s.IsEmpty() {
		t.Errorf("nothing is hidden yet: %q", got)
	}
	for _, tt := range []struct {
		value string
		kept  bool
	}{{word, true}, {word, true}, {word + "-and-more", true}, {"seven77", false}, {"", false}} {
		if got := s.Add(tt.value); got != tt.kept {
			t.Errorf("Add(%q) = %v", tt.value, got)
		}
	}
	for text, want := range map[string]string{
		"nothing":                     "nothing",
		"a " + word + " b":            "a *** b",
		word + word:                   "******",
		word + "-and-more, seven77":   "***, seven77",
		"very-secret-t, and -toke":    "***, and -toke", // longer than minPartLen
		"very-secret-, y":             "***, y",         // exactly minPartLen
		"very-secret":                 "very-secret",    // too short
		"very-sec...n, very-se...":    "***...n, very-se...",
		"…et-token, ****t-token":      "…***, ****t-token",
		"very-secr\n[cut here: 9 of":  "***\n[cut here: 9 of",
		"http://VERY-SECRET-TOKEN.de": "http://***.de",
		`\x76\x65ry-secret-token`:     "***",
		`\x76\x6`:                     `\x76\x6`,
	} {
		if got := s.Hide(text); got != want {
			t.Errorf("Hide(%q) = %q, want %q", text, got, want)
		}
	}
}

// Half of a long secret is masked, and less is not.
func TestHalves(t *testing.T) {
	const value = "abcdefghij0123456789ABCDEFGHIJ9876543210"
	s := of(t, value)
	for n := range len(value) + 1 {
		for _, part := range []string{value[:n], value[len(value)-n:]} {
			want := "<" + part + ">"
			if 2*n >= len(value) {
				want = "<***>"
			}
			if got := s.Hide("<" + part + ">"); got != want {
				t.Errorf("Hide(<%s>) = %s, want %s", part, got, want)
			}
			if s.Contains(part) != (2*n >= len(value)) {
				t.Errorf("Contains(%s) = %v", part, s.Contains(part))
			}
		}
	}
}

// Every spelling is masked, and nothing around it.
func TestSpellings(t *testing.T) {
	const value = `k3y/with+"all" é of it?>~`
	s := of(t, value)
	std, web := base64.StdEncoding, base64.RawURLEncoding
	full := ""
	for _, c := range []byte(value) {
		full += fmt.Sprintf("%%%02x", c)
	}
	for name, text := range map[string]string{
		"plain": value, "hex": hex.EncodeToString([]byte(value)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(value))),
		"query": url.QueryEscape(value), "path": url.PathEscape(value), "percent": full, "PERCENT": strings.ToUpper(full),
		"some percent": "%6b3y/with+%22all%22 é of it?>~",
		"JSON":         `k3y/with+\"all\" é of it?>~`, "JSON units": `\u006b3y\/with+\"all\" \u00e9 of it?\u003e~`,
		"JSON of percent": `k3y\/with\u002b%22all%22 %c3%a9 of it?>~`,
		"base64 percent":  url.QueryEscape(std.EncodeToString([]byte(value))),
	} {
		want := "<***>"
		if name == "base64 percent" {
			want = "<***4%3D>" // the last character also has padding bits
		}
		if got := s.Hide("<" + text + ">"); got != want {
			t.Errorf("%s: Hide(%s) = %s", name, text, got)
		}
		if !s.Contains("?k=" + text + "&x") {
			t.Errorf("%s: %s is not found", name, text)
		}
	}
	for before := range 3 {
		for _, after := range []string{"", "!", "!!"} {
			plain := strings.Repeat("?", before) + value + after
			for _, enc := range []*base64.Encoding{std, web} {
				if got := s.Hide(enc.EncodeToString([]byte(plain))); len(got) > len(Mask)+8 || !strings.Contains(got, Mask) {
					t.Errorf("%d before, %q behind: %s", before, after, got)
				}
			}
		}
	}
}

// Hide leaves no secret in any encoding, whatever the surrounding text, and does not change text
// without secrets.
func TestHideLaw(t *testing.T) {
	s := of(t, word, "0123456789abcdef", `a"quoted\key`)
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{word, "0123456789abcdef", `a"quoted\key`, `a\"quoted\\key`, "very", "-secret-", "token", "…", "...", "%", "%2", `\`, `\u00`, "é",
			url.PathEscape(`a"quoted\key`), hex.EncodeToString([]byte(word)), base64.StdEncoding.EncodeToString([]byte("x" + word)), "\n", "***"})
		text := strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), "")
		once := s.Hide(text)
		if s.Contains(once) {
			t.Fatalf("Hide(%q) = %q", text, once)
		}
		if !s.Contains(text) && !strings.Contains(once, Mask) && once != text {
			t.Fatalf("%q became %q", text, once)
		}
	})
}

func TestAddURL(t *testing.T) {
	for raw, hidden := range map[string]string{
		"http://me:my-password@h":       "my-password",
		"http://a-key-as-the-user@h":    "a-key-as-the-user",
		"http://a-key-as-the-user:@h":   "a-key-as-the-user",
		"http://me:my%2Dpass%21word@h/": "my-pass!word",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		var s Set
		if got := s.AddURLCredential(u); got != hidden {
			t.Errorf("AddURLCredential(%s) = %q", raw, got)
		}
		for _, text := range []string{hidden, u.String()} {
			if got := s.Hide(text); strings.Contains(got, "pass") || strings.Contains(got, "key") {
				t.Errorf("%s: %q", raw, got)
			}
		}
	}
	u := &url.URL{Host: "h", User: url.UserPassword("administrator", "pw-12")}
	var named Set
	named.AddURLCredential(u)
	for text, want := range map[string]string{"ask the administrator": "ask the administrator", "http://administrator:pw-12@h": "http://***@h"} {
		if got := named.Hide(text); got != want {
			t.Errorf("Hide(%q) = %q, want %q", text, got, want)
		}
	}
	var s Set
	if s.AddURLCredential(nil) != "" || !s.IsEmpty() {
		t.Error("no address hides something")
	}
}

// Each long line of a multi-line key is masked. Its first and last lines are not secret.
func TestLines(t *testing.T) {
	s := of(t, "-----BEGIN PRIVATE KEY-----\nMHcCAQEEIBm0aQoZ7u2x1fKk\nshort\n-----END PRIVATE KEY-----")
	for text, want := range map[string]string{
		"a MHcCAQEEIBm0aQoZ7u2x1fKk b": "a *** b",
		"-----BEGIN PRIVATE KEY-----":  "-----BEGIN PRIVATE KEY-----",
		"short":                        "short",
		"MHcCAQEEIBm0aQo, mine":        "MHcCAQEEIBm0aQo, mine",
		"in MHcCAQEEIBm0a…":            "in ***…",
	} {
		if got := s.Hide(text); got != want {
			t.Errorf("Hide(%q) = %q, want %q", text, got, want)
		}
	}
}

// Adding the secrets of a run takes no noticeable time.
func BenchmarkAdd(b *testing.B) {
	for b.Loop() {
		s := new(Set)
		for i := range 5 {
			s.Add(fmt.Sprintf("sk-proj-%0150d", i))
		}
	}
}

// The time depends only on the length of the text.
func BenchmarkHide(b *testing.B) {
	s := new(Set)
	for i := range 20 {
		s.Add(strings.Repeat("a", 30) + fmt.Sprintf("%020d", i))
	}
	for name, unit := range map[string]string{
		"prose": "The quick brown fox jumps over the lazy dog. ", "a": "a", "escapes": `\u0061%61`, "cuts": "aaaaaaaaa…", "secret": strings.Repeat("a", 30) + fmt.Sprintf("%020d", 7),
	} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.Hide(text)
			}
		})
	}
}

// A quadratic search would take hours here.
func TestLong(t *testing.T) {
	s := of(t, strings.Repeat("a", 40)+"b", "sk-"+strings.Repeat("sk-", 20))
	for _, unit := range []string{"a", "aaaaaaaaa…", `\u0061`, "%61", "&#97;", "&am", "?t=", "&token=a1", `\`, "sk-", "ya29.", "eyJaaaaaaaa.", "-----BEGIN PRIVATE KEX-----", "…", "***"} {
		text := strings.Repeat(unit, testsize.Pick(4<<20, 1<<18)/len(unit))
		begin := time.Now()
		s.Redact(text)
		s.ContainsJSON([]byte(`{"a":"` + text + `"}`))
		if took := time.Since(begin); took > time.Minute {
			t.Errorf("%q: %v", unit, took)
		}
	}
}
