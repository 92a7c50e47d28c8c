package provider_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/anthropic"
	"oneshot/pkg/provider/ollama"
	"oneshot/pkg/provider/openai"
	"oneshot/pkg/provider/responses"
	"oneshot/pkg/provider/wire"
)

// said returns a request that ends with an assistant message in native form.
func said(api, who, body string, calls ...chat.Call) chat.Request {
	return chat.Request{Messages: []chat.Message{{
		Role: chat.Assistant, Content: "as text", Calls: calls, Native: &chat.Native{API: api, Model: who, Body: json.RawMessage(body)},
	}}}
}

func call(id, arguments string) chat.Call {
	return chat.Call{ID: id, Name: "f", Arguments: json.RawMessage(arguments)}
}

// echoes are native bodies of each API with the calls of their message, and the body sent back; "="
// means unchanged.
var echoes = []struct {
	name, provider string
	api            *wire.Protocol
	body           string
	calls          []chat.Call
	want           string
}{
	{"text and more", "openrouter", &openai.Protocol, "{\"role\": \"assistant\",\n \"content\":\"\\u00e4 \", \"reasoning_details\":[{\"data\":\"x\"}], \"refusal\":null }", nil, "="},
	{"call", "openrouter", &openai.Protocol,
		`{"role":"assistant","content":null,"tool_calls":[ {"id":"c1", "type":"function","function":{"name":"f","arguments":"{\"n\": 1.0e2}"},"extra_content":{"google":{"thought_signature":"s"}}} ]}`,
		[]chat.Call{call("c1", `{"n":1.0e2}`)}, "="},
	{"arguments as an object", "openrouter", &openai.Protocol, `{"tool_calls":[{"id":"c1","function":{"name":"f","arguments":{"n":1,"n":2}}}]}`, []chat.Call{call("c1", `{}`)}, "="},
	{"another id", "openrouter", &openai.Protocol, `{"tool_calls":[{"id":7,"function":{"name":"f","arguments":"{}"}},{"function":{"name":"f","arguments":"{}"} }]}`,
		[]chat.Call{call("c1", `{}`), call("c2", `{}`)},
		`{"tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{}"}},{"function":{"name":"f","arguments":"{}"},"id":"c2"}]}`},
	{"arguments that are none", "openrouter", &openai.Protocol,
		`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"n\":"}},{"id":"b","function":{"arguments":null}},{"id":"c","function":{"name":"f"}},{"id":"d","function":{"arguments":"\"{}\""}}]}`,
		[]chat.Call{call("a", ""), call("b", ""), call("c", ""), call("d", `{"n":1}`)},
		`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"arguments":"{}"}},{"id":"c","function":{"name":"f","arguments":"{}"}},{"id":"d","function":{"arguments":"{\"n\":1}"}}]}`},
	{"other calls", "openrouter", &openai.Protocol, `{"content":"x","tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{}"}}]}`, nil,
		`{"role":"assistant","content":"as text"}`},
	{"more calls", "openrouter", &openai.Protocol, `{"content":"x"}`, []chat.Call{call("c1", `{}`)},
		`{"role":"assistant","content":"as text","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`},
	{"no message", "openrouter", &openai.Protocol, `["x"]`, nil, `{"role":"assistant","content":"as text"}`},
	{"no JSON", "openrouter", &openai.Protocol, `{"x"`, nil, `{"role":"assistant","content":"as text"}`},

	{"thinking and a call", "ollama", &ollama.Protocol, `{"role":"assistant","content":"","thinking":"hm","tool_calls":[{"function":{"index":0,"name":"f","arguments":{"n":12345678901234567890}}}]}`,
		[]chat.Call{call("c1", `{"n":1}`)},
		`{"role":"assistant","content":"","thinking":"hm","tool_calls":[{"function":{"index":0,"name":"f","arguments":{"n":12345678901234567890}},"id":"c1"}]}`},
	{"arguments as text", "ollama", &ollama.Protocol, `{"tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{}"}}]}`, []chat.Call{call("c1", `{"n":1}`)},
		`{"tool_calls":[{"id":"c1","function":{"name":"f","arguments":{"n":1}}}]}`},

	{"items", "openai", &responses.Protocol,
		`[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]},{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"}]`,
		[]chat.Call{call("c1", `{}`)}, "="},
	{"items with faults", "openai", &responses.Protocol, `[{"type":"function_call","name":"f","arguments":""},{"type":"function_call","call_id":"x","name":"f"}]`,
		[]chat.Call{call("c1", `{}`), call("c2", `{"n":1}`)},
		`[{"type":"function_call","name":"f","arguments":"{}","call_id":"c1"},{"type":"function_call","call_id":"c2","name":"f","arguments":"{\"n\":1}"}]`},
	{"items of another number", "openai", &responses.Protocol, `[{"type":"reasoning"}]`, []chat.Call{call("c1", `{}`)},
		`[{"role":"assistant","content":"as text"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}]`},
	{"an item", "openai", &responses.Protocol, `{"type":"reasoning"}`, nil, `[{"role":"assistant","content":"as text"}]`},

	{"blocks", "anthropic", &anthropic.Protocol,
		`[{"type":"thinking","thinking":"hm","signature":"Eq=="},{"type":"redacted_thinking","data":"x"},{"type":"text","text":"y"},{"type":"tool_use","id":"c1","name":"f","input":{"n":1.50}}]`,
		[]chat.Call{call("c1", `{"n":1.50}`)}, "="},
	{"blocks with faults", "anthropic", &anthropic.Protocol, `[{"type":"tool_use","id":"c1","name":"f","input":"{\"n\":"},{"type":"tool_use","name":"f"}]`,
		[]chat.Call{call("c1", ""), call("c2", `{"n":1}`)},
		`[{"type":"tool_use","id":"c1","name":"f","input":{}},{"type":"tool_use","name":"f","id":"c2","input":{"n":1}}]`},
	{"blocks and one too many", "anthropic", &anthropic.Protocol, `[{"type":"tool_use","id":"c1","name":"f","input":{}},{"type":"tool_use","id":"c2","name":"f","input":{}}]`, []chat.Call{call("c1", `{}`)},
		`[{"type":"text","text":"as text"},{"type":"tool_use","id":"c1","name":"f","input":{}}]`},
}

