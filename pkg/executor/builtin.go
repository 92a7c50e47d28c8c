package executor

import (
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/fileroot"
	"oneshot/pkg/redact"
	"oneshot/pkg/subprocess"
	"oneshot/pkg/tool"
)

// Names of the built-in tools, see [tool.Builtins].
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

// Env is the environment of tools. A tool whose part is nil fails when called. The caller closes the parts when
// the run is over.
type Env struct {
	Root *fileroot.Root
	// FileLabels returns the labels of a file below the root; nil: none.
	FileLabels    func(path string) []tool.Label
	Client        *http.Client // created by package netguard
	Chat          io.Writer    // receives each send_chat message with one Write; nil if the run shows no messages
	TextToSpeech  *TextToSpeech
	BrowserOpener *BrowserOpener
	// Programs confines the programs that tools run.
	Programs *subprocess.Confinement
	// Getenv returns environment variables of the caller, "" if unset; nil: none.
	Getenv func(name string) string
	// Variables are the variables that programs may see; nil: those that definitions name.
	Variables []string
	// Secret returns a secret that an HTTP tool names; nil: none.
	Secret func(name string) string
	// Secrets are masked in all data before it is searched or truncated, and in every
	// result.
	Secrets *redact.Set
	// Funcs are additional tools written in Go, keyed by the definition's member builtin.
	Funcs map[string]Func
}

// builtins returns the built-in tools by name.
func (e Env) builtins() map[string]execute {
	labels := e.FileLabels
	if labels == nil {
		labels = func(string) []tool.Label { return nil }
	}
	files := files{e.Root, e.Secrets.Hide, labels}
	all := map[string]execute{TerminalExecute: terminalCommand{e.programs()}.execute, FileRead: files.read, FilePut: files.put}
	for name, f := range map[string]Func{
		Wget:        fetcher{e.Client, e.Secrets.Hide}.wget,
		VaultSearch: files.search,
		SendChat:    (&chatWriter{out: e.Chat}).send,
		Say:         e.TextToSpeech.say,
		OpenURL:     e.BrowserOpener.open,
	} {
		all[name] = f.execute
	}
	for name, f := range e.Funcs {
		all[name] = f.execute
	}
	return all
}

// decodeStrict parses call arguments strictly: unknown, repeated and misspelt names, wrong types and
// trailing text are errors.
func decodeStrict[T any](args []byte) (T, error) {
	var v T
	err := json.Unmarshal(args, &v, json.RejectUnknownMembers(true))
	return v, err
}

// parseInteger parses an optional integer argument within a range. 5, 5.0 and 5e0 are equal.
func parseInteger(name string, value jsontext.Value, absent, low, high int64) (int64, error) {
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
