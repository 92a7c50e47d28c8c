package cmd

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// shortestHidden is the length, in bytes, from which a secret is hidden. A
// shorter one would be replaced all over ordinary text, which spoils the text
// and tells where the secret stands.
const shortestHidden = 8

// mask stands where a secret stood.
const mask = "***"

// secrets are the values that nothing this program writes may contain. It is
// safe for concurrent use, and the zero value hides nothing.
type secrets struct {
	mu       sync.RWMutex
	values   []string
	replacer *strings.Replacer
}

// add hides a value from now on, and reports whether that can be done.
func (s *secrets) add(value string) bool {
	if len(value) < shortestHidden {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.values, value) {
		return true
	}
	s.values = append(append(s.values, value), spellings(value)...)
	// The longest first, so that nothing is left of one that holds another.
	slices.SortFunc(s.values, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, v := range s.values {
		pairs = append(pairs, v, mask)
	}
	s.replacer = strings.NewReplacer(pairs...)
	return true
}

// addURL hides the password of an address, or, without one, its user name,
// which is then a key.
func (s *secrets) addURL(u *url.URL) {
	if u == nil || u.User == nil {
		return
	}
	s.add(u.User.String())
	word, ok := u.User.Password()
	s.add(base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + word))) // as the header has it
	if !ok {
		word = u.User.Username()
	}
	s.add(word)
}

// spellings returns how else a secret is written: in a JSON string, in an
// address, in base64.
func spellings(value string) []string {
	quoted, _ := jsontext.AppendQuote(nil, value) // the error is about bytes that are not UTF-8
	all := []string{
		string(quoted[1 : len(quoted)-1]), url.QueryEscape(value), url.PathEscape(value),
		base64.RawStdEncoding.EncodeToString([]byte(value)), base64.RawURLEncoding.EncodeToString([]byte(value)),
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(s string) bool { return s == value })
}

// none reports whether there is nothing to hide.
func (s *secrets) none() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.replacer == nil
}

// hide returns a text without secrets.
func (s *secrets) hide(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.replacer == nil {
		return text
	}
	return s.hideCut(s.replacer.Replace(text))
}

// cut stands where a long text was cut, perhaps inside a secret.
const cut = "…"

// hideCut hides what is left of a secret where a text was cut.
func (s *secrets) hideCut(text string) string {
	if !strings.Contains(text, cut) {
		return text
	}
	parts := strings.Split(text, cut)
	for i := range parts {
		for _, v := range s.values {
			if i < len(parts)-1 {
				parts[i] = maskEnd(parts[i], v)
			}
			if i > 0 {
				parts[i] = maskStart(parts[i], v)
			}
		}
	}
	return strings.Join(parts, cut)
}

// maskEnd replaces the beginning of a secret at the end of a text.
func maskEnd(text, secret string) string {
	for n := min(len(text), len(secret)-1); n >= shortestHidden; n-- {
		if strings.HasSuffix(text, secret[:n]) {
			return text[:len(text)-n] + mask
		}
	}
	return text
}

// maskStart replaces the end of a secret at the beginning of a text.
func maskStart(text, secret string) string {
	for n := min(len(text), len(secret)-1); n >= shortestHidden; n-- {
		if strings.HasPrefix(text, secret[len(secret)-n:]) {
			return mask + text[n:]
		}
	}
	return text
}

// hideName returns the name of a member without secrets. A secret that is a
// plain word may well be a name that this program or a schema uses, and is left.
func (s *secrets) hideName(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) }) {
		return name
	}
	return s.hide(name)
}

// hideJSON returns a JSON document without secrets in its strings and names. One
// without any is returned as it is, byte for byte.
func (s *secrets) hideJSON(doc []byte) []byte {
	if s.none() {
		return doc
	}
	in := jsontext.NewDecoder(bytes.NewReader(doc), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	found := false
	var err error
	for err == nil {
		hide := s.hide
		if kind, length := in.StackIndex(in.StackDepth()); kind == '{' && length%2 == 0 {
			hide = s.hideName
		}
		var token jsontext.Token
		if token, err = in.ReadToken(); err != nil {
			break
		}
		if token.Kind() == '"' {
			text := token.String()
			if hidden := hide(text); hidden != text {
				token, found = jsontext.String(hidden), true
			}
		}
		err = enc.WriteToken(token)
	}
	switch {
	case !errors.Is(err, io.EOF):
		return []byte(s.hide(string(doc))) // not JSON: as text
	case !found:
		return doc
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// A hidingWriter lets no secret through that stands within one Write.
type hidingWriter struct {
	to      io.Writer
	secrets *secrets
}

func (w hidingWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.secrets.hide(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// refOpen and refClose stand around the name of a secret in a flag's value.
const (
	refOpen  = "${secret:"
	refClose = "}"
)

// A missingSecretError says that no environment variable that could hold a
// secret is set.
type missingSecretError struct {
	whose string   // the flag or the model that needs it
	names []string // of the variables
}

func (e *missingSecretError) Error() string {
	return e.whose + ": the environment variable " + strings.Join(e.names, " or ") + " is not set, or empty"
}

// resolve replaces each ${secret:NAME} in the value of a flag by the environment
// variable NAME, which is hidden from then on. It reports whether there was
// one; an unset variable is a *missingSecretError.
func (t *talk) resolve(getenv func(string) string, flag, value string) (resolved string, secret bool, err error) {
	rest := value
	var b strings.Builder
	for {
		before, after, found := strings.Cut(rest, refOpen)
		b.WriteString(before)
		if !found {
			return b.String(), secret, nil
		}
		name, tail, closed := strings.Cut(after, refClose)
		if !closed || !isVariable(name) {
			return "", false, usagef("for example "+flag+" '"+refOpen+"OPENAI_API_KEY}'", "%s: a reference to a secret is not %sNAME}", flag, refOpen)
		}
		word := getenv(name)
		if strings.TrimSpace(word) == "" {
			return "", false, &missingSecretError{flag, []string{name}}
		}
		if word, err = t.keep(name, word); err != nil {
			return "", false, err
		}
		b.WriteString(word)
		rest, secret = tail, true
	}
}

// keep hides the value of an environment variable, without the blanks around it,
// and returns it. It has to fit into a header.
func (t *talk) keep(name, value string) (string, error) {
	value = strings.TrimSpace(value)
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", usagef("check what sets "+name, "the environment variable %s holds a line break or another character that no key has", name)
	}
	if !t.secrets.add(value) {
		t.note("the value of %s is shorter than %d bytes and cannot be hidden where it is shown", name, shortestHidden)
	}
	return value, nil
}

// isVariable reports whether a name is that of an environment variable.
func isVariable(name string) bool {
	return name != "" && (name[0] < '0' || name[0] > '9') && !strings.ContainsFunc(name, func(r rune) bool { return !isWord(r) })
}

// isWord reports whether a character is a letter, a digit or an underscore of
// ASCII.
func isWord(r rune) bool {
	return r == '_' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
}

// withoutUser returns an address as it was typed, without what stands before its
// last @: it may be wrong in any way, and it may hold a password.
func withoutUser(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return address
	}
	scheme, _, found := strings.Cut(address[:at], "://")
	if found {
		scheme += "://"
	} else {
		scheme = ""
	}
	return scheme + mask + address[at:]
}
