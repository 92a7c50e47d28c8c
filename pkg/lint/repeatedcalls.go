package lint

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect/echo"
	"oneshot/pkg/policy"
	"oneshot/pkg/tool"
)

// reportDuplicates reports calls with the same tool and arguments as an earlier one. The order of
// keys does not matter, the digits of numbers do. Calls that a program makes in a loop are not
// duplicates.
func (r *ParseResult) reportDuplicates(origins []origin) {
	if len(r.Calls) < 2 {
		return
	}
	seen, names := map[string]int{}, map[string]int{}
	for _, c := range r.Calls {
		if c.Executable {
			names[c.Name]++
		}
	}
	for i, c := range r.Calls {
		if !c.Executable || names[c.Name] == 1 || origins[i].program != "" {
			continue
		}
		args, err := canonicalJSON(c.Arguments)
		if err != nil {
			continue // an executable call has arguments that are JSON
		}
		key := c.Name + "\x00" + string(args)
		if earlier, ok := seen[key]; ok {
			r.reportCall(i, diag.New(diag.DuplicateCall, diag.Span{}, "repeats call %d on line %d", earlier, r.Calls[earlier].Span.Line))
			continue
		}
		seen[key] = i
	}
}

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

// canonicalJSON returns a JSON value without white space and with sorted keys, so that equal values
// are equal texts. Numbers keep their spelling.
func canonicalJSON(raw []byte) ([]byte, error) {
	v := jsontext.Value(bytes.Clone(raw))
	err := v.Format(jsontext.ReorderRawObjects(true), jsontext.CanonicalizeRawInts(false),
		jsontext.CanonicalizeRawFloats(false), jsontext.PreserveRawStrings(false), jsontext.AllowDuplicateNames(true))
	return v, err
}
