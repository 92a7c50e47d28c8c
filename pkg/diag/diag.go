// Package diag defines diagnostics: a finding has a code, a severity, a span and,
// if one is known, a fix.
//
// A finding is a value and never an error: a command collects findings, prints
// them with package report and then maps them to an exit code. The package does
// no I/O.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// A Severity is the effect of a finding on its call, definition or document.
type Severity string

// The severities, worst first. Error: something was lost, blocked or is
// uncertain. Warning: recovered with certainty, but a strict parser would
// reject it. Info and Hint: style.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
	Hint    Severity = "hint"
)

// Rank orders severities: 3 for [Error] down to 0 for [Hint] and anything else.
func (s Severity) Rank() int {
	switch s {
	case Error:
		return 3
	case Warning:
		return 2
	case Info:
		return 1
	}
	return 0
}

// A FixKind determines whether a fix may be applied without confirmation.
type FixKind string

// The kinds of fixes. A safe fix preserves the meaning, an unsafe one may change
// it, and a display fix is only shown.
const (
	Safe    FixKind = "safe"
	Unsafe  FixKind = "unsafe"
	Display FixKind = "display"
)

// An Edit replaces the bytes [Start, End) of the text by New.
type Edit struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// A Fix is one way to resolve a finding. Its edits are sorted and do not overlap.
type Fix struct {
	Title string  `json:"title"`
	Kind  FixKind `json:"kind"`
	Edits []Edit  `json:"edits,omitempty"`
}

// A Finding is one diagnostic.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"` // how to resolve it
	File     string   `json:"file,omitempty"`
	Span     Span     `json:"span,omitzero"`
	Call     *int     `json:"call,omitempty"`   // index of its call
	Path     string   `json:"path,omitempty"`   // JSON pointer into the arguments or document
	Layer    string   `json:"layer,omitempty"`  // JSON path in the file to the text that the finding is in
	Pieces   []Span   `json:"pieces,omitempty"` // the parts of Span that belong to that text, if it is not contiguous
	Fixes    []Fix    `json:"fixes,omitempty"`

	// Fingerprint identifies the finding independently of its position in the file;
	// "" if not requested.
	Fingerprint string `json:"-"`
}

// New returns a finding with the code's usual severity. The message is formatted
// as by [fmt.Sprintf].
func New(code Code, span Span, format string, args ...any) Finding {
	return Finding{Code: code, Severity: code.Rule().Severity, Span: span, Message: fmt.Sprintf(format, args...)}
}

// String returns the one-line form "file:line:column: severity CODE slug: message".
func (f Finding) String() string {
	place := f.File
	if f.Span.Line > 0 {
		if place != "" {
			place += ":"
		}
		place += strconv.Itoa(f.Span.Line) + ":" + strconv.Itoa(f.Span.Column)
	}
	if place != "" {
		place += ": "
	}
	layer := ""
	if f.Layer != "" {
		layer = ", in " + f.Layer
	}
	return place + f.Label() + ": " + f.Message + layer
}

// Label returns "severity CODE slug".
func (f Finding) Label() string {
	return string(f.Severity) + " " + string(f.Code) + " " + f.Code.Rule().Slug
}

// Worst returns the highest severity among the findings, or "" without findings.
func Worst(findings []Finding) Severity { return TallyOf(findings).Worst() }

// HasErrors reports whether any finding is an [Error].
func HasErrors(findings []Finding) bool { return Worst(findings) == Error }

// WarningsToErrors turns warnings into errors.
func WarningsToErrors(findings []Finding) {
	for i := range findings {
		if findings[i].Severity == Warning {
			findings[i].Severity = Error
		}
	}
}

// Sort orders findings by file, place, code and message. It is stable.
func Sort(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Span.Start, b.Span.Start),
			cmp.Compare(a.Span.Line, b.Span.Line),
			cmp.Compare(a.Span.Column, b.Span.Column),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message),
		)
	})
}
