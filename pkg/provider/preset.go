package provider

import (
	"cmp"
	"encoding/json"
	"net/http"

	"oneshot/pkg/provider/anthropic"
	"oneshot/pkg/provider/ollama"
	"oneshot/pkg/provider/openai"
	"oneshot/pkg/provider/wire"
)

// A Preset describes a kind of model server. It is pure data; the caller reads the environment.
type Preset struct {
	Name      string // as in PROVIDER/NAME
	Title     string
	Protocol  *wire.Protocol
	BaseURL   string
	Keys      []string // environment variables for the key; the first one set is used
	NeedsKey  bool     // the server requires a key
	KeyHeader string   // the header for a key; "": the protocol's
	Facts
}

// Facts are properties of a server beyond its protocol. The zero value is the most conservative.
type Facts struct {
	// KeepsConstraints means that all keywords of a tool's schema reach the model. Otherwise
	// keywords that some servers drop are repeated in descriptions.
	KeepsConstraints bool
	// AnyName means that a tool may have any name. Otherwise names are mapped to
	// [a-zA-Z0-9_-]{1,64}, and back.
	AnyName bool
	// WaitHeaders means that retry-after-ms and x-ratelimit-reset-* have OpenAI's meaning.
	WaitHeaders bool
	// OffersSuccessor means that the client may switch to the successor of its protocol if the
	// server requires it.
	OffersSuccessor bool
	wire.Variant
}

// bearer is the usual header for a key, with the scheme Bearer.
const bearer = "Authorization"

// Authorize adds a key to the headers of requests.
func (p Preset) Authorize(h http.Header, key string) {
	name := p.KeyHeader
	if name == "" && p.Protocol != nil {
		name = p.Protocol.KeyHeader
	}
	if name = cmp.Or(name, bearer); name == bearer {
		key = "Bearer " + key
	}
	h.Set(name, key)
}

// Presets returns the presets in the order of lists.
func Presets() []Preset {
	return []Preset{
		{
			Name: "ollama", Title: "Ollama", Protocol: &ollama.Protocol, BaseURL: "http://127.0.0.1:11434",
			Facts: Facts{AnyName: true},
		},
		{
			Name: "openai", Title: "OpenAI", Protocol: &openai.Protocol, BaseURL: "https://api.openai.com/v1",
			Keys: []string{"OPENAI_API_KEY"}, NeedsKey: true, KeyHeader: bearer,
			Facts: Facts{KeepsConstraints: true, WaitHeaders: true, OffersSuccessor: true, Variant: wire.Variant{TokenLimit: "max_completion_tokens"}},
		},
		{
			Name: "anthropic", Title: "Anthropic", Protocol: &anthropic.Protocol, BaseURL: "https://api.anthropic.com",
			Keys: []string{"ANTHROPIC_API_KEY"}, NeedsKey: true, KeyHeader: "X-Api-Key",
			Facts: Facts{KeepsConstraints: true},
		},
		{
			Name: "openrouter", Title: "OpenRouter", Protocol: &openai.Protocol, BaseURL: "https://openrouter.ai/api/v1",
			Keys: []string{"OPENROUTER_API_KEY"}, NeedsKey: true, KeyHeader: bearer,
		},
		{
			Name: "gemini", Title: "Google Gemini", Protocol: &openai.Protocol, BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
			Keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, NeedsKey: true, KeyHeader: bearer,
			// Gemini 3 refuses a call without a signature. For calls of other models
			// Google documents this word in its place (ai.google.dev, "Thought
			// signatures").
			Facts: Facts{Variant: wire.Variant{ForeignCall: json.RawMessage(`{"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}}`)}},
		},
		{
			Name: "lmstudio", Title: "LM Studio", Protocol: &openai.Protocol, BaseURL: "http://127.0.0.1:1234/v1",
			Keys: []string{"LM_API_TOKEN"}, KeyHeader: bearer,
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
