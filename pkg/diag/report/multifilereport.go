package report

import (
	"cmp"
	"io"

	"oneshot/pkg/diag"
)

// A File is all or part of a text with its findings.
type File struct {
	Name     string // as on the command line; "-" is stdin
	Number   int    // of the file; parts of one file share it
	Text     diag.Text
	Findings []diag.Finding
	Omitted  diag.Tally // findings that the report does not list
}

// A Collector writes one report about all files. Files are added in order; each call may write part
// of the report, and End writes the rest. The errors are the writer's.
type Collector interface {
	Add(w io.Writer, f File) error
	End(w io.Writer) error
}

// codeLabel names a finding briefly: "TC204 raw-control-character".
func codeLabel(f diag.Finding) string {
	return string(f.Code) + " " + cmp.Or(f.Code.Rule().Slug, "unknown")
}

// messageWithHint returns a finding's message and its hint on another line.
func messageWithHint(f diag.Finding) string {
	if f.Hint == "" {
		return f.Message
	}
	return f.Message + "\nhint: " + f.Hint
}
