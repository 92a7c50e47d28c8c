package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// An Approver decides on calls that need approval. It gets one call at a time, in the order in
// which they would run. An error explains why there is no decision.
type Approver interface {
	Approve(ctx context.Context, q ApprovalRequest) (Approval, error)
}

// An ApprovalRequest asks for the approval of a call. Approval programs get its JSON form.
type ApprovalRequest struct {
	CallID    string           `json:"toolCallId"`
	Tool      string           `json:"toolName"`
	Arguments json.RawMessage  `json:"args"`
	Digest    string           `json:"digest"`   // for audit: see [runfile.CallDigest]
	Approval  string           `json:"approval"` // the digest that an approval is bound to: of the run, the call and its preview
	Preview   chat.Preview     `json:"preview"`
	Effect    tool.Effect      `json:"effect"`
	Purpose   string           `json:"purpose"`          // description of the tool
	Rule      string           `json:"rule"`             // that requires approval
	Why       string           `json:"reason,omitempty"` // the rule requires it
	Note      string           `json:"note,omitempty"`   // about the handling of the data
	Def       *tool.Definition `json:"-"`
}

// An Approval is the decision on an [ApprovalRequest].
type Approval struct {
	ID       string          // given to the decision by the approver; may be empty
	By       string          // the approver: see [runfile.Approval]
	Approved bool            // false if the approver refused
	Modified json.RawMessage // replaces the arguments of the call; nil leaves them
	Why      string
}

// An ApprovalError says that calls need approval and that there is no approver. No call of their
// response was executed.
type ApprovalError struct {
	Requests []ApprovalRequest // not empty
	Why      error             // there is no decision on the first one; may be nil
}

func (e *ApprovalError) Error() string {
	waiting := make([]string, len(e.Requests))
	for i, q := range e.Requests {
		waiting[i] = "a call of " + q.Tool + " needs approval: " + q.Approval + " (" + q.Summary() + ")"
	}
	text := strings.Join(waiting, "; ")
	if e.Why != nil {
		text += ": " + e.Why.Error()
	}
	return text
}

// Unwrap returns the reason for the missing decision.
func (e *ApprovalError) Unwrap() error { return e.Why }

// CancelledMessage is the error message that the model gets for a call refused by the approver.
const CancelledMessage = "User cancelled tool execution"

// approve asks for all approvals that the calls of the response need, before any call is executed
// except those already running.
func (b *batch) approve() error {
	var unanswered ApprovalError
	for invocations := b.needingApproval(); len(invocations) > 0; {
		later, err := b.requestApprovals(invocations, &unanswered)
		if err != nil || b.denial != nil {
			return err
		}
		if len(later) == len(invocations) { // the recorded run continued without these approvals
			return b.denyUnanswered(invocations)
		}
		invocations = later
	}
	if len(unanswered.Requests) > 0 {
		return &unanswered
	}
	return nil
}

// needingApproval returns the calls that need approval, in execution order.
func (b *batch) needingApproval() []*invocation {
	return slices.DeleteFunc(b.executionOrder(), func(inv *invocation) bool { return inv.state != callReady || inv.decision.Verdict != policy.Ask })
}

// requestApprovals asks for the approval of each call. It adds calls without a decision to
// unanswered, and returns the calls that, in the record of a resumed run, got their approval after
// another one.
func (b *batch) requestApprovals(invocations []*invocation, unanswered *ApprovalError) (later []*invocation, err error) {
	for _, inv := range invocations {
		if inv.approvalDeferred && b.isApprovalDeferred(inv) {
			later = append(later, inv)
			continue
		}
		q, err := b.requestApproval(inv)
		switch {
		case b.ctx.Err() != nil:
			return nil, context.Cause(b.ctx)
		case errors.As(err, new(*noAnswerError)):
			if unanswered.Requests = append(unanswered.Requests, q); unanswered.Why == nil {
				unanswered.Why = errors.Unwrap(err)
			}
		case err != nil:
			return nil, err
		case b.denial != nil:
			return nil, nil
		case inv.approvalDeferred:
			later = append(later, inv)
		}
	}
	return later, nil
}

