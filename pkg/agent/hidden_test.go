package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/secret"
)

// What a tool came across does not get to the model, and not onto the record; and a call
// that the model makes of it all the same is not run.
func TestSecretsInARun(t *testing.T) {
	const key = "sk-CANARY-1a2b3c4d5e6f7a8b"
	r := newRig(t, then(says(calls(`look("a")`, `list("b")`)), says(calls(`look("`+key+`")`)))...)
	r.cfg.Policy.Secrets = new(secret.Set)
	r.cfg.Policy.Secrets.Add(key)
	r.do["look"] = func(context.Context, string) (chat.Result, error) { return chat.Success("it is " + key), nil }
	r.do["list"] = func(context.Context, string) (chat.Result, error) {
		return chat.Failure(chat.Failed, "no %s", key), nil
	}
	out := r.mustRun()
	for i := range r.requests[1:] {
		for _, m := range r.requests[i+1].Messages {
			if m.Role != chat.Assistant && strings.Contains(m.Content, key) {
				t.Errorf("request %d: %s", i+2, m.Content)
			}
		}
	}
	if told := r.last(1); !strings.Contains(told, "it is ***") || !strings.Contains(told, "no ***") {
		t.Errorf("the model is told: %s", told)
	}
	if got := out.Calls[2]; got.Status != "denied" {
		t.Errorf("%+v", got)
	}
	for _, body := range r.records {
		if text, err := json.Marshal(body); err != nil || body.Kind() == "result" && strings.Contains(string(text), key) {
			t.Errorf("%s, %v", text, err)
		}
	}
}
