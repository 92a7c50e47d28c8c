package events

import (
	"bytes"
	"encoding/json"
	"strconv"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
)

// A ToolCall is an executed call in the form that chat_message.v2 publishes. Input and Output are objects.
type ToolCall struct {
	ToolType string          `json:"toolType"` // the name of the definition
	ToolName string          `json:"toolName"` // the name in the run
	Input    json.RawMessage `json:"input"`
	Output   json.RawMessage `json:"output"`
}

// otherType is the toolType of a tool that has the name of a published type but a different input or output.
const otherType = "other"

// newToolCall returns a call with its outcome. The published schemas require a certain input and output for some names.
func newToolCall(name string, input json.RawMessage, result chat.Result) (ToolCall, error) {
	output, err := outputOf(result)
	if err != nil {
		return ToolCall{}, err
	}
	c := ToolCall{ToolType: name, ToolName: name, Input: asObject(input), Output: asObject(output)}
	if hasPublishedSchema(name) && !fitsSchema(c) {
		c.ToolType = otherType
	}
	return c, nil
}

// outputOf returns the output of a call: its data, or an object with its error or its needs.
func outputOf(r chat.Result) (json.RawMessage, error) {
	if r.OK() {
		return r.Data, nil
	}
	var members struct {
		Needs    json.RawMessage `json:"needs,omitempty"`
		Question string          `json:"question,omitempty"`
		Error    json.RawMessage `json:"error,omitempty"`
	}
	envelope, err := r.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(envelope, &members)
	}
	if err != nil {
		return nil, err
	}
	return quote.Encode(members)
}

// asObject returns a JSON object on one line: the document, or {"value": …} around another one.
func asObject(doc json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, doc); err != nil || b.Len() == 0 {
		b.Reset()
		b.WriteString("null")
	}
	one := diag.EscapeInvisibleJSON(b.Bytes())
	if one[0] == '{' {
		return one
	}
	return append(append([]byte(`{"value":`), one...), '}')
}

// hasPublishedSchema reports whether the published schemas require a certain input and output for a tool type.
func hasPublishedSchema(name string) bool {
	return name == "vectorSearch" || name == "vectorSearchWithReranking"
}

func fitsSchema(c ToolCall) bool {
	text, _ := schema.PublishedText("chat_message.v2")
	s, _ := schema.CompileSubschema("chat_message.v2", text, "/$defs/toolCall")
	doc, err := quote.Encode(c)
	return err == nil && s != nil && len(s.Check(doc)) == 0
}

// maxRepeatedBytes is the largest input or output that each on_chat_model_start repeats. Larger ones are whole in
// on_chain_end only, so that the events of a run grow linearly.
const maxRepeatedBytes = 16 << 10

// abridged returns the call with {"omitted": BYTES} in the place of a large input or output.
func (c ToolCall) abridged() ToolCall {
	omit := func(doc json.RawMessage) json.RawMessage {
		if len(doc) <= maxRepeatedBytes {
			return doc
		}
		return json.RawMessage(`{"omitted":` + strconv.Itoa(len(doc)) + `}`)
	}
	c.Output = omit(c.Output)
	if !hasPublishedSchema(c.ToolType) { // their input must stay whole
		c.Input = omit(c.Input)
	}
	return c
}

// A call is a call of the latest response.
type call struct {
	name     string
	input    json.RawMessage
	runs     bool // allowed or approved
	early    bool // it starts before its response is complete
	modified bool // by the approver
	alone    bool // no other call runs at the same time
	started  bool // its on_tool_start was emitted
}

// A callLog follows the calls of the latest response.
type callLog struct {
	calls map[string]*call
	order []*call
}

func (l *callLog) reset() { l.calls, l.order = map[string]*call{}, nil }

func (l *callLog) add(b runfile.Call) {
	c := &call{name: b.Name, input: b.Effective, runs: b.Verdict == "allow", early: b.Early}
	l.calls[b.ID], l.order = c, append(l.order, c)
}

func (l *callLog) approve(b runfile.Approval) {
	c := l.calls[b.Call]
	if c == nil {
		return
	}
	c.runs, c.modified = b.Approved, b.Modified != nil
	if c.modified {
		c.input = b.Modified
	}
}

// outcome returns the call that a record ends and its result; nil for other records and calls that were not executed.
func (l *callLog) outcome(body runfile.Body) (*call, chat.Result) {
	var id string
	var result chat.Result
	refused := false
	switch b := body.(type) {
	case runfile.Result:
		id, result = b.Call, b.Result
		refused = b.Duration == 0 && result.Error != nil && result.Error.Code == chat.Denied
	case runfile.Discarded:
		id, result = b.Call, chat.Failure(chat.Failed, "the result was discarded: %s", b.Why)
	case runfile.UnknownOutcome:
		id, result = b.Call, chat.Failure(chat.UnknownOutcome, "the call was cut off; its outcome is unknown")
	}
	c := l.calls[id]
	if c == nil || !c.runs || refused && c.modified && !c.started {
		return nil, result
	}
	return c, result
}
