package lint

import (
	"fmt"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/provider/wire"
)

// checkFinishReason reports a response that did not finish normally, and a finish reason that contradicts
// the response, which has a number of pending native calls. It returns whether the response counts:
// a run executes no call of a response that was truncated or refused.
func (r *scanResult) checkFinishReason(body []byte, resp chat.Response, calls int, stop []wire.Segment, p *wire.Protocol) bool {
	reason := ""
	if len(stop) > 0 {
		reason = strings.Trim(string(body[stop[0].Start:stop[0].End]), `"`)
	}
	said := p.StopReason(reason)
	reported := fmt.Sprintf("the server reports %q", reason)
	report := func(code diag.Code, message string) { r.report(findingAtFinishReason(body, stop, code, message)) }
	switch {
	case reason == "" && (p.StopOptional || resp.Stop == chat.StopEnd):
	case reason == "":
		report(diag.AbnormalStop, "the server reports no finish reason")
		return false
	case resp.Stop == chat.StopLength:
		report(diag.AbnormalStop, reported+": a limit truncated the response")
		return false
	case resp.Stop != chat.StopEnd && said.Stop == chat.StopEnd:
		report(diag.AbnormalStop, "the model refused")
		return false
	case resp.Stop != chat.StopEnd:
		report(diag.AbnormalStop, reported+": the response did not stop normally")
		return false
	case said.Calls && calls == 0:
		report(diag.FinishReasonMismatch, reported+", but the response has no native call")
	case p.StopNamesCalls && !said.Calls && calls > 0:
		report(diag.FinishReasonMismatch, reported+", but the response has calls")
		r.findings[len(r.findings)-1].Severity = diag.Info // some servers do so for a forced tool choice
	}
	return true
}

// findingAtFinishReason returns a finding at the finish reason, or at the end of a body without one.
func findingAtFinishReason(body []byte, stop []wire.Segment, code diag.Code, message string) diag.Finding {
	if len(stop) > 0 {
		return findingAtPiece(wire.NewPathFinder(body), stop, code, "%s", message)
	}
	return diag.New(code, diag.Bytes(len(body), len(body)), "%s", message)
}
