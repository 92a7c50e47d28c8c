// Package telemetry makes statistics and traces of recorded runs.
package telemetry

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/pricing"
	"oneshot/pkg/runfile"
)

// Unfinished is the name of the exit of a run that still runs, or was cut off.
const Unfinished = "unfinished"

// A Run has the facts about a recorded run that statistics need.
type Run struct {
	Start     time.Time
	Model     string // the main model
	Agent     string // "" without an agent file
	AgentFile string // its path, or ""
	Prompt    string
	Exit      string // name of the exit, or Unfinished
	Turns     int
	Calls     int
	Models    []chat.ModelUsage
	Tools     []runfile.ToolCount
	Seconds   float64
}

// isReplay reports whether a run with this model replayed a recording, which sends and costs nothing.
func isReplay(model string) bool { return model == "demo" || strings.HasPrefix(model, "replay:") }

// ReadRun reads the run file at path. Own are prices of models whose price was unknown when they ran. It reads only the
// first and the last record, unless the run has no end, used such a model, or is of a version that did not count calls
// by tool.
func ReadRun(path string, own pricing.Prices) (Run, error) {
	if s, ok, err := runfile.ReadSummary(path); ok && err == nil {
		if end, ok := s.Last.Body.(runfile.End); ok && countsCallsByTool(end) && !hasPriceForUnknownCost(end.Models, own) {
			run := NewRun(s.First)
			run.end(s.Last, end)
			return run, nil
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return Run{}, err
	}
	defer f.Close()
	scan, fold := runfile.NewScanner(f), newFold(own)
	for r := range scan.Records() {
		fold.add(r)
	}
	if scan.Err != nil {
		return Run{}, scan.Err
	}
	if log := (&runfile.Log{Torn: scan.Torn}); fold.run.Start.IsZero() {
		return Run{}, cmp.Or(log.CheckNotEmpty(), errNoRun)
	}
	return fold.sum(), nil
}

// hasPriceForUnknownCost reports whether a model without a known cost has a price now.
func hasPriceForUnknownCost(models []chat.ModelUsage, own pricing.Prices) bool {
	return slices.ContainsFunc(models, func(m chat.ModelUsage) bool {
		_, ok := own[m.Model]
		return ok && !m.Cost.Known
	})
}

// countsCallsByTool reports whether the end of a run has its calls by tool.
func countsCallsByTool(end runfile.End) bool { return end.Calls == 0 || len(end.Tools) > 0 }

type noRunError struct{}

func (noRunError) Error() string { return "not a run file" }

var errNoRun error = noRunError{}

// NewRun returns the facts in the first record of a run, which it takes for unfinished.
func NewRun(first runfile.Record) Run {
	b, _ := first.Body.(runfile.Run)
	r := Run{Start: first.Time, Model: b.Model, Prompt: b.Prompt, Exit: Unfinished}
	if b.Agent != nil {
		r.Agent, r.AgentFile = b.Agent.Name, b.Agent.File
	}
	return r
}

func (r *Run) end(record runfile.Record, b runfile.End) {
	r.Exit, r.Turns, r.Calls, r.Models, r.Tools = b.Name, b.Turns, b.Calls, b.Models, b.Tools
	r.Seconds = max(0, cmp.Or(b.Duration, record.Time.Sub(r.Start))).Seconds() // older records have no duration
}

// A fold is a run made of all its records. Its usage includes that of records which a resumed run voids, because it was
// paid for; its turns and calls are those that count.
type fold struct {
	run    Run
	prices pricing.Prices
	live   []step
	active runfile.ActiveTime
	open   runfile.OpenRequest
	// The calls of a run that has ended, by tool. They include calls that could not be read, which have no records.
	tools []runfile.ToolCount
}

// A step is the part of a record that counts for turns and calls: the turn of a request, a call, or its outcome.
type step struct {
	seq, turn         int
	id, tool, outcome string // of a call
}

// newFold returns a fold with prices of models whose price is not on record.
func newFold(own pricing.Prices) *fold {
	f := &fold{prices: pricing.Prices{}}
	maps.Copy(f.prices, own)
	return f
}

func (f *fold) add(r runfile.Record) {
	f.active.Add(r)
	if lost, ok := f.open.Add(r); ok {
		f.use(lost.Model, 0, lost.Usage)
	}
	switch b := r.Body.(type) {
	case runfile.Run:
		f.run = NewRun(r)
		f.addPrices(b.Resolved)
	case runfile.Resumed:
		for n := len(f.live); n > 0 && f.live[n-1].seq > b.KeptThrough; n-- {
			f.live = f.live[:n-1]
		}
		f.run.Exit, f.tools = Unfinished, nil
		f.addPrices(b.Resolved)
	case runfile.Request:
		f.live = append(f.live, step{seq: r.Seq, turn: b.Turn})
	case runfile.Attempt:
		if b.Charged {
			f.use(b.By, 0, b.Usage)
		}
	case runfile.Response:
		f.use(b.By, 1, b.Usage)
	case runfile.Call:
		f.live = append(f.live, step{seq: r.Seq, id: b.ID, tool: b.Name, outcome: skipped})
	case runfile.Result:
		f.live = append(f.live, step{seq: r.Seq, id: b.Call, outcome: outcomeOf(b.Result)})
	case runfile.Discarded:
		f.live = append(f.live, step{seq: r.Seq, id: b.Call, outcome: discarded})
	case runfile.UnknownOutcome:
		f.live = append(f.live, step{seq: r.Seq, id: b.Call, outcome: string(chat.UnknownOutcome)})
	case runfile.End:
		f.run.Exit, f.tools = b.Name, b.Tools
	}
}

// addPrices takes the prices among the settings of a record.
func (f *fold) addPrices(settings []runfile.Setting) {
	for _, s := range settings {
		if model, ok := strings.CutPrefix(s.Name, runfile.PriceSetting); ok {
			if p, err := pricing.ParsePrice([]byte(s.Value)); err == nil {
				f.prices[model] = p
			}
		}
	}
}

// use counts a usage of a model.
func (f *fold) use(model string, requests int, u chat.Usage) {
	cost := chat.Cost{Known: u == chat.Usage{}}
	if p, ok := f.prices[model]; ok {
		cost = chat.Cost{Amount: p.Cost(u), Known: true}
	}
	for i := range f.run.Models {
		if m := &f.run.Models[i]; m.Model == model {
			m.Requests, m.Usage, m.Cost = m.Requests+requests, m.Usage.Add(u), m.Cost.Add(cost)
			return
		}
	}
	f.run.Models = append(f.run.Models, chat.ModelUsage{Model: model, Requests: requests, Usage: u, Cost: cost})
}

// sum returns the run, whose records have all been added.
func (f *fold) sum() Run {
	if lost, ok := f.open.Close(); ok {
		f.use(lost.Model, 0, lost.Usage)
	}
	run, calls := f.run, map[string]step{}
	run.Seconds, run.Models = f.active.Total().Seconds(), slices.Clone(f.run.Models)
	for _, s := range f.live {
		if s.id == "" {
			run.Turns = s.turn
			continue
		}
		s.tool = cmp.Or(s.tool, calls[s.id].tool)
		calls[s.id] = s
	}
	run.Tools = f.tools
	if len(run.Tools) == 0 {
		run.Tools = countByTool(calls)
	}
	for _, t := range run.Tools {
		run.Calls += t.Calls
	}
	return run
}

// countByTool counts calls with their last outcomes by tool.
func countByTool(calls map[string]step) (counts []runfile.ToolCount) {
	tools := map[string]*runfile.ToolCount{}
	for _, c := range calls {
		if tools[c.tool] == nil {
			tools[c.tool] = &runfile.ToolCount{Tool: c.tool}
		}
		tools[c.tool].Add(c.outcome)
	}
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		counts = append(counts, *tools[name])
	}
	return counts
}

// Outcomes of calls without a result.
const (
	discarded = "discarded" // its result was not used
	skipped   = "skipped"   // it was not run
)

// outcomeOf returns the outcome of a call as [runfile.ToolCount.Add] counts it.
func outcomeOf(r chat.Result) string {
	switch {
	case len(r.Needs) > 0:
		return "needs"
	case r.Error != nil:
		return string(r.Error.Code)
	}
	return "ok"
}

// Name returns the name of a run file without its folder and extension, which is the ID of the run in the state directory.
func Name(path string) string { return strings.TrimSuffix(filepath.Base(path), ".jsonl") }