// isApprovalDeferred reports whether the next recorded step is something other than the approval of
// this call.
func (b *batch) isApprovalDeferred(inv *invocation) bool {
	past := b.run.journal.unreplayed
	if len(past) == 0 {
		return false
	}
	a, ok := past[0].Body.(runfile.Approval)
	return !ok || a.Call != inv.call.ID
}

// denyUnanswered denies calls that the recorded run left without approval.
func (b *batch) denyUnanswered(invocations []*invocation) error {
	if !b.run.cfg.ContinueDenied {
		next := b.run.journal.unreplayed[0]
		return &DivergedError{Record: next.Seq, Why: "expected a call of " + invocations[0].call.Name + " to be approved, got a step of kind " + string(next.Kind)}
	}
	for _, inv := range invocations {
		b.deny(inv, inv.decision.DenyUnapproved())
	}
	return nil
}

// A noAnswerError says that an approval got no decision.
type noAnswerError struct{ why error }

func (e *noAnswerError) Error() string { return "no approver is available" }
func (e *noAnswerError) Unwrap() error { return e.why }

// maxPreviewAttempts bounds how often a call is previewed again because its effects changed while
// the approver looked at them.
const maxPreviewAttempts = 3

// requestApproval asks for the approval of one call or defers it.
func (b *batch) requestApproval(inv *invocation) (q ApprovalRequest, err error) {
	for range maxPreviewAttempts {
		var changed bool
		if q, changed, err = b.requestApprovalOnce(inv); !changed {
			return q, err
		}
	}
	return q, b.handleUnanswered(inv, errors.New("the effects of the call keep changing during its approval"))
}

// requestApprovalOnce asks for the approval of one call or defers it. It reports changed if the
// effects of the call are different from those that were approved. It asks the policy again first,
// because earlier calls may have changed its decision.
func (b *batch) requestApprovalOnce(inv *invocation) (q ApprovalRequest, changed bool, err error) {
	d := b.judge(inv, inv.call.Arguments)
	if d.Verdict == policy.Deny {
		inv.approvalDeferred = false
		b.deny(inv, d)
		return q, false, nil
	}
	inv.decision = d
	if inv.approvalDeferred = b.isApprovalDeferred(inv); inv.approvalDeferred {
		return q, false, nil
	}
	q = ApprovalRequest{
		CallID: inv.call.ID, Tool: inv.call.Name, Arguments: inv.call.Arguments, Digest: b.run.digest(inv.call.Name, inv.call.Arguments),
		Effect: inv.def.Effect, Purpose: inv.def.Description, Rule: d.Rule, Why: d.Why, Def: inv.def,
	}
	b.preview(&q)
	b.skipStaleApprovals(q)
	if inv.approvalDeferred = b.isApprovalDeferred(inv); inv.approvalDeferred {
		return q, false, nil
	}
	isReplayed := len(b.run.journal.unreplayed) > 0
	a, err := b.obtainApproval(q)
	if err != nil {
		return q, false, b.handleUnanswered(inv, err)
	}
	if now := q; a.Approved && !isReplayed && b.preview(&now) != q.Approval {
		return now, true, nil
	}
	return q, false, b.recordApproval(inv, q, a, d)
}

// handleUnanswered handles a call without a decision: it denies the call, or returns an error that
// ends the run.
func (b *batch) handleUnanswered(inv *invocation, why error) error {
	if b.run.cfg.ContinueDenied {
		b.deny(inv, inv.decision.DenyUnapproved())
		return nil
	}
	return &noAnswerError{why}
}

// preview updates the preview of a call and returns the digest that an approval of it is bound to.
func (b *batch) preview(q *ApprovalRequest) string {
	if b.run.cfg.Preview != nil {
		q.Preview = b.run.cfg.Preview(b.ctx, q.Def, q.Arguments)
	}
	for i := range q.Preview.Files {
		q.Preview.Files[i].Reason = b.run.journal.state.Origin(q.Preview.Files[i].Path)
	}
	q.Approval = q.Preview.ApprovalDigest(b.run.cfg.ID, q.CallID, q.Digest)
	return q.Approval
}

