package model

import (
	"encoding/json"
	"net/http"
)

// A Provider is a kind of model server, as it is preset. It is data; whoever
// makes a client reads the environment.
type Provider struct {
	Name       string // as in PROVIDER/NAME
	Title      string
	API        API
	BaseURL    string
	Keys       []string // environment variables with a key; the first that is set counts
	NeedsKey   bool     // nothing is answered without a key
	Credential Credential
	Facts
}

// A Credential is the way in which a server is shown a key.
type Credential string

// The ways to show a key.
const (
	Bearer Credential = "bearer"    // Authorization: Bearer KEY
	APIKey Credential = "x-api-key" // X-Api-Key: KEY
)

// Facts are what is known about a server beyond its protocol. Where nothing is
// known, which is the zero value, the client is careful.
type Facts struct {
	// KeepsConstraints says that all keywords of a tool's schema reach the model.
	// Otherwise those that are dropped by some are repeated in descriptions.
	KeepsConstraints bool
	// AnyName says that a tool may have any name. Otherwise names are mapped to
	// [a-zA-Z0-9_-]{1,64}, and back.
	AnyName bool
	// WaitHeaders says that retry-after-ms and x-ratelimit-reset-* mean what they
	// mean at OpenAI.
	WaitHeaders bool
	// OffersResponses says that the client may turn from the API chat to
	// responses when the server tells it to.
	OffersResponses bool
	// TokenLimit is the parameter of the API chat that limits the tokens of a
	// response; "" is max_tokens.
	TokenLimit string
	// ForeignCall is an object with members that a call in the API chat needs if
	// another model made it; nil for none.
	ForeignCall json.RawMessage
}

// Authorize puts a key into the header of requests.
func (p Provider) Authorize(h http.Header, key string) {
	if p.Credential == APIKey {
		h.Set("X-Api-Key", key)
		return
	}
	h.Set("Authorization", "Bearer "+key)
}

// Providers returns the presets, in the order in which they are listed.
func Providers() []Provider {
	return []Provider{
		{
			Name: "ollama", Title: "Ollama", API: Ollama, BaseURL: "http://127.0.0.1:11434",
			Facts: Facts{AnyName: true},
		},
		{
			Name: "openai", Title: "OpenAI", API: Chat, BaseURL: "https://api.openai.com/v1",
			Keys: []string{"OPENAI_API_KEY"}, NeedsKey: true, Credential: Bearer,
			Facts: Facts{KeepsConstraints: true, WaitHeaders: true, OffersResponses: true, TokenLimit: "max_completion_tokens"},
		},
		{
			Name: "anthropic", Title: "Anthropic", API: Messages, BaseURL: "https://api.anthropic.com",
			Keys: []string{"ANTHROPIC_API_KEY"}, NeedsKey: true, Credential: APIKey,
			Facts: Facts{KeepsConstraints: true},
		},
		{
			Name: "openrouter", Title: "OpenRouter", API: Chat, BaseURL: "https://openrouter.ai/api/v1",
			Keys: []string{"OPENROUTER_API_KEY"}, NeedsKey: true, Credential: Bearer,
		},
		{
			Name: "gemini", Title: "Google Gemini", API: Chat, BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
			Keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, NeedsKey: true, Credential: Bearer,
			// Gemini 3 refuses a call without a signature. For calls of other models
			// Google documents this word in its place (ai.google.dev, "Thought
			// signatures").
			Facts: Facts{ForeignCall: json.RawMessage(`{"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}}`)},
		},
		{
			Name: "lmstudio", Title: "LM Studio", API: Chat, BaseURL: "http://127.0.0.1:1234/v1",
			Keys: []string{"LM_API_TOKEN"}, Credential: Bearer,
		},
	}
}

// ProviderNamed returns the preset of a name.
func ProviderNamed(name string) (Provider, bool) {
	for _, p := range Providers() {
		if p.Name == name {
			return p, true
		}
	}
	return Provider{}, false
}
