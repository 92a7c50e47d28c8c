package model

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/ollama/ollama/api"

	"oneshot/pkg/chat"
)

// paramThink is the one parameter that Ollama does not take among its options.
const paramThink = "think"

// encode returns the body of a request for a chat. A prompt over the context is
// to be refused and not cut at its beginning, and a response over the context
// to end there.
func (o *Ollama) encode(req chat.Request) ([]byte, error) {
	stream, truncate, shift := true, false, false
	form := api.ChatRequest{
		Model:    o.model,
		Messages: ollamaMessages(req),
		Stream:   &stream,
		Options:  make(map[string]any, len(req.Params)),
		Truncate: &truncate,
		Shift:    &shift,
	}
	if err := setParams(&form, req.Params); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&form); err != nil {
		return nil, fmt.Errorf("model request: %w", err)
	}
	return appendFormat(bytes.TrimRight(buf.Bytes(), "\n"), req.Format)
}

// setParams puts every parameter in its place.
func setParams(form *api.ChatRequest, params map[string]json.RawMessage) error {
	for name, value := range params {
		if !jsontext.Value(value).IsValid() {
			return fmt.Errorf("parameter %s: not JSON: %q", name, value)
		}
		if name != paramThink {
			form.Options[name] = value
			continue
		}
		form.Think = new(api.ThinkValue)
		if err := json.Unmarshal(value, form.Think); err != nil {
			return fmt.Errorf("parameter %s: %w", name, err)
		}
	}
	return nil
}

// appendFormat adds the format to an encoded request, byte for byte. (An
// encoder would take its spaces out.)
func appendFormat(body []byte, format json.RawMessage) ([]byte, error) {
	if len(format) == 0 {
		return body, nil
	}
	if !jsontext.Value(format).IsValid() {
		return nil, fmt.Errorf("request format: not JSON: %.40q", format)
	}
	body = append(bytes.TrimSuffix(body, []byte("}")), `,"format":`...)
	body = append(body, format...)
	return append(body, '}'), nil
}

// ollamaMessages returns the conversation with the system prompt in front.
func ollamaMessages(req chat.Request) []api.Message {
	out := make([]api.Message, 0, len(req.Messages)+1)
	if req.System != "" {
		out = append(out, api.Message{Role: string(chat.System), Content: req.System})
	}
	for _, m := range req.Messages {
		out = append(out, api.Message{Role: string(m.Role), Content: m.Content})
	}
	return out
}
