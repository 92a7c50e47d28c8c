package agent

import (
	"encoding/json"
	"strings"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/tool"
)

// An Outcome is the result of a run. It is complete even if the run failed.
type Outcome struct {
	Answer     json.RawMessage // nil if there is no answer; it fits the schema
	Model      string          // that replied last, as PROVIDER/NAME, if its client reports it
	Turns      int             // requests sent
	Usage      chat.Usage
	Cost       chat.Cost
	Waited     time.Duration     // for a [RequestLimiter], since the latest record
	Models     []chat.ModelUsage // the parts of usage and cost by model, in the order of first use
	Calls      []CallReport
	Findings   []diag.Finding // faults tolerated or rejected in the model's output
	Repairs    int            // invalid answers sent back
	FormatMode FormatMode     // how the format of the answer was enforced
	Aborted    bool           // cancelled or timed out
	Effects    Effects        // possible changes by the run, including those before it was resumed
	Labels     []tool.Label   // of the data the run has read: private, untrusted
}

// A FormatMode names how the format of the answer was enforced. In every mode the run checks the
// answer itself.
type FormatMode string

// Format modes, strongest first.
const (
	FormatText   FormatMode = "text"   // the model answered before it was asked to
	FormatSchema FormatMode = "format" // the server enforces the schema
	FormatJSON   FormatMode = "json"   // the server enforces JSON
	FormatPrompt FormatMode = "prompt" // only the prompt asks for the format
)

// Effects lists the possible changes by a run.
type Effects int

// Values of [Effects].
const (
	NoEffects      Effects = iota
	KeyedEffects           // each change has an idempotency key, with which a resumed run can repeat it
	UnkeyedEffects         // at least one change has no key
)

// A CallStatus is the final status of a call.
type CallStatus string

// Statuses of calls.
const (
	CallOK        CallStatus = "ok"
	CallError     CallStatus = "error"
	CallNeeds     CallStatus = "needs"
	CallDenied    CallStatus = "denied"
	CallDiscarded CallStatus = "discarded" // started, but its result is not in the conversation
	CallSkipped   CallStatus = "skipped"   // not run
)

// A CallReport describes a call and its outcome.
type CallReport struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Effect    tool.Effect     `json:"effect,omitempty"`
	Status    CallStatus      `json:"status"`
	Code      chat.ErrorCode  `json:"code,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// statusOf returns the status of a call with a result, and the code and reason of its failure.
func statusOf(r chat.Result) (status CallStatus, code chat.ErrorCode, why string) {
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
