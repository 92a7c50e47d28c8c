package tool

import (
	"encoding/json"
	"strconv"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
	"oneshot/pkg/schema/yamldoc"
)

// minExamples is the number of examples that a definition needs.
const minExamples = 3

// decodeExamples reads the examples. They must fit the parameters if those are known.
func (d *decoder) decodeExamples(known bool) {
	v := d.doc.Get("examples")
	if !v.IsPresent() {
		d.doc.Value().Add(diag.DefExamples, "missing examples: at least %d are required", minExamples)
		return
	}
	items, ok := v.List()
	if ok && len(items) < minExamples {
		d.doc.Key("examples").Add(diag.DefExamples, "expected at least %d examples, got %d", minExamples, len(items))
	}
	d.decodePromptExampleCount(len(items))
	for _, item := range items {
		m, ok := item.Map("call", "note")
		if !ok {
			continue
		}
		e := Example{}
		e.Note, _ = m.Get("note").Text()
		call := m.Required("call")
		if e.Call, ok = call.Text(); ok && known {
			e.Parsed = d.decodeExample(call, e.Call)
			d.def.Examples = append(d.def.Examples, e)
		}
	}
}

// decodePromptExampleCount reads how many examples a prompt shows.
func (d *decoder) decodePromptExampleCount(most int) {
	v := d.doc.Get("prompt_examples")
	number, ok := v.Number()
	if !ok {
		return
	}
	n, err := strconv.Atoi(number.String())
	if err != nil || n < 0 || n > most {
		v.Add(diag.DefValue, "expected an integer from 0 to %d, the number of examples, got %s", most, number)
	}
	d.def.PromptExamples = &n
}

// decodeExample parses a call as a model would write it and reports its findings.
func (d *decoder) decodeExample(v yamldoc.Value, text string) chat.Call {
	call, faults := literal.ParseCall(text)
	good := true
	for _, f := range faults {
		if f.Severity.Rank() >= diag.Warning.Rank() {
			good = false
			v.AddAt(diag.DefExample, f.Span.Start, "%s", f.Message).Hint = f.Hint
		}
	}
	switch {
	case !good:
		return call
	case call.Name != d.def.Name:
		v.Add(diag.DefExample, "the example calls %q, but the tool is %q", call.Name, d.def.Name)
		return call
	}
	call, faults = d.def.BindPositional(call)
	if len(faults) == 0 && !d.Verified {
		faults = d.def.Check(call.Arguments)
	}
	for _, f := range faults {
		v.Add(diag.DefExample, "%s", f.Message).Hint = f.Hint
	}
	if len(faults) == 0 && !d.backendInvalid {
		if err := d.def.fillError(call.Arguments); err != nil {
			v.Add(diag.DefExample, "%v", err)
		}
	}
	call.Start, call.End, call.Text = 0, 0, ""
	return call
}

// fillError returns why arguments cannot be filled into the program or the request.
func (d *Definition) fillError(args json.RawMessage) (err error) {
	switch {
	case d.Exec != nil:
		_, err = d.FillProgram(args)
	case d.HTTP != nil:
		_, err = d.FillRequest(args, func(string) string { return "" })
	}
	return err
}
