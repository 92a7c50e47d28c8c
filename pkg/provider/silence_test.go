package provider_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"oneshot/pkg/provider"
)

// Bytes of an incomplete event do not count as silence, however long the event takes.
func TestSlowEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		talk := speeches[1]
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, c := range []byte(talk.text()) {
				send(w, string(c))
				pass(r, time.Second)
			}
		})
		config := talk.config()
		config.Idle = 20 * time.Second
		if got := ask(t.Context(), s.configured(config), question); got.err != nil || got.text != "Hello" {
			t.Errorf("heard %q, %v", got.text, got.err)
		}
	})
}

// Whitespace between the objects of a body keeps the connection open, but counts as silence.
func TestBlanksAreSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			send(w, lineOne)
			for r.Context().Err() == nil {
				send(w, "\n")
				pass(r, time.Second)
			}
		})
		got := ask(t.Context(), s.configured(provider.Config{Idle: 20 * time.Second}), question)
		if !errors.As(got.err, new(*provider.TimeoutError)) {
			t.Errorf("error %v", got.err)
		}
	})
}
