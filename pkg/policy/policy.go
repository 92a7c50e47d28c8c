// Package policy decides whether a call may happen.
//
// A decision is made from decoded facts only, never from text, and anything
// that is not allowed is denied. The package executes nothing and keeps no
// state of its own.
package policy

import (
	"path"

	"oneshot/pkg/tool"
)

// A Verdict is the outcome of a [Decision].
type Verdict string

// The verdicts.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
)

// A Decision says whether one call may happen, and why.
type Decision struct {
	Verdict Verdict
	Rule    string // id of the rule that decided
	Why     string // for people and for the model
	Hint    string // what the person who starts the run can do about a denial
	Early   bool   // the call may start before its response has ended
}

// Facts are what is known of one call: decoded values, handed in.
type Facts struct {
	Tool   string
	Effect tool.Effect
	Scopes []string // what the definition says a run must have been granted
	Hosts  []string // every host that the arguments would make the tool reach, as host:port
}

// Rules are what the person who starts a run decided on the command line. The
// zero value allows reads of the named tools and nothing else.
type Rules struct {
	Allow      []string        // globs of tools that may write
	Deny       []string        // globs of tools that may not be called at all
	ReadOnly   bool            // nothing may write, whatever Allow says
	AllowHosts map[string]bool // host:port addresses that early reads may reach
}

// Decide judges one call. Deny wins over everything; a glob in it that is not
// valid could have meant any tool.
func (r Rules) Decide(f Facts) Decision {
	switch {
	case CheckGlobs(r.Deny) != "":
		return Decision{Verdict: Deny, Rule: "flag:deny", Why: "a pattern of --deny is not valid"}
	case matches(r.Deny, f.Tool):
		return Decision{Verdict: Deny, Rule: "flag:deny", Why: "--deny names this tool"}
	case len(f.Scopes) > 0: // nothing grants scopes yet
		return Decision{Verdict: Deny, Rule: "default:scopes", Why: "this run has not been granted the scope " + f.Scopes[0]}
	case f.Effect == tool.Read:
		return Decision{Verdict: Allow, Rule: "default:read", Early: r.reachable(f.Hosts)}
	case r.ReadOnly:
		return Decision{Verdict: Deny, Rule: "flag:read-only", Why: "this run is read-only"}
	case f.Effect == tool.Write && matches(r.Allow, f.Tool):
		return Decision{Verdict: Allow, Rule: "flag:allow"}
	case f.Effect == tool.Write:
		return Decision{Verdict: Deny, Rule: "default:write", Why: "this tool changes things and was not allowed to", Hint: "allow it with --allow " + f.Tool}
	}
	return Decision{Verdict: Deny, Rule: "default:deny", Why: "running commands is not allowed in this run"}
}

// reachable reports whether all hosts are ones that a read may reach before its
// response is complete: a call that is never confirmed must not leak anything.
func (r Rules) reachable(hosts []string) bool {
	for _, h := range hosts {
		if !r.AllowHosts[h] {
			return false
		}
	}
	return true
}

// CheckGlobs returns the first pattern that is not a valid glob, or "".
func CheckGlobs(patterns []string) string {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return p
		}
	}
	return ""
}

// matches reports whether any of the globs matches name. A glob that is not
// valid matches nothing: see [CheckGlobs].
func matches(globs []string, name string) bool {
	for _, g := range globs {
		if ok, err := path.Match(g, name); err == nil && ok {
			return true
		}
	}
	return false
}
