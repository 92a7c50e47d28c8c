// Package responses is the protocol of OpenAI's responses.
package responses

import (
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// Protocol is OpenAI's /v1/responses.
var Protocol = wire.Protocol{
	Name: "native_openai_responses", Title: "OpenAI responses", API: "responses", HasCallIDs: true,
	NewReader: newReader,
	Members:   []string{"type", "object", "output"},
	Matches: func(m wire.Members) bool {
		return strings.HasPrefix(m.Get("type").Str, "response.") || m.Get("object").Str == "response" && m.Get("output").IsArray()
	},
	HasStyle: func(v gjson.Result) bool { return v.Get("type").Str == "error" && !v.Get("error").IsObject() },

	Path: "responses", Versioned: true, Accept: "text/event-stream",
	EncodeRequest:  encode,
	Attachments:    []string{chat.PNG, chat.JPEG, chat.GIF, chat.WebP, chat.PDF},
	Params:         map[string]string{"effort": "reasoning.effort", "max_tokens": "max_output_tokens", "seed": "", "stop": ""},
	Defaults:       []wire.Default{{Name: "store", JSON: "false"}, {Name: "include", JSON: `["reasoning.encrypted_content"]`}},
	RepairState:    repairState,
	ModelEndpoints: wire.ModelEndpoints{ListPath: "models", ParseModels: wire.ParseModelIDs},
}
