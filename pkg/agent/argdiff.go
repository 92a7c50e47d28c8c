package agent

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/prompt"
)

// promptOutcome returns the result of a call for the prompt.
func (inv *invocation) promptOutcome() prompt.ToolResult {
	return prompt.ToolResult{Tool: inv.call.Name, Result: inv.envelope, MaxBytes: inv.modelBytes(), Changed: inv.changedArgs}
}

// modelBytes returns the maximum size of the result in the prompt, in bytes.
func (inv *invocation) modelBytes() int64 {
	most := int64(prompt.DefaultModelBytes)
	if inv.def != nil && inv.def.ModelBytes > 0 {
		most = inv.def.ModelBytes
	}
	if d := inv.decision.ModelBytes; d > 0 {
		most = min(most, d)
	}
	return most
}

// changedMembers returns the members of after that are new or have another value than in before, as
// one object; nil if there are none. Both are valid JSON objects.
func changedMembers(before, after json.RawMessage) json.RawMessage {
	if bytes.Equal(before, after) {
		return nil
	}
	old := map[string]string{}
	gjson.ParseBytes(before).ForEach(func(name, value gjson.Result) bool {
		old[name.Str] = value.Raw
		return true
	})
	var out []byte
	gjson.ParseBytes(after).ForEach(func(name, value gjson.Result) bool {
		if was, there := old[name.Str]; !there || was != value.Raw {
			out = append(out, ',')
			out, _ = jsontext.AppendQuote(out, name.Str) // parameter names are valid UTF-8
			out = append(append(out, ':'), value.Raw...)
		}
		return true
	})
	if out == nil {
		return nil
	}
	out[0] = '{'
	return append(out, '}')
}
