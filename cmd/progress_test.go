package cmd

import (
	"encoding/json"
	"testing"

	"oneshot/pkg/agent"
)

// A call and its arguments are cut to a number of columns, with control characters escaped. A secret is masked even if the cut is
// inside it.
func TestDescribeCall(t *testing.T) {
	env, _, _ := testEnv()
	c := newConsole(env)
	c.secrets.Add("swordfish-8812")
	for _, tt := range []struct {
		args    string
		columns int
		want    string
	}{
		{``, 20, `f`},
		{`{"query": "release  0.2", "limit": 10}`, 40, `f query="release  0.2" limit=10`},
		{`{"query": "release  0.2", "limit": 10}`, 12, `f query="re…`},
		{`{"a": [1, {"b": null}]}`, 40, `f a=[1,{"b":null}]`},
		{`["a", 2]`, 40, `f "a" 2`},
		{`{"text": "\u001b[2J\n"}`, 40, `f text="\u001b[2J\n"`},
		{"{\"te\\nxt\": \"\u202e\"}", 40, `f te xt="\u202e"`},
		{`{"q": "漢字漢字"}`, 9, `f q="漢…`},
		{`{"text": "the key swordfish-8812"}`, 20, `f text="the key ***"`},
		{`{"text": "the key swordfish-8812"}`, 18, `f text="the key *…`},
	} {
		if got := c.describeCall(agent.CallReport{Tool: "f", Arguments: json.RawMessage(tt.args)}, tt.columns); got != tt.want {
			t.Errorf("%s in %d columns: %s, want %s", tt.args, tt.columns, got, tt.want)
		}
	}
}
