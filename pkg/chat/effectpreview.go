package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// A CallPreview describes the effects of a call, as far as they are known without executing it.
type CallPreview struct {
	Argv    []string        `json:"argv,omitempty"` // the program's file and arguments
	Request *RequestPreview `json:"request,omitempty"`
	Files   []FilePreview   `json:"files,omitempty"` // the files that the call names
	Fails   string          `json:"fails,omitempty"` // why the call would fail before it has any effect
}

// A RequestPreview is the HTTP request of a call, without secrets.
type RequestPreview struct {
	Method string `json:"method"`
	URL    string `json:"url"`
}

// A FilePreview is a file that a call names.
type FilePreview struct {
	Path     string `json:"path"`             // as written in the call
	Resolved string `json:"resolved"`         // relative to the root, with links resolved
	State    string `json:"state"`            // [FilePresent], [FileMissing], or why its content is unknown
	Bytes    int    `json:"bytes,omitempty"`  // size of the current content
	SHA256   string `json:"sha256,omitempty"` // of the current content
	Reason   string `json:"reason"`           // why the call accesses it
	Diff     string `json:"diff,omitempty"`   // changes of a write, if requested
	Old      []byte `json:"-"`                // current content of a file that the call replaces
	New      []byte `json:"-"`                // new content; nil if the call replaces nothing
}

// The states of a [FilePreview] whose content is known.
const (
	FilePresent = "file"
	FileMissing = "missing"
)

// ApprovalDigest returns a digest of a call of a run and its effects. It changes with the run, the call, the arguments, the
// address, and the content and target of each file.
func (p CallPreview) ApprovalDigest(run, call, digest string) string {
	type file struct{ Path, Resolved, State, SHA256 string }
	bound := struct {
		Run, Call, Digest string
		Argv              []string
		Request           *RequestPreview
		Files             []file
	}{Run: run, Call: call, Digest: digest, Argv: p.Argv, Request: p.Request}
	for _, f := range p.Files {
		bound.Files = append(bound.Files, file{f.Path, f.Resolved, f.State, f.SHA256})
	}
	text, err := json.Marshal(bound)
	if err != nil {
		panic(err) // strings always marshal
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
