package provider

import (
	"encoding/json"
	"net/http"
)

// A Preset describes a kind of model server. It is pure data; the caller reads the environment.
type Preset struct {
	Name       string // as in PROVIDER/NAME
	Title      string
	API        API
	BaseURL    string
	Keys       []string // environment variables for the key; the first one set is used
	NeedsKey   bool     // the server requires a key
	Credential Credential
	Facts
}

// A Credential is the way to send a key.
type Credential string

// The ways to send a key.
const (
	Bearer Credential = "bearer"    // Authorization: Bearer KEY
	APIKey Credential = "x-api-key" // X-Api-Key: KEY
)

// Facts are properties of a server beyond its protocol. The zero value is the most conservative.
type Facts struct {
	// KeepsConstraints says that all keywords of a tool's schema reach the model.
	// Otherwise keywords that some servers drop are repeated in descriptions.
	KeepsConstraints bool
	// AnyName says that a tool may have any name. Otherwise names are mapped to
	// [a-zA-Z0-9_-]{1,64}, and back.
	AnyName bool
	// WaitHeaders says that retry-after-ms and x-ratelimit-reset-* have OpenAI's
	// meaning.
	WaitHeaders bool
	// OffersResponses says that the client may switch from the API chat to
	// responses if the server requires it.
	OffersResponses bool
	// TokenLimit is the parameter of the API chat that limits the tokens of a
	// response; "" is max_tokens.
	TokenLimit string
	// ForeignCall is an object with members to add to calls of other models in the
	// API chat; nil for none.
	ForeignCall json.RawMessage
}

// Authorize adds a key to the headers of requests.
func (p Preset) Authorize(h http.Header, key string) {
	if p.Credential == APIKey {
		h.Set("X-Api-Key", key)
		return
	}
	h.Set("Authorization", "Bearer "+key)
}

// Presets returns the presets in the order of lists.
func Presets() []Preset {
	return []Preset{
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

// PresetNamed returns the preset with a name.
func PresetNamed(name string) (Preset, bool) {
	for _, p := range Presets() {
		if p.Name == name {
			return p, true
		}
	}
	return Preset{}, false
}
