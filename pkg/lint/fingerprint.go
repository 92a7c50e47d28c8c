package lint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strconv"

	"oneshot/pkg/diag"
)

// A BaselineEntry is a finding as a baseline records it. The fingerprint identifies it; the rest is for
// people.
type BaselineEntry struct {
	Fingerprint string    `json:"fingerprint"`
	Code        diag.Code `json:"code"`
	File        string    `json:"file"`
	Call        string    `json:"call,omitzero"` // the name of the call
	Path        string    `json:"path,omitzero"`
	Nth         int       `json:"nth,omitzero"` // number among otherwise equal findings; absent for the first
}

// A Fingerprinter computes the entries of one file's findings.
//
// A fingerprint does not depend on line numbers or on text elsewhere in the file. It is the hex
// form of the first 16 bytes of the SHA-256 of a JSON array of strings: the code, the file name as
// [CleanFileName] returns it, the subject, the JSON pointer, and the number among findings for which
// all of this is equal. The subject is
//
//   - the name of the call and the SHA-256 of its arguments: with sorted keys and without
//     white space, or, for unparseable ones, their text with single spaces;
//   - otherwise empty if there is a JSON pointer. Findings about a document and its schema
//     always have one: that of the whole document is empty;
//   - otherwise the marked text and the text before and after it on its line, at most 160
//     bytes each, with single spaces.
//
// Findings must be passed in file order.
type Fingerprinter struct {
	lines *diag.Lines
	seen  map[[sha256.Size]byte]int
	last  struct { // the call of the latest finding, and its arguments
		call *Call
		args string
	}
}

// NewFingerprinter returns the fingerprinter of a new file.
func NewFingerprinter() *Fingerprinter {
	return &Fingerprinter{lines: diag.NewLines(nil), seen: map[[sha256.Size]byte]int{}}
}

// SetText sets the part of the file that holds the findings that follow.
func (p *Fingerprinter) SetText(part diag.Text) { p.lines = part.Lines() }

// Entry returns the entry of the next finding. Calls are those of the finding's record.
func (p *Fingerprinter) Entry(f diag.Finding, calls []Call) BaselineEntry {
	e := BaselineEntry{Code: f.Code, File: CleanFileName(f.File), Path: f.Path}
	about := []string{string(f.Code), e.File, f.Path}
	switch {
	case f.Call != nil:
		e.Call = calls[*f.Call].Name
		about = append(about, "call", e.Call, p.argumentsDigest(&calls[*f.Call]))
	case f.Path == "" && f.Code != diag.SchemaMismatch:
		about = append(append(about, "text"), p.markedText(f.Span)...)
	}
	key := digest(about)
	p.seen[key]++
	nth := p.seen[key]
	if nth > 1 {
		e.Nth = nth
	}
	sum := digest(append(about, strconv.Itoa(nth)))
	e.Fingerprint = hex.EncodeToString(sum[:16])
	return e
}

// CleanFileName returns the file name that entries use: cleaned and with slashes, so that ./a and a are
// equal.
func CleanFileName(name string) string { return filepath.ToSlash(filepath.Clean(name)) }

// digest returns the SHA-256 of strings as a JSON array. All invalid UTF-8 is equal in it.
func digest(parts []string) [sha256.Size]byte {
	text, err := json.Marshal(parts)
	if err != nil {
		text = nil // strings always marshal
	}
	return sha256.Sum256(text)
}

// argumentsDigest returns the digest of a call's arguments. It keeps the latest, because the
// findings of one call are consecutive.
func (p *Fingerprinter) argumentsDigest(c *Call) string {
	if p.last.call != c {
		sum := sha256.Sum256([]byte(c.normalizedArguments()))
		p.last.call, p.last.args = c, hex.EncodeToString(sum[:])
	}
	return p.last.args
}

// normalizedArguments returns the arguments in a form that does not depend on their spelling.
func (c *Call) normalizedArguments() string {
	var text string
	if json.Unmarshal(c.Arguments, &text) == nil { // unparseable arguments
		return collapseSpaces([]byte(text))
	}
	args, err := canonicalJSON(c.Arguments)
	if err != nil {
		return collapseSpaces(c.Arguments)
	}
	return string(args)
}

// markedText returns the marked text on the span's first line, and the text before and after it.
func (p *Fingerprinter) markedText(s diag.Span) []string {
	const reach = 160
	if s.Line == 0 {
		return nil
	}
	text, start, end := p.lines.Offsets(s)
	before := text[max(0, start-reach):start]
	if i := bytes.LastIndexAny(before, "\r\n"); i >= 0 {
		before = before[i+1:]
	}
	mark := firstLine(text[start:min(end, start+reach)])
	after := firstLine(text[start+len(mark) : min(len(text), start+len(mark)+reach)])
	return []string{collapseSpaces(before), collapseSpaces(mark), collapseSpaces(after)}
}

func firstLine(text []byte) []byte {
	if i := bytes.IndexAny(text, "\r\n"); i >= 0 {
		return text[:i]
	}
	return text
}

// collapseSpaces returns a text with single spaces between its words.
func collapseSpaces(text []byte) string {
	return string(bytes.Join(bytes.Fields(text), []byte(" ")))
}
