// Package bedrock reads the protocol of Amazon Bedrock's Converse.
package bedrock

import (
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/provider/wire"
)

// Protocol is Amazon Bedrock's Converse.
var Protocol = wire.Protocol{
	Name: "native_bedrock_converse", Title: "Bedrock Converse", HasCallIDs: true, StopNamesCalls: true,
	NewReader: func(r *wire.Response) wire.Reader { return &reader{Response: r, tools: map[string]*wire.PendingCall{}} },
	Members:   []string{"messageStart", "contentBlockStart", "contentBlockDelta", "output"},
	Matches: func(m wire.Members) bool {
		return m.Get("messageStart").IsObject() || m.Get("contentBlockStart").IsObject() || m.Get("contentBlockDelta").IsObject() || m.Get("output").Get("message").IsObject()
	},
	IsError: func(v gjson.Result) bool { return wire.IsErrorObject(v, "__type", isException) },
}

// isException reports whether a name is that of an AWS error.
func isException(name string) bool { return strings.HasSuffix(name, "Exception") }
