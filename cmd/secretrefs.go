package cmd

import (
	"strings"

	"oneshot/pkg/redact"
)

// refOpen and refClose enclose the name of a secret in the value of a flag.
const (
	refOpen  = "${secret:"
	refClose = "}"
)

// expand replaces each ${secret:NAME} in the value of a flag by the secret of that name, or else by the environment
// variable NAME, which it masks. It returns the used secrets. An unset variable is a *[missingSecretError].
func (s secretStore) expand(env Env, t *console, flag, value string) (expanded string, used []credential, err error) {
	rest := value
	var b strings.Builder
	for {
		before, after, found := strings.Cut(rest, refOpen)
		b.WriteString(before)
		if !found {
			return b.String(), used, nil
		}
		name, tail, closed := strings.Cut(after, refClose)
		if !closed || !isEnvName(name) {
			return "", nil, usagef("for example "+flag+" '"+refOpen+"OPENAI_API_KEY}'", "%s: invalid secret reference, expected %sNAME}", flag, refOpen)
		}
		c, err := s.named(env, t, flag, name)
		if err != nil {
			return "", nil, err
		}
		b.WriteString(c.value)
		rest, used = tail, append(used, c)
	}
}

// named returns the secret of a name. It must be a valid header value.
func (s secretStore) named(env Env, t *console, flag, name string) (c credential, err error) {
	if c, ok := s[name]; ok {
		return c, checkHeaderValue("the secret "+name, c.value)
	}
	word := env.Getenv(name)
	if strings.TrimSpace(word) == "" {
		return c, &missingSecretError{flag, []string{name}}
	}
	c.name = name
	c.value, err = t.hideVariable(name, word)
	return c, err
}

// hideVariable masks and returns the trimmed value of an environment variable. It must be a valid header value.
func (t *console) hideVariable(name, value string) (string, error) {
	value = strings.TrimSpace(value)
	if err := checkHeaderValue("the environment variable "+name, value); err != nil {
		return "", err
	}
	t.hideValue(name, value)
	return value, nil
}

// checkHeaderValue refuses an invalid header value.
func checkHeaderValue(what, value string) error {
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
		return usagef("check its source", "%s contains a line break or another character that a header cannot hold", what)
	}
	return nil
}

// isEnvName reports whether a name is a valid name of an environment variable.
func isEnvName(name string) bool {
	return name != "" && (name[0] < '0' || name[0] > '9') && !strings.ContainsFunc(name, func(r rune) bool { return !isWord(r) })
}

// isWord reports whether a character is an ASCII letter, digit or underscore.
func isWord(r rune) bool {
	return r == '_' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
}

// maskUserInfo masks everything before the last @ of an address, which may be malformed and contain a password.
func maskUserInfo(address string) string {
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

// maskAddress masks the user information in the value of a flag: URL or PROVIDER=URL.
func maskAddress(value string) string {
	_, raw := cutProvider(value)
	if u, err := serverURL("", raw); err == nil && u.User == nil {
		return value // an @ in it is in its path
	}
	return strings.TrimSuffix(value, raw) + maskUserInfo(raw)
}

// A credential is a secret and the hosts it may be sent to.
type credential struct {
	name  string
	value string
	hosts []string // HOST, HOST:PORT or *.HOST; none: any host
}

// A secretStore holds the secrets of a command by name.
type secretStore map[string]credential
