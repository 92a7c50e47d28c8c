package agent

import (
	"encoding/json"
	"fmt"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/policy"
	"oneshot/pkg/prompt"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// An Invocation is one call and its state, from its last byte to its result: see [Gate].
type Invocation struct {
	call         chat.Call
	writtenArgs  json.RawMessage // verbatim from the model
	isNative     bool            // it came through the tool-call field of the server
	def          *tool.Definition
	report       *CallReport
	state        callState
	approverArgs bool   // the approver replaced the arguments
	refusalRule  string // that refused the call before the policy decided
	result       chat.Result
	envelope     json.RawMessage // the encoded result, for the model
	duration     time.Duration
	cached       *chat.CacheOrigin // of a result from the cache
	digest       string            // see [runfile.CallDigest]
	boundArgs    json.RawMessage   // the model's arguments, bound and completed with defaults
	changedArgs  json.RawMessage   // the members of the arguments set by the policy or the approver
	decision     policy.Decision
	isAsRecorded bool         // the resumed or replayed run decided the same about the call
	denial       *DeniedError // ends the run, unless it continues after denials
	err          error        // ends the run; the reason is the cause of the batch's context
}

// Decision returns the latest decision about the call.
func (inv *Invocation) Decision() policy.Decision { return inv.decision }

// Rejection returns the result of a call whose check failed; ok is false for any other call.
func (inv *Invocation) Rejection() (result chat.Result, ok bool) {
	return inv.result, inv.state == callRefused || inv.state == callNeedsUser
}

// A callState is a stage in the life of a call. A call starts as ready, may be refused for one of
// several reasons or be started, and ends as reported; see [Invocation.enter].
type callState int

// States of a call.
const (
	callReady     callState = iota // may start, possibly after an approval
	callDeferred                   // ready, but in the record another call of the response was approved first
	callRefused                    // its check set an error as its result
	callNeedsUser                  // its check found that the user must supply a value
	callDenied                     // denied by the policy or the approver
	callStarted                    // runs in its own goroutine; wait for that before reading its result
	callReported                   // its final event was emitted
)

// enter changes the state of a call. It panics if a refused or denied call would start, or if a call
// would be decided or reported twice.
func (inv *Invocation) enter(next callState) {
	isDeferral := inv.state == callDeferred && next == callReady
	if inv.state == callReported || inv.state != callReady && next != callReported && !isDeferral {
		panic(fmt.Sprintf("agent: call %s enters state %d after %d", inv.call.ID, next, inv.state))
	}
	inv.state = next
}

// hasEffect reports whether the tool of the call changes something.
func (inv *Invocation) hasEffect() bool { return inv.def != nil && inv.def.Effect != tool.Read }

// isRefused reports whether the call has a result without having run.
func (inv *Invocation) isRefused() bool {
	return inv.state == callRefused || inv.state == callNeedsUser || inv.state == callDenied
}

// reject sets the result of a call that does not run because of its check.
func (inv *Invocation) reject(result chat.Result) {
	inv.result = result
	if len(result.Needs) > 0 {
		inv.enter(callNeedsUser)
	} else {
		inv.enter(callRefused)
	}
}

// applyDecision stores the policy's decision and its arguments.
func (inv *Invocation) applyDecision(d policy.Decision) {
	inv.changedArgs = changedMembers(inv.boundArgs, d.Arguments)
	inv.call.Arguments, inv.decision = d.Arguments, d
}

// discardStarted sets the final status of a started call whose batch is discarded, and returns its record; nil
// for a call that has not started.
func (inv *Invocation) discardStarted(why string) runfile.Body {
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

// fillReport copies the outcome of a call to its report.
func (inv *Invocation) fillReport() {
	inv.report.Status, inv.report.Code, _ = statusOf(inv.result)
	if inv.state == callDenied {
		inv.report.Status = CallDenied
	}
}

// failureReason returns the reason for the failure of a call, or "".
func (inv *Invocation) failureReason() string {
	_, _, why := statusOf(inv.result)
	return why
}

// refusalReason returns the reason of a refused call, for its record.
func (inv *Invocation) refusalReason() string {
	if inv.result.Error != nil {
		return inv.result.Error.Message
	}
	return inv.failureReason()
}

// promptResult returns the result of a call for the prompt.
func (inv *Invocation) promptResult() prompt.ToolResult {
	return prompt.ToolResult{Tool: inv.call.Name, Result: inv.envelope, MaxBytes: inv.maxModelBytes(), Changed: inv.changedArgs}
}

// maxModelBytes returns the maximum size of the result in the prompt, in bytes.
func (inv *Invocation) maxModelBytes() int64 {
	most := int64(prompt.DefaultModelBytes)
	if inv.def != nil && inv.def.ModelBytes > 0 {
		most = inv.def.ModelBytes
	}
	if d := inv.decision.ModelBytes; d > 0 {
		most = min(most, d)
	}
	return most
}

// authRenewalHint tells the user how to renew a missing authorization. The model does not get it,
// because it cannot renew anything.
func (inv *Invocation) authRenewalHint() string {
	if e := inv.result.Error; e != nil && e.Code == chat.Unauthorized && inv.def.Renew != "" {
		return " (" + inv.def.Renew + ")"
	}
	return ""
}

// hasChangedNothing reports whether a tool rejected the call with this result before it changed anything.
func hasChangedNothing(r chat.Result) bool {
	if r.Error == nil {
		return len(r.Needs) > 0
	}
	switch r.Error.Code {
	case chat.InvalidArguments, chat.Denied, chat.Unauthorized, chat.ScopesMissing, chat.ConnectionInactive:
		return true
	}
	return false
}
