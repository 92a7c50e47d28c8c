package telemetry

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

var start = time.Date(2026, 11, 25, 23, 30, 0, 0, time.UTC)

func usageOf(model string, cost chat.Cost) chat.ModelUsage {
	return chat.ModelUsage{Model: model, Requests: 2, Usage: chat.Usage{InputTokens: 100, OutputTokens: 10}, Cost: cost}
}

// The runs: one with two models and a failed call, a failed replay of it, and one that was cut off, with an
// unknown price.
var runs = []Run{
	{
		Start: start, Model: "openai/a", Agent: "digest", Exit: "ok", Turns: 3, Calls: 3, Seconds: 2,
		Models: []chat.ModelUsage{usageOf("openai/a", chat.Cost{Amount: 500, Known: true}), usageOf("openai/b", chat.Cost{Amount: 70, Known: true})},
		Tools:  []runfile.ToolCount{{Tool: "read", Calls: 2, OK: 1, Failures: map[string]int{"NOT_FOUND": 1}}, {Tool: "ask", Calls: 1, Needs: 1}},
	},
	{
		Start: start, Model: "replay:run.jsonl", Exit: "findings", Turns: 3, Calls: 2, Models: []chat.ModelUsage{usageOf("openai/a", chat.Cost{Amount: 500, Known: true})},
		Tools: []runfile.ToolCount{{Tool: "read", Calls: 2, OK: 1, Failures: map[string]int{"NOT_FOUND": 1}}},
	},
	{Start: start.Add(time.Hour), Model: "openai/c", Exit: Unfinished, Models: []chat.ModelUsage{usageOf("openai/c", chat.Cost{})}},
}

// P9: sums by day, model, agent and tool. A replay is counted separately, and changes no rate; an unknown cost makes the
// sum unknown.
func TestCollector(t *testing.T) {
	type sums struct {
		Key                             string
		Runs, OK, Replays, Failed, Asks int
		Tokens                          int
		Cost                            string
	}
	sumsOf := func(s Stats) sums {
		cost, err := json.Marshal(s.Cost)
		if err != nil {
			t.Fatal(err)
		}
		return sums{s.Key, s.Runs, s.OK, s.Replays, s.Failed, s.Needs, s.Usage.InputTokens + s.Usage.OutputTokens, string(cost)}
	}
	for _, tt := range []struct {
		by   Grouping
		want []sums
	}{
		{Ungrouped, nil},
		{ByDay, []sums{{"2026-11-25", 1, 1, 1, 1, 1, 220, "0.00000057"}, {"2026-11-26", 1, 0, 0, 0, 0, 110, "null"}}},
		{ByAgent, []sums{{"", 1, 0, 1, 0, 0, 110, "null"}, {"digest", 1, 1, 0, 1, 1, 220, "0.00000057"}}},
		{ByModel, []sums{{"openai/a", 1, 1, 0, 1, 1, 110, "0.0000005"}, {"openai/b", 1, 1, 0, 1, 1, 110, "0.00000007"}, {"openai/c", 1, 0, 0, 0, 0, 110, "null"}}},
		{ByTool, []sums{{"ask", 1, 1, 0, 0, 1, 0, "0"}, {"read", 1, 1, 0, 1, 0, 0, "0"}}},
	} {
		c := NewCollector(tt.by, time.UTC)
		for _, r := range runs {
			c.CountRun(r)
		}
		total, groups := c.Stats()
		var got []sums
		for _, g := range groups {
			got = append(got, sumsOf(g))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("by %q (-want +got):\n%s", tt.by, diff)
		}
		if diff := cmp.Diff(sums{"", 2, 1, 1, 1, 1, 330, "null"}, sumsOf(total)); diff != "" {
			t.Errorf("total by %q (-want +got):\n%s", tt.by, diff)
		}
		if total.SuccessRate == nil || *total.SuccessRate != 1 || total.Unfinished != 1 || total.KnownCost != 570 {
			t.Errorf("total: %+v", total)
		}
	}
}
