package provider_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/anthropic"
	"oneshot/pkg/provider/ollama"
	"oneshot/pkg/provider/openai"
	"oneshot/pkg/provider/responses"
	"oneshot/pkg/provider/wire"
)

// TestCaptures replays answers of a real server and checks the outcome of the client.
func TestCaptures(t *testing.T) {
	shared := os.Getenv("ONESHOT_SHARED")
	if shared == "" {
		t.Skip("ONESHOT_SHARED does not name the folder with the captures")
	}
	for _, tt := range []struct {
		name     string
		want     any // an error type, or nil for a response
		attempts int
	}{
		{"native_chat_scripted_stream", nil, 1},
		{"native_chat_scripted_nonstream", nil, 1},
		{"native_think_true_stream", nil, 1},
		{"native_tools_two_stream", nil, 1},
		{"native_bad_json", new(*provider.StatusError), 1},
		{"native_bad_option_type", new(*provider.StatusError), 1},
		{"native_ctx_overflow_truncate_false", new(*provider.OverflowError), 1},
		{"native_empty_body", new(*provider.StatusError), 1},
		{"native_format_bad_schema", new(*provider.FormatError), 1},
		{"native_format_bad_string", new(*provider.FormatError), 1},
		{"native_get_chat_404", new(*provider.StatusError), 1},
		{"native_missing_model", new(*provider.StatusError), 1},
		{"native_think_unsupported", new(*provider.StatusError), 1},
		{"native_tools_unsupported_stream", new(*provider.NoToolsError), 1},
		{"native_unknown_model_stream", new(*provider.UnknownModelError), 1},
		{"native_runner_killed_midstream", new(*provider.BrokenOffError), 1},
		{"native_client_disconnect", new(*provider.BrokenOffError), 1},
		{"native_runner_killed_nonstream", new(*provider.UnavailableError), 3},
		{"busy_0", new(*provider.UnavailableError), 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, body := capture(t, shared, tt.name)
			synctest.Test(t, func(t *testing.T) {
				s := serve(t, answer(status, body), answer(status, body), answer(status, body))
				got := ask(t.Context(), s.client(), everything)
				if tt.want == nil && (got.err != nil || got.text != got.resp.Content) || tt.want != nil && (got.err == nil || !errors.As(got.err, tt.want)) {
					t.Errorf("%+v", got)
				}
				if s.requests() != tt.attempts {
					t.Errorf("%d requests", s.requests())
				}
				s.close()
			})
		})
	}
	t.Run("information", func(t *testing.T) {
		s := serve(t)
		for _, name := range []string{"native_tags", "native_show_scripted", "native_show_unknown"} {
			s.steps = append(s.steps, answer(capture(t, shared, name)))
		}
		if list, err := s.client().List(t.Context()); err != nil || len(list) == 0 {
			t.Errorf("models %v, error %v", list, err)
		}
		if can, err := s.client().Show(t.Context()); err != nil || !can.Completion || !can.Tools || can.Thinking || can.ContextLength == 0 {
			t.Errorf("capabilities %+v, error %v", can, err)
		}
		if _, err := s.client().Show(t.Context()); !errors.As(err, new(*provider.UnknownModelError)) {
			t.Errorf("error %v", err)
		}
	})
}

