package provider

import (
	"net/http"

	"oneshot/pkg/chat"
)

// An API is a protocol between a client and a model server.
type API string

// The protocols, with their endpoints below the base URL.
const (
	Ollama    API = "ollama"    // api/chat
	Chat      API = "chat"      // chat/completions, of OpenAI and everything compatible
	Responses API = "responses" // responses, of OpenAI
	Messages  API = "messages"  // v1/messages, of Anthropic
)

// A protocol is the client's description of an API.
type protocol struct {
	api      API
	path     string // endpoint below the base URL
	listPath string // endpoint of the model list
	accept   string
	header   http.Header // sent with every request
	// params maps common parameters to the API's names: "a.b" is member b of member a,
	// "" means unsupported.
	params       map[string]string
	paramsObject string // the member that holds all other parameters; "" for the body itself
	encode       func(*encoding) error

	repairState func(body []byte, calls []chat.Call) (out []byte, ok bool)
	list        func(body []byte) ([]ModelInfo, error)
}

func protocolOf(api API) *protocol {
	for _, p := range apis() {
		if p.api == api {
			return &p
		}
	}
	return nil
}

// apis returns all APIs.
func apis() []protocol {
	const events = "text/event-stream"
	return []protocol{
		{
			api: Ollama, path: "api/chat", listPath: "api/tags", accept: "application/x-ndjson",
			params:       map[string]string{"max_tokens": "options.num_predict", "effort": "think", "think": "think", "keep_alive": "keep_alive"},
			paramsObject: "options",
			encode:       encodeOllama, repairState: ollamaState, list: listOllama,
		},
		{
			api: Chat, path: "chat/completions", listPath: "models", accept: events,
			params: map[string]string{"effort": "reasoning_effort"},
			encode: encodeChat, repairState: chatState, list: listIDs,
		},
		{
			api: Responses, path: "responses", listPath: "models", accept: events,
			params: map[string]string{"effort": "reasoning.effort", "max_tokens": "max_output_tokens", "seed": "", "stop": ""},
			encode: encodeResponses, repairState: responsesState, list: listIDs,
		},
		{
			api: Messages, path: "v1/messages", listPath: "v1/models?limit=1000", accept: events,
			header: http.Header{"Anthropic-Version": {"2023-06-01"}},
			params: map[string]string{"effort": "output_config.effort", "stop": "stop_sequences", "seed": ""},
			encode: encodeMessages, repairState: messagesState, list: listIDs,
		},
	}
}
