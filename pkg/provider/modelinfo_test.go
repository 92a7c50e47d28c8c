package provider_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/provider"
	"oneshot/pkg/provider/anthropic"
	"oneshot/pkg/provider/wire"
)

const (
	tags = `{"models":[{"name":"zebra:latest","model":"zebra:latest","size":5,"modified_at":"2026-01-02T03:04:05Z"},{"name":"ant:1b","size":4294967296}]}`
	show = `{"template":"…","details":{"family":"llama"},"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960,"llama.context_length":1},` +
		`"capabilities":["completion","tools","thinking"]}`
)

func TestList(t *testing.T) {
	s := serve(t, answer(200, tags), answer(200, `{"models":[]}`))
	got, err := s.client().List(t.Context())
	want := []wire.ModelInfo{{Name: "ant:1b", SizeBytes: 1 << 32}, {Name: "zebra:latest", SizeBytes: 5}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	if r := s.asked[0]; r.Method != http.MethodGet || r.URL.Path != "/api/tags" {
		t.Errorf("%s %s", r.Method, r.URL)
	}
	if got, err := s.client().List(t.Context()); len(got) != 0 || err != nil {
		t.Errorf("models %v, error %v", got, err)
	}
}

// All APIs except Ollama's have the same form of list, at /v1/models.
func TestListOfIDs(t *testing.T) {
	for _, p := range speeches[1:] {
		s := serve(t, answer(200, `{"object":"list","data":[{"id":"zebra","object":"model"},{"id":"ant","display_name":"Ant"}],"has_more":false}`))
		m := s.configured(p.config())
		got, err := m.List(t.Context())
		if diff := cmp.Diff([]wire.ModelInfo{{Name: "ant"}, {Name: "zebra"}}, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", p.api.API, err, diff)
		}
		want := "/v1/models"
		if p.api == &anthropic.Protocol {
			want += "?limit=1000"
		}
		if r := s.asked[0]; r.Method != http.MethodGet || r.URL.String() != want || (r.Header.Get("Anthropic-Version") != "") != (p.api == &anthropic.Protocol) {
			t.Errorf("%s: %s %s %v", p.api.API, r.Method, r.URL, r.Header)
		}
		if can, err := m.Show(t.Context()); err != nil || can != (wire.Capabilities{}) || s.requests() != 1 {
			t.Errorf("%s: capabilities %+v, error %v after %d requests", p.api.API, can, err, s.requests())
		}
	}
}

func TestShow(t *testing.T) {
	for body, want := range map[string]wire.Capabilities{
		show: {Known: true, ContextLength: 40960, Completion: true, Tools: true, Thinking: true},
		`{"parameters":"num_thread                     1\nnum_ctx                        4096\nstop \"a num_ctx 3\"","capabilities":["tools"]}`: {Known: true, NumCtx: 4096, Tools: true},
		`{"parameters":"num_ctx many","capabilities":["tools"]}`:                                                                                {Known: true, Tools: true},
		`{"model_info":{},"capabilities":["embedding"]}`:                                                                                        {Known: true},
		`{"model_info":{"general.architecture":"bert","bert.context_length":"?"}}`:                                                              {Known: true, Completion: true, Vision: true},
		`{"capabilities":["completion","vision"]}`:                                                                                              {Known: true, Completion: true, Vision: true},
		`{"model_info":{"general.architecture":7},"capabilities":["completion","insert"]}`:                                                      {Known: true, Completion: true},
		`{"model_info":null,"capabilities":["completion","tools"],"modified_at":"2026-01-02T03:04:05Z"}`:                                        {Known: true, Completion: true, Tools: true},
	} {
		s := serve(t, answer(200, body))
		got, err := s.client().Show(t.Context())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", body, err, diff)
		}
		if s.asked[0].URL.Path != "/api/show" || !strings.Contains(s.bodies[0], `"model":"parrot"`) {
			t.Errorf("%s %s", s.asked[0].URL, s.bodies[0])
		}
	}
}

