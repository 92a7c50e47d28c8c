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

// An Approver answers what the policy asks about. It is asked about one call at a time, in
// the order in which they would run. An error says why there is no answer.
type Approver interface {
	Approve(ctx context.Context, q Question) (Approval, error)
}

// A Question is a call that the policy asks about. Its JSON form is what a program is asked.
type Question struct {
	CallID    string           `json:"toolCallId"`
	Tool      string           `json:"toolName"`
	Arguments json.RawMessage  `json:"args"`
	Digest    string           `json:"digest"`   // of name and arguments, for audit: see [runfile.CallDigest]
	Approval  string           `json:"approval"` // of the call in this run and what it comes to: what an approval is bound to
	Preview   chat.Preview     `json:"preview"`
	Effect    tool.Effect      `json:"effect"`
	Purpose   string           `json:"purpose"`          // what the tool is for
	Rule      string           `json:"rule"`             // that asks
	Why       string           `json:"reason,omitempty"` // it asks
	Note      string           `json:"note,omitempty"`   // what becomes of the data
	Def       *tool.Definition `json:"-"`
}

// An Approval is the answer to a [Question].
type Approval struct {
	ID       string          // that who answered gave the decision; may be empty
	By       string          // who answered: see [runfile.Approval]
	Approved bool            // false is a refusal
	Modified json.RawMessage // the arguments to make the call with; nil for those that were asked about
	Why      string
}

// An ApprovalError says that calls wait for an approval and that nobody is there to give it.
// Nothing of their response was carried out.
type ApprovalError struct {
	Questions []Question // not empty
	Why       error      // there is no answer to the first one; may be nil
}

func (e *ApprovalError) Error() string {
	waiting := make([]string, len(e.Questions))
	for i, q := range e.Questions {
		waiting[i] = "a call of " + q.Tool + " has to be approved: " + q.Approval + " (" + q.Summary() + ")"
	}
	text := strings.Join(waiting, "; ")
	if e.Why != nil {
		text += ": " + e.Why.Error()
	}
	return text
}

// Unwrap returns why there was no answer.
func (e *ApprovalError) Unwrap() error { return e.Why }

// Cancelled is what the model is told of a call that a person refuses.
const Cancelled = "User cancelled tool execution"

// approve has the calls of a response approved that the policy asks about, before anything
// estimate it that is not under way already is carried out.
func (b *batch) approve() error {
	var nobody ApprovalError
	for invocations := b.needingApproval(); len(invocations) > 0; {
		later, err := b.requestApprovals(invocations, &nobody)
		if err != nil || b.denied != nil {
			return err
		}
		if len(later) == len(invocations) { // the run went on without answers to them
			return b.refuseUnanswered(invocations)
		}
		invocations = later
	}
	if len(nobody.Questions) > 0 {
		return &nobody
	}
	return nil
}

// needingApproval returns the calls that the policy asks about, in the order in which they run.
func (b *batch) needingApproval() []*invocation {
	return slices.DeleteFunc(b.byPriority(), func(s *invocation) bool { return s.refused || s.decision.Verdict != policy.Ask })
}

// requestApprovals has calls approved. It adds those to which nobody has an answer to an error, and
// returns those that, in a run that goes on, did not get theirs before that of another.
func (b *batch) requestApprovals(invocations []*invocation, nobody *ApprovalError) (later []*invocation, err error) {
	for _, s := range invocations {
		if s.approvedLater && b.isAnswerMissing(s) {
			later = append(later, s)
			continue
		}
		q, err := b.requestApproval(s)
		switch {
		case b.ctx.Err() != nil:
			return nil, context.Cause(b.ctx)
		case errors.As(err, new(*noAnswerError)):
			if nobody.Questions = append(nobody.Questions, q); nobody.Why == nil {
				nobody.Why = errors.Unwrap(err)
			}
		case err != nil:
			return nil, err
		case b.denied != nil:
			return nil, nil
		case s.approvedLater:
			later = append(later, s)
		}
	}
	return later, nil
}

