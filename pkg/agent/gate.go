package agent

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/policy"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// A Gate takes each call from its bytes to its result: it binds the call to its definition, checks
// the arguments, counts the call, asks the policy and the approver, executes it, removes secrets from
// the result, and records every step. A run drives it for the calls of each response; [Gate.Admit]
// and [Gate.Finish] drive it for a single call. A Gate is not safe for concurrent use.
type Gate struct {
	cfg       GateConfig
	journal   *journal
	tools     toolSet
	native    bool // calls come through the tool-call field of the server
	budget    callBudget
	callIDs   map[string]bool // in use
	untrusted untrustedData
	outcomes  callOutcomes
	// conversation returns the messages so far; nil outside of a run.
	conversation func() []chat.Message
}

func newGate(cfg GateConfig, j *journal, read untrustedData) *Gate {
	if cfg.Tools == nil {
		cfg.Tools, _ = tool.NewRegistry()
	}
	return &Gate{
		cfg: cfg, journal: j, tools: toolSet{registry: cfg.Tools, askUser: cfg.AskUser}, budget: newCallBudget(cfg.Limits),
		callIDs: map[string]bool{}, untrusted: read, outcomes: newCallOutcomes(),
	}
}

// newInvocation returns a call with an ID that is unique in the run: that of the model if it is
// usable, otherwise one made from id.
func (g *Gate) newInvocation(call chat.Call, id string) *Invocation {
	call.ID = g.uniqueID(call.ID, id)
	return &Invocation{call: call, writtenArgs: call.Arguments, isNative: g.native}
}

// maxIDBytes bounds the ids that a model may choose for calls.
const maxIDBytes = 64

// uniqueID returns given if it is usable and unique in the run, otherwise an id derived from made.
func (g *Gate) uniqueID(given, made string) string {
	id := given
	if g.callIDs[id] || !g.isSafeID(id) {
		id = made
	}
	for g.callIDs[id] { // a model may have used the derived id already
		id += "x"
	}
	g.callIDs[id] = true
	return id
}

// isSafeID reports whether an id is short, has no marker of a dialect and holds no secret. It is
// sent to every model of the run and written to the record.
func (g *Gate) isSafeID(id string) bool {
	return id != "" && len(id) <= maxIDBytes && !strings.Contains(id, redact.Mask) &&
		g.cfg.Policy.Secrets.Hide(id) == id && dialect.NeutraliseText(id) == id
}

// An admission is the result of [Gate.admit].
type admission struct {
	decided bool // false for a call over a limit, and for an unreadable written call, which is only counted
	early   bool // the call is to start at once
}

// admit checks, counts, decides and records the call at an index of its response. faults are the
// findings in the text of the call. mayStart allows the call to start before its response is
// complete.
func (g *Gate) admit(inv *Invocation, index int, faults []diag.Finding, mayStart bool) (admission, error) {
	if err := g.budget.add(); err != nil {
		return admission{}, err
	}
	switch {
	case inv.call.Executable:
		g.tools.check(inv, g.journal.recorded.secret[secretArguments{inv.call.ID, inv.approverArgs}])
	case inv.isNative: // protocols require a result for every call
		inv.refusalRule = "floor:decode"
		inv.reject(chat.Failure(chat.InvalidArguments, "%s", joinMessages(faults)))
	default:
		g.outcomes.addCall(inv)
		return admission{}, nil
	}
	if err := g.budget.addIdentical(inv.call); err != nil {
		return admission{}, err
	}
	g.decide(inv)
	inv.report = g.outcomes.addCall(inv)
	a := admission{decided: true, early: inv.decision.Early && mayStart && !inv.hasEffect()}
	if err := g.recordCall(inv, index, a.early); err != nil {
		return a, err
	}
	if d := inv.decision; d.Budget != "" {
		return a, &LimitError{Budget: d.Budget, Why: d.Why}
	}
	return a, nil
}

// decide asks the policy about a call, unless its check refused it.
func (g *Gate) decide(inv *Invocation) {
	if inv.isRefused() {
		inv.decision = policy.Decision{Verdict: policy.Deny, Rule: cmp.Or(inv.refusalRule, "check"), Why: inv.refusalReason(), Arguments: inv.call.Arguments}
		return
	}
	d := g.policyDecision(inv, inv.call.Arguments)
	if d.Verdict == policy.Deny {
		g.deny(inv, d)
		return
	}
	inv.applyDecision(d)
	if d.ExfiltrationReason != "" {
		g.reportUncoveredExfiltration(inv, d)
	}
}

