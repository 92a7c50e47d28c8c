// Package anthropic is the protocol of Anthropic's messages.
package anthropic

import (
	"strings"

	"github.com/tidwall/gjson"

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
}
