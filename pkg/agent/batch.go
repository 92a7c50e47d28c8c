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

// A batch is the calls of one response.
type batch struct {
	run         *run
	ctx         context.Context // of its calls
	cancel      context.CancelCauseFunc
	seen        int // calls added, readable or not
	counted     int // those of them that the budget counts
	invocations []*invocation
	writes      bool           // one of them changes something
	final       bool           // finalResponse was called
	denied      *DeniedError   // a denial that ends the run
	running     sync.WaitGroup // calls that were started
	said        chan struct{}  // closed when the latest call that talks has ended; nil before the first
	tokens      chan struct{}  // held by calls while they run
}

func newBatch(ctx context.Context, r *run) *batch {
	ctx, cancel := context.WithCancelCause(ctx)
	return &batch{run: r, ctx: ctx, cancel: cancel, tokens: make(chan struct{}, sideBySide)}
}

// add takes a call whose last byte has arrived: it is checked, decided,
// recorded and, where that is allowed, started. An error ends the run.
// callFindings are what was found in the text of the call.
func (b *batch) add(call chat.Call, faults []diag.Finding) error {
	b.seen++
	call.ID = b.run.uniqueID(call.ID, fmt.Sprintf("t%dc%d", b.run.out.Turns, b.seen))
	if call.Executable && !b.run.native && call.Name == b.run.ending {
		b.final = true
		return nil
	}
	s := &invocation{call: call, writtenArgs: call.Arguments}
	if call.Status == chat.StatusSuppressed && !b.run.native { // a draft
		b.run.report(s)
		return nil
	}
	if err := b.run.budget.call(); err != nil {
		return err
	}
	b.counted++
	switch {
	case call.Executable:
		s.check(b.run)
	case b.run.native: // every call has to get a result
		s.rule = "floor:decode"
		s.refuse(chat.InvalidArguments, "%s", messages(faults))
	default:
		b.run.report(s)
		return nil
	}
	if err := b.run.budget.repeat(s.call); err != nil {
		return err
	}
	decision := b.decide(s)
	s.report = b.run.report(s)
	b.invocations = append(b.invocations, s)
	b.writes = b.writes || s.def != nil && s.def.Effect != tool.Read
	early := decision.Early && !b.writes // nothing written stands before it
	if err := b.record(s, decision, early); err != nil {
		return err
	}
	if decision.Budget != "" {
		return &LimitError{Budget: decision.Budget, Why: decision.Why}
	}
	if early {
		return b.startNow(s)
	}
	return nil
}

// longestID is how long the id of a call can be that a model chooses.
const longestID = 64

// uniqueID returns the id of a call: the one that it has, if that is fit for it
// and no other call of the run has it, and otherwise one that was made.
func (r *run) uniqueID(given, made string) string {
	id := given
	if r.ids[id] || !r.isFitID(id) {
		id = made
	}
	for r.ids[id] { // a model can choose any id
		id += "x"
	}
	r.ids[id] = true
	return id
}

// isFitID reports whether an id, which goes to every model of the run and onto the record, is short and inert and holds
// no secret.
func (r *run) isFitID(id string) bool {
	return id != "" && len(id) <= longestID && !strings.Contains(id, redact.Mask) &&
		r.cfg.Policy.Secrets.Hide(id) == id && dialect.NeutraliseText(id) == id
}

// denyEchoed denies a call that is spelled out in data that the run has read.
func (r *run) denyEchoed(s *invocation, d policy.Decision) policy.Decision {
	u := s.utterance()
	if r.native {
		u.Text = ""
	}
	denied := policy.Decision{Verdict: policy.Deny, Rule: "floor:echo"}
	switch {
	case r.input.Echoes(u):
		denied.Why = "this call is spelled out in the input, and what the input says is not done"
		denied.Hint = "--trust-input, if the input is your own words"
	case r.untrustedText.Echoes(u):
		denied.Why = "this call stands in an earlier result, and what results say is not done"
	default:
		return d
	}
	return denied
}

// decide asks the policy about a call that could run.
func (b *batch) decide(s *invocation) policy.Decision {
	if s.refused {
		return policy.Decision{Verdict: policy.Deny, Rule: cmp.Or(s.rule, "check"), Why: s.refusal()}
	}
	d := b.judge(s, s.call.Arguments)
	if d.Verdict == policy.Deny {
		b.deny(s, d)
		return d
	}
	s.applyDecision(d)
	if d.Exposed != "" {
		b.run.reportExfiltration(s, d)
	}
	return d
}

// checkAnswer asks the policy about a call with arguments.
func (b *batch) judge(s *invocation, args json.RawMessage) policy.Decision {
	d := b.run.cfg.Policy.Decide(&b.run.record.state, policy.Facts{Def: s.def, Arguments: args, Resolve: b.run.cfg.Resolve, Trusted: s.approverArgs})
	if d.Verdict != policy.Deny && b.run.past.secret[secretArguments{s.call.ID, s.approverArgs}] {
		d = d.HoldsSecret()
	}
	if d.Verdict != policy.Deny {
		d = b.run.denyEchoed(s, d)
	}
	return d
}

// deny refuses a call. The first denial of a change ends the run, unless it is to go on.
func (b *batch) deny(s *invocation, d policy.Decision) {
	s.refuse(cmp.Or(d.Code, chat.Denied), "%s", d.Why)
	s.denied = true
	if d.Code != chat.InvalidArguments && s.def.Effect != tool.Read && !b.run.cfg.ContinueDenied && b.denied == nil {
		b.denied = &DeniedError{Tool: s.call.Name, Why: d.Why, Hint: d.Hint}
	}
}

// report adds a call to the outcome, as not run.
func (r *run) report(s *invocation) *CallReport {
	report := &CallReport{ID: s.call.ID, Tool: s.call.Name, Status: CallSkipped, Arguments: s.call.Arguments}
	if s.def != nil {
		report.Effect = s.def.Effect
	}
	r.reports = append(r.reports, report)
	return report
}

func (b *batch) record(s *invocation, d policy.Decision, early bool) error {
	s.digest = b.run.digest(s.call.Name, s.call.Arguments)
	b.run.cfg.Observe(Event{Kind: EventCall, Turn: b.run.out.Turns, Call: *s.report, Verdict: d.Verdict, Rule: d.Rule, Digest: s.digest, Text: d.Why})
	return b.run.record.append(runfile.Call{
		Turn: b.run.out.Turns, Index: b.seen - 1, ID: s.call.ID, Name: s.call.Name, Effect: string(s.report.Effect),
		Proposed: s.writtenArgs, Effective: s.call.Arguments, Digest: s.digest,
		Verdict: string(d.Verdict), Rule: d.Rule, Why: d.Why, Early: early, Labels: d.LabelNames(),
	})
}

// refund takes the calls of the batch, which turn out to be none, out of the
// budget.
func (b *batch) refund() {
	b.run.budget.calls -= b.counted
	for _, s := range b.invocations {
		b.run.budget.same[repeatKey(s.call)]--
	}
}