// skipStaleApprovals skips recorded approvals that no longer bind: the call has a later one, or no
// call of the response was executed and the effects of this one have changed.
func (b *batch) skipStaleApprovals(q ApprovalRequest) {
	for past := b.run.journal.unreplayed; len(past) > 0; past = b.run.journal.unreplayed {
		a, ok := past[0].Body.(runfile.Approval)
		if !ok || a.Call != q.CallID {
			return
		}
		again, last := laterApproval(past[1:], q.CallID)
		if !again && !(a.Approved && a.Approval != q.Approval && last) {
			return
		}
		b.run.journal.unreplayed = past[1:] // the policy state does not include it
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
func (b *batch) obtainApproval(q ApprovalRequest) (Approval, error) {
	if len(b.run.journal.unreplayed) > 0 {
		past := b.run.journal.unreplayed[0].Body.(runfile.Approval) // isApprovalDeferred checked it
		return Approval{ID: past.ID, By: past.By, Approved: past.Approved, Modified: past.Modified, Why: past.Why}, nil
	}
	if b.run.cfg.Approver == nil {
		return Approval{}, errors.New("no approver is available")
	}
	return b.run.cfg.Approver.Approve(b.ctx, q)
}

// recordApproval records a decision before it takes effect.
func (b *batch) recordApproval(inv *invocation, q ApprovalRequest, a Approval, asked policy.Decision) error {
	d := a.Decide(inv.def, asked, func(args json.RawMessage) policy.Decision {
		inv.approverArgs = true
		return b.judge(inv, args)
	})
	record := runfile.Approval{Call: q.CallID, Digest: q.Digest, Approval: q.Approval, Approved: a.Approved, By: a.By, ID: a.ID, Why: a.Why}
	if a.Modified != nil {
		record.Modified, record.ModifiedDigest = a.Modified, b.run.digest(q.Tool, a.Modified)
		record.Rule, record.Labels = d.Rule, d.LabelNames()
	}
	b.run.emitApproval(inv, record)
	if err := b.run.journal.append(record); err != nil {
		return err
	}
	if d.Verdict == policy.Deny {
		b.deny(inv, d)
		return nil
	}
	inv.applyDecision(d)
	inv.report.Arguments, inv.digest = d.Arguments, b.run.digest(q.Tool, d.Arguments)
	return nil
}

// emitApproval emits the event of a decision on a call.
func (r *run) emitApproval(inv *invocation, a runfile.Approval) {
	verdict := policy.Deny
	if a.Approved {
		verdict = policy.Allow
	}
	r.cfg.Observe(Event{Kind: EventApproval, Turn: r.out.Turns, Call: *inv.report, Verdict: verdict, Digest: a.Digest, By: a.By, ModifiedDigest: a.ModifiedDigest, Text: a.Why})
}

// Decide returns the decision about a call that follows from the approval and from asked, the
// decision that required it. Modified arguments are checked against the definition and judged like
// those of a model, except that a rule that requires approval counts as satisfied.
func (a Approval) Decide(def *tool.Definition, asked policy.Decision, judge func(args json.RawMessage) policy.Decision) policy.Decision {
	d := asked
	switch {
	case !a.Approved:
		return policy.Decision{Verdict: policy.Deny, Code: chat.Denied, Why: CancelledMessage}
	case a.Modified != nil:
		faults := tool.CheckStrict(a.Modified)
		if len(faults) == 0 {
			faults = def.Check(a.Modified)
		}
		if diag.HasErrors(faults) {
			return policy.Decision{Verdict: policy.Deny, Code: chat.InvalidArguments, Why: "the approver's arguments are invalid: " + messages(faults)}
		}
		if d = judge(def.WithDefaults(a.Modified)); d.Verdict == policy.Deny {
			return d
		}
	}
	d.Verdict = policy.Allow
	return d
}

// executionOrder returns the calls in execution order.
func (b *batch) executionOrder() []*invocation {
	invocations := slices.Clone(b.invocations)
	slices.SortStableFunc(invocations, func(x, y *invocation) int { return cmp.Compare(y.call.Priority, x.call.Priority) })
	return invocations
}
