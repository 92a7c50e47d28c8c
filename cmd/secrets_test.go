package cmd

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

const secretWord = "very-secret-token"

func TestHide(t *testing.T) {
	var s secrets
	if got := s.hide(secretWord); got != secretWord {
		t.Errorf("nothing is hidden yet: %q", got)
	}
	for _, tt := range []struct {
		value string
		kept  bool
	}{{secretWord, true}, {secretWord, true}, {secretWord + "-and-more", true}, {"seven77", false}, {"", false}} {
		if got := s.add(tt.value); got != tt.kept {
			t.Errorf("add(%q) = %v", tt.value, got)
		}
	}
	for text, want := range map[string]string{
		"nothing":                         "nothing",
		"a " + secretWord + " b":          "a *** b",
		secretWord + secretWord:           "******",
		secretWord + "-and-more, seven77": "***, seven77",
	} {
		if got := s.hide(text); got != want {
			t.Errorf("hide(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestHideJSON(t *testing.T) {
	var s secrets
	s.add(secretWord)
	s.add(`quo"te\and é`)
	s.add("12345678")
	for doc, want := range map[string]string{
		`{ "a": 1.50 }`: `{ "a": 1.50 }`,
		`{ "a": "` + secretWord + `", "n": 1.50, "n": 2 }`: `{"a":"***","n":1.50,"n":2}`,
		`{"` + secretWord + `": 1}`:                        `{"***":1}`,
		`["very\u002dsecret-token"]`:                       `["***"]`,
		`["quo\"te\\and \u00e9!"]`:                         `["***!"]`,
		`[123456789, "123456789"]`:                         `[123456789,"***9"]`,
		`not JSON: ` + secretWord:                          `not JSON: ***`,
	} {
		if got := string(s.hideJSON([]byte(doc))); got != want {
			t.Errorf("hideJSON(%s) = %s, want %s", doc, got, want)
		}
	}
}

// Whatever the document, what comes out holds no secret in any spelling, and is
// JSON where it was JSON.
func FuzzHideJSON(f *testing.F) {
	for _, doc := range []string{`{"a":"` + secretWord + `"}`, `"very\u002dsecret-token"`, secretWord, `[1,2`, `[1E1000]`, "\"\xff" + secretWord + "\""} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var s secrets
		s.add(secretWord)
		out := s.hideJSON(doc)
		var value any
		d := json.NewDecoder(bytes.NewReader(out))
		d.UseNumber() // there is no number that JSON cannot hold
		switch err := d.Decode(&value); {
		case json.Valid(doc) && err != nil:
			t.Fatalf("%q became %q: %v", doc, out, err)
		case err == nil && strings.Contains(flatten(value), secretWord), strings.Contains(string(out), secretWord):
			t.Fatalf("%q became %q", doc, out)
		}
	})
}

// flatten returns all strings of a value.
func flatten(v any) string {
	var b strings.Builder
	switch v := v.(type) {
	case string:
		b.WriteString(v)
	case []any:
		for _, e := range v {
			b.WriteString(flatten(e) + "\n")
		}
	case map[string]any:
		for k, e := range v {
			b.WriteString(k + "\n" + flatten(e) + "\n")
		}
	}
	return b.String()
}

// A body keeps everything but the secret, whatever its kind.
func TestHideBody(t *testing.T) {
	var s secrets
	s.add(secretWord)
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for _, make := range []func(word string) runfile.Body{
		func(w string) runfile.Body {
			return runfile.Run{ID: "i", Seed: "00", Now: at, Zone: "UTC", Prompt: "a " + w, Params: map[string]json.RawMessage{"n": json.RawMessage("1.50")}}
		},
		func(w string) runfile.Body {
			return runfile.Request{Turn: 1, System: w, Messages: []chat.Message{{Role: chat.User, Content: "x" + w}}, Digest: "d"}
		},
		func(w string) runfile.Body {
			return runfile.Response{Turn: 1, Content: w, Calls: []chat.Call{{ID: "c", Name: "f", Arguments: json.RawMessage(`{"a":"` + w + `"}`)}},
				Native: &chat.Native{API: "chat", Body: json.RawMessage(`{"content":"` + w + `"}`)}, Stop: chat.StopEnd}
		},
		func(w string) runfile.Body {
			return runfile.Attempt{Turn: 1, Attempt: chat.Attempt{Number: 1, Error: w, Wait: time.Second}}
		},
		func(w string) runfile.Body {
			return runfile.Result{Call: "c", Result: chat.Success(map[string]string{"k": w}), Duration: time.Second}
		},
		func(w string) runfile.Body {
			return runfile.Result{Call: "c", Result: chat.Failure(chat.Failed, "no %s", w), Duration: time.Second}
		},
		func(w string) runfile.Body { return runfile.End{Exit: 4, Name: "auth", Why: w} },
	} {
		got, err := s.hideBody(make(secretWord))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(recorded(t, make(mask)), recorded(t, got)); diff != "" {
			t.Errorf("%T (-want +got):\n%s", got, diff)
		}
		if untouched, err := s.hideBody(make("word")); err != nil || recorded(t, untouched) != recorded(t, make("word")) {
			t.Errorf("%T without a secret: %v, %v", got, untouched, err)
		}
	}
}

func recorded(t *testing.T, body runfile.Body) string {
	t.Helper()
	doc, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

func TestAddURL(t *testing.T) {
	for raw, hidden := range map[string]string{
		"http://me:my-password@h":       "my-password",
		"http://a-key-as-the-user@h":    "a-key-as-the-user",
		"http://me:my%2Dpass%21word@h/": "my-pass!word",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		var s secrets
		s.addURL(u)
		for _, text := range []string{hidden, u.String()} {
			if got := s.hide(text); strings.Contains(got, "pass") || strings.Contains(got, "key") {
				t.Errorf("%s: %q", raw, got)
			}
		}
	}
	var s secrets
	s.addURL(nil)
	if !s.none() {
		t.Error("no address hides something")
	}
}

func TestWithoutUser(t *testing.T) {
	for address, want := range map[string]string{
		"http://h/p":           "http://h/p",
		"ftp://u:p@h":          "ftp://***@h",
		"ftp://u:p/w@x@h:port": "ftp://***@h:port",
		"u:p@h":                "***@h",
		"":                     "",
	} {
		if got := withoutUser(address); got != want {
			t.Errorf("withoutUser(%q) = %q, want %q", address, got, want)
		}
	}
}
