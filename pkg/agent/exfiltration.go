package agent

import (
	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
)

// reportExfiltration reports a call that could carry private data away, and that nothing decides over.
func (r *run) reportExfiltration(s *invocation, d policy.Decision) {
	f := diag.New(diag.ExposedData, diag.Span{}, "%s: %s, and no policy decides over it", s.call.Name, d.Exposed)
	f.Hint = "--policy FILE denies it, unless the file allows it"
	r.out.Findings = append(r.out.Findings, f)
	r.cfg.Observe(Event{Kind: EventFinding, Turn: r.out.Turns, Finding: f})
}