func TestEcho(t *testing.T) {
	for _, tt := range echoes {
		t.Run(tt.api.API+" "+tt.name, func(t *testing.T) {
			want := tt.want
			if want == "=" {
				want = tt.body
			}
			m := preset(t, tt.provider, provider.Config{Protocol: tt.api})
			req := said(tt.api.API, m.Name(), tt.body, tt.calls...)
			if got := body(t, m, req); !strings.Contains(got, strings.Trim(want, "[]")) {
				t.Errorf("%s does not stand in %s", want, got)
			}
			if string(req.Messages[0].Native.Body) != tt.body {
				t.Error("the message was changed")
			}
		})
	}
}

// Only the model that sent a message gets it back in its native form.
func TestEchoOfOthers(t *testing.T) {
	const body = `{"role":"assistant","content":"as itself"}`
	m := preset(t, "openai", provider.Config{})
	for _, tt := range []struct{ api, who, want string }{
		{"chat", "openai/parrot", "as itself"},
		{"chat", "openai/other", "as text"},
		{"chat", "openrouter/parrot", "as text"},
		{"ollama", "openai/parrot", "as text"},
	} {
		if out, err := m.Compose(said(tt.api, tt.who, body)); err != nil || !strings.Contains(string(out.Body), tt.want) {
			t.Errorf("%s %s: error %v, body %s", tt.api, tt.who, err, out.Body)
		}
	}
}

// A body that needs no repair is sent back byte for byte.
func FuzzEcho(f *testing.F) {
	for _, tt := range echoes {
		f.Add(tt.body, len(tt.calls))
	}
	f.Fuzz(func(t *testing.T, native string, calls int) {
		for _, api := range []*wire.Protocol{&ollama.Protocol, &openai.Protocol, &responses.Protocol, &anthropic.Protocol} {
			m := provider.New(provider.Config{Protocol: api, Name: "p/m"})
			req := said(api.API, "p/m", native, make([]chat.Call, max(0, min(calls, 9)))...)
			out, err := m.Compose(req)
			if err != nil || !json.Valid(out.Body) {
				t.Fatalf("error %v, body %s", err, out.Body)
			}
			if calls > 0 || api != &openai.Protocol && api != &ollama.Protocol || strings.Contains(string(out.Body), "as text") {
				continue // repaired, split into its elements, or not a message of this kind
			}
			if whole := strings.Trim(native, " \t\r\n"); !strings.Contains(string(out.Body), whole) {
				t.Errorf("%s: %q does not stand in %s", api.API, whole, out.Body)
			}
		}
	})
}

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 70)
	for name, want := range map[string]string{
		"f": "f", "net.get": "net_get", "a/b-c": "a_b-c", "größe": "gr__e", "": "_",
		long: strings.Repeat("x", 55) + "_c71bd109",
	} {
		req := chat.Request{Tools: []chat.Function{{Name: name, Parameters: json.RawMessage(`{}`)}}}
		got := body(t, preset(t, "openai", provider.Config{}), req)
		var form struct {
			Tools []struct{ Function chat.Function }
		}
		if err := json.Unmarshal([]byte(got), &form); err != nil || len(form.Tools) != 1 {
			t.Fatalf("error %v in %s", err, got)
		}
		if form.Tools[0].Function.Name != want {
			t.Errorf("%q is called %q, want %q", name, form.Tools[0].Function.Name, want)
		}
		check(t, body(t, preset(t, "ollama", provider.Config{}), req), []string{`"name":"` + name + `"`}, nil)
	}
}

func TestNameCollision(t *testing.T) {
	tool := func(name string) chat.Function {
		return chat.Function{Name: name, Parameters: json.RawMessage(`{}`)}
	}
	req := chat.Request{Tools: []chat.Function{tool("a_b"), tool("c"), tool("a.b")}}
	_, err := preset(t, "openai", provider.Config{}).Compose(req)
	if diff := cmp.Diff(&provider.NameCollisionError{Names: [2]string{"a_b", "a.b"}, Wire: "a_b"}, err); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := preset(t, "ollama", provider.Config{}).Compose(req); err != nil {
		t.Error(err)
	}
}
