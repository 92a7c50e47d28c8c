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

// An Entry is a finding as a baseline records it. What identifies it is the
// fingerprint; the rest is for people.
type Entry struct {
	Fingerprint string    `json:"fingerprint"`
	Code        diag.Code `json:"code"`
	File        string    `json:"file"`
	Call        string    `json:"call,omitzero"` // the name of the call it is about
	Path        string    `json:"path,omitzero"`
	Nth         int       `json:"nth,omitzero"` // among findings that are equal otherwise; absent for the first
}

// Fingerprints makes the entries of the findings of one file.
//
// A fingerprint depends on no line number and on no text elsewhere in the file.
// It is the hex form of the first 16 bytes of the SHA-256 of a JSON array of
// strings: the code, the name of the file as [EntryFile] has it, what the
// finding is about, its JSON pointer, and its number among the findings for
// which all that is equal. What it is about is
//
//   - the name of the call it names, and the SHA-256 of its arguments: their keys in
//     order and without blanks, or the text of unreadable ones with single blanks;
//   - otherwise nothing more when it has a JSON pointer, as every finding about
//     how a document fits its schema does: that of the whole document is empty;
//   - otherwise the marked text, and what stands before and after it on its line,
//     at most 160 bytes each, with single blanks.
//
// The findings of a file have to come in their order.
type Fingerprints struct {
	lines *diag.Lines
	seen  map[[sha256.Size]byte]int
	last  struct { // the call of the latest finding, and its arguments
		call *Call
		args string
	}
}

// NewFingerprints returns the fingerprints of a file.
func NewFingerprints() *Fingerprints {
	return &Fingerprints{lines: diag.NewLines(nil), seen: map[[sha256.Size]byte]int{}}
}

// Enter goes to a part of the file: the findings that follow are about it.
func (p *Fingerprints) Enter(part diag.Text) { p.lines = part.Lines() }

// Entry returns the entry of the next finding. Calls are those of the record
// that the finding stands in.
func (p *Fingerprints) Entry(f diag.Finding, calls []Call) Entry {
	e := Entry{Code: f.Code, File: EntryFile(f.File), Path: f.Path}
	about := []string{string(f.Code), e.File, f.Path}
	switch {
	case f.Call != nil:
		e.Call = calls[*f.Call].Name
		about = append(about, "call", e.Call, p.arguments(&calls[*f.Call]))
	case f.Path == "" && f.Code != diag.SchemaFit:
		about = append(append(about, "text"), p.marked(f.Span)...)
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

// EntryFile returns the name of a file as entries have it: with slashes, and without what
// leads nowhere, so that ./a and a are one.
func EntryFile(name string) string { return filepath.ToSlash(filepath.Clean(name)) }

// digest returns the SHA-256 of strings as a JSON array. What is not UTF-8 in
// them is all the same.
func digest(parts []string) [sha256.Size]byte {
	text, err := json.Marshal(parts)
	if err != nil {
		text = nil // strings can always be written
	}
	return sha256.Sum256(text)
}

// arguments returns the digest of the arguments of a call. Findings of one call
// come together, so it is made once.
func (p *Fingerprints) arguments(c *Call) string {
	if p.last.call != c {
		sum := sha256.Sum256([]byte(c.normal()))
		p.last.call, p.last.args = c, hex.EncodeToString(sum[:])
	}
	return p.last.args
}

// normal returns the arguments in a form that does not depend on how they were
// written.
func (c *Call) normal() string {
	var text string
	if json.Unmarshal(c.Arguments, &text) == nil { // unreadable
		return spaced([]byte(text))
	}
	args, err := canonical(c.Arguments)
	if err != nil {
		return spaced(c.Arguments)
	}
	return string(args)
}

// marked returns what a span marks on its first line, what stands before it and
// what stands after it.
func (p *Fingerprints) marked(s diag.Span) []string {
	const reach = 160
	if s.Line == 0 {
		return nil
	}
	text, start, end := p.lines.Place(s)
	before := text[max(0, start-reach):start]
	if i := bytes.LastIndexAny(before, "\r\n"); i >= 0 {
		before = before[i+1:]
	}
	mark := firstLine(text[start:min(end, start+reach)])
	after := firstLine(text[start+len(mark) : min(len(text), start+len(mark)+reach)])
	return []string{spaced(before), spaced(mark), spaced(after)}
}

// firstLine returns a text up to the end of its first line.
func firstLine(text []byte) []byte {
	if i := bytes.IndexAny(text, "\r\n"); i >= 0 {
		return text[:i]
	}
	return text
}

// spaced returns a text with single blanks between its words.
func spaced(text []byte) string {
	return string(bytes.Join(bytes.Fields(text), []byte(" ")))
}
