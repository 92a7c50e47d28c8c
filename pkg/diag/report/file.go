package report

import (
	"cmp"

	"oneshot/pkg/diag"
)

// A File is a text and what was found in it.
type File struct {
	Name     string // as on the command line; "-" is stdin
	Text     []byte
	Findings []diag.Finding
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
