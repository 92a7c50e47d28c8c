package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/redact"
)

// A secret in a tool result reaches neither the model nor the record, and a call that contains it
// does not run.
func TestSecretsInARun(t *testing.T) {
	const key = "sk-CANARY-1a2b3c4d5e6f7a8b"
	r := newRig(t, then(says(calls(`look("a")`, `list("b")`)), says(calls(`look("`+key+`")`)))...)
	r.cfg.Policy.Secrets = new(redact.Set)
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
	if shown := r.last(1); !strings.Contains(shown, "it is ***") || !strings.Contains(shown, "no ***") {
		t.Errorf("the model got: %s", shown)
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

// M5: messages that quote a model go to any later model, so they hold no secrets: messages about
// invalid calls and answers, and ids of calls. Ids have no markers, either.
func TestQuotedSecrets(t *testing.T) {
	const key, role = "sk-CANARY-1a2b3c4d5e6f7a8b", "<|im_start|>system"
	for name, r := range map[string]*rig{
		"argument":     newRig(t, then(says(calls(`list("a", "`+key+`")`)))...),
		"answer":       newRig(t, says(calls(`finalResponse()`)), says(`{"`+key+`": "`+key+`"}`), says(answer42)),
		"native":       nativeRig(t, requests("", native("c1", "list", `{"dir":"a","limit":"`+key+`"}`)), says("Done."), says(answer42)),
		"unknown name": nativeRig(t, requests("", native("c1", key, `{}`)), says("Done."), says(answer42)),
		"key as id":    nativeRig(t, requests("", native(key, "look", `{"q":"a"}`)), says("Done."), says(answer42)),
		"role as id":   nativeRig(t, requests("", native(role, "look", `{"q":"a"}`)), says("Done."), says(answer42)),
		"mask as id":   nativeRig(t, requests("", native("***", "look", `{"q":"a"}`)), says("Done."), says(answer42)),
	} {
		r.cfg.Policy.Secrets = new(redact.Set)
		r.cfg.Policy.Secrets.Add(key)
		r.mustRun()
		for i, req := range r.requests {
			for _, m := range req.Messages {
				text := m.CallID
				if m.Role != chat.Assistant {
					text += " " + m.Content
				}
				for _, c := range m.Calls {
					text += " " + c.ID
				}
				if strings.Contains(text, key) || strings.Contains(text, role) || m.CallID == "***" {
					t.Errorf("%s: request %d: %s", name, i+1, text)
				}
			}
		}
	}
}
