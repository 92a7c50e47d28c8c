package provider_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/anthropic"
	"oneshot/pkg/provider/responses"
	"oneshot/pkg/provider/wire"
)

// preset returns a client of a preset.
func preset(t *testing.T, name string, c provider.Config) *provider.Client {
	t.Helper()
	p, ok := provider.PresetNamed(name)
	if !ok {
		t.Fatalf("no preset %s", name)
	}
	c.Provider = p
	if c.Model == "" {
		c.Model = "parrot"
	}
	return provider.New(c)
}

// body returns the body of a request.
func body(t *testing.T, m *provider.Client, req chat.Request) string {
	t.Helper()
	out, err := m.Compose(req)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(out.Body) {
		t.Fatalf("not JSON: %s", out.Body)
	}
	return string(out.Body)
}

// schema is JSON whose spaces, key order and digits must be kept.
const schema = `{ "type":"object", "required":["b"], "properties":{"b":{"type":"number","minimum":1.50},"a":{}}, "additionalProperties":false }`

// conversation is a request with everything in it.
func conversation() chat.Request {
	call := chat.Call{ID: "c1", Name: "net.get", Arguments: json.RawMessage(`{"b": 12345678901234567890}`), Status: chat.StatusOK}
	broken := chat.Call{ID: "c2", Name: "add", Text: `{"b":`, Status: chat.StatusInvalid}
	return chat.Request{
		Purpose: chat.PurposeTurn, System: "Be <kind>.",
		Tools: []chat.Function{
			{Name: "net.get", Description: "Gets.", Parameters: json.RawMessage(schema)},
			{Name: "add", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
		},
		Messages: []chat.Message{
			{Role: chat.User, Content: "Hi & bye"},
			{Role: chat.Assistant, Content: "", Calls: []chat.Call{call, broken}},
			{Role: chat.Tool, CallID: "c1", Name: "net.get", Content: `{"ok":true}`},
			{Role: chat.Tool, CallID: "c2", Name: "add", Content: ""},
			{Role: chat.User, Content: "Go on."},
			{Role: chat.Assistant, Content: "Done."},
			{Role: chat.User, Content: "Thanks."},
		},
	}
}

// The exact body of a request in each API.
func TestEncode(t *testing.T) {
	const spelled = `{ "type":"object", "required":["b"], "properties":{"b":{"type":"number","minimum":1.50,"description":"at least 1.50"},"a":{}}, "additionalProperties":false }`
	for label, want := range map[string]string{
		"ollama": `{"model":"parrot","messages":[{"role":"system","content":"Be <kind>."},{"role":"user","content":"Hi & bye"},` +
			`{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"index":0,"name":"net.get","arguments":{"b":12345678901234567890}}},{"id":"c2","function":{"index":1,"name":"add","arguments":{}}}]},` +
			`{"role":"tool","content":"{\"ok\":true}","tool_name":"net.get","tool_call_id":"c1"},{"role":"tool","content":"","tool_name":"add","tool_call_id":"c2"},` +
			`{"role":"user","content":"Go on."},{"role":"assistant","content":"Done."},{"role":"user","content":"Thanks."}],"stream":true,` +
			`"tools":[{"type":"function","function":{"name":"net.get","description":"Gets.","parameters":` + spelled + `}},` +
			`{"type":"function","function":{"name":"add","description":"","parameters":{"type":"object","properties":{}}}}],` +
			`"options":{},"truncate":false,"shift":false}`,
		"openai": `{"model":"parrot","messages":[{"role":"system","content":"Be <kind>."},{"role":"user","content":"Hi & bye"},` +
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"net_get","arguments":"{\"b\": 12345678901234567890}"}},` +
			`{"id":"c2","type":"function","function":{"name":"add","arguments":"{}"}}]},` +
			`{"role":"tool","tool_call_id":"c1","content":"{\"ok\":true}"},{"role":"tool","tool_call_id":"c2","content":""},` +
			`{"role":"user","content":"Go on."},{"role":"assistant","content":"Done."},{"role":"user","content":"Thanks."}],"stream":true,` +
			`"tools":[{"type":"function","function":{"name":"net_get","description":"Gets.","parameters":` + schema + `}},` +
			`{"type":"function","function":{"name":"add","description":"","parameters":{"type":"object","properties":{}}}}],` +
			`"stream_options":{"include_usage":true}}`,
		"openai responses": `{"model":"parrot","instructions":"Be <kind>.","input":[{"role":"user","content":"Hi & bye"},` +
			`{"type":"function_call","call_id":"c1","name":"net_get","arguments":"{\"b\": 12345678901234567890}"},{"type":"function_call","call_id":"c2","name":"add","arguments":"{}"},` +
			`{"type":"function_call_output","call_id":"c1","output":"{\"ok\":true}"},{"type":"function_call_output","call_id":"c2","output":""},` +
			`{"role":"user","content":"Go on."},{"role":"assistant","content":"Done."},{"role":"user","content":"Thanks."}],"stream":true,` +
			`"tools":[{"type":"function","name":"net_get","description":"Gets.","parameters":` + schema + `,"strict":false},` +
			`{"type":"function","name":"add","description":"","parameters":{"type":"object","properties":{}},"strict":false}],` +
			`"store":false,"include":["reasoning.encrypted_content"]}`,
		"anthropic": `{"model":"parrot","system":[{"type":"text","text":"Be <kind>.","cache_control":{"type":"ephemeral"}}],` +
			`"messages":[{"role":"user","content":[{"type":"text","text":"Hi & bye"}]},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"net_get","input":{"b": 12345678901234567890}},{"type":"tool_use","id":"c2","name":"add","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"{\"ok\":true}"},{"type":"tool_result","tool_use_id":"c2","content":""},{"type":"text","text":"Go on."}]},` +
			`{"role":"assistant","content":[{"type":"text","text":"Done."}]},{"role":"user","content":[{"type":"text","text":"Thanks."}]}],"stream":true,` +
			`"tools":[{"name":"net_get","description":"Gets.","input_schema":` + schema + `},{"name":"add","description":"","input_schema":{"type":"object","properties":{}}}],` +
			`"max_tokens":16384}`,
	} {
		name, api, _ := strings.Cut(label, " ")
		m := preset(t, name, provider.Config{Protocol: provider.ProtocolOf(api)})
		if diff := cmp.Diff(want, body(t, m, conversation())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", label, diff)
		}
	}
}

// A request for the answer has a format and forbids calls. Ollama gets no tools, because it would
// still ask for calls; the other servers need them, because the conversation has calls.
func TestEncodeAnswer(t *testing.T) {
	const format = `{ "type": "object" }`
	for _, tt := range []struct {
		provider string
		api      *wire.Protocol
		schema   []string // parts of the body with a schema
		anyJSON  []string // parts of the body for any JSON
		without  []string
	}{
		{"ollama", nil, []string{`"stream":true,"format":` + format + `,`}, []string{`"format":"json"`}, []string{`"tools"`, "tool_choice"}},
		{"openai", nil, []string{`"tool_choice":"none"`, `"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":` + format + `}}`, `"tools":[`},
			[]string{`"response_format":{"type":"json_object"}`, `"tools":[`}, nil},
		{"openai", &responses.Protocol, []string{`"tool_choice":"none"`, `"text":{"format":{"type":"json_schema","name":"answer","strict":true,"schema":` + format + `}}`, `"tools":[`},
			[]string{`"text":{"format":{"type":"json_object"}}`}, nil},
		{"anthropic", nil, []string{`"tool_choice":{"type":"none"}`, `"output_config":{"format":{"type":"json_schema","schema":` + format + `}}`, `"tools":[`}, nil, nil},
	} {
		m := preset(t, tt.provider, provider.Config{Protocol: tt.api})
		t.Run(tt.provider+" "+m.Protocol().API, func(t *testing.T) {
			req := conversation()
			req.Purpose, req.Format = chat.PurposeAnswer, json.RawMessage(format)
			check(t, body(t, m, req), tt.schema, tt.without)
			req.Format, req.AnyJSON = nil, true
			if tt.anyJSON == nil {
				if _, err := m.Compose(req); !errors.As(err, new(*provider.FormatError)) {
					t.Errorf("any JSON: error %v", err)
				}
				return
			}
			check(t, body(t, m, req), tt.anyJSON, tt.without)
			req.Tools = nil
			check(t, body(t, m, req), nil, []string{`"tools"`, "tool_choice"})
		})
	}
}

// check checks the content of a text.
func check(t *testing.T, text string, with, without []string) {
	t.Helper()
	for _, part := range with {
		if !strings.Contains(text, part) {
			t.Errorf("%s does not stand in %s", part, text)
		}
	}
	for _, part := range without {
		if strings.Contains(text, part) {
			t.Errorf("%s stands in %s", part, text)
		}
	}
}

// params returns parameters from alternating names and values.
func params(pairs ...string) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage)
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return out
}

func TestEncodeParams(t *testing.T) {
	common := []string{"temperature", "0.10", "top_p", "0.9", "max_tokens", "100", "effort", `"high"`}
	for _, tt := range []struct {
		name, provider string
		api            *wire.Protocol
		params         []string
		want           string // the body from "stream" on
	}{
		{"ollama", "ollama", nil, append([]string{"seed", "12345678901234567890", "stop", `"x"`, "num_ctx", "8192", "keep_alive", `"5m"`}, common...),
			`"options":{"num_predict":100,"num_ctx":8192,"seed":12345678901234567890,"stop":"x","temperature":0.10,"top_p":0.9},"think":"high","keep_alive":"5m","truncate":false,"shift":false}`},
		{"ollama, no thinking", "ollama", nil, []string{"think", "false"}, `"options":{},"think":false,"truncate":false,"shift":false}`},
		{"ollama, no effort", "ollama", nil, []string{"effort", `"none"`}, `"options":{},"think":false,"truncate":false,"shift":false}`},
		{"ollama, most effort", "ollama", nil, []string{"effort", `"xhigh"`}, `"options":{},"think":"max","truncate":false,"shift":false}`},
		{"openai", "openai", nil, append([]string{"seed", "7", "stop", `["x"]`, "verbosity", `"low"`, "a.b", "{}"}, common...),
			`"a.b":{},"reasoning_effort":"high","max_completion_tokens":100,"seed":7,"stop":["x"],"temperature":0.10,"top_p":0.9,"verbosity":"low","stream_options":{"include_usage":true}}`},
		{"others", "openrouter", nil, common,
			`"reasoning_effort":"high","max_tokens":100,"temperature":0.10,"top_p":0.9,"stream_options":{"include_usage":true}}`},
		{"a default is replaced", "lmstudio", nil, []string{"stream_options", "{}"}, `"stream_options":{}}`},
		{"responses", "openai", &responses.Protocol, common,
			`"reasoning":{"effort":"high"},"max_output_tokens":100,"temperature":0.10,"top_p":0.9,"store":false,"include":["reasoning.encrypted_content"]}`},
		{"anthropic", "anthropic", nil, append([]string{"stop", `"x"`, "top_k", "3"}, common...),
			`"output_config":{"effort":"high"},"max_tokens":100,"stop_sequences":["x"],"temperature":0.10,"top_k":3,"top_p":0.9}`},
		{"anthropic, least effort", "anthropic", nil, []string{"effort", `"minimal"`}, `"output_config":{"effort":"low"},"max_tokens":16384}`},
		{"anthropic, no effort", "anthropic", nil, []string{"effort", `"none"`}, `"thinking":{"type":"disabled"},"max_tokens":16384}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := preset(t, tt.provider, provider.Config{Protocol: tt.api})
			_, got, _ := strings.Cut(body(t, m, chat.Request{Params: params(tt.params...)}), `"stream":true,`)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Effort and format share a member in Anthropic's API.
