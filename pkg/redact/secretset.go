// Package redact masks secrets in everything the program outputs.
//
// A [Set] finds known values in all their encodings and masks them. [HideKeys] is the
// fallback for unknown values: it masks texts that look like a key of a well-known service.
package redact

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// MinLength is the minimum length in bytes of a masked secret. Masking shorter ones would damage
// ordinary text and reveal where the secret occurs.
const MinLength = 8

// Mask replaces a secret.
const Mask = "***"

// A Set holds secret values. It may be used concurrently; nil and the zero value mask nothing.
type Set struct {
	mu     sync.RWMutex
	values []value
	finder *finder // built when needed
}

// A value is a secret.
type value struct {
	text        string
	matchHalves bool // a half is as secret as the whole
}

// Add adds a value and reports whether it can be masked. Long lines of a multi-line value, such as a PEM
// key, are masked individually, too.
func (s *Set) Add(text string) bool { return s.add(value{text, true}) }

func (s *Set) add(v value) bool {
	if len(v.text) < MinLength {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.values, v) {
		return true
	}
	s.values = append(s.values, v)
	s.finder = nil // rebuilt when needed
	return true
}

// AddURLCredential adds the password of a URL, or, without one, its user name, which is then a key. It returns this value, "" for
// none. As with [Set.Add], the value may be too short to be masked.
func (s *Set) AddURLCredential(u *url.URL) string {
	if u == nil || u.User == nil {
		return ""
	}
	s.add(value{u.User.String(), false}) // the first half is a name
	word, _ := u.User.Password()
	s.Add(base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + word))) // the value of the Authorization header
	word = cmp.Or(word, u.User.Username())
	s.Add(word)
	return word
}

// getFinder returns the finder of the values, nil if there are none.
func (s *Set) getFinder() *finder {
	if s == nil {
		return nil
	}
	s.mu.RLock()
	f, none := s.finder, len(s.values) == 0
	s.mu.RUnlock()
	if f != nil || none {
		return f
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finder == nil {
		s.finder = newFinder(s.values)
	}
	return s.finder
}

// IsEmpty reports whether the set has no values.
func (s *Set) IsEmpty() bool { return s.getFinder() == nil }

// Hide masks the secrets in a text: also in base64, in hexadecimal, with JSON or URL escapes, halves of
// them, and the remains of truncated ones.
func (s *Set) Hide(text string) string {
	f := s.getFinder()
	if f == nil || len(text) < MinLength {
		return text
	}
	return maskSpans(text, f.find(text))
}

// Contains reports whether a text contains a secret, or half of one, in any encoding.
func (s *Set) Contains(text string) bool {
	f := s.getFinder()
	return f != nil && len(text) >= MinLength && f.contains(text)
}

// Redact masks secrets and texts that look like a key of a well-known service, in text for people such as errors.
func (s *Set) Redact(text string) string { return HideKeys(s.Hide(text)) }

// A span is a half-open range of bytes.
type span struct{ from, to int }

// maskSpans replaces spans, which are sorted and disjoint.
func maskSpans(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.from])
		b.WriteString(Mask)
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}
