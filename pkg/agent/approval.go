package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"oneshot/pkg/chat"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
)

// isApprovalRecordedLater reports whether the next recorded step is something other than the approval of
// this call.
func (g *Gate) isApprovalRecordedLater(inv *Invocation) bool {
	if !g.journal.isReplaying() {
		return false
	}
	a, ok := g.journal.unreplayed[0].Body.(runfile.Approval)
	return !ok || a.Call != inv.call.ID
}

// A noAnswerError reports that an approval got no decision.
type noAnswerError struct{ why error }

func (e *noAnswerError) Error() string { return ErrNoApprover.Error() }
func (e *noAnswerError) Unwrap() error { return e.why }

// maxPreviewAttempts bounds how often a call is previewed again because its effects changed while
// the approver looked at them.
const maxPreviewAttempts = 3

// requestApproval asks for the approval of one call or defers it.
func (g *Gate) requestApproval(ctx context.Context, inv *Invocation) (q ApprovalRequest, err error) {
	for range maxPreviewAttempts {
		var changed bool
		if q, changed, err = g.requestApprovalOnce(ctx, inv); !changed {
			return q, err
		}
	}
	return q, g.denyOrStop(inv, errors.New("the effects of the call keep changing during its approval"))
}

// requestApprovalOnce asks for the approval of one call or defers it. It reports changed if the
// effects of the call are different from those that were approved. It asks the policy again first,
// because earlier calls may have changed its decision.
func (g *Gate) requestApprovalOnce(ctx context.Context, inv *Invocation) (q ApprovalRequest, changed bool, err error) {
	if inv.state == callDeferred {
		inv.enter(callReady)
	}
	// Rules constrain the arguments of the model and not those that they set themselves.
	d := g.policyDecision(inv, inv.boundArgs)
	if d.Verdict != policy.Deny && !bytes.Equal(d.Arguments, inv.call.Arguments) {
		d = policy.Decision{Verdict: policy.Deny, Rule: d.Rule, Why: "the policy no longer sets the arguments on record", Code: chat.Denied, Arguments: inv.call.Arguments}
	}
	if d.Verdict == policy.Deny {
		g.deny(inv, d)
		return q, false, nil
	}
	inv.decision = d
	if g.isApprovalRecordedLater(inv) {
		inv.enter(callDeferred)
		return q, false, nil
	}
	q = g.ApprovalRequest(inv)
	g.skipStaleApprovals(q)
	if g.isApprovalRecordedLater(inv) {
		inv.enter(callDeferred)
		return q, false, nil
	}
	isReplayed := g.journal.isReplaying()
	a, err := g.obtainApproval(ctx, q)
	if err != nil {
		return q, false, g.denyOrStop(inv, err)
	}
	if now := q; a.Approved && !isReplayed && g.updatePreview(&now) != q.Approval {
		return now, true, nil
	}
	return q, false, g.recordApproval(inv, q, a, d)
}

// ApprovalRequest returns the question to the approver about an admitted call.
func (g *Gate) ApprovalRequest(inv *Invocation) ApprovalRequest {
	q := ApprovalRequest{
		CallID: inv.call.ID, Tool: inv.call.Name, Arguments: inv.call.Arguments, Digest: g.callDigest(inv.call.Name, inv.call.Arguments),
		Effect: inv.def.Effect, Purpose: inv.def.Description, Rule: inv.decision.Rule, Why: inv.decision.Why, Def: inv.def,
	}
	g.updatePreview(&q)
	return q
}

// denyOrStop handles a call without a decision: it denies the call, or returns an error that
// ends the run.
func (g *Gate) denyOrStop(inv *Invocation, why error) error {
	if g.cfg.ContinueDenied {
		g.deny(inv, inv.decision.DenyUnapproved())
		return nil
	}
	return &noAnswerError{why}
}

// updatePreview updates the preview of a call and returns the digest that an approval of it is bound to.
func (g *Gate) updatePreview(q *ApprovalRequest) string {
	if g.cfg.Preview != nil {
		q.Preview = g.cfg.Preview(q.Def, q.Arguments)
	}
	for i := range q.Preview.Files {
		if f := &q.Preview.Files[i]; f.Reason == "" {
			f.Reason = g.journal.state.FileNameOrigin(f.Path)
		}
	}
	q.Approval = q.Preview.ApprovalDigest(g.cfg.ID, q.CallID, q.Digest)
	return q.Approval
}

// skipStaleApprovals skips recorded approvals that no longer bind: the call has a later one, or no
// call of the response was executed and the effects of this one have changed.
func (g *Gate) skipStaleApprovals(q ApprovalRequest) {
	for past := g.journal.unreplayed; len(past) > 0; past = g.journal.unreplayed {
		a, ok := past[0].Body.(runfile.Approval)
		if !ok || a.Call != q.CallID {
			return
		}
		again, last := laterApproval(past[1:], q.CallID)
		if !again && !(a.Approved && a.Approval != q.Approval && last) {
			return
		}
		g.journal.unreplayed = past[1:] // the policy state does not include it
	}
}

// laterApproval reports whether the approvals at the start of records include one of the call, and
// whether records holds nothing after them, so that no call of the response was executed.
func laterApproval(records []runfile.Record, call string) (again, last bool) {
	for _, r := range records {
		a, ok := r.Body.(runfile.Approval)
		if !ok {
			return again, false
		}
		again = again || a.Call == call
	}
	return again, true
}

// obtainApproval returns the decision on a call: the recorded one in a resumed run, otherwise the
// approver's.
func (g *Gate) obtainApproval(ctx context.Context, q ApprovalRequest) (Approval, error) {
	if g.journal.isReplaying() {
		past := g.journal.unreplayed[0].Body.(runfile.Approval) // isApprovalRecordedLater checked it
		return Approval{ID: past.ID, By: past.By, Approved: past.Approved, Modified: past.Modified, Why: past.Why}, nil
	}
	if g.cfg.Approver == nil {
		return Approval{}, ErrNoApprover
	}
	return g.cfg.Approver.Approve(ctx, q)
}

// recordApproval records a decision before it takes effect.
func (g *Gate) recordApproval(inv *Invocation, q ApprovalRequest, a Approval, asked policy.Decision) error {
	d := a.decide(inv.def, asked, func(args json.RawMessage) policy.Decision {
		inv.approverArgs = true
		return g.policyDecision(inv, args)
	})
	record := runfile.Approval{Call: q.CallID, Digest: q.Digest, Approval: q.Approval, Approved: a.Approved, By: a.By, ID: a.ID, Why: a.Why}
	if a.Modified != nil {
		record.Modified, record.ModifiedDigest = a.Modified, g.callDigest(q.Tool, a.Modified)
		record.Rule, record.Labels = d.Rule, d.LabelNames()
	}
	g.emitApproval(inv, record)
	if err := g.journal.append(record); err != nil {
		return err
	}
	if d.Verdict == policy.Deny {
		g.deny(inv, d)
		return nil
	}
	inv.applyDecision(d)
	inv.report.Arguments, inv.digest = d.Arguments, g.callDigest(q.Tool, d.Arguments)
	return nil
}

// emitApproval emits the event of a decision on a call.
func (g *Gate) emitApproval(inv *Invocation, a runfile.Approval) {
	verdict := policy.Deny
	if a.Approved {
		verdict = policy.Allow
	}
	g.journal.emit(Event{Kind: EventApproval, Call: *inv.report, Verdict: verdict, Digest: a.Digest, By: a.By, ModifiedDigest: a.ModifiedDigest, Text: a.Why})
}
