// Package cohere reads the protocol of Cohere's chat.
package cohere

import (
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// Protocol is Cohere's /v2/chat.
var Protocol = wire.Protocol{
	Name: "native_cohere_v2", Title: "Cohere chat", HasCallIDs: true, StopNamesCalls: true,
	NewReader: func(r *wire.Response) wire.Reader { return &reader{Response: r, tools: map[string]*wire.PendingCall{}} },
	Stops:     map[string]wire.StopReason{"complete": {Stop: chat.StopEnd}, "tool_call": {Stop: chat.StopEnd, Calls: true}},
	Members:   []string{"type", "message", "finish_reason"},
	Matches: func(m wire.Members) bool {
		switch m.Get("type").Str {
		case "message-start", "content-start", "content-delta", "tool-plan-delta", "tool-call-start":
			return true
		}
		return m.Get("message").IsObject() && m.Get("finish_reason").Exists()
	},
	IsError: func(v gjson.Result) bool { return wire.IsErrorObject(v, "id", isUUID) },
}

// isUUID reports whether a text is an ID of a request.
func isUUID(id string) bool {
	return len(id) == len("01234567-89ab-cdef-0123-456789abcdef") && strings.Count(id, "-") == 4 && strings.Trim(id, "0123456789abcdefABCDEF-") == ""
}
