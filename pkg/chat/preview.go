package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// A Preview is what a call comes to when it is made, as far as that can be told without making it.
type Preview struct {
	Argv    []string        `json:"argv,omitempty"` // the program, as the file that runs, and its words
	Request *PreviewRequest `json:"request,omitempty"`
	Files   []PreviewFile   `json:"files,omitempty"` // that the call names
	Fails   string          `json:"fails,omitempty"` // why the call would fail before it does anything
}

// A PreviewRequest is a request that a call makes, without secrets.
type PreviewRequest struct {
	Method string `json:"method"`
	URL    string `json:"url"`
}

// A PreviewFile is a file that a call names.
type PreviewFile struct {
	Path     string `json:"path"`             // as the call names it
	Resolved string `json:"resolved"`         // below the root, links followed
	State    string `json:"state"`            // "file", "missing", or why its content is not known
	Bytes    int    `json:"bytes,omitempty"`  // of what is there
	SHA256   string `json:"sha256,omitempty"` // of what is there
	Reason   string `json:"reason"`           // how the call came to name it
	Diff     string `json:"diff,omitempty"`   // what a write changes, where it is asked for
	Old      []byte `json:"-"`                // what is there, of a file that the call replaces
	New      []byte `json:"-"`                // what it is replaced by; nil where the call replaces nothing
}

// The states of a [PreviewFile] whose content is known.
const (
	FileThere   = "file"
	FileMissing = "missing"
)

// Approval identifies a call of a run together with what it comes to: another call, another run, a file that has
// changed or leads elsewhere, other words or another address have another one.
func (p Preview) Approval(run, call, digest string) string {
	type file struct{ Path, Resolved, State, SHA256 string }
	bound := struct {
		Run, Call, Digest string
		Argv              []string
		Request           *PreviewRequest
		Files             []file
	}{Run: run, Call: call, Digest: digest, Argv: p.Argv, Request: p.Request}
	for _, f := range p.Files {
		bound.Files = append(bound.Files, file{f.Path, f.Resolved, f.State, f.SHA256})
	}
	text, err := json.Marshal(bound)
	if err != nil {
		panic(err) // texts always have a JSON form
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
