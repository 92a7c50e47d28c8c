package cmd

import (
	"log/slog"
	"strings"

	"oneshot/pkg/agent"
	"oneshot/pkg/policy"
)

// Messages of the audit lines in a log (--log-format json). Programs search for them, so messages and keys stay
// stable. The lines contain no arguments, only the digest that identifies a call in the run file.
const (
	msgConfined = "programs confined"
	msgDecided  = "call decided"
	msgAnswered = "call answered" // approved or refused
	msgEnded    = "call ended"
)

// logDecision logs the decision about a call.
func (t *console) logDecision(run string, e agent.Event) {
	attrs := append(callAttrs(run, e), slog.String("verdict", string(e.Verdict)), slog.String("rule", e.Rule))
	level := slog.LevelInfo
	if e.Verdict != policy.Allow {
		level = slog.LevelWarn
	}
	t.logOnly(level, msgDecided, withReason(attrs, e.Text)...)
}

// logApproval logs who approved or refused a call that the policy asks about.
func (t *console) logApproval(run string, e agent.Event) {
	attrs := append(callAttrs(run, e), slog.String("verdict", string(e.Verdict)), slog.String("by", e.By))
	if e.ModifiedDigest != "" {
		attrs = append(attrs, slog.String("modified_digest", e.ModifiedDigest))
	}
	t.logOnly(slog.LevelInfo, msgAnswered, withReason(attrs, e.Text)...)
}

// logResult logs the result of a call.
func (t *console) logResult(run string, e agent.Event) {
	attrs := append(callAttrs(run, e), slog.String("outcome", string(e.Call.Status)), milliseconds("duration_ms", e.Duration))
	if e.Call.Code != "" {
		attrs = append(attrs, slog.String("code", string(e.Call.Code)))
	}
	level := slog.LevelInfo
	if e.Call.Status != agent.CallOK {
		level = slog.LevelWarn
	}
	t.logOnly(level, msgEnded, withReason(attrs, strings.TrimPrefix(e.Text, string(e.Call.Code)+": "))...)
}

// callAttrs identify the call of a line. A call outside a run has neither run nor turn.
func callAttrs(run string, e agent.Event) []slog.Attr {
	var attrs []slog.Attr
	if run != "" {
		attrs = append(attrs, slog.String("run", run), slog.Int("turn", e.Turn))
	}
	return append(attrs, slog.String("call", e.Call.ID), slog.String("tool", e.Call.Tool),
		slog.String("effect", string(e.Call.Effect)), slog.String("digest", e.Digest))
}

// withReason appends the reason, if there is one.
func withReason(attrs []slog.Attr, why string) []slog.Attr {
	if why == "" {
		return attrs
	}
	return append(attrs, slog.String("why", why))
}
