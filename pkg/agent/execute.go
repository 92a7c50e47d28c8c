package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// reserveStart reserves the start of a call and returns how long its rate limits delay it. A call
// that already started in the recorded run does not wait.
func (g *Gate) reserveStart(inv *Invocation) (time.Duration, error) {
	if g.cfg.Replay || g.journal.recorded.hasBegun(inv.call.ID) {
		return 0, nil
	}
	return inv.decision.ReserveStart(&g.journal.state, inv.call.ID, time.Now())
}

// runTool executes a call, or gives it its recorded result. It changes nothing but the call, so calls
// may run in parallel.
func (g *Gate) runTool(ctx context.Context, inv *Invocation) error {
	if done, err := g.replayResult(inv); done || err != nil {
		return err
	}
	x := chat.Execution{
		Call: inv.call, RunID: g.cfg.ID, IdempotencyKey: g.idempotencyKey(inv), Repeated: g.journal.recorded.intents[inv.call.ID],
		MaxBytes: inv.decision.MaxBytes, Follow: inv.decision.CheckRedirect, ResolvedPaths: inv.decision.ResolvedPaths,
	}
	x.Deadline, _ = ctx.Deadline()
	if g.conversation != nil && inv.def.ReadsConversation() {
		x.Conversation = g.cfg.Policy.Secrets.HideMessages(g.conversation())
	}
	begin := time.Now()
	var err error
	inv.result, err = g.cfg.Runner.Run(ctx, x)
	inv.duration, inv.cached = time.Since(begin), inv.result.Cached
	if err == nil && inv.result.OK() && inv.result.Data != nil && !json.Valid(inv.result.Data) {
		inv.result = chat.Failure(chat.Failed, "the tool's result is not JSON")
	}
	return err
}

// replayResult gives a call its recorded result. It returns false if the call is to run. A change
// with an unknown outcome is an error or, by the policy or else [GateConfig.ReportUnknownOutcome],
// a result.
func (g *Gate) replayResult(inv *Invocation) (done bool, err error) {
	past := g.journal.recorded
	result, ran := past.results[inv.call.ID]
	switch {
	case ran && result.Truncated:
		return true, &DivergedError{Why: fmt.Sprintf("the recorded result of the call %s (%d bytes) is truncated", inv.call.ID, result.Bytes)}
	case ran:
		inv.result, inv.duration = result.Result, result.Duration
		inv.result.Labels = result.Labels
	case past.discarded[inv.call.ID]: // its result is not used
	case !g.wasInterruptedDuringChange(inv):
		return false, nil
	case inv.decision.OnUnknownOutcome == "report" || inv.decision.OnUnknownOutcome == "" && g.cfg.ReportUnknownOutcome:
		inv.result = chat.Failure(chat.UnknownOutcome, "the run was cut off during this call; its outcome is unknown, so it is not repeated")
	default:
		return true, &UnknownOutcomeError{Call: inv.call.ID, Tool: inv.call.Name, Arguments: string(inv.call.Arguments)}
	}
	return true, nil
}

// wasInterruptedDuringChange reports whether the recorded run was interrupted during a change that cannot be repeated.
func (g *Gate) wasInterruptedDuringChange(inv *Invocation) bool {
	past := g.journal.recorded
	_, ran := past.results[inv.call.ID]
	return past.intents[inv.call.ID] && !ran && !past.discarded[inv.call.ID] && !inv.def.CanRepeat()
}

// recordIntent makes the intent of a call with an effect durable.
func (g *Gate) recordIntent(inv *Invocation) error {
	intent := runfile.Intent{Call: inv.call.ID, Key: g.idempotencyKey(inv)}
	if g.cfg.BeforeImage != nil && g.journal.isRecording() {
		intent.Before = g.cfg.BeforeImage(inv.def, inv.call.Arguments)
	}
	if err := g.journal.append(intent); err != nil {
		return err
	}
	return g.journal.sync()
}

// recordResult records the result of a call that has ended, without its secrets: no later call and
// no other model may leak one.
func (g *Gate) recordResult(inv *Invocation) error {
	inv.result = g.cfg.Policy.Secrets.HideResult(inv.result)
	if inv.isRefused() && inv.isAsRecorded {
		inv.result = g.cfg.recordedWording.ofRefusal(inv.call.ID, inv.result)
	}
	envelope, err := inv.result.MarshalJSON()
	if err != nil {
		return fmt.Errorf("tool %s: %w", inv.call.Name, err)
	}
	inv.envelope = envelope
	inv.fillReport()
	if !inv.isRefused() { // a refusal is written by oneshot, not by a tool
		g.untrusted.addResult(inv.call.Name, inv.writtenArgs, envelope)
	}
	g.outcomes.addResult(inv)
	g.emitFinal(EventResult, inv, inv.failureReason()+inv.authRenewalHint())
	return g.journal.append(runfile.Result{Call: inv.call.ID, Result: inv.result, Duration: inv.duration, Labels: inv.result.Labels, Cached: inv.cached})
}

// toolDenialError returns the error of a change that the tool itself denied, such as a path outside
// the root, or for which the authorization is missing. It ends the run like a denial by the policy.
func (g *Gate) toolDenialError(inv *Invocation) error {
	e := inv.result.Error
	switch {
	case e == nil || g.cfg.ContinueDenied || !inv.hasEffect():
	case e.Code == chat.Denied:
		return &DeniedError{Tool: inv.call.Name, Why: e.Message}
	case e.Code == chat.Unauthorized:
		return newToolAuthError(inv.def, e)
	}
	return nil
}
