// Package gemini reads the protocol of Gemini's generateContent.
package gemini

import (
	"github.com/tidwall/gjson"

	"oneshot/pkg/provider/wire"
)

// Protocol is Gemini's generateContent.
var Protocol = wire.Protocol{
	Name: "native_gemini", Title: "Gemini",
	NewReader: func(r *wire.Response) wire.Reader { return &reader{Response: r} },
	Members:   []string{"candidates", "promptFeedback"},
	Matches:   func(m wire.Members) bool { return m.Get("candidates").IsArray() || m.Get("promptFeedback").IsObject() },
	HasStyle: func(v gjson.Result) bool {
		return v.Get("error.code").Type == gjson.Number && v.Get("error.status").Type == gjson.String
	},
}
