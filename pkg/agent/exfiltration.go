package agent

import (
	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
)

// reportExfiltration reports a call that could send private data away and that no policy decides
// on.
func (r *run) reportExfiltration(inv *invocation, d policy.Decision) {
	f := diag.New(diag.ExposedData, diag.Span{}, "%s: %s, and no policy covers it", inv.call.Name, d.ExfiltrationReason)
	f.Hint = "use --policy FILE to deny such calls, except those that the file allows"
	r.out.Findings = append(r.out.Findings, f)
	r.cfg.Observe(Event{Kind: EventFinding, Turn: r.out.Turns, Finding: f})
}
