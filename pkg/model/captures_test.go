package model_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"oneshot/pkg/model"
)

// TestCaptures plays answers of a real server and checks what the client makes
// of them.
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
		{"native_bad_json", new(*model.StatusError), 1},
		{"native_bad_option_type", new(*model.StatusError), 1},
		{"native_ctx_overflow_truncate_false", new(*model.OverflowError), 1},
		{"native_empty_body", new(*model.StatusError), 1},
		{"native_format_bad_schema", new(*model.FormatError), 1},
		{"native_format_bad_string", new(*model.FormatError), 1},
		{"native_get_chat_404", new(*model.StatusError), 1},
		{"native_missing_model", new(*model.StatusError), 1},
		{"native_think_unsupported", new(*model.StatusError), 1},
		{"native_tools_unsupported_stream", new(*model.StatusError), 1},
		{"native_unknown_model_stream", new(*model.UnknownModelError), 1},
		{"native_runner_killed_midstream", new(*model.CutError), 1},
		{"native_client_disconnect", new(*model.CutError), 1},
		{"native_runner_killed_nonstream", new(*model.UnavailableError), 3},
		{"busy_0", new(*model.UnavailableError), 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, body := capture(t, shared, tt.name)
			synctest.Test(t, func(t *testing.T) {
				s := serve(t, answer(status, body), answer(status, body), answer(status, body))
				got := ask(t.Context(), s.client(), question)
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
		if _, err := s.client().Show(t.Context()); !errors.As(err, new(*model.UnknownModelError)) {
			t.Errorf("error %v", err)
		}
	})
}

// capture returns a captured answer.
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
