package telemetry

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/pricing"
	"oneshot/pkg/runfile"
)

// P9: a price that was unknown during a run can be given later. A recorded price does not change.
func TestPriceGivenLater(t *testing.T) {
	own := pricing.Prices{}
	for _, model := range []string{"openai/a", "openai/b"} {
		own[model], _ = pricing.ParsePrice([]byte(`{"input":1000,"output":0,"tiers":[{"above":15,"input":2000}]}`))
	}
	used := func(model string) []chat.ModelUsage {
		return []chat.ModelUsage{{Model: model, Requests: 2, Usage: chat.Usage{InputTokens: 20}}}
	}
	for _, c := range []struct {
		model, price string
		own          pricing.Prices
		want         chat.Cost
	}{
		{"openai/a", "unknown", own, chat.Cost{Amount: 20 * chat.NanosPerUSD / 1000, Known: true}},
		{"openai/a", "unknown", nil, chat.Cost{}},
		{"openai/c", "unknown", own, chat.Cost{}},
		{"openai/b", `{"input":1,"output":0}`, own, chat.Cost{Amount: 20 * chat.NanosPerUSD / 1_000_000, Known: true}},
	} {
		end := runfile.End{Name: "ok", Turns: 2, Models: used(c.model)}
		if c.price != "unknown" {
			end.Models[0].Cost = c.want
		}
		path := filepath.Join(t.TempDir(), "run.jsonl")
		w, err := runfile.Create(path, runfile.Run{ID: "r", Model: c.model, Resolved: []runfile.Setting{{Name: runfile.PriceSetting + c.model, Value: c.price}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range []runfile.Body{
			runfile.Request{Turn: 1}, runfile.Response{Turn: 1, By: c.model, Usage: chat.Usage{InputTokens: 10}},
			runfile.Request{Turn: 2}, runfile.Response{Turn: 2, By: c.model, Usage: chat.Usage{InputTokens: 10}}, end,
		} {
			if err := w.Append(body); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		run, err := ReadRun(path, c.own)
		if err != nil || run.Exit != "ok" || run.Turns != 2 {
			t.Fatal(run, err)
		}
		want := used(c.model)
		want[0].Cost = c.want
		if d := cmp.Diff(want, run.Models); d != "" {
			t.Errorf("%s, %s: %s", c.model, c.price, d)
		}
	}
}

// P9: a run without an end counts the tokens of all requests, because they were paid for, including those of a
// request during which the run was killed. It counts only turns and calls that no resumed run has voided. The
// pause before the resumption does not count as time of the run.
func TestFold(t *testing.T) {
	records := recordsOf("r",
		runfile.Run{ID: "r", Model: "openai/a", Resolved: []runfile.Setting{{Name: runfile.PriceSetting + "openai/a", Value: `{"input":1,"output":1}`}}},
		runfile.Request{Turn: 1},
		runfile.Response{Turn: 1, By: "openai/a", Usage: chat.Usage{InputTokens: 10}},
		runfile.Call{ID: "c1", Name: "read"},
		runfile.Result{Call: "c1", Result: chat.Success([]byte("1"))},
		runfile.Request{Turn: 2},
		runfile.Response{Turn: 2, By: "openai/a", Usage: chat.Usage{InputTokens: 5}, BrokenOff: "cut"},
		runfile.Call{ID: "c2", Name: "read"},
		runfile.Discarded{Call: "c2"},
		runfile.End{Name: "unavailable", Turns: 2, Calls: 2},
		runfile.Resumed{KeptThrough: 5},
		runfile.Request{Turn: 2, By: "openai/a", EstimatedTokens: 3}, // killed
		runfile.Resumed{KeptThrough: 5},
		runfile.Request{Turn: 2, By: "openai/a", EstimatedTokens: 3},
		runfile.Attempt{Turn: 2, Attempt: chat.Attempt{Number: 1, Charged: true, By: "openai/a", Usage: chat.Usage{InputTokens: 7}}},
		runfile.Attempt{Turn: 2, Attempt: chat.Attempt{Number: 2}},
		runfile.Response{Turn: 2, By: "openai/b"},
		runfile.Call{ID: "c2", Name: "write"},
		runfile.Call{ID: "c3", Name: "ask"},
		runfile.Result{Call: "c3", Result: chat.Result{Needs: []string{"x"}}},
	)
	for i := range records[10:] {
		records[10+i].Time = records[10+i].Time.Add(24 * time.Hour)
	}
	f := newFold(nil)
	for _, r := range records {
		f.add(r)
	}
	want := Run{
		Start: start, Model: "openai/a", Exit: Unfinished, Turns: 2, Calls: 3, Seconds: 9 + 1 + 7,
		Models: []chat.ModelUsage{
			{Model: "openai/a", Requests: 2, Usage: chat.Usage{InputTokens: 25, EstimatedTokens: 3}, Cost: f.run.Models[0].Cost},
			{Model: "openai/b", Requests: 1, Cost: chat.Cost{Known: true}},
		},
		Tools: []runfile.ToolCount{{Tool: "ask", Calls: 1, Needs: 1}, {Tool: "read", Calls: 1, OK: 1}, {Tool: "write", Calls: 1, Failures: map[string]int{"skipped": 1}}},
	}
	if diff := cmp.Diff(want, f.sum()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A finished run takes its calls from its end, whether or not all its records are read, because an unreadable call has
// no record of its own. An end of an older version has no calls by tool.
func TestCallsOfEnd(t *testing.T) {
	own := pricing.Prices{}
	own["openai/a"], _ = pricing.ParsePrice([]byte(`{"input":1,"output":1}`))
	recorded := []runfile.ToolCount{{Tool: "read", Calls: 1, OK: 1}}
	all := []runfile.ToolCount{{Tool: "", Calls: 1, Failures: map[string]int{"skipped": 1}}, {Tool: "read", Calls: 1, OK: 1}}
	for name, tt := range map[string]struct{ counted, want []runfile.ToolCount }{"this version": {all, all}, "older": {nil, recorded}} {
		path := filepath.Join(t.TempDir(), "run.jsonl")
		w, err := runfile.Create(path, runfile.Run{ID: "r", Model: "openai/a"})
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range []runfile.Body{
			runfile.Request{Turn: 1}, runfile.Response{Turn: 1, By: "openai/a", Usage: chat.Usage{InputTokens: 10}},
			runfile.Call{ID: "c", Name: "read"}, runfile.Result{Call: "c", Result: chat.Success([]byte("1"))},
			runfile.End{Name: "ok", Turns: 1, Calls: 2, Models: []chat.ModelUsage{{Model: "openai/a", Requests: 1}}, Tools: tt.counted},
		} {
			if err := w.Append(body); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, prices := range []pricing.Prices{nil, own} {
			run, err := ReadRun(path, prices)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, run.Tools); diff != "" || run.Calls != len(tt.want) {
				t.Errorf("%s: %d calls (-want +got):\n%s", name, run.Calls, diff)
			}
		}
	}
}
