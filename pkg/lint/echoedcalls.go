package lint

import (
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect/echo"
	"oneshot/pkg/policy"
	"oneshot/pkg/tool"
)

// suppressEchoes suppresses calls that repeat untrusted text from the model's context.
func (r *ParseResult) suppressEchoes(origins []origin, o Options) {
	for i := range r.Calls {
		c := &r.Calls[i]
		if !c.Executable || !o.isEcho(*c, origins[i]) {
			continue
		}
		c.Status, c.Executable = chat.StatusSuppressed, false
		r.reportCall(i, diag.New(diag.EchoedCall, diag.Span{}, "this call repeats untrusted context and is not executed"))
	}
}

// isEcho reports whether a call occurs in untrusted context. A call of [tool.EndingTools] or [tool.AskUser] is none, because it
// runs nothing.
func (o Options) isEcho(c Call, from origin) bool {
	var def *tool.Definition
	if o.Tools != nil {
		def, _ = o.Tools.Get(c.Name)
	}
	if ending := tool.LookupEndingTool(c.Name); ending != nil && (def == nil || def == ending) || def == tool.AskUser {
		return false
	}
	text := from.text
	if from.native {
		text = ""
	}
	if def == nil { // the effect and the required arguments are unknown
		return o.Context.IsEcho(echo.Candidate{Name: c.Name, RawArgs: from.args, Text: text})
	}
	return o.Context.IsEcho(policy.EchoCandidate(def, from.args, def.WithDefaults(c.Arguments), text))
}
