package policy

import (
	"testing"
	"time"
)

// If a later layer sets arguments, the record names the rules that allow the changed call or ask about
// it. Limits count by these rules, and each of their rates counts once.
func TestSetCountsForEachLayer(t *testing.T) {
	for name, first := range map[string]string{
		"asks":         `{version: 1, tools: {search: {ask: [{id: any, limit: {rate: 5/h}}]}}}`,
		"another rule": `{version: 1, tools: {search: {allow: [{id: many, args: {limit: {in: [50]}}}, {id: any, limit: {calls: 1, rate: 5/h}}]}}}`,
	} {
		p := Policy{Layers: []*Layer{layer(t, first), layer(t, `{version: 1, tools: {search: {allow: [{id: few, set: {limit: 5}, limit: {calls: 1}}]}}}`)}}
		s, f := new(State), of(t, "search", `{"query":"a","limit":50}`)
		d := p.Decide(s, f)
		if d.Rule != "1:any+2:few" || len(d.rateLimits) != 1 {
			t.Errorf("%s: rule %s, rates %v", name, d.Rule, d.rateLimits)
		}
		d.Verdict = Allow // as after an approval
		apply(s, f, d, time.Time{})
		if d = p.Decide(s, f); d.Verdict != Deny {
			t.Errorf("%s: once more: %s by %s", name, d.Verdict, d.Rule)
		}
	}
}
