package dialect

import (
	"fmt"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A Reading is what a whole response says.
type Reading struct {
	Dialect   Dialect        // that of its first call, if none was asked for
	Why       string         // how it was told
	Content   string         // the text outside calls and reasoning
	Reasoning string         // what the model thinks
	Calls     []chat.Call    // in the order of the text, complete or with a fault
	Findings  []diag.Finding // in the order of the text, with lines and columns
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
func Scan(text string, o Options) Reading {
	c := collector{}
	s := NewScanner(o, c.take)
	s.Write([]byte(text))
	s.Close()
	if c.calls > MaxKept {
		c.findings.Add(diag.New(diag.TooMany, diag.Bytes(c.beyond.Start, c.beyond.End), "%d more calls are not shown, this is the first", c.calls-MaxKept))
	}
	r := Reading{Content: c.content.String(), Reasoning: c.reasoning.String(), Calls: c.kept, Findings: c.findings.Locate(text)}
	var at int
	r.Dialect, r.Why, at = s.Detected()
	if at >= 0 {
		r.Why = fmt.Sprintf("line %d %s", 1+strings.Count(text[:at], "\n"), r.Why)
	}
	return r
}

// A collector takes the events of a response.
type collector struct {
	content, reasoning strings.Builder
	kept               []chat.Call
	calls, gone        int
	beyond             chat.Call // the first call that is not kept
	findings           Findings
}

func (c *collector) take(e Event) {
	switch {
	case e.Finding != nil:
		c.findings.Add(*e.Finding)
	case e.Before:
		c.reasoning.WriteString(c.content.String())
		c.content.Reset()
	case e.Revoked:
		for i := c.gone; i < len(c.kept); i++ {
			Suppress(&c.kept[i])
		}
		c.gone = len(c.kept)
	case e.Call == nil:
		c.content.WriteString(e.Content)
		c.reasoning.WriteString(e.Reasoning)
	default:
		if c.calls++; c.calls <= MaxKept {
			c.kept = append(c.kept, *e.Call)
		} else if c.calls == MaxKept+1 {
			c.beyond = *e.Call
		}
	}
}
