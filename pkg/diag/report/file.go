package report

import (
	"cmp"
	"io"

	"oneshot/pkg/diag"
)

// A File is a text and what was found in it: all of a file, or a part.
type File struct {
	Name     string // as on the command line; "-" is stdin
	Number   int    // of the file; parts with the same number are those of one file
	Text     diag.Text
	Findings []diag.Finding
}

// A Collector is a report on all files, which are added in their order: one document, of
// which some can be written with each file, and the rest is when there are no more. The
// errors are the writer's.
type Collector interface {
	Add(w io.Writer, f File) error
	End(w io.Writer) error
}

// label names a finding in one word or two: "TC204 raw-control".
func label(f diag.Finding) string {
	return string(f.Code) + " " + cmp.Or(f.Code.Rule().Slug, "unknown")
}

// advice is a finding's message with its hint on a line of its own.
func advice(f diag.Finding) string {
	if f.Hint == "" {
		return f.Message
	}
	return f.Message + "\nhint: " + f.Hint
}
