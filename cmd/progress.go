package cmd

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/fatih/color"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
)

// observe prints the events of a run: problems always, progress only on a terminal, and everything in a log.
func (r *runState) observe(e agent.Event) {
	r.console.events.observe(e)
	if r.text != nil {
		r.text.observe(e)
	}
	turn := slog.Int("turn", e.Turn)
	switch e.Kind {
	case agent.EventRetry:
		r.retry(e)
	case agent.EventFinding:
		r.finding(e)
	case agent.EventReprompt:
		r.console.say(slog.LevelWarn, fmt.Sprintf("turn %d: asking again: %s", e.Turn, e.Text), turn)
	case agent.EventCall:
		r.console.logDecision(r.id, e)
	case agent.EventApproval:
		r.console.logApproval(r.id, e)
	case agent.EventResult:
		r.console.logResult(r.id, e)
		r.result(e)
	case agent.EventDropped:
		r.console.logResult(r.id, e)
		if e.Call.Code == chat.UnknownOutcome {
			r.interrupted = append(r.interrupted, "the call "+e.Call.ID+" of "+e.Call.Tool)
		}
	case agent.EventReply:
		r.console.logOnly(slog.LevelDebug, "the response is complete", turn,
			slog.Int("input_tokens", e.Usage.InputTokens), slog.Int("output_tokens", e.Usage.OutputTokens))
	case agent.EventRequest:
		r.console.progress(slog.LevelDebug, fmt.Sprintf("turn %d: waiting for %s", e.Turn, map[chat.Purpose]string{
			chat.PurposeTurn: "the model", chat.PurposeAnswer: "the answer",
		}[e.Purpose]), turn, slog.String("purpose", string(e.Purpose)))
	}
}

// maxTurnFindings is the maximum number of printed findings per turn. The envelope has more.
const maxTurnFindings = 20

func (r *runState) finding(e agent.Event) {
	if r.findingsOf != e.Turn {
		r.findingsOf, r.findings = e.Turn, 0
	}
	switch r.findings++; {
	case r.batch == nil && r.console.quiet && slices.Contains(answerCodes, e.Finding.Code):
		r.console.warn("see oneshot explain "+string(e.Finding.Code), "turn %d: %s", e.Turn, e.Finding.Message)
	case r.findings > maxTurnFindings+1:
	case r.findings > maxTurnFindings:
		r.console.say(slog.LevelInfo, fmt.Sprintf("turn %d: more findings not shown", e.Turn), slog.Int("turn", e.Turn))
	case r.console.format == "json" && !r.console.quiet:
		r.console.logFinding(e.Finding, slog.Int("turn", e.Turn))
	default:
		r.console.note("turn %d: %s", e.Turn, e.Finding)
	}
}

// retry prints a failed attempt. Without a wait a fallback takes over.
func (r *runState) retry(e agent.Event) {
	text := fmt.Sprintf("attempt %d: %s", e.Attempt.Number, e.Attempt.Error)
	if e.Attempt.Wait > 0 {
		text += fmt.Sprintf("; retrying in %v", e.Attempt.Wait.Round(time.Millisecond))
	}
	r.console.say(slog.LevelWarn, text, slog.Int("turn", e.Turn), slog.Int("attempt", e.Attempt.Number), milliseconds("wait_ms", e.Attempt.Wait))
}

// result prints the result of a call. For logs see [console.logResult].
func (r *runState) result(e agent.Event) {
	switch {
	case r.console.format == "json":
	case e.Call.Status == agent.CallOK:
		status := r.console.colorize(color.FgGreen, "ok")
		r.console.progress(slog.LevelInfo, fmt.Sprintf("turn %d: %s: %s (%v)", e.Turn, escapeInvisible(e.Call.Tool), status, e.Duration.Round(time.Millisecond)))
	default:
		r.console.say(slog.LevelWarn, fmt.Sprintf("turn %d: %s: %s", e.Turn, e.Call.Tool, e.Text))
	}
}
