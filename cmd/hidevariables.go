package cmd

import (
	"slices"
	"strings"

	"oneshot/pkg/provider"
)

// minKeyLength is the minimum length of a key to mask, in bytes, in a variable that no model uses: for some servers any
// word is a key.
const minKeyLength = 16

// secretWords are words in the names of variables that hold secrets.
var secretWords = []string{"KEY", "KEYS", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PAT", "CREDENTIALS"}

// hideSecretVariables masks variables of programs whose name suggests a secret, in case a program prints its environment.
func (t *console) hideSecretVariables(env Env, names []string) {
	for _, name := range names {
		words := strings.Split(strings.ToUpper(name), "_")
		if slices.ContainsFunc(words, func(word string) bool { return slices.Contains(secretWords, word) }) {
			t.secrets.Add(strings.TrimSpace(env.Getenv(name)))
		}
	}
}

// hideKeys masks the keys of all providers in the environment, used or not.
func (t *console) hideKeys(env Env) {
	for _, p := range provider.Presets() {
		for _, name := range p.Keys {
			if key := strings.TrimSpace(env.Getenv(name)); len(key) >= minKeyLength {
				t.secrets.Add(key)
			}
		}
	}
}
