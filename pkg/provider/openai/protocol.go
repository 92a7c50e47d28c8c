// Package openai is the protocol of OpenAI's chat completions, and of the many servers that
// implement it.
package openai

import (
	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// Protocol is OpenAI's /v1/chat/completions.
var Protocol = wire.Protocol{
	Name: "native_openai_chat", Title: "OpenAI chat completions", API: "chat", HasCallIDs: true, StopNamesCalls: true,
	NewReader: newReader,
	Members:   []string{"choices"},
	Matches:   func(m wire.Members) bool { return m.Get("choices").IsArray() },

	Path: "chat/completions", Versioned: true, Accept: "text/event-stream",
	EncodeRequest:  encode,
	Attachments:    []string{chat.PNG, chat.JPEG, chat.GIF, chat.WebP, chat.PDF},
	Params:         map[string]string{"effort": "reasoning_effort", "max_tokens": "max_tokens"}, // or the server's own
	Defaults:       []wire.Default{{Name: "stream_options", JSON: `{"include_usage":true}`}},
	RepairState:    repairState,
	ModelEndpoints: wire.ModelEndpoints{ListPath: "models", ParseModels: wire.ParseModelIDs},
	Successor:      "responses",
}
