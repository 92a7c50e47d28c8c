package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
)

// sets gives a run a policy that sets the limit of each listing.
func sets(t *testing.T, r *rig, limit string) {
	t.Helper()
	doc := `{"version":1,"tools":{"list":{"allow":[{"id":"few","set":{"limit":` + limit + `}}]}}}`
	l, findings := policy.Compile(json.RawMessage(doc), r.cfg.Tools)
	if l == nil {
		t.Fatal(findings)
	}
	r.cfg.Policy = policy.Policy{Layers: []*policy.Layer{l}}
}

// The model gets the arguments set by the policy beside the result, and both are on record, unless
// the model wrote the same values itself.
func TestChangedArguments(t *testing.T) {
	const note = "The call 1 list was made with other arguments than you wrote, because the policy of this run, or who approved it, says so:\n{\"limit\":3}"
	for _, c := range []struct {
		call, proposed, effective string
		shown                     bool
	}{
		{`list("a", 50)`, `["a",50]`, `{"dir":"a","limit":3}`, true},
		{`list("a")`, `["a"]`, `{"dir":"a","limit":3}`, true},
		{`list("a", 3)`, `["a",3]`, `{"dir":"a","limit":3}`, false},
	} {
		r := newRig(t, then(says(calls(c.call)))...)
		sets(t, r, "3")
		r.mustRun()
		if got := strings.Contains(r.last(1), note); got != c.shown {
			t.Errorf("%s: shown %v, in\n%s", c.call, got, r.last(1))
		}
		for _, body := range r.records {
			if b, ok := body.(runfile.Call); ok && (string(b.Proposed) != c.proposed || string(b.Effective) != c.effective || b.Digest != runfile.CallDigest("list", b.Effective)) {
				t.Errorf("%s: %s is on record, of %s", c.call, b.Effective, b.Proposed)
			}
		}
		if seen := strings.Join(r.seen(), "\n"); !strings.Contains(seen, "start list "+c.effective) {
			t.Errorf("%s:\n%s", c.call, seen)
		}
	}
}

// With native calls they follow the result, in the message of the call.
func TestChangedArgumentsNative(t *testing.T) {
	r := nativeRig(t, requests("", native("a", "list", `{"dir":"d"}`), native("b", "look", `{"q":"x"}`)), says("That is all."), says(answer42))
	sets(t, r, "3")
	r.cfg.ContinueDenied = true
	r.mustRun()
	for i, want := range []string{
		`{"ok":true,"data":{"dir":"d","limit":3}}` + "\n\nThe call list was made with other arguments than you wrote, because the policy of this run, or who approved it, says so:\n" + `{"limit":3}`,
		`{"ok":false,"error":{"code":"DENIED","message":"the policy does not list this tool","retryable":false}}`,
	} {
		if got := r.requests[1].Messages[2+i].Content; got != want {
			t.Errorf("message %d:\n%s\nwant\n%s", i, got, want)
		}
	}
}
