package redact

import (
	"strings"
	"testing"
)

// The keys are assembled here, so that secret scanners do not report this file.
func TestHideKeys(t *testing.T) {
	some := func(n int) string { return strings.Repeat("a1B2c3D4e5F6g7H8", 8)[:n] }
	upper := func(n int) string { return strings.Repeat("A1B2C3D4E5", 8)[:n] }
	pem := "-----BEGIN OPENSSH " + "PRIVATE KEY-----\n" + some(64) + "\n-----END OPENSSH " + "PRIVATE KEY-----"
	for _, key := range []string{
		"ghp_" + some(36), "gho_" + some(36), "github_pat_" + some(22) + "_" + some(59), "glpat-" + some(20),
		"xoxb-" + "123456789012-" + some(24), "AKIA" + upper(16), "AIzaSy" + some(33), "ya29." + some(40),
		"sk-" + some(48), "sk-ant-" + "api03-" + some(90), "sk-proj-" + some(60), "sk_live_" + some(24), "hf_" + some(34),
		"eyJ" + some(20) + "." + some(40) + "." + some(43),
		pem, strings.Replace(pem, "OPENSSH ", "", 2), strings.ReplaceAll(pem, "\n", `\n`),
	} {
		for _, around := range [][2]string{{"", ""}, {"key=", ", see"}, {`{"k":"`, `"}`}, {`line\n`, `\n`}, {"Bearer ", "\n"}} {
			if got, want := HideKeys(around[0]+key+around[1]), around[0]+Mask+around[1]; got != want {
				t.Errorf("%s: %q, want %q", key, got, want)
			}
		}
	}
	for text, want := range map[string]string{
		pem[:60]:                          Mask, // without an end
		"sk-" + some(8) + "...abcd":       "sk-***...abcd",
		"sk-proj-" + some(4) + "****wxyz": "sk-***" + "****wxyz",
		"sk-...abcd":                      "sk-...abcd",
	} {
		if got := HideKeys(text); got != want {
			t.Errorf("HideKeys(%q) = %q, want %q", text, got, want)
		}
	}
}

// Texts that only resemble a key are unchanged.
func TestNoKeys(t *testing.T) {
	for _, text := range []string{
		"", "-", "e", "sk-", "sk-2026-11-22-the-notes-of-release-1-2-3", "the task-force-of-1999-is-here-and-there-and-back", "sk-learn-is-a-library-for-everyone-who-likes-it",
		"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"0b3d9c7e-41f4-4a0e-9d3b-7f1a2c5e6d80", "AKIASHORT", "eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJIUzI1NiJ9.", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0", "eye.witness.account",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN ", "-----BEGIN PUBLIC KEY-----", "ghp_short", "https://example.org/AIza",
		"github_pat_", "xoxb-words-only-and-no-digits-in-it", "https://ya29.example.org/path/to/a/page/that/is/long",
	} {
		if got := HideKeys(text); got != text {
			t.Errorf("HideKeys(%q) = %q", text, got)
		}
	}
}

func TestRedact(t *testing.T) {
	s := of(t, word)
	key := "AKIA" + strings.Repeat("A1B2", 4)
	if got := s.Redact(word + " and " + key); got != "*** and ***" {
		t.Errorf("Redact = %q", got)
	}
	if got := s.Hide(key); got != key {
		t.Errorf("Hide = %q: it is not known", got)
	}
}

// The time depends only on the length of the text.
func BenchmarkHideKeys(b *testing.B) {
	for _, unit := range []string{"The quick brown fox. ", "sk-", "ya29.", "eyJaaaaaaaa.", "-----BEGIN PRIVATE KEX-----", "-----BEGIN "} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		b.Run(unit, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				HideKeys(text)
			}
		})
	}
}
