package lint

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect/echo"
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
func (r *ParseResult) suppressEchoes(origins []origin, context *echo.SeenText) {
	for i := range r.Calls {
		c := &r.Calls[i]
		if !c.Executable || tool.LookupEndingTool(c.Name) != nil || !origins[i].isEcho(c.Name, context) {
			continue
		}
		c.Status, c.Executable = chat.StatusSuppressed, false
		r.reportCall(i, diag.New(diag.EchoedCall, diag.Span{}, "this call repeats untrusted context and is not executed"))
	}
}

// isEcho reports whether a call of a tool occurs in untrusted context.
func (o origin) isEcho(name string, context *echo.SeenText) bool {
	call := echo.Candidate{Name: name, RawArgs: o.args}
	if !o.native {
		call.Text = o.text
	}
	return context.IsEcho(call)
}

// canonicalJSON returns a JSON value without white space and with sorted keys, so that equal values
// are equal texts. Numbers keep their spelling.
func canonicalJSON(raw []byte) ([]byte, error) {
	v := jsontext.Value(bytes.Clone(raw))
	err := v.Format(jsontext.ReorderRawObjects(true), jsontext.CanonicalizeRawInts(false),
		jsontext.CanonicalizeRawFloats(false), jsontext.PreserveRawStrings(false), jsontext.AllowDuplicateNames(true))
	return v, err
}
