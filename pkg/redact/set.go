// Package redact keeps secrets out of what the program writes and lets out.
//
// A [Set] knows the values, finds them in any of their spellings, and hides them. What it
// does not know it cannot find; [HideKeys] is the second line, which hides what looks like
// a key of a well-known service.
package redact

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Shortest is the length, in bytes, from which a secret is hidden. A shorter one would be
// replaced all over ordinary text, which spoils the text and tells where the secret stands.
const Shortest = 8

// Mask stands where a secret stood.
const Mask = "***"

// A Set holds the values that nothing this program writes may contain. It may be used by
// several goroutines; nil and the zero value hide nothing.
type Set struct {
	mu     sync.RWMutex
	values []value
	finder *finder // of the values; nil until it is needed
}

// A value is a secret.
type value struct {
	text   string
	halves bool // a half of it is as secret as the whole
}

// Add hides a value from now on, and reports whether that can be done. Of a value with
// several lines, such as a key in PEM form, each long line is hidden on its own, too.
func (s *Set) Add(text string) bool { return s.add(value{text, true}) }

func (s *Set) add(v value) bool {
	if len(v.text) < Shortest {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.values, v) {
		return true
	}
	s.values = append(s.values, v)
	s.finder = nil // it is made when it is needed
	return true
}

// AddURL hides the password of an address, or, without one, its user name, which is then a
// key.
func (s *Set) AddURL(u *url.URL) {
	if u == nil || u.User == nil {
		return
	}
	s.add(value{u.User.String(), false}) // the first half is a name
	word, ok := u.User.Password()
	s.Add(base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + word))) // as the header has it
	if !ok {
		word = u.User.Username()
	}
	s.Add(word)
}

// known returns what finds the values, or nil when there are none.
func (s *Set) known() *finder {
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

// None reports whether there is nothing to hide.
func (s *Set) None() bool { return s.known() == nil }

// Hide returns a text without secrets: each is replaced by [Mask], also in base64, in
// hexadecimal, with escapes of JSON or of addresses, its first and its last half, and what
// is left of it where the text was cut.
func (s *Set) Hide(text string) string {
	f := s.known()
	if f == nil || len(text) < Shortest {
		return text
	}
	return masked(text, f.find(text))
}

// Holds reports whether a text holds a secret, or half of one, in any of its spellings.
func (s *Set) Holds(text string) bool {
	f := s.known()
	return f != nil && f.holds(text)
}

// Redact returns a text for people, such as an error: without secrets and without what
// looks like a key of a well-known service.
func (s *Set) Redact(text string) string { return HideKeys(s.Hide(text)) }

// A span is a part of a text in bytes, without its end.
type span struct{ from, to int }

// masked returns a text with the mask in place of spans, which are in order and apart.
func masked(text string, spans []span) string {
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
