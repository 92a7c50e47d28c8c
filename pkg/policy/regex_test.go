package policy

import (
	"encoding/json"
	"strings"
	"testing"
)

// M7: a call is denied if matching its text would take minutes, counting the regular expressions of all rules about its
// tool: deny, allow, ask and label rules and the exceptions under taint. 1 MB took 10 s for each spelling.
func TestLongMatches(t *testing.T) {
	const foo = `{args: {content: {match: ".*foo.{0,1000}bar"}}}`
	for name, text := range map[string]string{
		"deny":   "version: 1\ntools: {file_put: {deny: [" + foo + "], allow: [{}]}}",
		"ask":    "version: 1\ntools: {file_put: {ask: [" + foo + "], allow: [{}]}}",
		"labels": "version: 1\ntools: {file_put: {allow: [{}]}}\nlabels: {file_put: [{args: {content: {match: \".*foo.{0,1000}bar\"}}, add: [sink]}]}",
		"taint":  "version: 1\ntools: {file_put: {allow: [{}]}}\ntaint: {allow: {file_put: [" + foo + "]}}",
	} {
		p := Policy{Layers: []*Layer{layer(t, text)}}
		decide := func(content string) Decision {
			args, err := json.Marshal(map[string]string{"path": "a", "content": content})
			if err != nil {
				t.Fatal(err)
			}
			return p.Decide(&State{}, of(t, "file_put", string(args)))
		}
		if d := decide(strings.Repeat("foo", 1<<20/4)); d.Verdict != Deny || d.Rule != "floor:arguments" || !strings.Contains(d.Why, "too long for the regular expressions") {
			t.Errorf("%s: %s by %s: %s", name, d.Verdict, d.Rule, d.Why)
		}
		if d := decide(strings.Repeat("foo", 1<<12)); d.Verdict != Allow {
			t.Errorf("%s: %s by %s: %s", name, d.Verdict, d.Rule, d.Why)
		}
	}
	plain := Policy{Layers: []*Layer{layer(t, "version: 1\ntools: {file_put: {deny: [{args: {content: {match: \".*(password|secret).*\"}}}], allow: [{}]}}")}}
	for content, want := range map[string]Verdict{strings.Repeat("passwor ", 1<<17-99): Allow, strings.Repeat("passwor ", 1<<17-99) + "secret": Deny} {
		if d := plain.Decide(&State{}, of(t, "file_put", `{"path":"a","content":"`+content+`"}`)); d.Verdict != want || d.Rule == "floor:arguments" {
			t.Errorf("%s by %s: %s", d.Verdict, d.Rule, d.Why)
		}
	}
}