// isAnswerMissing reports whether what is on record next is not the answer to a question about a call.
func (b *batch) isAnswerMissing(s *invocation) bool {
	past := b.run.record.past
	if len(past) == 0 {
		return false
	}
	a, ok := past[0].Body.(runfile.Approval)
	return !ok || a.Call != s.call.ID
}

// refuseUnanswered refuses calls without whose approval the run went on.
func (b *batch) refuseUnanswered(invocations []*invocation) error {
	if !b.run.cfg.ContinueDenied {
		next := b.run.record.past[0]
		return &DivergedError{Record: next.Seq, Why: "it is of the kind " + string(next.Kind) + ", and now a call of " + invocations[0].call.Name + " has to be approved"}
	}
	for _, s := range invocations {
		b.deny(s, s.decision.Unanswered())
	}
	return nil
}

// A noAnswerError says that nobody answered.
type noAnswerError struct{ why error }

func (e *noAnswerError) Error() string { return "nobody is there to answer" }
func (e *noAnswerError) Unwrap() error { return e.why }

// mostLooks is how often a call is judged and shown anew because what it comes to has changed while somebody
// looked at it.
const mostLooks = 3

// sendRequest has one call approved, or leaves it for later.
func (b *batch) requestApproval(s *invocation) (q Question, err error) {
	for range mostLooks {
		var changed bool
		if q, changed, err = b.requestApprovalOnce(s); !changed {
			return q, err
		}
	}
	return q, b.recordUnanswered(s, errors.New("what the call comes to changes while it is looked at"))
}

// requestApprovalOnce has one call approved, or leaves it for later, or reports that it came to something else when it was
// approved. What has happened since it was decided may have changed what the policy says.
func (b *batch) requestApprovalOnce(s *invocation) (q Question, changed bool, err error) {
	d := b.judge(s, s.call.Arguments)
	if d.Verdict == policy.Deny {
		s.approvedLater = false
		b.deny(s, d)
		return q, false, nil
	}
	s.decision = d
	if s.approvedLater = b.isAnswerMissing(s); s.approvedLater {
		return q, false, nil
	}
	q = Question{
		CallID: s.call.ID, Tool: s.call.Name, Arguments: s.call.Arguments, Digest: b.run.digest(s.call.Name, s.call.Arguments),
		Effect: s.def.Effect, Purpose: s.def.Description, Rule: d.Rule, Why: d.Why, Def: s.def,
	}
	b.preview(&q)
	b.skipStaleApprovals(q)
	if s.approvedLater = b.isAnswerMissing(s); s.approvedLater {
		return q, false, nil
	}
	isPast := len(b.run.record.past) > 0
	a, err := b.answer(q)
	if err != nil {
		return q, false, b.recordUnanswered(s, err)
	}
	if now := q; a.Approved && !isPast && b.preview(&now) != q.Approval {
		return now, true, nil
	}
	return q, false, b.recordApproval(s, q, a, d)
}

// recordUnanswered takes that a call got no answer.
func (b *batch) recordUnanswered(s *invocation, why error) error {
	if b.run.cfg.ContinueDenied {
		b.deny(s, s.decision.Unanswered())
		return nil
	}
	return &noAnswerError{why}
}

// preview finds out what a call comes to now, and returns what an approval of that is bound to.
func (b *batch) preview(q *Question) string {
	if b.run.cfg.Preview != nil {
		q.Preview = b.run.cfg.Preview(b.ctx, q.Def, q.Arguments)
	}
	for i := range q.Preview.Files {
		q.Preview.Files[i].Reason = b.run.record.state.Origin(q.Preview.Files[i].Path)
	}
	q.Approval = q.Preview.Approval(b.run.cfg.ID, q.CallID, q.Digest)
	return q.Approval
}

