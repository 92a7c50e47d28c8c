package redact

import (
	"slices"
	"strings"
)

// Names of fields of an address whose values are secrets, in small letters. Of the others a value
// is one only if it looks like a key.
var (
	secretFields = []string{
		"access_token", "refresh_token", "id_token", "client_secret", "api_key", "apikey", "sig", "signature", "password", "passwd",
		"x-amz-signature", "x-amz-credential", "x-amz-security-token", "x-goog-signature", "x-goog-credential", "auth_token", "authtoken", "sastoken",
	}
	keyFields = []string{"token", "code", "key", "auth", "session", "secret", "t", "jwt", "assertion", "awsaccesskeyid"}
)

const (
	longestField = 24 // of their names
	leastSecret  = 6  // bytes of the value of a secret field
	leastKey     = 12
)

// inAddress returns where in a text that begins with ?, & or # the value of a field stands that
// is a secret; to is 0 if there is none.
func inAddress(text string) (from, to int) {
	name, _, ok := strings.Cut(text[1:min(len(text), longestField+2)], "=")
	if !ok || name == "" {
		return 0, 0
	}
	from = 1 + len(name) + 1
	to = from + len(text[from:])
	if end := strings.IndexAny(text[from:], "?&#;\"'<>()[]{}|\\^`, \t\r\n"); end >= 0 {
		to = from + end
	}
	name, value := strings.ToLower(name), text[from:to]
	switch {
	case slices.Contains(secretFields, name) && len(value) >= leastSecret:
		return from, to
	case slices.Contains(keyFields, name) && len(value) >= leastKey && strings.ContainsAny(value, "0123456789") && strings.Trim(value, "0123456789") != "":
		return from, to
	}
	return 0, 0
}