// Answers that Ollama's own client would accept, truncate or ignore are errors here.
func TestInfoFaults(t *testing.T) {
	is := func(target any) func(error) bool { return func(err error) bool { return errors.As(err, target) } }
	kind := func(k wire.ErrorKind) func(error) bool {
		return func(err error) bool {
			var fault *wire.Error
			return errors.As(err, new(*provider.BrokenOffError)) && errors.As(err, &fault) && fault.Kind == k
		}
	}
	for _, tt := range []struct {
		name string
		step http.HandlerFunc
		want func(error) bool
		text string
	}{
		{"unknown model", answer(404, `{"error":"model 'parrot' not found"}`), is(new(*provider.UnknownModelError)), `model "parrot": not found on the server`},
		{"unauthorised", answer(401, `{"error":"unauthorized"}`), is(new(*provider.AuthError)), "status 401"},
		{"empty 500", answer(500, ""), is(new(*provider.StatusError)), "status 500 without a message"},
		{"text over lines", answer(502, "{\n \"error\": \"first\\nsecond\"\n}"), is(new(*provider.StatusError)), "first second"},
		{"redirect", answer(307, "", "Location", "/elsewhere"), is(new(*provider.StatusError)), `status 307: the redirect to "/elsewhere" is not followed`},
		{"redirect with a text", answer(302, "<html>moved</html>", "Location", "https://u:pass-of-u@b.test/v1?key=k"), is(new(*provider.StatusError)), `the redirect to "https://b.test/v1" is not`},
		{"empty", answer(200, " \n"), kind(wire.Empty), "empty"},
		{"a page", answer(200, "<html></html>"), kind(wire.Malformed), "not a JSON object"},
		{"a list", answer(200, "[]"), kind(wire.Malformed), "not a JSON object"},
		{"cut", answer(200, `{"models":[`), kind(wire.Malformed), "not a JSON object"},
		{"over the limit", answer(200, `{"models":["`+strings.Repeat("x", 1<<16)+`"]}`), kind(wire.TooLarge), "over the limit"},
		{"types", answer(200, `{"models":7,"capabilities":7}`), kind(wire.Malformed), "unmarshal"},
		{"broken connection", answer(200, "{", "Content-Length", "99"), is(new(*provider.UnavailableError)), "ollama.test"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.step, tt.step, ok)
			m := s.configured(provider.Config{MaxBytes: 1 << 16})
			_, listErr := m.List(t.Context())
			_, showErr := m.Show(t.Context())
			for _, err := range []error{listErr, showErr} {
				if err == nil || !tt.want(err) || !strings.Contains(err.Error(), tt.text) {
					t.Errorf("error %v of type %T", err, err)
				}
			}
			if s.requests() != 2 {
				t.Errorf("%d requests", s.requests())
			}
		})
	}
}

func TestInfoConnectionRefused(t *testing.T) {
	s := serve(t)
	s.close()
	var gone *provider.UnavailableError
	if _, err := s.client().List(t.Context()); !errors.As(err, &gone) || gone.Attempts != 1 {
		t.Errorf("error %v", err)
	}
}

func TestInfoTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		start := time.Now()
		_, err := s.configured(provider.Config{Idle: 20 * time.Second}).List(t.Context())
		want := &provider.TimeoutError{What: "list of models", Limit: 20 * time.Second}
		if diff := cmp.Diff(want, err); diff != "" || time.Since(start) != 20*time.Second {
			t.Errorf("after %v (-want +got):\n%s", time.Since(start), diff)
		}
		s.close()
	})
}

// Credentials in the base URL are sent with every request.
func TestInfoCredentials(t *testing.T) {
	s := serve(t, answer(200, tags), answer(200, hello))
	m := provider.New(provider.Config{
		BaseURL: &url.URL{Scheme: "http", Host: "ollama.test", User: url.UserPassword("me", "secret")}, Dial: s.dial,
	})
	if _, err := m.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ask(t.Context(), m, question); got.err != nil {
		t.Fatal(got.err)
	}
	for _, r := range s.asked {
		if user, password, ok := r.BasicAuth(); !ok || user != "me" || password != "secret" {
			t.Errorf("%s: %v", r.URL, r.Header["Authorization"])
		}
	}
}