// TestCapturedRequests composes the requests that a real server accepted. Each member of the
// captured ones must be in the composed ones, too.
func TestCapturedRequests(t *testing.T) {
	shared := os.Getenv("ONESHOT_SHARED")
	if shared == "" {
		t.Skip("ONESHOT_SHARED does not name the folder with the captures")
	}
	weather := chat.Function{Name: "get_weather", Description: "Weather for a city", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}
	add := chat.Function{Name: "add", Description: "Add", Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`)}
	short := weather
	short.Description = "w"
	asked := func(text string, more ...chat.Message) []chat.Message {
		return append([]chat.Message{{Role: chat.User, Content: text}}, more...)
	}
	called := chat.Message{Role: chat.Assistant, Calls: []chat.Call{{ID: "call_1", Name: "get_weather", Arguments: json.RawMessage(`{"city":"Paris"}`)}}}
	answered := func(text string) chat.Message {
		return chat.Message{Role: chat.Tool, CallID: "call_1", Name: "get_weather", Content: text}
	}
	const person = `{"type":"object","properties":{"name":{"type":"string","maxLength":12},"age":{"type":"integer","minimum":0,"maximum":150},` +
		`"tags":{"type":"array","items":{"enum":["a","b"]},"minItems":1,"maxItems":3}},"required":["name","age","tags"],"additionalProperties":false}`
	for _, tt := range []struct {
		name  string
		api   *wire.Protocol
		model string
		req   chat.Request
		other []string // members with another form but the same meaning
	}{
		{"native_tools_call_stream", &ollama.Protocol, "scripted", chat.Request{Messages: asked("r:call"), Tools: []chat.Function{weather, add}}, nil},
		{"native_tools_result_turn_stream", &ollama.Protocol, "scripted", chat.Request{Messages: asked("r:call", called, answered("sunny, 21 C")), Tools: []chat.Function{weather, add}}, nil},
		{"native_format_schema_stream", &ollama.Protocol, "tiny", chat.Request{Messages: asked("hello"), Format: json.RawMessage(person), Params: params("seed", "7", "max_tokens", "400")}, nil},
		{"v1_chat_stream_usage", &openai.Protocol, "scripted", chat.Request{Messages: asked("r:text")}, nil},
		{"v1_tools_result_turn", &openai.Protocol, "scripted", chat.Request{Messages: asked("r:call", called, answered("sunny")), Tools: []chat.Function{weather}}, nil},
		{"v1_schema_random", &openai.Protocol, "tiny", chat.Request{Messages: asked("x"), Format: json.RawMessage(person), Params: params("seed", "3", "max_tokens", "400")}, []string{"response_format"}},
		{"v1_json_object_random", &openai.Protocol, "tiny", chat.Request{Messages: asked("x"), AnyJSON: true, Params: params("seed", "3", "max_tokens", "400")}, nil},
		{"v1_responses_tools", &responses.Protocol, "scripted", chat.Request{Messages: asked("r:call"), Tools: []chat.Function{short}}, []string{"input", "tools"}},
		{"anthropic_messages_stream", &anthropic.Protocol, "scripted", chat.Request{Messages: asked("r:text"), Params: params("max_tokens", "64")}, []string{"messages"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join(shared, "captures", "ollama", tt.name+".request.http"))
			if err != nil {
				t.Fatal(err)
			}
			head, captured, _ := strings.Cut(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n\n")
			base := &url.URL{Scheme: "http", Host: "ollama.test"}
			if tt.api == &openai.Protocol || tt.api == &responses.Protocol {
				base.Path = "/v1"
			}
			out, err := provider.New(provider.Config{Protocol: tt.api, Model: tt.model, BaseURL: base}).Compose(tt.req)
			if err != nil {
				t.Fatal(err)
			}
			if method, path := out.Method, strings.TrimPrefix(out.URL, "http://ollama.test"); !strings.HasPrefix(head, method+" "+path+" ") {
				t.Errorf("%s %s, want %.40s", method, path, head)
			}
			var want, got map[string]any
			if json.Unmarshal([]byte(captured), &want) != nil || json.Unmarshal(out.Body, &got) != nil {
				t.Fatalf("no JSON: %s\n%s", captured, out.Body)
			}
			for member, value := range want {
				if reflect.TypeOf(value) != reflect.TypeOf(got[member]) && member != "input" {
					t.Errorf("%s is %T, want %T", member, got[member], value)
				}
				if diff := cmp.Diff(value, got[member], withoutIndex); diff != "" && !slices.Contains(tt.other, member) {
					t.Errorf("%s (-captured +ours):\n%s", member, diff)
				}
			}
		})
	}
}

// withoutIndex ignores the position of a call, which Ollama's own types always write and the client
// of the captures did not.
var withoutIndex = cmpopts.IgnoreMapEntries(func(name string, value any) bool { return name == "index" && value == 0.0 })

// capture returns the status and the body of a captured answer.
func capture(t *testing.T, shared, name string) (status int, body string) {
	t.Helper()
	path := filepath.Join(shared, "captures", "ollama", name)
	meta, err := os.ReadFile(path + ".meta.json")
	if err != nil {
		t.Fatal(err)
	}
	var about struct{ Status string }
	if err := json.Unmarshal(meta, &about); err != nil {
		t.Fatal(err)
	}
	status, err = strconv.Atoi(strings.Fields(about.Status)[1])
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path + ".body")
	if err != nil {
		t.Fatal(err)
	}
	return status, string(raw)
}
