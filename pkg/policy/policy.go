// Package policy decides whether a call may run.
//
// A decision is made from values that were decoded once, never from text, and anything that
// is not allowed is denied. The package executes nothing. The history of a run is a [State],
// folded from the records of its run file alone, so that a resumed run gets the same decisions
// as an uninterrupted one.
package policy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
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

// The verdicts, from the strictest.
const (
	Deny  Verdict = "deny"
	Ask   Verdict = "ask" // a person or a program must approve the call
	Allow Verdict = "allow"
)

// A Decision is the verdict on one call, with its reason.
type Decision struct {
	Verdict Verdict
	Rule    string         // id of the deciding rule, or of one rule per layer; see [Policy]
	Why     string         // for people and for the model
	Hint    string         // for the user, about a denial
	Code    chat.ErrorCode // error code of a denied call
	Budget  string         // the spent budget of a denied call, which ends the run
	Early   bool           // the call may start before the response is complete
	Labels  []tool.Label   // of the call's data: labels of the tool and of policies

	Arguments json.RawMessage // effective arguments: the model's, with the changes of rules
	MaxBytes  int64           // limit of its result; 0 for none
	// ModelBytes limits the part of its result that the model gets; 0 for none.
	ModelBytes         int64
	CheckRedirect      func(*url.URL) error // rejects redirects; nil without rules about them
	ResolvedPaths      map[string]string    // resolved paths at the time of the decision, by clean path
	OnUnknownOutcome   string               // "stop" or "report": whether an unknown outcome ends the run or is reported to the model; "" without rules
	ExfiltrationReason string               // why the call could carry private data away, if no file decides about that
	rateLimits         []limitWithRate      // see [Decision.ReserveStart]
	ledger             Ledger               // for rates of all runs
}

// DenyUnapproved returns the decision if nobody can approve: Ask becomes Deny.
func (d Decision) DenyUnapproved() Decision {
	if d.Verdict != Ask {
		return d
	}
	return d.deny(d.Rule, "the policy requires approval of this call, but nobody can approve it")
}

// SecretRule is the rule that denies calls with a secret in an argument.
const SecretRule = "floor:secret"

// DenySecret returns the denial of a call with a secret in an argument.
func (d Decision) DenySecret() Decision {
	d = d.deny(SecretRule, "an argument contains a secret, which must not leave oneshot")
	d.Hint = "the record of the call has " + redact.Mask + " in place of the secret"
	return d
}

func (d Decision) LabelNames() []string { return LabelNames(d.Labels) }

func (d Decision) deny(rule, format string, args ...any) Decision {
	return Decision{Verdict: Deny, Rule: rule, Why: fmt.Sprintf(format, args...), Code: chat.Denied, Arguments: d.Arguments}
}

// A Policy is everything that a call must pass: the flags of the command line and the layers of files. It is safe for
// concurrent use.
//
// Rule ids are those in the files or, for rules without one, generated, such as wget.allow[0]. With several files each
// id is prefixed by the number of its layer, from 1, as in 2:docs. Ids of a managed layer begin with managed:, ids of
// the built-in floor with floor.
type Policy struct {
	Flags  FlagRules
	Layers []*Layer // all must allow a call
	Ledger Ledger   // for rates of all runs of a user; nil for none
	// Secrets must not occur in arguments in any encoding; nil for none. The digest of a
	// call is computed with them masked.
	Secrets *redact.Set
}

// Decide decides about one call. Deny overrides ask, and ask overrides allow, whatever the order of the rules. An
// internal failure is a denial.
func (p *Policy) Decide(s *State, f Facts) (d Decision) {
	d = Decision{Verdict: Deny, Rule: "floor:internal", Why: "the policy could not evaluate this call", Code: chat.Denied, Arguments: f.Arguments}
	defer func() { _ = recover() }() // denied
	p.fillFacts(&f)
	out, known := s.checkIdentifiers(f)
	if known {
		out = p.evaluate(s, f)
	}
	if out.Labels == nil {
		out.Labels = f.labels
	}
	return out
}

// BlockedReason returns why every call of a tool is denied, because the run lacks something or a file does not list
// the tool, with a hint for the caller. why is "" if a call can be allowed, and if --deny names the tool.
func (p *Policy) BlockedReason(def *tool.Definition) (why, hint string) {
	flags := p.Flags
	flags.Deny = nil
	if d := flags.denyOrAllow(Facts{Def: def}, p.countUserLayers() > 0); d.Verdict == Deny {
		return d.Why, cmp.Or(d.Hint, "remove the tool")
	}
	for _, l := range p.Layers {
		if d := l.denyUnlisted(def, ""); d.Verdict == Deny {
			return d.Why, "add it to the policy"
		}
	}
	return "", ""
}

// fillFacts decodes the arguments and adds the labels of the call.
func (p *Policy) fillFacts(f *Facts) {
	f.decodeArguments()
	f.labels = append(slices.Clone(f.Def.Labels), p.fileLabels(f)...)
	if p.exceedsMatchBudget(f) {
		f.decodeError = "the arguments are too long for the regular expressions of this tool's rules"
	} else {
		p.addLabels(f)
	}
	slices.Sort(f.labels)
	f.labels = slices.Compact(f.labels)
}

// addLabels adds the labels that rules give to the call.
func (p *Policy) addLabels(f *Facts) {
	for _, l := range p.Layers {
		for _, r := range l.labels[f.Def.Name] {
			if r.matches(*f) {
				f.labels = append(f.labels, r.add...)
			}
		}
	}
}

