package cmd

import (
	"testing"
	"time"

	"oneshot/pkg/telemetry"
)

// --since takes an age, a date in the zone of the user, or a time in any zone.
func TestStartTime(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	now := time.Date(2026, 11, 28, 1, 0, 0, 0, zone)
	start := startTime{now: func() time.Time { return now }}
	for text, want := range map[string]time.Time{
		"7d":                   now.Add(-7 * 24 * time.Hour),
		"90m":                  now.Add(-90 * time.Minute),
		"2026-11-27":           time.Date(2026, 11, 27, 0, 0, 0, 0, zone),
		"2026-11-27T09:00:00Z": time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC),
	} {
		if err := start.Set(text); err != nil || !start.at.Equal(want) {
			t.Errorf("%q: %v, %v; want %v", text, start.at, err, want)
		}
	}
	for _, text := range []string{"", "soon", "-1h", "2026-13-01", "2026-11-27 09:00"} {
		if err := start.Set(text); err == nil {
			t.Errorf("%q is the time %v", text, start.at)
		}
	}
}

// Each flag of a filter excludes runs, and an empty filter none.
func TestRunFilter(t *testing.T) {
	start := time.Date(2026, 11, 28, 1, 0, 0, 0, time.UTC)
	run := telemetry.Run{Start: start, Model: "openrouter/meta/llama", Agent: "release-digest", AgentFile: "agents/digest.yaml", Exit: "limit", Prompt: "Sum up the Changes"}
	for name, tt := range map[string]struct {
		filter runFilter
		want   bool
	}{
		"empty":          {runFilter{}, true},
		"name of agent":  {runFilter{agent: "release-digest"}, true},
		"file of agent":  {runFilter{agent: "digest"}, true},
		"path of agent":  {runFilter{agent: "agents/digest.yaml"}, true},
		"other agent":    {runFilter{agent: "release"}, false},
		"one of exits":   {runFilter{exits: []string{"timeout", "limit"}}, true},
		"other exit":     {runFilter{exits: []string{"timeout"}}, false},
		"at the start":   {runFilter{since: startTime{at: start}}, true},
		"later":          {runFilter{since: startTime{at: start.Add(1)}}, false},
		"model":          {runFilter{model: "openrouter/*"}, true},
		"end of model":   {runFilter{model: "*llama"}, true},
		"other model":    {runFilter{model: "openrouter"}, false},
		"case of prompt": {runFilter{prompt: "the changes"}, true},
		"other prompt":   {runFilter{prompt: "notes"}, false},
		"one of two":     {runFilter{agent: "digest", prompt: "notes"}, false},
	} {
		if got := tt.filter.matches(run); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	if none := (runFilter{agent: "digest"}); none.matches(telemetry.Run{}) {
		t.Error("a run without an agent has the agent digest")
	}
}
