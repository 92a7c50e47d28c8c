package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/policy"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// A batch holds the calls of one response.
type batch struct {
	run         *run
	ctx         context.Context // of its calls
	cancel      context.CancelCauseFunc
	added       int // number of calls, including unreadable ones
	charged     int // number of calls charged to the budget
	invocations []*invocation
	hasWrite    bool           // at least one call changes something
	final       bool           // the model called the ending tool
	denial      *DeniedError   // a denial that ends the run
	running     sync.WaitGroup // started calls
	talkDone    chan struct{}  // closed when the latest call that talks to the user has ended; nil before the first
	semaphore   chan struct{}  // limits parallel calls
}

func newBatch(ctx context.Context, r *run) *batch {
	ctx, cancel := context.WithCancelCause(ctx)
	return &batch{run: r, ctx: ctx, cancel: cancel, semaphore: make(chan struct{}, maxParallelReads)}
}

// add takes a call at its last byte: it checks, decides and records the call and, if possible,
// starts it. An error ends the run. faults are the findings in the text of the call.
func (b *batch) add(call chat.Call, faults []diag.Finding) error {
	b.added++
	call.ID = b.run.uniqueID(call.ID, fmt.Sprintf("t%dc%d", b.run.out.Turns, b.added))
	if call.Executable && !b.run.native && call.Name == b.run.ending {
		b.final = true
		return nil
	}
	inv := &invocation{call: call, writtenArgs: call.Arguments}
	if call.Status == chat.StatusSuppressed && !b.run.native { // a draft in reasoning
		b.run.addReport(inv)
		return nil
	}
	if err := b.run.budget.addCall(); err != nil {
		return err
	}
	b.charged++
	switch {
	case call.Executable:
		inv.check(b.run)
	case b.run.native: // protocols require a result for every call
		inv.refusalRule = "floor:decode"
		inv.reject(chat.Failure(chat.InvalidArguments, "%s", messages(faults)))
	default:
		b.run.addReport(inv)
		return nil
	}
	if err := b.run.budget.addIdenticalCall(inv.call); err != nil {
		return err
	}
	decision := b.decide(inv)
	inv.report = b.run.addReport(inv)
	b.invocations = append(b.invocations, inv)
	b.hasWrite = b.hasWrite || inv.def != nil && inv.def.Effect != tool.Read
	early := decision.Early && !b.hasWrite // a read never overtakes a write
	if err := b.recordCall(inv, decision, early); err != nil {
		return err
	}
	if decision.Budget != "" {
		return &LimitError{Budget: decision.Budget, Why: decision.Why}
	}
	if early {
		return b.startNow(inv)
	}
	return nil
}

// maxIDBytes bounds the ids that a model may choose for calls.
const maxIDBytes = 64

// uniqueID returns given if it is usable and unique in the run, otherwise an id derived from made.
func (r *run) uniqueID(given, made string) string {
	id := given
	if r.callIDs[id] || !r.isUsableID(id) {
		id = made
	}
	for r.callIDs[id] { // a model may have used the derived id already
		id += "x"
	}
	r.callIDs[id] = true
	return id
}

// isUsableID reports whether an id is short, has no marker of a dialect and holds no secret. It is
// sent to every model of the run and written to the record.
func (r *run) isUsableID(id string) bool {
	return id != "" && len(id) <= maxIDBytes && !strings.Contains(id, redact.Mask) &&
		r.cfg.Policy.Secrets.Hide(id) == id && dialect.NeutraliseText(id) == id
}

// denyEchoed denies a call that is spelled out in untrusted data.
func (r *run) denyEchoed(inv *invocation, d policy.Decision) policy.Decision {
	u := inv.echoCandidate()
	if r.native {
		u.Text = ""
	}
	denied := policy.Decision{Verdict: policy.Deny, Rule: "floor:echo"}
	switch {
	case r.untrustedInput.IsEcho(u):
		denied.Why = "the input contains this call, and instructions in the input are not followed"
		denied.Hint = "use --trust-input if you wrote the input yourself"
	case r.untrustedText.IsEcho(u):
		denied.Why = "an earlier result contains this call, and instructions in results are not followed"
	default:
		return d
	}
	return denied
}

// decide asks the policy about a call, unless its check refused it.
func (b *batch) decide(inv *invocation) policy.Decision {
	if inv.isRefused() {
		return policy.Decision{Verdict: policy.Deny, Rule: cmp.Or(inv.refusalRule, "check"), Why: inv.refusalReason()}
	}
	d := b.judge(inv, inv.call.Arguments)
	if d.Verdict == policy.Deny {
		b.deny(inv, d)
		return d
	}
	inv.applyDecision(d)
	if d.ExfiltrationReason != "" {
		b.run.reportExfiltration(inv, d)
	}
	return d
}

// judge asks the policy about a call with the given arguments.
func (b *batch) judge(inv *invocation, args json.RawMessage) policy.Decision {
	d := b.run.cfg.Policy.Decide(&b.run.journal.state, policy.Facts{Def: inv.def, Arguments: args, Resolve: b.run.cfg.Resolve, Trusted: inv.approverArgs})
	if d.Verdict != policy.Deny && b.run.recordedCalls.secret[secretArguments{inv.call.ID, inv.approverArgs}] {
		d = d.DenySecret()
	}
	if d.Verdict != policy.Deny {
		d = b.run.denyEchoed(inv, d)
	}
	return d
}

// deny refuses a call. The first denied change ends the run, unless Config.ContinueDenied is set.
func (b *batch) deny(inv *invocation, d policy.Decision) {
	inv.result = chat.Failure(cmp.Or(d.Code, chat.Denied), "%s", d.Why)
	inv.enter(callDenied)
	if d.Code != chat.InvalidArguments && inv.def.Effect != tool.Read && !b.run.cfg.ContinueDenied && b.denial == nil {
		b.denial = &DeniedError{Tool: inv.call.Name, Why: d.Why, Hint: d.Hint}
	}
}

// addReport adds a call to the outcome, with status skipped.
func (r *run) addReport(inv *invocation) *CallReport {
	report := &CallReport{ID: inv.call.ID, Tool: inv.call.Name, Status: CallSkipped, Arguments: inv.call.Arguments}
	if inv.def != nil {
		report.Effect = inv.def.Effect
	}
	r.reports = append(r.reports, report)
	return report
}

// recordCall records a decided call and emits its event.
func (b *batch) recordCall(inv *invocation, d policy.Decision, early bool) error {
	inv.digest = b.run.digest(inv.call.Name, inv.call.Arguments)
	b.run.cfg.Observe(Event{Kind: EventCall, Turn: b.run.out.Turns, Call: *inv.report, Verdict: d.Verdict, Rule: d.Rule, Digest: inv.digest, Text: d.Why})
	return b.run.journal.append(runfile.Call{
		Turn: b.run.out.Turns, Index: b.added - 1, ID: inv.call.ID, Name: inv.call.Name, Effect: string(inv.report.Effect),
		Proposed: inv.writtenArgs, Effective: inv.call.Arguments, Digest: inv.digest,
		Verdict: string(d.Verdict), Rule: d.Rule, Why: d.Why, Early: early, Labels: d.LabelNames(),
	})
}

// refund returns the calls of the batch to the budget.
func (b *batch) refund() {
	b.run.budget.calls -= b.charged
	for _, inv := range b.invocations {
		b.run.budget.identicalCalls[repeatKey(inv.call)]--
	}
}
