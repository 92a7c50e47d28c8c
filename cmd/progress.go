package cmd

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/fatih/color"
	"github.com/tidwall/gjson"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag/report"
)

// observe prints the events of a run: problems always, progress as [console.hasProgress] says, and everything in a log.
func (r *runState) observe(e agent.Event) {
	r.console.events.observe(e)
	if r.text != nil {
		r.text.observe(e)
	}
	if r.status != nil {
		r.status.observe(e)
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
		if r.status == nil { // else the live line shows it
			r.console.progress(slog.LevelDebug, fmt.Sprintf("turn %d: %s", e.Turn, describeWait(e.Purpose)), turn, slog.String("purpose", string(e.Purpose)))
		}
	}
}

// describeWait describes the wait for the response to a request.
func describeWait(purpose chat.Purpose) string {
	if purpose == chat.PurposeAnswer {
		return "waiting for the answer"
	}
	return "waiting for the model"
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

// result prints the result of a call: a success as progress, a failure always. For logs see [console.logResult].
func (r *runState) result(e agent.Event) {
	t, turn := r.console, fmt.Sprintf("turn %d: ", e.Turn)
	switch isOK := e.Call.Status == agent.CallOK; {
	case t.format == "json":
	case isOK && t.hasProgress():
		took := fmt.Sprintf(" (%v)", e.Duration.Round(time.Millisecond))
		call := t.describeCall(e.Call, t.width()-len("oneshot: "+turn+": ok"+took))
		t.progress(slog.LevelInfo, turn+call+": "+t.colorize(color.FgGreen, "ok")+took)
	case isOK:
	case t.hasProgress(): // the reason is not cut
		t.say(slog.LevelWarn, turn+t.describeCall(e.Call, t.width()/2)+": "+e.Text)
	default:
		t.say(slog.LevelWarn, turn+e.Call.Tool+": "+e.Text)
	}
}

// describeCall returns the tool and the arguments of a call on one line of at most that many columns. Secrets are masked before
// the line is cut, because the rest of one would not be recognised.
func (t *console) describeCall(c agent.CallReport, columns int) string {
	var text strings.Builder
	text.WriteString(onOneLine(c.Tool))
	gjson.ParseBytes(t.secrets.HideData(c.Arguments)).ForEach(func(name, value gjson.Result) bool {
		text.WriteByte(' ')
		if name.Str != "" { // else the arguments are a list
			text.WriteString(onOneLine(name.Str) + "=")
		}
		text.Write(compactJSON(json.RawMessage(value.Raw)))
		return true
	})
	return report.Cut(t.secrets.Redact(escapeInvisible(text.String())), columns)
}

// printSummary prints the numbers of the run, and as text also the command that shows its record.
func (r *runState) printSummary() {
	t, o, took := r.console, &r.outcome, time.Since(r.began).Round(time.Millisecond)
	t.progress(slog.LevelInfo, fmt.Sprintf("%s, %s, %v, %s%s",
		report.Count(o.Turns, "turn"), report.Count(len(o.Calls), "call"), took, describeUsage(o.Usage), costSuffix(r.cost())))
	if r.path != "" && t.hasProgress() {
		t.progress(slog.LevelInfo, "to see the run: oneshot runs show "+escapeInvisible(r.idOrPath()))
	}
}

// idOrPath returns the ID of the run if other commands find its record by that, and otherwise the path.
func (r *runState) idOrPath() string {
	if path, err := (&runsOptions{env: r.recorded.current}).find(r.id); err == nil && path == r.path {
		return r.id
	}
	return runPathArgument(r.path)
}