// skipStaleApprovals passes over approvals on record that bind no more: there is a later one of the call, or nothing of the
// response was carried out and the call comes to something else now.
func (b *batch) skipStaleApprovals(q Question) {
	for past := b.run.record.past; len(past) > 0; past = b.run.record.past {
		a, ok := past[0].Body.(runfile.Approval)
		if !ok || a.Call != q.CallID {
			return
		}
		again, last := laterApproval(past[1:], q.CallID)
		if !again && !(a.Approved && a.Approval != q.Approval && last) {
			return
		}
		b.run.record.past = past[1:] // the policy does not count it
	}
}

// laterApproval reports whether there is an approval of a call among those at the beginning of some records, and
// whether nothing stands behind these: nothing of their response was carried out.
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

// answer returns what was said about a call: what is on record of a run that goes on, or
// what the approver says now.
func (b *batch) answer(q Question) (Approval, error) {
	if len(b.run.record.past) > 0 {
		past := b.run.record.past[0].Body.(runfile.Approval) // see unheard
		return Approval{ID: past.ID, By: past.By, Approved: past.Approved, Modified: past.Modified, Why: past.Why}, nil
	}
	if b.run.cfg.Approver == nil {
		return Approval{}, errors.New("nobody is there to answer")
	}
	return b.run.cfg.Approver.Approve(b.ctx, q)
}

// recordApproval takes an answer: it is on record before anything follows from it.
func (b *batch) recordApproval(s *invocation, q Question, a Approval, asked policy.Decision) error {
	d := a.Decide(s.def, asked, func(args json.RawMessage) policy.Decision {
		s.approverArgs = true
		return b.judge(s, args)
	})
	record := runfile.Approval{Call: q.CallID, Digest: q.Digest, Approval: q.Approval, Approved: a.Approved, By: a.By, ID: a.ID, Why: a.Why}
	if a.Modified != nil {
		record.Modified, record.ModifiedDigest = a.Modified, b.run.digest(q.Tool, a.Modified)
		record.Rule, record.Labels = d.Rule, d.LabelNames()
	}
	b.run.emitApproval(s, record)
	if err := b.run.record.append(record); err != nil {
		return err
	}
	if d.Verdict == policy.Deny {
		b.deny(s, d)
		return nil
	}
	s.applyDecision(d)
	s.report.Arguments, s.digest = d.Arguments, b.run.digest(q.Tool, d.Arguments)
	return nil
}

// emitApproval tells who said what about a call.
func (r *run) emitApproval(s *invocation, a runfile.Approval) {
	verdict := policy.Deny
	if a.Approved {
		verdict = policy.Allow
	}
	r.cfg.Observe(Event{Kind: EventAnswer, Turn: r.out.Turns, Call: *s.report, Verdict: verdict, Digest: a.Digest, By: a.By, Other: a.ModifiedDigest, Text: a.Why})
}

// Decide returns the decision about a call of a tool that follows from an answer, and from
// the decision that was asked about. Arguments that the answer changes are held against the
// definition and judged like those of a model; that a rule asks about them is answered.
func (a Approval) Decide(def *tool.Definition, asked policy.Decision, judge func(args json.RawMessage) policy.Decision) policy.Decision {
	d := asked
	switch {
	case !a.Approved:
		return policy.Decision{Verdict: policy.Deny, Code: chat.Denied, Why: Cancelled}
	case a.Modified != nil:
		faults := tool.Strict(a.Modified)
		if len(faults) == 0 {
			faults = def.Check(a.Modified)
		}
		if diag.HasErrors(faults) {
			return policy.Decision{Verdict: policy.Deny, Code: chat.InvalidArguments, Why: "what was approved does not fit the tool: " + messages(faults)}
		}
		if d = judge(def.Complete(a.Modified)); d.Verdict == policy.Deny {
			return d
		}
	}
	d.Verdict = policy.Allow
	return d
}

// byPriority returns the calls in the order in which they run.
func (b *batch) byPriority() []*invocation {
	invocations := slices.Clone(b.invocations)
	slices.SortStableFunc(invocations, func(x, y *invocation) int { return cmp.Compare(y.call.Priority, x.call.Priority) })
	return invocations
}
