package agent

import (
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
)

// An EventKind is the kind of an [Event].
type EventKind string

// Kinds of events.
const (
	EventRequest EventKind = "request" // a request is about to be sent
	EventRetry   EventKind = "retry"   // an attempt failed and is retried
	EventText    EventKind = "text"    // a piece of the content of the response has arrived
	// A piece of the content outside calls and reasoning has arrived: with [Config.ObserveContent].
	EventContent EventKind = "content"
	// The content of the response so far is reasoning: with [Config.ObserveContent].
	EventRetracted EventKind = "retracted"
	EventReply     EventKind = "reply"    // the response is complete
	EventCall      EventKind = "call"     // a call was decided
	EventApproval  EventKind = "approval" // an approver approved or refused a call
	EventStart     EventKind = "start"    // a call starts, or waits for its rate limit
	EventResult    EventKind = "result"   // a call has ended
	EventDropped   EventKind = "dropped"  // a decided call was not run, or its result was not used
	EventFinding   EventKind = "finding"  // a finding in the reply
	EventReprompt  EventKind = "reprompt" // the model is asked again after an unusable reply
)

// An Event reports progress of a run. Fields that do not apply are zero. Each decided call has one
// EventCall and later one EventResult or EventDropped.
type Event struct {
	Kind           EventKind
	Turn           int
	Purpose        chat.Purpose
	Attempt        *chat.Attempt
	Usage          chat.Usage
	TotalUsage     chat.Usage // of EventRequest and EventReply: of the run so far
	TotalCost      chat.Cost  // likewise
	Call           CallReport
	Verdict        policy.Verdict // of EventCall and EventApproval
	Rule           string         // of the policy that decided
	By             string         // the approver: see [runfile.Approval]
	ModifiedDigest string         // digest of the call with the arguments of the approver; "" if unchanged
	Digest         string         // of the call: see [runfile.CallDigest]
	Duration       time.Duration
	Finding        diag.Finding
	Text           string // the reason, for users; of EventText and EventContent the piece, in which secrets are not masked
}
