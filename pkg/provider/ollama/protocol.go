// Package ollama is the protocol of Ollama's chat.
package ollama

import (
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// Protocol is Ollama's /api/chat.
var Protocol = wire.Protocol{
	Name: "native_ollama_chat", Title: "Ollama chat", API: "ollama", StopOptional: true,
	NewReader: func(r *wire.Response) wire.Reader { return &reader{Response: r, message: r.NewNode()} },
	Members:   []string{"message", "done"},
	Matches:   func(m wire.Members) bool { return m.Get("message").IsObject() && m.Get("done").IsBool() },
	HasStyle:  func(v gjson.Result) bool { return v.Get("error").Type == gjson.String },

	Path: "api/chat", Accept: "application/x-ndjson", CompleteURL: CompleteURL,
	EncodeRequest: encode, AnyToolName: true, DropsConstraints: true,
	Attachments:  []string{chat.PNG, chat.JPEG, chat.GIF, chat.WebP},
	Params:       map[string]string{"max_tokens": "options.num_predict", "effort": "think", "think": "think", "keep_alive": "keep_alive"},
	ParamsObject: "options",
	// A prompt that exceeds the context must be rejected and not truncated, and a response must
	// end there.
	Defaults:    []wire.Default{{Name: "truncate", JSON: "false"}, {Name: "shift", JSON: "false"}},
	RepairState: repairState,
	ModelEndpoints: wire.ModelEndpoints{
		ListPath: "api/tags", ParseModels: parseModels,
		ShowPath: "api/show", ParseModel: parseCapabilities,
	},
}
