package executor

import (
	"encoding/json"
	"fmt"

	"oneshot/pkg/chat"
	"oneshot/pkg/quote"
	"oneshot/pkg/tool"
)

// maxContext is the maximum size of the context of a call in bytes.
const maxContext = 4 << 20

// A contextDoc is the input of a program with stdin: context. It fits the schema tool_context.v1.
type contextDoc struct {
	Version  int              `json:"version"`
	RunID    string           `json:"run_id,omitempty"`
	Call     contextCall      `json:"call"`
	Messages []contextMessage `json:"messages"`
}

type contextCall struct {
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type contextMessage struct {
	Role        chat.Role         `json:"role"`
	Content     string            `json:"content"`
	Calls       []contextCall     `json:"calls,omitempty"`
	CallID      string            `json:"call_id,omitempty"`
	Name        string            `json:"name,omitempty"`
	Attachments []chat.Attachment `json:"attachments,omitempty"`
}

// context returns the context of a call as JSON. A conversation that is too long is a *[tool.FillError].
func (t task) context() ([]byte, error) {
	doc := contextDoc{Version: 1, RunID: t.runID, Call: contextCall{t.id, t.def.Name, t.args}, Messages: []contextMessage{}}
	for _, m := range t.messages {
		out := contextMessage{Role: m.Role, Content: m.Content, CallID: m.CallID, Name: m.Name, Attachments: m.Attachments}
		for _, c := range m.Calls {
			out.Calls = append(out.Calls, newContextCall(c))
		}
		doc.Messages = append(doc.Messages, out)
	}
	text, err := quote.Encode(doc)
	if err == nil && len(text) > maxContext {
		err = &tool.FillError{Argument: "stdin", Why: fmt.Sprintf("the conversation is longer than %d MiB", maxContext>>20), TooLarge: true}
	}
	return text, err
}

func newContextCall(c chat.Call) contextCall {
	if !json.Valid(c.Arguments) { // the model's own text
		c.Arguments = quote.Encoded(string(c.Arguments))
	}
	return contextCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments}
}
