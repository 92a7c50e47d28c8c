package policy

import (
	"encoding/json"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/tool"
)

// A Layer is one compiled policy file.
type Layer struct {
	Raw        json.RawMessage // the document
	EnableExec bool            // tools may run programs
	// RequireNonce means that written calls count only in fences with the nonce. The agent
	// loop enforces it.
	RequireNonce bool
	Budget       Budget
	PerUser      bool // has rates for all runs of a user, which need a [Ledger]
	Managed      bool // set by the administrator: it can only restrict flags and other layers further
	// Shipped are the built-in backends of shipped tools, by tool name: a definition that reuses such
	// a name for something else counts as not listed. Nil disables the check.
	Shipped  map[string]string
	programs Programs
	files    fileRules
	trifecta Verdict
	tools    map[string]*toolRules
	sinks    map[string][]rule      // rules of calls that may carry private data away, by tool
	labels   map[string][]labelRule // by tool
	input    []tool.Label           // of the input
	dotted   []string               // see [Policy.WritableDotFileNames]; never nil
}

// A Budget limits a whole run. A negative number is no limit, and neither is a wall clock of 0. [Policy.Decide]
// enforces calls and writes; the caller enforces tokens, the cost and the wall clock.
type Budget struct {
	Calls, Writes, Tokens int
	Cost                  chat.USD
	Wall                  time.Duration
}

// toolRules are the rules of one tool.
type toolRules struct {
	deny, ask, allow []rule
	limit            limit
}

// A rule is one rule of a policy. Deny rules use matches, allow rules use allows, and ask rules use both.
type rule struct {
	id               string // unique in its layer
	effect           tool.Effect
	args             []argRule
	because          string
	set              map[string]json.RawMessage
	limit            limit
	onUnknownOutcome string // see [Decision]
}

// An argRule is the constraint of one argument.
type argRule struct {
	name string
	constraint
}

// A limit bounds calls and result sizes. A negative number of calls is no limit.
type limit struct {
	calls int
	rate  tool.Rate
	burst int
	bytes int64

	modelBytes int64

	perUser bool // the rate applies to all runs of the user
}
