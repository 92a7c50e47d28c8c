package model

import (
	"encoding/json"

	"github.com/ollama/ollama/api"

	"oneshot/pkg/chat"
)

// encodeOllama writes a request for /api/chat. A prompt over the context is to
// be refused and not cut at its beginning, and a response over the context to
// end there. A request for the answer has no tools: with both tools and a
// format the server would hold the model to the format in any case, and the
// template would still ask it for calls.
func encodeOllama(e *encoding) error {
	e.body.text("model", e.model)
	e.body.setPieces("messages", e.messages(e.ollamaMessage))
	e.body.set("stream", yes)
	if len(e.req.Tools) > 0 && !e.answering() {
		e.body.set("tools", e.tools(functionTool))
	}
	switch {
	case e.req.Format != nil:
		e.body.set("format", e.req.Format)
	case e.req.AnyJSON:
		e.body.text("format", "json")
	}
	e.body.in("options")
	if err := e.thinkParam(); err != nil {
		return err
	}
	if err := e.placeParams(); err != nil {
		return err
	}
	e.body.set("truncate", no)
	e.body.set("shift", no)
	return nil
}

// thinkParam checks how much the model is to think, and translates the words
// that others have for it, as Ollama itself does in its compatible APIs.
func (e *encoding) thinkParam() error {
	if effort, ok := unquote(e.req.Params["effort"]); ok {
		value, known := map[string]string{"none": "false", "minimal": `"low"`, "xhigh": `"max"`}[effort]
		if known {
			e.req.Params["effort"] = json.RawMessage(value)
		}
	}
	for _, name := range []string{"think", "effort"} {
		if value := e.req.Params[name]; value != nil {
			if err := json.Unmarshal(value, new(api.ThinkValue)); err != nil {
				return e.misplaced(name, err.Error())
			}
		}
	}
	return nil
}

// ollamaMessage returns a message in the form of Ollama.
func (e *encoding) ollamaMessage(m chat.Message) *object {
	o := newObject("role", string(m.Role), "content", m.Content)
	if m.Role == chat.Tool {
		o.text("tool_name", e.names.wire(m.Name))
		o.text("tool_call_id", m.CallID)
	}
	if len(m.Calls) > 0 {
		o.set("tool_calls", e.ollamaCalls(m.Calls))
	}
	return o
}

// ollamaCalls returns calls with their arguments as objects.
func (e *encoding) ollamaCalls(calls []chat.Call) []byte {
	var out [][]byte
	for _, c := range calls {
		o := newObject("id", c.ID)
		f := o.in("function")
		f.text("name", e.names.wire(c.Name))
		f.set("arguments", arguments(c))
		out = append(out, o.json())
	}
	return array(out)
}

// echoOllama mends the calls of a message.
func echoOllama(body []byte, calls []chat.Call) ([]byte, bool) {
	return echoCalls(body, calls, func(raw []byte, c chat.Call) []byte {
		if isKind(raw, '{') {
			return nil
		}
		return arguments(c)
	})
}
