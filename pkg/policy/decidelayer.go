package policy

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/tool"
)

// decide decides about one call in the order floor, deny, limits, ask, allow, and returns the rule that permits it.
// Labels are added by [Policy.Decide]. key is the prefix of its rule ids.
func (l *Layer) decide(s *State, f Facts, key string) (Decision, rule) {
	d := l.checkDenials(f, key)
	if d.Verdict == Deny {
		return d, rule{}
	}
	rules := l.tools[f.Def.Name]
	if d := l.checkBudgets(s, f, rules, key); d.Verdict == Deny {
		return d, rule{}
	}
	verdict, r := rules.findGrant(f)
	if verdict == Deny {
		return d.deny(key+"no_rule", "no rule of the policy allows this call"), rule{}
	}
	d.Verdict, d.Rule, d.Why = verdict, key+r.id, r.because
	if r.limit.calls >= 0 && s.counts[d.Rule] >= r.limit.calls {
		return asRateLimited(d.deny(d.Rule, "the rule allows %s in a run", countText(r.limit.calls, "such call"))), rule{}
	}
	d.rateLimits = withRates(limitWithRate{toolKey(f.Def.Name), f.Def.Name, rules.limit}, limitWithRate{d.Rule, f.Def.Name + " " + r.id, r.limit})
	d.MaxBytes = minLimit(rules.limit.bytes, r.limit.bytes)
	d.ModelBytes = minLimit(rules.limit.modelBytes, r.limit.modelBytes)
	d.Arguments = setArguments(f.Arguments, r.set)
	return d, r
}

// checkDenials applies the floor and the deny rules, which no allowing rule can override.
func (l *Layer) checkDenials(f Facts, key string) Decision {
	d := l.denyUnlisted(f.Def, key)
	d.Arguments = f.Arguments
	switch {
	case d.Verdict == Deny:
		return d
	case f.hasAmbiguousURL() && l.hasURLPathRules(f.Def.Name):
		return d.deny("floor:url", "the URL path is ambiguous")
	}
	for _, r := range l.tools[f.Def.Name].deny {
		if r.matches(f) {
			why := r.because
			if why == "" {
				why = "a rule of the policy denies this call"
			}
			return d.deny(key+r.id, "%s", why)
		}
	}
	return d
}

// denyUnlisted denies tools without rules, whatever the arguments.
func (l *Layer) denyUnlisted(def *tool.Definition, key string) Decision {
	d := Decision{Verdict: Allow}
	switch {
	case l.tools[def.Name] == nil:
		return d.deny(key+"not_listed", "the policy does not list this tool")
	case l.redefinesShipped(def):
		return d.deny(key+"not_listed", "the policy lists the built-in tool %s, but this definition does something else", def.Name)
	case def.Effect == tool.Exec && !l.EnableExec:
		return d.deny("floor:exec", "the policy does not enable running commands")
	}
	return d
}

// redefinesShipped reports whether a definition has the name of a shipped tool and another implementation.
func (l *Layer) redefinesShipped(def *tool.Definition) bool {
	builtin, shipped := l.Shipped[def.Name]
	return shipped && def.Builtin != builtin
}

// checkBudgets applies the limits of the tool and the budgets of the run.
func (l *Layer) checkBudgets(s *State, f Facts, rules *toolRules, key string) Decision {
	d := Decision{Verdict: Allow}
	switch {
	case l.Budget.Calls >= 0 && s.calls >= l.Budget.Calls:
		d = d.deny(key+"budget.calls", "the policy allows %s in a run", countText(l.Budget.Calls, "call"))
		d.Budget = "calls"
	case f.Def.Effect != tool.Read && l.Budget.Writes >= 0 && s.writes >= l.Budget.Writes:
		d = d.deny(key+"budget.writes", "the policy allows %s in a run", countText(l.Budget.Writes, "change"))
		d.Budget = "writes"
	case rules.limit.calls >= 0 && s.counts[toolKey(f.Def.Name)] >= rules.limit.calls:
		d = asRateLimited(d.deny(key+f.Def.Name+".limit", "the policy allows %s of this tool in a run", countText(rules.limit.calls, "call")))
	}
	return d
}

func countText(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// asRateLimited marks a denial by a call limit. The limit is never reset within the run.
func asRateLimited(d Decision) Decision {
	d.Code = chat.RateLimited
	return d
}

// findGrant returns the first ask rule that allows a call, otherwise the first allow rule. An ask rule replaces this allow
// rule if it matches the call as a deny rule would: one more value or another spelling must not evade the question.
func (t *toolRules) findGrant(f Facts) (Verdict, rule) {
	if i := slices.IndexFunc(t.ask, func(r rule) bool { return r.allows(f) }); i >= 0 {
		return Ask, t.ask[i]
	}
	i := slices.IndexFunc(t.allow, func(r rule) bool { return r.allows(f) })
	if i < 0 {
		return Deny, rule{}
	}
	if j := slices.IndexFunc(t.ask, func(r rule) bool { return r.matches(f) }); j >= 0 {
		return Ask, t.ask[j]
	}
	return Allow, t.allow[i]
}

// allows reports whether a rule permits a call: all values match, by all their names.
func (r *rule) allows(f Facts) bool {
	return r.coversEffect(f) && !slices.ContainsFunc(r.args, func(a argRule) bool { return !a.allows(f.args[a.name]) })
}

// matches reports whether a rule denies a call, asks about it or adds labels: one value matches, by one of its names.
func (r *rule) matches(f Facts) bool {
	return r.coversEffect(f) && !slices.ContainsFunc(r.args, func(a argRule) bool { return !a.matches(f.args[a.name]) })
}

func (r *rule) coversEffect(f Facts) bool { return r.effect == "" || r.effect == f.Def.Effect }

// hasURLPathRules reports whether a rule about a tool constrains the path of a URL.
func (l *Layer) hasURLPathRules(tool string) bool {
	for _, r := range l.rulesAbout(tool) {
		if slices.ContainsFunc(r.args, func(a argRule) bool { return a.path != nil }) {
			return true
		}
	}
	return false
}

func (f Facts) hasAmbiguousURL() bool {
	for _, values := range f.args {
		if slices.ContainsFunc(values, func(v value) bool { return v.url != nil && v.url.isAmbiguous }) {
			return true
		}
	}
	return false
}

// minLimit returns the smaller of two limits, where 0 is no limit.
func minLimit(a, b int64) int64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// setArguments replaces or appends members of an arguments object. Replaced members keep their places.
func setArguments(args json.RawMessage, values map[string]json.RawMessage) json.RawMessage {
	if len(values) == 0 {
		return args
	}
	var out []byte
	done := map[string]bool{}
	out = append(out, '{')
	member := func(name string, raw []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, name) // a name of a parameter
		out = append(append(out, ':'), raw...)
	}
	forEachMember(args, func(name string, raw []byte) {
		if other, ok := values[name]; ok {
			raw = other
		}
		done[name] = true
		member(name, raw)
	})
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !done[name] {
			member(name, values[name])
		}
	}
	return append(out, '}')
}
