package policy

import (
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/redact"
	"oneshot/pkg/tool"
)

// A call with a secret in its arguments, in any encoding, is denied by floor:secret.
func TestSecretArguments(t *testing.T) {
	s := new(redact.Set)
	s.Add("sk-CANARY-1a2b3c4d5e6f7a8b")
	def := &tool.Definition{Name: "fetch", Effect: tool.Read, Schema: []byte(`{"type":"object","properties":{"uri":{"type":"string"}}}`)}
	for args, want := range map[string]Verdict{
		`{"uri":"https://a.test/?k=sk-CANARY-1a2b3c4d5e6f7a8b"}`:   Deny,
		`{"uri":"https://a.test/?k=sk%2DCANARY-1a2b3c4d5e6f7a8b"}`: Deny,
		`{"uri":"https://a.test/"}`:                                Allow,
	} {
		p := Policy{Secrets: s}
		d := p.Decide(&State{}, Facts{Def: def, Arguments: []byte(args)})
		if d.Verdict != want || want == Deny && (d.Rule != "floor:secret" || d.Code != chat.Denied) {
			t.Errorf("%s: %+v", args, d)
		}
		p.Secrets = nil
		if d := p.Decide(&State{}, Facts{Def: def, Arguments: []byte(args)}); d.Verdict != Allow {
			t.Errorf("nothing is secret: %+v", d)
		}
	}
}
