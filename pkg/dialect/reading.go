package dialect

import (
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A Reading is what a whole response says.
type Reading struct {
	Content  string         // the text outside calls
	Calls    []chat.Call    // in the order of the text, complete or with a fault
	Findings []diag.Finding // in the order of the text, with lines and columns
}

// Scan reads a whole response.
func Scan(d Dialect, text string) Reading {
	var r Reading
	var content strings.Builder
	s := NewScanner(d, func(e Event) {
		switch {
		case e.Call != nil:
			r.Calls = append(r.Calls, *e.Call)
		case e.Finding != nil:
			r.Findings = append(r.Findings, *e.Finding)
		default:
			content.WriteString(e.Content)
		}
	})
	s.Write([]byte(text))
	s.Close()
	r.Content = content.String()
	diag.Sort(r.Findings)
	if len(r.Findings) > 0 {
		diag.NewLines([]byte(text)).LocateAll(r.Findings)
	}
	return r
}