func TestEncodeEffortAndFormat(t *testing.T) {
	req := chat.Request{Format: json.RawMessage(`{}`), Params: params("effort", `"low"`)}
	check(t, body(t, preset(t, "anthropic", provider.Config{}), req), []string{`"output_config":{"format":{"type":"json_schema","schema":{}},"effort":"low"}`}, nil)
}

// Parameters of the request override those of the client.
func TestEncodeDefaults(t *testing.T) {
	m := preset(t, "ollama", provider.Config{Defaults: params("num_ctx", "4096", "seed", "1")})
	req := chat.Request{Params: params("seed", "2")}
	check(t, body(t, m, req), []string{`"options":{"num_ctx":4096,"seed":2}`}, nil)
	if len(req.Params) != 1 {
		t.Errorf("the request was changed: %v", req.Params)
	}
}

// A parameter that cannot be sent is an error: an unsupported, invalid or conflicting one.
func TestEncodeParamErrors(t *testing.T) {
	for _, tt := range []struct {
		provider string
		api      *wire.Protocol
		name     string
		value    string
		want     string
	}{
		{"openai", &responses.Protocol, "seed", "7", "parameter seed: not supported (API responses)"},
		{"openai", &responses.Protocol, "stop", `"x"`, "parameter stop: not supported (API responses)"},
		{"openai", &responses.Protocol, "input", `"x"`, "parameter input: already set by the request or another parameter (API responses)"},
		{"anthropic", nil, "seed", "7", "parameter seed: not supported (API messages)"},
		{"openai", nil, "model", `"x"`, "parameter model: already set by the request or another parameter (API chat)"},
		{"openai", nil, "num_ctx", "8k", `parameter num_ctx: not JSON: "8k" (API chat)`},
		{"ollama", nil, "num_ctx", "8k", `parameter num_ctx: not JSON: "8k" (API ollama)`},
		{"ollama", nil, "think", `"deeply"`, `parameter think: invalid think value: "deeply" (must be "high", "medium", "low", "max", true, or false) (API ollama)`},
	} {
		_, err := preset(t, tt.provider, provider.Config{Protocol: tt.api}).Compose(chat.Request{Params: params(tt.name, tt.value)})
		var fault *wire.ParameterError
		if !errors.As(err, &fault) || fault.Name != tt.name || err.Error() != tt.want {
			t.Errorf("%s %s=%s: error %v", tt.provider, tt.name, tt.value, err)
		}
	}
	_, err := preset(t, "ollama", provider.Config{}).Compose(chat.Request{Params: params("think", "true", "effort", `"low"`)})
	if !errors.As(err, new(*wire.ParameterError)) {
		t.Errorf("think and effort: error %v", err)
	}
	_, err = preset(t, "anthropic", provider.Config{}).Compose(chat.Request{Params: params("output_config", "{}", "effort", `"low"`)})
	if !errors.As(err, new(*wire.ParameterError)) {
		t.Errorf("output_config and effort: error %v", err)
	}
}

