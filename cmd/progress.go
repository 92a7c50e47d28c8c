package cmd

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/fatih/color"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
)

// observe tells a person what a run is doing. What has gone wrong is told
// always; mere progress only where a terminal looks. A log gets everything.
func (o *runOptions) observe(e agent.Event) {
	turn := slog.Int("turn", e.Turn)
	switch e.Kind {
	case agent.EventRetry:
		o.retry(e)
	case agent.EventFinding:
		o.finding(e)
	case agent.EventAgain:
		o.talk.say(slog.LevelWarn, fmt.Sprintf("turn %d: asking again: %s", e.Turn, e.Text), turn)
	case agent.EventCall:
		o.call(e)
	case agent.EventResult:
		o.result(e)
	case agent.EventReply:
		o.talk.trace(slog.LevelDebug, "the response is complete", turn,
			slog.Int("input_tokens", e.Usage.InputTokens), slog.Int("output_tokens", e.Usage.OutputTokens))
	case agent.EventRequest:
		o.talk.progress(slog.LevelDebug, fmt.Sprintf("turn %d: asking for %s", e.Turn, map[chat.Purpose]string{
			chat.PurposeTurn: "the next step", chat.PurposeAnswer: "the answer",
		}[e.Purpose]), turn, slog.String("purpose", string(e.Purpose)))
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
	case o.findings > mostFindings+1:
	case o.findings > mostFindings:
		o.talk.say(slog.LevelInfo, fmt.Sprintf("turn %d: there are more findings", e.Turn), slog.Int("turn", e.Turn))
	case o.talk.format == "json" && !o.talk.quiet:
		o.talk.logFinding(e.Finding, slog.Int("turn", e.Turn))
	default:
		o.talk.note("turn %d: %s", e.Turn, e.Finding)
	}
}

// retry says that an attempt failed. Without a wait another model goes on.
func (o *runOptions) retry(e agent.Event) {
	text := fmt.Sprintf("attempt %d: %s", e.Attempt.Number, e.Attempt.Error)
	if e.Attempt.Wait > 0 {
		text += fmt.Sprintf("; trying again in %v", e.Attempt.Wait.Round(time.Millisecond))
	}
	o.talk.say(slog.LevelWarn, text, slog.Int("turn", e.Turn), slog.Int("attempt", e.Attempt.Number), milliseconds("wait_ms", e.Attempt.Wait))
}

// call logs what was decided about a call.
func (o *runOptions) call(e agent.Event) {
	text := fmt.Sprintf("turn %d: %s: %s", e.Turn, e.Call.Tool, e.Verdict)
	if e.Text != "" {
		text += ": " + e.Text
	}
	o.talk.trace(slog.LevelInfo, text, slog.Int("turn", e.Turn), slog.String("call", e.Call.ID),
		slog.String("tool", e.Call.Tool), slog.String("effect", string(e.Call.Effect)),
		slog.String("decision", string(e.Verdict)), slog.String("rule", e.Rule))
}

func (o *runOptions) result(e agent.Event) {
	attrs := []slog.Attr{
		slog.Int("turn", e.Turn), slog.String("call", e.Call.ID), slog.String("tool", e.Call.Tool), slog.String("effect", string(e.Call.Effect)),
		slog.String("outcome", string(e.Call.Status)), milliseconds("duration_ms", e.Took),
	}
	if e.Call.Status == agent.CallOK {
		status := o.talk.paint(color.FgGreen, "ok")
		o.talk.progress(slog.LevelInfo, fmt.Sprintf("turn %d: %s: %s (%v)", e.Turn, visible(e.Call.Tool), status, e.Took.Round(time.Millisecond)), attrs...)
		return
	}
	if e.Call.Code != "" {
		attrs = append(attrs, slog.String("code", string(e.Call.Code)))
	}
	o.talk.say(slog.LevelWarn, fmt.Sprintf("turn %d: %s: %s", e.Turn, e.Call.Tool, e.Text), attrs...)
}

// milliseconds is a duration with its unit in the name.
func milliseconds(name string, d time.Duration) slog.Attr {
	return slog.Float64(name, float64(d.Microseconds())/1000)
}
