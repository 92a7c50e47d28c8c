package lint

import (
	"fmt"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/wire"
)

// ending reports a response that did not end well, and a reason for its end, which
// stands in the body, that contradicts what it holds: so many native calls that are not done. It returns whether
// the response counts: a run carries out nothing of one that was cut or refused.
func (r *reading) ending(body []byte, resp chat.Response, calls int, stop []wire.Piece, format wire.Format) bool {
	reason := ""
	if len(stop) > 0 {
		reason = strings.Trim(string(body[stop[0].Start:stop[0].End]), `"`)
	}
	says := fmt.Sprintf("the server says %q", reason)
	find := func(code diag.Code, message string) { r.find(stopFinding(body, stop, code, message)) }
	switch {
	case reason == "" && (format.NoReason || resp.Stop == chat.StopEnd):
	case reason == "":
		find(diag.UncleanEnd, "the server does not say why the response ended")
		return false
	case resp.Stop == chat.StopLength:
		find(diag.UncleanEnd, says+": the response was cut by a limit")
		return false
	case resp.Stop != chat.StopEnd && wire.StopOf(reason) == chat.StopEnd:
		find(diag.UncleanEnd, "the model has refused")
		return false
	case resp.Stop != chat.StopEnd:
		find(diag.UncleanEnd, says+": the response did not end of its own accord")
		return false
	case wire.NamesCalls(reason) && calls == 0:
		find(diag.EndContradicts, says+", but the response has no native call")
	case format.CallReason && !wire.NamesCalls(reason) && calls > 0:
		find(diag.EndContradicts, says+", but the response has calls")
		r.findings[len(r.findings)-1].Severity = diag.Info // some servers do so where a tool was asked for
	}
	return true
}

// stopFinding returns a finding about the end of a response, where its reason stands.
func stopFinding(body []byte, stop []wire.Piece, code diag.Code, message string) diag.Finding {
	if len(stop) > 0 {
		return pieceFinding(wire.NewPaths(body), stop, code, "%s", message)
	}
	return diag.New(code, diag.Bytes(len(body), len(body)), "%s", message)
}