func TestEncodeErrors(t *testing.T) {
	for want, req := range map[string]chat.Request{
		"request format: not JSON":               {Format: json.RawMessage(`{"type":`)},
		"tool f: parameters are not JSON: \"{\"": {Tools: []chat.Function{{Name: "f", Parameters: json.RawMessage("{")}}},
	} {
		for _, p := range provider.Presets() {
			if _, err := preset(t, p.Name, provider.Config{}).Compose(req); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", p.Name, err, want)
			}
		}
	}
	for _, api := range []string{"", "smoke"} {
		if p := provider.ProtocolOf(api); p != nil {
			t.Errorf("API %q is of %s", api, p.Name)
		}
	}
}

// Gemini requires a signature on every call, also on those of other models.
func TestEncodeForeignCall(t *testing.T) {
	got := body(t, preset(t, "gemini", provider.Config{}), conversation())
	check(t, got, []string{`"arguments":"{}"},"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}}`}, nil)
}

// Consecutive messages of a role are merged for Anthropic, and text without content is dropped.
func TestEncodeAlternation(t *testing.T) {
	req := chat.Request{Messages: []chat.Message{
		{Role: chat.User, Content: "one"}, {Role: chat.User, Content: "two"}, {Role: chat.User, Content: " \n"},
		{Role: chat.Assistant, Content: "three"}, {Role: chat.Assistant, Content: "four"}, {Role: chat.System, Content: "five"},
	}}
	check(t, body(t, preset(t, "anthropic", provider.Config{}), req), []string{
		`"messages":[{"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]},` +
			`{"role":"assistant","content":[{"type":"text","text":"three"},{"type":"text","text":"four"}]},{"role":"user","content":[{"type":"text","text":"five"}]}]`,
	}, []string{`"system"`})
}

