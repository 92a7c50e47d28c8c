package agent

import (
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
)

// An EventKind names what an [Event] tells.
type EventKind string

// The kinds of events.
const (
	EventRequest EventKind = "request" // a request is about to be sent
	EventRetry   EventKind = "retry"   // an attempt failed and is repeated
	EventReply   EventKind = "reply"   // the response is complete
	EventCall    EventKind = "call"    // a call was decided
	EventAnswer  EventKind = "answer"  // a call that the policy asks about was approved or refused
	EventResult  EventKind = "result"  // a call has ended
	EventLeft    EventKind = "left"    // a call that was decided comes to nothing: it is not run, or its result is not used
	EventFinding EventKind = "finding" // something in the reply is wrong
	EventAgain   EventKind = "again"   // the reply is of no use; the model is asked again
)

// An Event tells a person what a run is doing. Fields that do not apply are
// zero. For each call that is decided there is one EventCall, and later one
// EventResult or EventLeft.
type Event struct {
	Kind    EventKind
	Turn    int
	Purpose chat.Purpose
	Attempt *chat.Attempt
	Usage   chat.Usage
	Call    CallReport
	Verdict policy.Verdict // of a call that was decided
	Rule    string         // that decided it
	By      string         // who answered: see [runfile.Approval]
	Other   string         // the digest of the call as it was approved, if it is another
	Digest  string         // of the call: see [runfile.CallDigest]
	Took    time.Duration
	Finding diag.Finding
	Text    string // why, for people
}