// evaluate applies the floor, the flags, and then the layers. Each layer may change the arguments for the following
// ones. Earlier layers are evaluated again after a change.
func (p *Policy) evaluate(s *State, f Facts) Decision {
	d, open := p.checkBeforeLayers(f)
	if !open {
		return d
	}
	each := make([]layerDecision, len(p.Layers))
	changed := -1
	for i, l := range p.Layers {
		next := layerDecision{given: f.Arguments}
		next.Decision, next.by = l.decide(s, f, p.layerPrefix(i))
		each[i] = next
		if next.Verdict == Deny {
			return next.Decision
		}
		if string(next.Arguments) != string(f.Arguments) {
			changed = i
			f.Arguments = next.Arguments
			p.fillFacts(&f)
		}
	}
	if changed >= 0 {
		if d = p.recheckChangedArguments(s, f, each, changed); d.Verdict == Deny {
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
		d.CheckRedirect = p.newRedirectCheck(f, each, f.canExfiltrate(s))
	}
	d.Labels, d.ResolvedPaths, d.ledger = f.labels, f.resolved, p.Ledger
	return d
}

// A layerDecision is the decision of one layer and the rule behind it.
type layerDecision struct {
	Decision
	by    rule
	given json.RawMessage // the arguments that the layer decided about
}

// stricterOnUnknownOutcome combines the on_unknown of two rules: stop if either says stop, report if both do.
func stricterOnUnknownOutcome(a, b string, first bool) string {
	switch {
	case first || a == b || b == "stop":
		return b
	case a == "stop":
		return a
	}
	return ""
}

// countUserLayers returns the number of layers that the user named. Managed layers follow them.
func (p *Policy) countUserLayers() int {
	n := 0
	for _, l := range p.Layers {
		if !l.Managed {
			n++
		}
	}
	return n
}

// layerPrefix returns the prefix of the rule ids of a layer.
func (p *Policy) layerPrefix(layer int) string {
	switch {
	case p.Layers[layer].Managed:
		return "managed:"
	case p.countUserLayers() == 1:
		return ""
	}
	return strconv.Itoa(layer+1) + ":"
}

// checkBeforeLayers decides about a call without the layers and returns false if the decision is final.
func (p *Policy) checkBeforeLayers(f Facts) (d Decision, open bool) {
	d = Decision{Verdict: Allow, Arguments: f.Arguments}
	if p.Secrets.ContainsJSON(f.Arguments) {
		return d.DenySecret(), false
	}
	if rule, why := p.findFileDenials(f.files); rule != "" {
		return d.deny(rule, "%s", why), false
	}
	if f.decodeError != "" && len(p.Layers) > 0 { // without layers the tool reports the fault
		return d.deny("floor:arguments", "%s", f.decodeError), false
	}
	d = p.Flags.decide(f, p.countUserLayers() > 0)
	return d, d.Verdict != Deny
}

// recheckChangedArguments decides about a call whose arguments the layers have changed, the last change by the layer with the given
// index. Each layer before it decides again about its original arguments with the values that later layers set. It must
// not deny them, and its result must equal the final arguments, so that no layer overwrites a value that another one
// sets. No layer may deny the changed call. A layer that asked about the original call still asks.
func (p *Policy) recheckChangedArguments(s *State, f Facts, each []layerDecision, changed int) Decision {
	d := Decision{Arguments: f.Arguments}
	if faults := f.Def.Check(f.Arguments); diag.HasErrors(faults) {
		return d.deny(each[changed].Rule, "the arguments set by the policy do not fit the tool: %s", faults[0].Message)
	}
	d, open := p.checkBeforeLayers(f)
	if !open {
		return d
	}
	for i, l := range p.Layers[:changed+1] {
		if next := l.checkDenials(f, p.layerPrefix(i)); next.Verdict == Deny {
			return next
		}
	}
	for i, l := range p.Layers[:changed] {
		old, again := each[i], f
		again.Arguments = old.given
		for _, later := range each[i+1 : changed+1] {
			again.Arguments = setArguments(again.Arguments, later.by.set)
		}
		p.fillFacts(&again)
		next, by := l.decide(s, again, p.layerPrefix(i))
		switch {
		case next.Verdict == Deny:
			return next
		case !haveSameMembers(next.Arguments, f.Arguments):
			return d.deny(next.Rule+"+"+each[changed].Rule, "the policies set different arguments")
		case old.Verdict == Ask:
			next.Verdict, next.Why = Ask, old.Why
		}
		each[i] = layerDecision{next, by, again.Arguments}
	}
	return d
}

// haveSameMembers reports whether two objects have the same members, in any order.
func haveSameMembers(a, b json.RawMessage) bool {
	members := func(object json.RawMessage) map[string]string {
		out := map[string]string{}
		forEachMember(object, func(name string, raw []byte) { out[name] = string(raw) })
		return out
	}
	return maps.Equal(members(a), members(b))
}

// combine adds the decisions of layers that do not deny the call.
func (d Decision) combine(each []layerDecision) Decision {
	var rules []string
	if d.Verdict == Ask { // by a flag
		rules = append(rules, d.Rule)
	}
	for i, next := range each {
		rules = append(rules, next.Rule)
		d.OnUnknownOutcome = stricterOnUnknownOutcome(d.OnUnknownOutcome, next.by.onUnknownOutcome, i == 0)
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