// Invalid UTF-8 is sent as U+FFFD.
func TestEncodeUTF8(t *testing.T) {
	for _, p := range provider.Presets() {
		check(t, body(t, preset(t, p.Name, provider.Config{}), chat.Request{System: "a\xffb"}), []string{`"a` + "\ufffd" + `b"`}, nil)
	}
}

// Compose masks credentials.
func TestCompose(t *testing.T) {
	base := &url.URL{Scheme: "https", Host: "proxy.test", Path: "/anthropic/v1/", User: url.UserPassword("me", "secret")}
	header := http.Header{"x-api-key": {"secret"}, "Anthropic-Beta": {"secret"}}
	got, err := preset(t, "anthropic", provider.Config{BaseURL: base, Header: header}).Compose(chat.Request{})
	if err != nil {
		t.Fatal(err)
	}
	want := provider.HTTPRequest{
		Method: "POST", URL: "https://me:xxxxx@proxy.test/anthropic/v1/messages",
		Header: http.Header{
			"Accept": {"text/event-stream"}, "Anthropic-Version": {"2023-06-01"}, "Content-Type": {"application/json"},
			"User-Agent": {"oneshot"}, "X-Api-Key": {"***"}, "Anthropic-Beta": {"secret"},
		},
		Body: json.RawMessage(`{"model":"parrot","messages":[],"stream":true,"max_tokens":16384}`),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProviders(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range provider.Presets() {
		out, err := preset(t, p.Name, provider.Config{}).Compose(chat.Request{})
		if err != nil {
			t.Error(err)
		}
		seen[p.Name+" "+out.URL] = true
		h := http.Header{}
		p.Authorize(h, "k")
		if want := map[bool]string{true: "k", false: "Bearer k"}[p.Protocol == &anthropic.Protocol]; h.Get("X-Api-Key")+h.Get("Authorization") != want {
			t.Errorf("%s: header %v", p.Name, h)
		}
		if m := preset(t, p.Name, provider.Config{}); m.Name() != p.Name+"/parrot" || m.Protocol() != p.Protocol {
			t.Errorf("%s: name %s, API %s", p.Name, m.Name(), m.Protocol().API)
		}
		if p.NeedsKey != (strings.HasPrefix(p.BaseURL, "https://")) || p.NeedsKey && len(p.Keys) == 0 || p.Title == "" {
			t.Errorf("%+v", p)
		}
	}
	want := map[string]bool{
		"ollama http://127.0.0.1:11434/api/chat": true, "openai https://api.openai.com/v1/chat/completions": true,
		"anthropic https://api.anthropic.com/v1/messages": true, "openrouter https://openrouter.ai/api/v1/chat/completions": true,
		"gemini https://generativelanguage.googleapis.com/v1beta/openai/chat/completions": true, "lmstudio http://127.0.0.1:1234/v1/chat/completions": true,
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, ok := provider.PresetNamed("nobody"); ok {
		t.Error("there is a preset of any name")
	}
}
