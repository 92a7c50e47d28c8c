package cmd

import (
	"fmt"
	"time"

	"github.com/fatih/color"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
)

// observe tells a person what a run is doing. What has gone wrong is told
// always; mere progress only where a terminal looks.
func (o *runOptions) observe(e agent.Event) {
	switch e.Kind {
	case agent.EventRetry:
		o.talk.note("attempt %d: %s; trying again in %v", e.Attempt.Number, e.Attempt.Error, e.Attempt.Wait.Round(time.Millisecond))
	case agent.EventFinding:
		o.finding(e)
	case agent.EventAgain:
		o.talk.note("turn %d: asking again: %s", e.Turn, e.Text)
	case agent.EventResult:
		o.result(e)
	case agent.EventRequest:
		o.talk.progress("turn %d: asking for %s", e.Turn, map[chat.Purpose]string{
			chat.PurposeTurn: "the next step", chat.PurposeAnswer: "the answer",
		}[e.Purpose])
	}
}

// mostFindings is how many findings of one turn are shown. All that are kept are
// in the envelope.
const mostFindings = 20

func (o *runOptions) finding(e agent.Event) {
	if o.findingsOf != e.Turn {
		o.findingsOf, o.findings = e.Turn, 0
	}
	switch o.findings++; {
	case o.findings <= mostFindings:
		o.talk.note("turn %d: %s", e.Turn, e.Finding)
	case o.findings == mostFindings+1:
		o.talk.note("turn %d: there are more findings", e.Turn)
	}
}

func (o *runOptions) result(e agent.Event) {
	if e.Call.Status == agent.CallOK {
		status := o.talk.paint(color.FgGreen, "ok")
		o.talk.progress("turn %d: %s: %s (%v)", e.Turn, visible(e.Call.Tool), status, e.Took.Round(time.Millisecond))
		return
	}
	o.talk.note("turn %d: %s: %s", e.Turn, e.Call.Tool, e.Text)
}

// progress says something that only a person at a terminal wants to know.
func (t *talk) progress(format string, args ...any) {
	if t.terminal && !t.quiet {
		fmt.Fprintf(t.err, "oneshot: "+format+"\n", args...)
	}
}
