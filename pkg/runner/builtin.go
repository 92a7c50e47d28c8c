package runner

import (
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/vault"
)

// The names of the tools that are written in Go.
const (
	Wget        = "wget"
	VaultSearch = "vault_search"
	FileRead    = "file_read"
	FilePut     = "file_put"
	SendChat    = "send_chat"
	Say         = "say"
	OpenURL     = "open_url"
)

// BuiltinNames returns the names of the tools that are written in Go.
func BuiltinNames() []string {
	return []string{Wget, VaultSearch, FileRead, FilePut, SendChat, Say, OpenURL}
}

// Writers returns the names of those that change something.
func Writers() []string { return []string{FilePut, OpenURL} }

// Env is what the tools written in Go may touch. A tool whose part is nil fails
// when it is called. Whoever fills it in also closes what is in it, when the run
// is over.
type Env struct {
	Root    *vault.Root
	Client  *http.Client // made by package netguard
	Chat    io.Writer    // gets each message of send_chat with one Write
	Speaker *Speaker
	Opener  *Opener
}

// Builtins returns the tools that are written in Go, by the names of
// [BuiltinNames].
func Builtins(env Env) map[string]Func {
	return map[string]Func{
		Wget:        fetcher{env.Client}.wget,
		VaultSearch: files{env.Root}.search,
		FileRead:    files{env.Root}.read,
		FilePut:     files{env.Root}.put,
		SendChat:    (&talker{out: env.Chat}).send,
		Say:         env.Speaker.say,
		OpenURL:     env.Opener.open,
	}
}

// decode reads the arguments of a call strictly: unknown, repeated and misspelt
// names, wrong types and text after the object are errors.
func decode[T any](args []byte) (T, error) {
	var v T
	err := json.Unmarshal(args, &v, json.RejectUnknownMembers(true))
	return v, err
}

// integer reads an optional integer argument within a range. 5, 5.0 and 5e0 are
// the same.
func integer(name string, value jsontext.Value, absent, low, high int64) (int64, error) {
	if len(value) == 0 {
		return absent, nil
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		f, err := strconv.ParseFloat(string(value), 64)
		if err != nil || f != float64(int64(f)) {
			return 0, fmt.Errorf("%s must be an integer, not %s", name, value)
		}
		n = int64(f)
	}
	if n < low || n > high {
		return 0, fmt.Errorf("%s must be from %d to %d, not %s", name, low, high, value)
	}
	return n, nil
}
