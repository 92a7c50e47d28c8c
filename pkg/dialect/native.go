package dialect

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// Native finishes a call that a server has parsed. If its arguments are not a JSON object, c.Text holds them:
// certain repairs are applied, absent or empty arguments become {}, and a string that contains an object becomes
// that object. Truncated calls and calls without a tool name are never executable. Spans of findings are offsets
// in c.Text.
func Native(c chat.Call) (chat.Call, []diag.Finding) {
	r := &reader{call: c}
	r.cleanName(diag.Span{})
	if strings.TrimSpace(r.call.Name) == "" {
		r.add(diag.New(diag.CallMember, diag.Bytes(0, len(c.Text)), "the call names no tool"))
	}
	switch {
	case c.Status == chat.StatusTruncated:
		r.add(diag.New(diag.TruncatedCall, diag.Bytes(0, len(c.Text)), "the response ends inside the call"))
	case c.Arguments == nil:
		r.readText(diag.Bytes(0, len(c.Text)))
	case tooDeep(c.Arguments):
		r.call.Arguments, r.call.Text = nil, string(c.Arguments)
		r.add(diag.New(diag.TooDeep, diag.Bytes(0, len(c.Arguments)), "arrays and objects are nested more than %d deep", literal.MaxDepth))
	}
	r.setStatus()
	r.addBackslashReading()
	return r.call, r.findings
}

// tooDeep reports whether JSON is nested deeper than a literal may be.
func tooDeep(raw json.RawMessage) bool {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		if _, err := dec.ReadToken(); err != nil {
			return false // at the end; other syntax errors are found elsewhere
		}
		if dec.StackDepth() > literal.MaxDepth {
			return true
		}
	}
}

// readText parses the text in place of the arguments of a native call.
func (r *reader) readText(place diag.Span) {
	text := r.call.Text
	r.call.Status = chat.StatusOK
	if blank := strings.TrimSpace(text); blank == "" || blank == "null" {
		r.noArguments(place)
		return
	}
	d := parseObject(text)
	switch {
	case d.Value != nil:
		r.call.Arguments = d.Value
	case diag.HasErrors(d.Findings):
	case json.Unmarshal([]byte(text), new(string)) == nil:
		r.args = json.RawMessage(text)
		r.argsMember = ofArguments
		r.readEncoded(place)
		return
	default:
		r.fault(diag.CallMember, place, "arguments: expected an object, got %s", kindOf(strings.TrimSpace(text)[0]))
	}
	r.call.Status, r.call.ValueChanged = d.Status, d.ValueChanged
	for _, f := range d.Findings {
		r.add(f)
	}
}
