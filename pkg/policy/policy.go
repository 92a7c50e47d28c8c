// Package policy decides whether a call may happen.
//
// A decision is made from values that were decoded once, never from text, and anything that
// is not allowed is denied. The package executes nothing. What a run has done so far is a
// [State], which is folded from the records of its run file and from nothing else, so that
// a run that is continued is judged like one that never stopped.
package policy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/redact"
	"oneshot/pkg/tool"
)

// A Verdict is the outcome of a [Decision].
type Verdict string

// The verdicts, from the strictest on.
const (
	Deny  Verdict = "deny"
	Ask   Verdict = "ask" // a person, or a program in their place, has to approve the call
	Allow Verdict = "allow"
)

// A Decision says whether one call may happen, and why.
type Decision struct {
	Verdict Verdict
	Rule    string         // id of the rule that decided; of several layers all, see [Policy]
	Why     string         // for people and for the model
	Hint    string         // what the person who starts the run can do about a denial
	Code    chat.ErrorCode // of the result of a call that is denied
	Budget  string         // of a call that is denied: the budget that is spent, which ends the run
	Early   bool           // the call may start before its response has ended
	Labels  []tool.Label   // of the data that the call brings and carries: its tool's, and those that policies add

	Arguments json.RawMessage // with which the call is made: those of the model, or what a rule sets
	MaxBytes  int64           // of its result; 0 is no limit of the policy
	// ModelBytes of its result are sent to the model; 0 is no limit of the policy.
	ModelBytes         int64
	CheckRedirect      func(*url.URL) error // why the call may not go on to where a server redirects it; nil if rules do not say
	ResolvedPaths      map[string]string    // where each path of the call led when it was decided, by the clean path
	OnUnknownOutcome   string               // "stop" or "report": that a crash which leaves open whether it took effect ends the run, or is for the model to know; "" if rules do not say
	ExfiltrationReason string               // why the call could carry private data away, where no file decides over that
	rateLimits         []limitWithRate      // what the call has to wait for when it starts: see [Decision.Start]
	ledger             Ledger               // of those that are for all runs
}

// DenyUnapproved returns the decision where nobody can be asked: what was to be approved is denied.
func (d Decision) DenyUnapproved() Decision {
	if d.Verdict != Ask {
		return d
	}
	return d.deny(d.Rule, "the policy requires approval of this call, but nobody can approve it")
}

// SecretRule is the rule that denies calls with the value of a secret.
const SecretRule = "floor:secret"

// DenySecret returns the decision about a call of which an argument holds a secret.
func (d Decision) DenySecret() Decision {
	d = d.deny(SecretRule, "an argument contains a secret, which must not leave oneshot")
	d.Hint = "the record of the call has " + redact.Mask + " in place of the secret"
	return d
}

// LabelNames returns the labels as they are recorded.
func (d Decision) LabelNames() []string { return LabelNames(d.Labels) }

func (d Decision) deny(rule, format string, args ...any) Decision {
	return Decision{Verdict: Deny, Rule: rule, Why: fmt.Sprintf(format, args...), Code: chat.Denied, Arguments: d.Arguments}
}

// A Policy is everything that a call has to pass: the rules on the command line and those
// of files. It may be used by several goroutines.
//
// The ids of rules are those in the files or, where there are none, such as wget.allow[0]. Of
// several files each id has the number of its layer, from 1, in front: 2:docs. That of a managed layer has
// managed: in front. What the
// program itself never lets through has ids that begin with floor.
type Policy struct {
	Flags  FlagRules
	Layers []*Layer // each has to allow a call
	Ledger Ledger   // for rates that hold for all runs of a user; nil where there are none
	// Secrets are what no argument may hold, in any spelling; nil for none. The digest of a
	// call is that of its arguments without them.
	Secrets *redact.Set
}

// Decide judges one call. Deny wins over ask and ask over allow, whatever the order of the
// rules. What goes wrong inside is a denial.
func (p *Policy) Decide(s *State, f Facts) (d Decision) {
	d = Decision{Verdict: Deny, Rule: "floor:internal", Why: "the policy could not evaluate this call", Code: chat.Denied, Arguments: f.Arguments}
	defer func() { _ = recover() }() // it is denied
	p.decodeFacts(&f)
	out, known := s.checkIdentifiers(f)
	if known {
		out = p.evaluate(s, f)
	}
	if out.Labels == nil {
		out.Labels = f.labels
	}
	return out
}

// BlockedReason returns why every call of a tool is denied because the run was not given something, or a file does not list the
// tool, and what its caller can do about it. Why is "" where a call can be allowed, and where --deny names the tool.
func (p *Policy) BlockedReason(def *tool.Definition) (why, hint string) {
	flags := p.Flags
	flags.Deny = nil
	if d := flags.allows(Facts{Def: def}, p.countOwnLayers() > 0); d.Verdict == Deny {
		return d.Why, cmp.Or(d.Hint, "remove the tool")
	}
	for _, l := range p.Layers {
		if d := l.checkListed(def, ""); d.Verdict == Deny {
			return d.Why, "add it to the policy"
		}
	}
	return "", ""
}

// decodeFacts decodes the arguments, and labels what they are about.
func (p *Policy) decodeFacts(f *Facts) {
	f.decode()
	f.labels = append(slices.Clone(f.Def.Labels), p.fileLabels(f)...)
	if p.exceedsMatchBudget(f) {
		f.decodeError = "the arguments are too long for the regular expressions of this tool's rules"
	} else {
		p.addLabels(f)
	}
	slices.Sort(f.labels)
	f.labels = slices.Compact(f.labels)
}

