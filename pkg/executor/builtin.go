package executor

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/fileroot"
	"oneshot/pkg/redact"
	"oneshot/pkg/subprocess"
	"oneshot/pkg/tool"
)

// The names of the tools that are written in Go.
const (
	Wget            = "wget"
	VaultSearch     = "vault_search"
	FileRead        = "file_read"
	FilePut         = "file_put"
	SendChat        = "send_chat"
	Say             = "say"
	OpenURL         = "open_url"
	TerminalExecute = "terminal_execute"
)

// BuiltinNames returns the names of the tools that are written in Go.
func BuiltinNames() []string {
	return []string{Wget, VaultSearch, FileRead, FilePut, SendChat, Say, OpenURL, TerminalExecute}
}

// Writers returns the names of those that change something.
func Writers() []string { return []string{FilePut, OpenURL} }

// Programs returns the names of those that run programs which a model names.
func Programs() []string { return []string{TerminalExecute} }

// RunsPrograms reports whether calls of a tool run programs.
func RunsPrograms(def *tool.Definition) bool {
	return def.Backend() == tool.BackendExec || slices.Contains(Programs(), def.Builtin)
}

// NeedsRoot reports whether no call of a tool can succeed without a root.
func NeedsRoot(def *tool.Definition) bool {
	return RunsPrograms(def) || slices.Contains([]string{VaultSearch, FileRead, FilePut}, def.Builtin)
}

// Env is what tools may touch. A tool whose part is nil fails when it is called. Whoever fills
// it in also closes what is in it, when the run is over.
type Env struct {
	Root *fileroot.Root
	// FileLabels returns the labels of the data of a file below the root; nil knows none.
	FileLabels func(path string) []tool.Label
	Client     *http.Client // made by package netguard
	Chat       io.Writer    // gets each message of send_chat with one Write
	Speaker    *Speaker
	Opener     *Opener
	// Programs are how programs run, below the root.
	Programs *subprocess.Confinement
	// Getenv returns variables of the caller, "" for one that is not set; nil knows none.
	Getenv func(name string) string
	// Variables are the names of those that programs may see. Nil is those that definitions name.
	Variables []string
	// Secret returns the secret that a request of a definition names; nil knows none.
	Secret func(name string) string
	// Secrets are taken out of what is read before it is searched or cut, and out of every
	// result.
	Secrets *redact.Set
	// Funcs are more tools written in Go, by the names of their definitions' key builtin.
	Funcs map[string]Func
}

// builtins returns the tools that are written in Go, by their names.
func (e Env) builtins() map[string]perform {
	labels := e.FileLabels
	if labels == nil {
		labels = func(string) []tool.Label { return nil }
	}
	files := files{e.Root, e.Secrets.Hide, labels}
	all := map[string]perform{TerminalExecute: terminal{e.programs()}.execute, FileRead: files.read}
	for name, f := range map[string]Func{
		Wget:        fetcher{e.Client, e.Secrets.Hide}.wget,
		VaultSearch: files.search,
		FilePut:     files.put,
		SendChat:    (&talker{out: e.Chat}).send,
		Say:         e.Speaker.say,
		OpenURL:     e.Opener.open,
	} {
		all[name] = f.perform
	}
	for name, f := range e.Funcs {
		all[name] = f.perform
	}
	return all
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
