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

// MaxKept is how many calls, and how many findings, of one response are kept. A
// text can hold one in every few of its bytes.
const MaxKept = 10_000

// Findings collects the findings of one response, the first [MaxKept] of them.
// The zero value is empty.
type Findings struct {
	kept  []diag.Finding
	first diag.Finding // of those that were not kept
	more  int          // how many those are
}

// Add takes a finding as it comes from a [Scanner].
func (f *Findings) Add(found diag.Finding) {
	switch {
	case len(f.kept) < MaxKept && (found.Call == nil || *found.Call < MaxKept):
		f.kept = append(f.kept, found)
		return
	case f.more == 0:
		f.first = found
	}
	f.more++
}

// Locate returns what was kept, by place, with the lines and columns of text,
// which is the whole response. If anything was not kept, one finding says so.
func (f *Findings) Locate(text string) []diag.Finding {
	if f.more > 0 {
		f.kept = append(f.kept, diag.New(diag.TooMany, f.first.Span, "%d more findings are not shown, this is the place of the first", f.more))
		f.more = 0
	}
	diag.Sort(f.kept)
	if len(f.kept) > 0 {
		diag.NewLines([]byte(text)).LocateAll(f.kept)
	}
	return f.kept
}

// Scan reads a whole response. Of very many calls or findings it keeps the first
// [MaxKept] and says so in a finding.
func Scan(d Dialect, text string) Reading {
	var r Reading
	var content strings.Builder
	var findings Findings
	calls, beyond := 0, chat.Call{} // beyond is the first call that is not kept
	s := NewScanner(d, func(e Event) {
		switch {
		case e.Finding != nil:
			findings.Add(*e.Finding)
		case e.Call == nil:
			content.WriteString(e.Content)
		default:
			if calls++; calls <= MaxKept {
				r.Calls = append(r.Calls, *e.Call)
			} else if calls == MaxKept+1 {
				beyond = *e.Call
			}
		}
	})
	s.Write([]byte(text))
	s.Close()
	if calls > MaxKept {
		findings.Add(diag.New(diag.TooMany, diag.Bytes(beyond.Start, beyond.End), "%d more calls are not shown, this is the first", calls-MaxKept))
	}
	r.Content, r.Findings = content.String(), findings.Locate(text)
	return r
}
