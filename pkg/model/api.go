package model

import (
	"net/http"

	"oneshot/pkg/chat"
	"oneshot/pkg/wire"
)

// An API is a protocol between a client and a model server.
type API string

// The protocols. The comments name what is posted to below the base URL.
const (
	Ollama    API = "ollama"    // api/chat
	Chat      API = "chat"      // chat/completions, of OpenAI and everything compatible
	Responses API = "responses" // responses, of OpenAI
	Messages  API = "messages"  // v1/messages, of Anthropic
)

// A protocol is what the client needs to know of an API.
type protocol struct {
	api    API
	path   string // below the base URL
	models string // where the list of models is
	accept string
	header http.Header // of every request
	// params are the places of the parameters that mean the same everywhere, where
	// they have another name: "a.b" is member b of member a, and "" no place.
	params map[string]string
	home   string // the member that all other parameters stand in; "" for the body
	encode func(*encoding) error
	decode func(maxBytes int64) wire.Decoder
	echo   func(body []byte, calls []chat.Call) (out []byte, ok bool)
	list   func(body []byte) ([]ModelInfo, error)
}

// protocolOf returns the protocol of an API, or nil.
func protocolOf(api API) *protocol {
	for _, p := range protocols() {
		if p.api == api {
			return &p
		}
	}
	return nil
}

// protocols returns the table of protocols.
func protocols() []protocol {
	const events = "text/event-stream"
	return []protocol{
		{
			api: Ollama, path: "api/chat", models: "api/tags", accept: "application/x-ndjson",
			params: map[string]string{"max_tokens": "options.num_predict", "effort": "think", "think": "think", "keep_alive": "keep_alive"},
			home:   "options",
			encode: encodeOllama, echo: echoOllama, list: listOllama,
			decode: func(n int64) wire.Decoder { return wire.NewOllama(n) },
		},
		{
			api: Chat, path: "chat/completions", models: "models", accept: events,
			params: map[string]string{"effort": "reasoning_effort"},
			encode: encodeChat, echo: echoChat, list: listIDs,
			decode: func(n int64) wire.Decoder { return wire.NewChat(n) },
		},
		{
			api: Responses, path: "responses", models: "models", accept: events,
			params: map[string]string{"effort": "reasoning.effort", "max_tokens": "max_output_tokens", "seed": "", "stop": ""},
			encode: encodeResponses, echo: echoResponses, list: listIDs,
			decode: func(n int64) wire.Decoder { return wire.NewResponses(n) },
		},
		{
			api: Messages, path: "v1/messages", models: "v1/models?limit=1000", accept: events,
			header: http.Header{"Anthropic-Version": {"2023-06-01"}},
			params: map[string]string{"effort": "output_config.effort", "stop": "stop_sequences", "seed": ""},
			encode: encodeMessages, echo: echoMessages, list: listIDs,
			decode: func(n int64) wire.Decoder { return wire.NewMessages(n) },
		},
	}
}
