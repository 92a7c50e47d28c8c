package cmd

import (
	"slices"
	"testing"

	"oneshot/pkg/agent"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The table of flags is complete: each flag of these commands has a row with a help text, a completion or the reason for
// none, and a rule for resumed runs.
func TestFlagTable(t *testing.T) {
	env, _, _ := testEnv()
	root := newRoot(env, newConsole(env))
	for on, words := range map[commands][]string{forRun: {"run"}, forPrompt: {"prompt"}, forCall: {"tools", "call"}} {
		c, _, err := root.Find(words)
		if err != nil {
			t.Fatal(err)
		}
		rows := map[string]flagRow{}
		for r := range flagRows(new(options), on) {
			rows[r.name] = r
			checkFlagRow(t, c, r)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, ok := rows[f.Name]; !ok && f.Name != "help" {
				t.Errorf("%s --%s is not in the table", c.CommandPath(), f.Name)
			}
		})
	}
}

func checkFlagRow(t *testing.T, c *cobra.Command, r flagRow) {
	f := c.Flags().Lookup(r.name)
	if f == nil || f.Usage == "" {
		t.Errorf("%s --%s: not defined, or without help: %v", c.CommandPath(), r.name, f)
		return
	}
	offers := 0
	for _, has := range []bool{r.completes.values != nil, r.completes.list != nil, r.completes.reason != ""} {
		if has {
			offers++
		}
	}
	takesText := f.Value.Type() == "string" || f.Value.Type() == "stringArray"
	if takesText && offers != 1 || !takesText && offers != 0 {
		t.Errorf("--%s: %d of values, a list and a reason", r.name, offers)
	}
	if r.on&forRun != 0 && r.resume == 0 {
		t.Errorf("--%s: no rule for resumed runs", r.name)
	}
	if r.replay != ignored && !r.resume.isRecorded() {
		t.Errorf("--%s: a replay would inherit it, but it is not recorded", r.name)
	}
}

// Each flag has the value of the first source that has it; --answer merges the pairs of all sources by key.
func TestResolveFlags(t *testing.T) {
	line := flagSource{values: map[string][]string{"max-turns": {"3"}, "allow": {"a", "b"}, "answer": {"k=line"}}}
	record := flagSource{name: "run.jsonl", values: map[string][]string{
		"max-turns": {"7"}, "max-calls": {"9"}, "allow": {"c"}, "answer": {"k=record", "other=record"}, "seed": {"0"},
	}}
	f, err := resolveFlags(forRun, line, record)
	if err != nil {
		t.Fatal(err)
	}
	if f.limits.Turns != 3 || f.limits.Calls != 9 || f.limits.Repeats != agent.DefaultLimits().Repeats {
		t.Errorf("limits: %+v", f.limits)
	}
	if !slices.Equal(f.policy.allow, []string{"a", "b"}) || !slices.Equal(f.answers.pairs, []string{"k=line", "other=record"}) {
		t.Errorf("--allow %q --answer %q", f.policy.allow, f.answers.pairs)
	}
	if !f.isSet("seed") || f.isGiven("seed") || !f.isGiven("max-turns") || f.isSet("temperature") {
		t.Error("seed is set but not given, max-turns is given, temperature is neither")
	}
	record.values["on-denied"] = []string{"maybe"}
	if _, err := resolveFlags(forRun, line, record); err == nil {
		t.Error("a recorded value outside of a closed set")
	}
}
