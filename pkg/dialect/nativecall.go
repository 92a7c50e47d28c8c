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
	r := &callReader{call: c}
	r.cleanName(diag.Span{})
	if strings.TrimSpace(r.call.Name) == "" {
		r.addFinding(diag.New(diag.CallMember, diag.Bytes(0, len(c.Text)), "the call names no tool"))
	}
	switch {
	case c.Status == chat.StatusTruncated:
		r.addFinding(diag.New(diag.TruncatedCall, diag.Bytes(0, len(c.Text)), "the response ends inside the call"))
	case c.Arguments == nil:
		r.parseArgumentText(diag.Bytes(0, len(c.Text)))
	case isTooDeep(c.Arguments):
		r.call.Arguments, r.call.Text = nil, string(c.Arguments)
		r.addFinding(diag.New(diag.TooDeep, diag.Bytes(0, len(c.Arguments)), "arrays and objects are nested more than %d deep", literal.MaxDepth))
	}
	r.setStatus()
	r.addLiteralBackslashAlternative()
	return r.call, r.findings
}

// isTooDeep reports whether JSON is nested deeper than a literal may be.
func isTooDeep(raw json.RawMessage) bool {
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

// parseArgumentText parses the text in place of the arguments of a native call.
func (r *callReader) parseArgumentText(place diag.Span) {
	text := r.call.Text
	r.call.Status = chat.StatusOK
	if blank := strings.TrimSpace(text); blank == "" || blank == "null" {
		r.useEmptyArguments(place)
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
		r.readEncodedArguments(place)
		return
	default:
		r.addError(diag.CallMember, place, "arguments: expected an object, got %s", describeKind(strings.TrimSpace(text)[0]))
	}
	r.call.Status, r.call.ValueChanged = d.Status, d.ValueChanged
	for _, f := range d.Findings {
		r.addFinding(f)
	}
}
