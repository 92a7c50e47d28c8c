package agent

import (
	"encoding/json"
	"testing"

	"oneshot/pkg/policy"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
)

// A digest reveals no secret, even one that can be guessed.
func TestDigestHidden(t *testing.T) {
	hidden := new(redact.Set)
	hidden.Add("very-secret-token")
	args := json.RawMessage(`{"text":"very-secret-token"}`)
	for _, c := range []struct {
		hidden *redact.Set
		want   string
	}{{hidden, `{"text":"***"}`}, {nil, string(args)}} {
		g := NewGate(GateConfig{Policy: policy.Policy{Secrets: c.hidden}})
		if got, want := g.callDigest("say", args), runfile.CallDigest("say", []byte(c.want)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
