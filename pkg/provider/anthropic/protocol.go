// Package anthropic is the protocol of Anthropic's messages.
package anthropic

import (
	"net/http"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// Protocol is Anthropic's /v1/messages.
var Protocol = wire.Protocol{
	Name: "native_anthropic", Title: "Anthropic messages", API: "messages", HasCallIDs: true, StopNamesCalls: true,
	NewReader: func(r *wire.Response) wire.Reader { return &reader{Response: r, byRef: map[string]*block{}} },
	Members:   []string{"type", "content"},
	Matches: func(m wire.Members) bool {
		kind := m.Get("type").Str
		return kind == "message_start" || strings.HasPrefix(kind, "content_block_") || kind == "message" && m.Get("content").IsArray()
	},
	HasStyle: func(v gjson.Result) bool { return v.Get("type").Str == "error" && v.Get("error").IsObject() },

	Path: "v1/messages", Accept: "text/event-stream", KeyHeader: "X-Api-Key",
	Header:        http.Header{"Anthropic-Version": {"2023-06-01"}},
	EncodeRequest: encode, NoAnyJSON: true,
	Attachments: []string{chat.PNG, chat.JPEG, chat.GIF, chat.WebP, chat.PDF},
	Params:      map[string]string{"effort": "output_config.effort", "stop": "stop_sequences", "seed": ""},
	// The API requires a limit. This one is enough for reasoning and an answer, and within the
	// limits of all available models.
	Defaults:       []wire.Default{{Name: "max_tokens", JSON: "16384"}},
	RepairState:    repairState,
	ModelEndpoints: wire.ModelEndpoints{ListPath: "v1/models?limit=1000", ParseModels: wire.ParseModelIDs},
}
