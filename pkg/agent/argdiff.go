package agent

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/prompt"
)

// promptOutcome returns the result of a call as it is shown.
func (s *invocation) promptOutcome() prompt.Outcome {
	return prompt.Outcome{Tool: s.call.Name, Result: s.shown, Most: s.modelBytes(), Changed: s.changedArgs}
}

// modelBytes returns how many bytes of the result the model is sent.
func (s *invocation) modelBytes() int64 {
	most := int64(prompt.DefaultModelBytes)
	if s.def != nil && s.def.ModelBytes > 0 {
		most = s.def.ModelBytes
	}
	if d := s.decision.ModelBytes; d > 0 {
		most = min(most, d)
	}
	return most
}

// changedMembers returns the members of arguments that others do not have with the same value, as
// one object, or nil if there are none. Both are JSON objects that were checked.
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
			out, _ = jsontext.AppendQuote(out, name.Str) // a name of a parameter
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
