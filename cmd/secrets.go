package cmd

import (
	"io"
	"strings"

	"oneshot/pkg/redact"
)

// A redactingWriter lets no secret through that stands within one Write, and nothing that
// looks like a key.
type redactingWriter struct {
	to      io.Writer
	secrets *redact.Set
}

func (w redactingWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.secrets.Redact(string(p))); err != nil {
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

// expand replaces each ${secret:NAME} in the value of a flag by the secret of that name, or
// else by the environment variable NAME, which is hidden from then on. It returns those it
// used; an unset variable is a *[missingSecretError].
func (o *secretOptions) expand(env Env, t *console, flag, value string) (expanded string, used []credential, err error) {
	rest := value
	var b strings.Builder
	for {
		before, after, found := strings.Cut(rest, refOpen)
		b.WriteString(before)
		if !found {
			return b.String(), used, nil
		}
		name, tail, closed := strings.Cut(after, refClose)
		if !closed || !isVariable(name) {
			return "", nil, usagef("for example "+flag+" '"+refOpen+"OPENAI_API_KEY}'", "%s: invalid secret reference, expected %sNAME}", flag, refOpen)
		}
		c, err := o.named(env, t, flag, name)
		if err != nil {
			return "", nil, err
		}
		b.WriteString(c.value)
		rest, used = tail, append(used, c)
	}
}

// writeNamed returns the secret of a name, which has to fit into a header.
func (o *secretOptions) named(env Env, t *console, flag, name string) (c credential, err error) {
	if c, ok := o.known[name]; ok {
		return c, fits("the secret "+name, c.value)
	}
	word := env.Getenv(name)
	if strings.TrimSpace(word) == "" {
		return c, &missingSecretError{flag, []string{name}}
	}
	c.name = name
	c.value, err = t.hideVariable(name, word)
	return c, err
}

// hideVariable hides the value of an environment variable, without the blanks around it,
// and returns it. It has to fit into a header.
func (t *console) hideVariable(name, value string) (string, error) {
	value = strings.TrimSpace(value)
	if err := fits("the environment variable "+name, value); err != nil {
		return "", err
	}
	t.hideValue(name, value)
	return value, nil
}

// fits refuses a value that cannot stand in a header.
func fits(what, value string) error {
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
		return usagef("check its source", "%s contains a line break or another character that a header cannot hold", what)
	}
	return nil
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
	return scheme + redact.Mask + address[at:]
}
