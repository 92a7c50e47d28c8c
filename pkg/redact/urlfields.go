package redact

import (
	"slices"
	"strings"
)

// Names of URL fields in lower case. The value of a secret field is always a secret, that of a key
// field only if it looks like a key.
var (
	secretFields = []string{
		"access_token", "refresh_token", "id_token", "client_secret", "api_key", "apikey", "sig", "signature", "password", "passwd",
		"x-amz-signature", "x-amz-credential", "x-amz-security-token", "x-goog-signature", "x-goog-credential", "auth_token", "authtoken", "sastoken",
	}
	keyFields = []string{"token", "code", "key", "auth", "session", "secret", "t", "jwt", "assertion", "awsaccesskeyid"}
)

const (
	maxFieldName   = 24 // bytes of a field name
	minSecretValue = 6  // bytes of the value of a secret field
	minKeyValue    = 12
)

// secretFieldRange returns the range of a secret field value in a text that begins with ?, & or #. To is 0 if not found.
func secretFieldRange(text string) (from, to int) {
	name, _, ok := strings.Cut(text[1:min(len(text), maxFieldName+2)], "=")
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
	case slices.Contains(secretFields, name) && len(value) >= minSecretValue:
		return from, to
	case slices.Contains(keyFields, name) && len(value) >= minKeyValue && strings.ContainsAny(value, "0123456789") && strings.Trim(value, "0123456789") != "":
		return from, to
	}
	return 0, 0
}
