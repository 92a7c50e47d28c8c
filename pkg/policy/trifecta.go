package policy

import (
	"slices"

	"oneshot/pkg/tool"
)

// A labelRule adds labels to the calls that it matches.
type labelRule struct {
	rule
	add []tool.Label
}

// InputLabels returns the labels of the input: the ones of the layers, and untrusted unless the caller trusts it.
func (p *Policy) InputLabels(trusted bool) []tool.Label {
	var all []tool.Label
	if !trusted {
		all = append(all, tool.Untrusted)
	}
	for _, l := range p.Layers {
		all = append(all, l.input...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func LabelNames(labels []tool.Label) []string {
	var names []string
	for _, l := range labels {
		names = append(names, string(l))
	}
	return names
}

// isTrifecta reports whether an allowed call could carry private data away on behalf of untrusted data. A read from
// hosts that the rule names could not: the author of the policy trusts them.
func (l *Layer) isTrifecta(s *State, f Facts, grant rule) bool {
	return f.canExfiltrate(s) && (f.Def.Effect != tool.Read || !grant.namesAllHostsExactly(f))
}

// canExfiltrate reports whether a call is a sink in a run that has read untrusted and private data.
func (f *Facts) canExfiltrate(s *State) bool {
	return slices.Contains(f.labels, tool.Sink) && s.labels[tool.Untrusted] != "" && s.labels[tool.Private] != ""
}

func (s *State) exfiltrationReason() string {
	return "the run has read untrusted data (" + s.labels[tool.Untrusted] + ") and private data (" + s.labels[tool.Private] + "), and this call could carry it away"
}

// namesAllHostsExactly reports whether a rule names each host of a call without a wildcard.
func (r *rule) namesAllHostsExactly(f Facts) bool {
	addresses := 0
	for name, values := range f.args {
		for _, v := range values {
			if v.url == nil {
				continue
			}
			addresses++
			if !slices.ContainsFunc(r.args, func(a argRule) bool { return a.name == name && slices.Contains(a.host, hostGlob(v.url.host)) }) {
				return false
			}
		}
	}
	return addresses > 0
}

// allowsExfiltration reports whether the policy lets a call carry private data away.
func (l *Layer) allowsExfiltration(f Facts) bool {
	return slices.ContainsFunc(l.sinks[f.Def.Name], func(r rule) bool { return r.allows(f) })
}

// decideTrifecta decides about a call that could carry private data away.
func (l *Layer) decideTrifecta(s *State, f Facts, d Decision, key string) Decision {
	why := s.exfiltrationReason()
	switch {
	case l.allowsExfiltration(f), l.trifecta == Allow:
		return d
	case l.trifecta == Ask:
		d.Verdict, d.Rule, d.Why, d.Early = Ask, d.Rule+"+"+key+"taint", why, false
		return d
	}
	return d.deny(key+"taint", "%s", why)
}
