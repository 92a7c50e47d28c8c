package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// An invocation is one call of a response and its state, from its last byte to its result.
type invocation struct {
	call             chat.Call
	writtenArgs      json.RawMessage // verbatim from the model
	def              *tool.Definition
	report           *CallReport
	state            callState
	approverArgs     bool   // the approver replaced the arguments
	refusalRule      string // that refused the call before the policy decided
	result           chat.Result
	envelope         json.RawMessage // the encoded result, for the model
	duration         time.Duration
	digest           string          // see [runfile.CallDigest]
	boundArgs        json.RawMessage // the model's arguments, bound and completed with defaults
	changedArgs      json.RawMessage // the members of the arguments set by the policy or the approver
	approvalDeferred bool            // in the record, another call of the response was approved first
	decision         policy.Decision
	err              error // ends the run; the reason is the cause of the batch's context
}

// A callState is a stage in the life of a call. A call starts as ready, may be refused for one of
// several reasons or be started, and ends as reported; see [invocation.enter].
type callState int

// States of a call.
const (
	callReady     callState = iota // may start, possibly after an approval
	callRefused                    // its check set an error as its result
	callNeedsUser                  // its check found that the user must supply a value
	callDenied                     // denied by the policy or the approver
	callStarted                    // runs in its own goroutine; wait for that before reading its result
	callReported                   // its final event was emitted
)

// enter changes the state of a call. It panics if a refused or denied call would start, or if a call
// would be decided or reported twice.
func (inv *invocation) enter(next callState) {
	if inv.state == callReported || inv.state != callReady && next != callReported {
		panic(fmt.Sprintf("agent: call %s enters state %d after %d", inv.call.ID, next, inv.state))
	}
	inv.state = next
}

// isRefused reports whether the call has a result without having run.
func (inv *invocation) isRefused() bool {
	return inv.state == callRefused || inv.state == callNeedsUser || inv.state == callDenied
}

// check looks up the definition of a call and checks its arguments.
func (inv *invocation) check(r *run) {
	def, ok := r.cfg.Tools.Get(inv.call.Name)
	switch {
	case tool.EndingTool(inv.call.Name) != nil: // the ending tool of another dialect, or calls are native
		inv.reject(chat.Failure(chat.UnknownTool, "Unknown tool: %s%s", inv.call.Name, suggestion(r.ending)))
		return
	case !ok, def == tool.AskUser && !r.cfg.AskUser:
		inv.reject(chat.Failure(chat.UnknownTool, "Unknown tool: %s%s", quoteName(inv.call.Name), suggestion(r.cfg.Tools.Suggest(inv.call.Name))))
		return
	}
	inv.def = def
	bound, findings := def.Bind(inv.call)
	if faults := tool.CheckStrict(bound.Arguments); len(faults) > 0 {
		findings, inv.refusalRule = append(findings, faults...), "floor:decode"
	}
	if !diag.HasErrors(findings) {
		findings = append(findings, def.Check(bound.Arguments)...)
		inv.call = bound
	}
	if diag.HasErrors(findings) {
		inv.reject(def.RejectionResult(findings, messages(findings)))
		return
	}
	if def == tool.AskUser {
		inv.askUser(bound.Arguments)
		return
	}
	inv.boundArgs = def.WithDefaults(bound.Arguments)
	inv.call.Arguments = inv.boundArgs
}

// askUser turns a call of [tool.AskUser] into a question to the user.
func (inv *invocation) askUser(args json.RawMessage) {
	var q struct{ Question, Key string }
	if err := json.Unmarshal(args, &q); err != nil {
		panic(err) // the check accepted them
	}
	inv.call.Arguments = args
	inv.reject(chat.Result{Needs: []string{q.Key}, Question: q.Question})
}

// echoCandidate returns a call in the form in which untrusted data is searched for it.
func (inv *invocation) echoCandidate() dialect.EchoCandidate {
	u := dialect.EchoCandidate{Name: inv.call.Name, RawArgs: inv.writtenArgs, Args: inv.boundArgs, Text: inv.call.Text, ReadOnly: inv.def.Effect == tool.Read, Required: []string{}}
	for _, p := range inv.def.Signature.Params {
		if !p.Optional && p.Default == nil {
			u.Required = append(u.Required, p.Name)
		}
	}
	return u
}

// quoteName makes a name from the model fit for a message: short and printable.
func quoteName(name string) string {
	const longest = 64
	if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, name)
}

func suggestion(name string) string {
	if name == "" {
		return ""
	}
	return "; did you mean " + name + "?"
}

// maxReportedFaults bounds the faults of one call in a message to the model.
const maxReportedFaults = 10

func messages(findings []diag.Finding) string {
	lines := make([]string, 0, maxReportedFaults+1)
	for _, f := range findings[:min(len(findings), maxReportedFaults)] {
		lines = append(lines, f.Message)
	}
	if more := len(findings) - maxReportedFaults; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more errors", more))
	}
	return strings.Join(lines, "; ")
}

// reject sets the result of a call that does not run because of its check.
func (inv *invocation) reject(result chat.Result) {
	inv.result = result
	if len(result.Needs) > 0 {
		inv.enter(callNeedsUser)
	} else {
		inv.enter(callRefused)
	}
}

// applyDecision stores the policy's decision and its arguments.
func (inv *invocation) applyDecision(d policy.Decision) {
	inv.changedArgs = changedMembers(inv.boundArgs, d.Arguments)
	inv.call.Arguments, inv.decision = d.Arguments, d
}

// drop sets the final status of a call whose batch is discarded, and returns its record; nil if the
// call needs none.
func (inv *invocation) drop(why string) runfile.Body {
	switch {
	case inv.state != callStarted:
		return nil
	case inv.def.Effect != tool.Read: // its effect is unknown
		inv.report.Status, inv.report.Code = CallError, chat.UnknownOutcome
		return runfile.UnknownOutcome{Call: inv.call.ID}
	}
	inv.report.Status = CallDiscarded
	return runfile.Discarded{Call: inv.call.ID, Why: why}
}

// finalize copies the outcome of a call to its report.
func (inv *invocation) finalize() {
	inv.report.Status, inv.report.Code, _ = StatusOf(inv.result)
	if inv.state == callDenied {
		inv.report.Status = CallDenied
	}
}

// StatusOf returns the status of a call with a result, and the code and reason of its failure.
func StatusOf(r chat.Result) (status CallStatus, code chat.ErrorCode, why string) {
	switch {
	case len(r.Needs) > 0:
		return CallNeeds, "", "needs " + strings.Join(r.Needs, ", ")
	case r.Error == nil:
		return CallOK, "", ""
	}
	why = string(r.Error.Code) + ": " + r.Error.Message
	if r.Error.Code == chat.Denied {
		return CallDenied, chat.Denied, why
	}
	return CallError, r.Error.Code, why
}

// failureReason returns the reason for the failure of a call, or "".
func (inv *invocation) failureReason() string {
	_, _, why := StatusOf(inv.result)
	return why
}

// refusalReason returns the reason of a refused call, for its record.
func (inv *invocation) refusalReason() string {
	if inv.result.Error != nil {
		return inv.result.Error.Message
	}
	return inv.failureReason()
}