// policyDecision asks the policy about a call with the given arguments.
func (g *Gate) policyDecision(inv *Invocation, args json.RawMessage) policy.Decision {
	d := g.cfg.Policy.Decide(&g.journal.state, policy.Facts{Def: inv.def, Arguments: args, Resolve: g.cfg.Resolve, Trusted: g.cfg.Trusted || inv.approverArgs})
	if d.Verdict != policy.Deny && g.journal.recorded.secret[secretArguments{inv.call.ID, inv.approverArgs}] {
		d = d.DenySecret()
	}
	if d.Verdict == policy.Deny {
		return d
	}
	text := inv.call.Text
	if inv.isNative {
		text = ""
	}
	return g.untrusted.denyEchoed(policy.EchoCandidate(inv.def, inv.writtenArgs, inv.boundArgs, text), d)
}

// deny refuses a call. The denial of a change ends the run, unless Config.ContinueDenied is set.
func (g *Gate) deny(inv *Invocation, d policy.Decision) {
	inv.decision = d
	inv.result = chat.Failure(cmp.Or(d.Code, chat.Denied), "%s", d.Why)
	inv.enter(callDenied)
	if d.Code != chat.InvalidArguments && inv.def.Effect != tool.Read && !g.cfg.ContinueDenied {
		inv.denial = &DeniedError{Tool: inv.call.Name, Why: d.Why, Hint: d.Hint}
	}
}

// reportUncoveredExfiltration reports a call that could send private data away and that no policy decides
// on.
func (g *Gate) reportUncoveredExfiltration(inv *Invocation, d policy.Decision) {
	f := diag.New(diag.ExposedData, diag.Span{}, "%s: %s, and no policy covers it", inv.call.Name, d.ExfiltrationReason)
	f.Hint = "use --policy FILE to deny such calls, except those that the file allows"
	g.journal.reportFindings(f)
}

// recordCall records a decided call and emits its event.
func (g *Gate) recordCall(inv *Invocation, index int, early bool) error {
	d := inv.decision
	inv.digest = g.callDigest(inv.call.Name, inv.call.Arguments)
	g.journal.emit(Event{Kind: EventCall, Call: *inv.report, Verdict: d.Verdict, Rule: d.Rule, Digest: inv.digest, Text: d.Why})
	c := runfile.Call{
		Turn: g.journal.turn, Index: index, ID: inv.call.ID, Name: inv.call.Name, Effect: string(inv.report.Effect),
		Proposed: inv.writtenArgs, Effective: inv.call.Arguments, Digest: inv.digest,
		Verdict: string(d.Verdict), Rule: d.Rule, Why: d.Why, Early: early, Labels: d.LabelNames(),
	}
	inv.isAsRecorded = g.cfg.recordedWording.isSameDecision(c)
	return g.journal.append(c)
}

// emitStart emits the start of a call, unless it is on record. A resumed run may repeat the results of other calls after it.
func (g *Gate) emitStart(inv *Invocation) {
	if !g.journal.recorded.hasBegun(inv.call.ID) {
		g.journal.observe(Event{Kind: EventStart, Turn: g.journal.turn, Call: *inv.report, Digest: inv.digest})
	}
}

// emitFinal emits the final event of a call.
func (g *Gate) emitFinal(kind EventKind, inv *Invocation, why string) {
	inv.enter(callReported)
	g.journal.emit(Event{Kind: kind, Call: *inv.report, Digest: inv.digest, Duration: inv.duration, Text: why})
}

// callDigest returns the digest of a call as recorded, without secrets.
func (g *Gate) callDigest(tool string, args json.RawMessage) string {
	return runfile.CallDigest(tool, g.cfg.Policy.Secrets.HideData(args))
}

// idempotencyKey returns the key that identifies a call when it is repeated after a crash: 32
// hexadecimal digits, "" if its tool uses none. Other arguments get another key.
func (g *Gate) idempotencyKey(inv *Invocation) string {
	if !inv.def.HasKey() {
		return ""
	}
	h := sha256.New()
	for _, part := range []string{g.cfg.ID, hex.EncodeToString(g.cfg.Seed[:]), inv.call.ID, inv.digest} {
		fmt.Fprintf(h, "%d:%s", len(part), part) // writing to a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