// addLabels adds those that rules give to the call.
func (p *Policy) addLabels(f *Facts) {
	for _, l := range p.Layers {
		for _, r := range l.labels[f.Def.Name] {
			if r.matches(*f) {
				f.labels = append(f.labels, r.add...)
			}
		}
	}
}

// evaluate asks the floor, the flags, and then the layers, of which each may change the
// arguments for those behind it. What was asked before a change is asked again.
func (p *Policy) evaluate(s *State, f Facts) Decision {
	d, open := p.checkBeforeLayers(f)
	if !open {
		return d
	}
	each := make([]layerDecision, len(p.Layers))
	changed := -1
	for i, l := range p.Layers {
		each[i].Decision, each[i].by = l.decide(s, f, p.layerPrefix(i))
		next := each[i]
		if next.Verdict == Deny {
			return next.Decision
		}
		if string(next.Arguments) != string(f.Arguments) {
			changed = i
			f.Arguments = next.Arguments
			p.decodeFacts(&f)
		}
	}
	if changed >= 0 {
		if d = p.recheck(s, f, each, changed); d.Verdict == Deny {
			return d
		}
	}
	d = d.combine(each)
	d.Arguments = f.Arguments
	for i, l := range p.Layers {
		if d.Verdict != Deny && l.isTrifecta(s, f, each[i].by) {
			d = l.decideTrifecta(s, f, d, p.layerPrefix(i))
		}
	}
	if len(p.Layers) == 0 && f.canExfiltrate(s) {
		d.ExfiltrationReason = s.exfiltrationReason()
	}
	if len(p.Layers) > 0 {
		d.CheckRedirect = p.redirectCheck(f, each, f.canExfiltrate(s))
	}
	d.Labels, d.ResolvedPaths, d.ledger = f.labels, f.resolved, p.Ledger
	return d
}

// layerDecision is what a layer says of a call that it lets happen, and the rule by which it does.
type layerDecision struct {
	Decision
	by rule
}

// stricter returns what follows of what two say: stop if either does, and report if both do.
func stricter(a, b string, first bool) string {
	switch {
	case first || a == b || b == "stop":
		return b
	case a == "stop":
		return a
	}
	return ""
}

// countOwnLayers returns how many layers the person who started the run has named. Managed ones stand behind them.
func (p *Policy) countOwnLayers() int {
	n := 0
	for _, l := range p.Layers {
		if !l.Managed {
			n++
		}
	}
	return n
}

// layerPrefix returns what stands before the ids of a layer.
func (p *Policy) layerPrefix(layer int) string {
	switch {
	case p.Layers[layer].Managed:
		return "managed:"
	case p.countOwnLayers() == 1:
		return ""
	}
	return strconv.Itoa(layer+1) + ":"
}

// checkBeforeLayers judges a call without the layers, and reports whether they are to be asked.
func (p *Policy) checkBeforeLayers(f Facts) (d Decision, open bool) {
	d = Decision{Verdict: Allow, Arguments: f.Arguments}
	if p.Secrets.ContainsJSON(f.Arguments) {
		return d.DenySecret(), false
	}
	if rule, why := p.checkFiles(f.files); rule != "" {
		return d.deny(rule, "%s", why), false
	}
	if f.decodeError != "" && len(p.Layers) > 0 { // without rules about it the tool says what is wrong
		return d.deny("floor:arguments", "%s", f.decodeError), false
	}
	d = p.Flags.decide(f, p.countOwnLayers() > 0)
	return d, d.Verdict != Deny
}

// recheck judges a call whose arguments the layers have changed, the last of them the one of
// that index: those before it have to allow what has become of it, and it must not deny it.
// A layer that asked about the call before the change still asks.
func (p *Policy) recheck(s *State, f Facts, each []layerDecision, changed int) Decision {
	d := Decision{Arguments: f.Arguments}
	if faults := f.Def.Check(f.Arguments); diag.HasErrors(faults) {
		return d.deny(each[changed].Rule, "the arguments set by the policy do not fit the tool: %s", faults[0].Message)
	}
	d, open := p.checkBeforeLayers(f)
	if !open {
		return d
	}
	for i, l := range p.Layers[:changed] {
		next, by := l.decide(s, f, p.layerPrefix(i))
		if next.Verdict == Deny {
			return next
		}
		if old := each[i]; old.Verdict == Ask {
			next.Verdict, next.Why = Ask, old.Why
		}
		each[i] = layerDecision{next, by}
	}
	if next := p.Layers[changed].checkDenials(f, p.layerPrefix(changed)); next.Verdict == Deny {
		return next
	}
	return d
}

// combine returns what layers say of a call that none denies.
func (d Decision) combine(each []layerDecision) Decision {
	var rules []string
	if d.Verdict == Ask { // as a flag says
		rules = append(rules, d.Rule)
	}
	for i, next := range each {
		rules = append(rules, next.Rule)
		d.OnUnknownOutcome = stricter(d.OnUnknownOutcome, next.by.onUnknownOutcome, i == 0)
		if next.Verdict == Ask {
			d.Verdict, d.Why = Ask, next.Why
		}
		d.Early = d.Early && next.Verdict == Allow && len(next.rateLimits) == 0
		d.rateLimits = append(d.rateLimits, next.rateLimits...)
		d.MaxBytes = minLimit(d.MaxBytes, next.MaxBytes)
		d.ModelBytes = minLimit(d.ModelBytes, next.ModelBytes)
	}
	if len(rules) > 0 {
		d.Rule = strings.Join(rules, "+")
	}
	return d
}
