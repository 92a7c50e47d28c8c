package policy

import (
	"encoding/json"
	"time"

	"oneshot/pkg/tool"
)

// A Layer is one policy, as a file says it.
type Layer struct {
	Raw        json.RawMessage // the document
	EnableExec bool            // tools may run programs
	// RequireNonce says that calls which are written count only in marked fences. Who drives
	// the run holds it to that.
	RequireNonce bool
	Budget       Budget
	PerUser      bool // there are rates for all runs of a user, which need a [Ledger]
	Managed      bool // of the administrator: beside it flags decide as if it were not there, and it only narrows
	// Shipped are the built-in means of the tools that the rules are about, by their names: a definition that takes such
	// a name for something else is not listed. Nil is for none.
	Shipped  map[string]string
	programs Programs
	files    fileRules
	trifecta Verdict
	tools    map[string]*toolRules
	sinks    map[string][]rule      // calls that may carry private data away, by tool
	labels   map[string][]labelRule // of the data of calls, by tool
	input    []tool.Label           // of the input of a run
	dotted   []string               // see [Policy.DotNames]; never nil
}

// A Budget limits a whole run. A negative number is no limit, and neither is a wall clock of
// 0. A run holds itself to calls and writes by what [Policy.Decide] says; tokens and the wall
// clock are for who drives it.
type Budget struct {
	Calls, Writes, Tokens int
	Wall                  time.Duration
}

// toolRules are the rules of one tool.
type toolRules struct {
	deny, ask, allow []rule
	limit            limit
}

// A rule is one rule. One of deny hits, one of ask or allow admits.
type rule struct {
	id               string // unique in its layer
	effect           tool.Effect
	args             []argRule
	because          string
	set              map[string]json.RawMessage
	limit            limit
	onUnknownOutcome string // what a crash means that leaves open whether a call took effect: see [Decision]
}

// An argRule says what one argument has to be.
type argRule struct {
	name string
	constraint
}

// A limit is how often, and how much. A negative number of calls is no limit.
type limit struct {
	calls int
	rate  tool.Rate
	burst int
	bytes int64

	modelBytes int64

	perUser bool // the rate is one for all runs
}
