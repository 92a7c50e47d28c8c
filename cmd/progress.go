package cmd

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/fatih/color"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
)

// observe prints the events of a run: problems always, progress only on a terminal, and everything in a log.
func (o *runOptions) observe(e agent.Event) {
	turn := slog.Int("turn", e.Turn)
	switch e.Kind {
	case agent.EventRetry:
		o.retry(e)
	case agent.EventFinding:
		o.finding(e)
	case agent.EventReprompt:
		o.console.say(slog.LevelWarn, fmt.Sprintf("turn %d: asking again: %s", e.Turn, e.Text), turn)
	case agent.EventCall:
		o.console.logDecision(o.runID, e)
	case agent.EventApproval:
		o.console.logApproval(o.runID, e)
	case agent.EventResult:
		o.console.logResult(o.runID, e)
		o.result(e)
	case agent.EventDropped:
		o.console.logResult(o.runID, e)
		if e.Call.Code == chat.UnknownOutcome {
			o.interrupted = append(o.interrupted, "the call "+e.Call.ID+" of "+e.Call.Tool)
		}
	case agent.EventReply:
		o.console.logOnly(slog.LevelDebug, "the response is complete", turn,
			slog.Int("input_tokens", e.Usage.InputTokens), slog.Int("output_tokens", e.Usage.OutputTokens))
	case agent.EventRequest:
		o.console.progress(slog.LevelDebug, fmt.Sprintf("turn %d: waiting for %s", e.Turn, map[chat.Purpose]string{
			chat.PurposeTurn: "the model", chat.PurposeAnswer: "the answer",
		}[e.Purpose]), turn, slog.String("purpose", string(e.Purpose)))
	}
}

// maxTurnFindings is the maximum number of printed findings per turn. The envelope has more.
const maxTurnFindings = 20

func (o *runOptions) finding(e agent.Event) {
	if o.findingsOf != e.Turn {
		o.findingsOf, o.findings = e.Turn, 0
	}
	switch o.findings++; {
	case o.findings > maxTurnFindings+1:
	case o.findings > maxTurnFindings:
		o.console.say(slog.LevelInfo, fmt.Sprintf("turn %d: more findings not shown", e.Turn), slog.Int("turn", e.Turn))
	case o.console.format == "json" && !o.console.quiet:
		o.console.logFinding(e.Finding, slog.Int("turn", e.Turn))
	default:
		o.console.note("turn %d: %s", e.Turn, e.Finding)
	}
}

// retry prints a failed attempt. Without a wait a fallback takes over.
func (o *runOptions) retry(e agent.Event) {
	text := fmt.Sprintf("attempt %d: %s", e.Attempt.Number, e.Attempt.Error)
	if e.Attempt.Wait > 0 {
		text += fmt.Sprintf("; retrying in %v", e.Attempt.Wait.Round(time.Millisecond))
	}
	o.console.say(slog.LevelWarn, text, slog.Int("turn", e.Turn), slog.Int("attempt", e.Attempt.Number), milliseconds("wait_ms", e.Attempt.Wait))
}

// milliseconds is a duration with its unit in the name.
func milliseconds(name string, d time.Duration) slog.Attr {
	return slog.Float64(name, float64(d.Microseconds())/1000)
}

// result prints the result of a call. For logs see [console.logResult].
func (o *runOptions) result(e agent.Event) {
	switch {
	case o.console.format == "json":
	case e.Call.Status == agent.CallOK:
		status := o.console.colorize(color.FgGreen, "ok")
		o.console.progress(slog.LevelInfo, fmt.Sprintf("turn %d: %s: %s (%v)", e.Turn, visible(e.Call.Tool), status, e.Duration.Round(time.Millisecond)))
	default:
		o.console.say(slog.LevelWarn, fmt.Sprintf("turn %d: %s: %s", e.Turn, e.Call.Tool, e.Text))
	}
}
