package cmd

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"oneshot/pkg/model"
)

// noCore has the system write no core file.
func noCore() {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &limit) == nil {
		limit.Cur = 0
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &limit) // everybody may lower their own
	}
}

// leastKey is from how many bytes on the variable of a provider that is not asked holds a
// key: some servers take any word for one.
const leastKey = 16

// secretWords are words in the names of variables that hold secrets.
var secretWords = []string{"KEY", "KEYS", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PAT", "CREDENTIALS"}

// hideVariables hides the values of variables that programs get, where the name says that they
// are secrets: a program that prints its environment tells none of them to a model.
func (t *console) hideVariables(env Env, names []string) {
	for _, name := range names {
		words := strings.Split(strings.ToUpper(name), "_")
		if slices.ContainsFunc(words, func(word string) bool { return slices.Contains(secretWords, word) }) {
			t.secrets.Add(strings.TrimSpace(env.Getenv(name)))
		}
	}
}

// hideKeys hides the keys of all providers that the environment holds, whether they are used
// or not.
func (t *console) hideKeys(env Env) {
	for _, p := range model.Providers() {
		for _, name := range p.Keys {
			if key := strings.TrimSpace(env.Getenv(name)); len(key) >= leastKey {
				t.secrets.Add(key)
			}
		}
	}
}
