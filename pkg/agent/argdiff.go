package agent

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

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
