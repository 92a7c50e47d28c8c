// Package telemetry makes statistics and traces of recorded runs.
package telemetry

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/pricing"
	"oneshot/pkg/runfile"
)

// Unfinished is the name of the exit of a run that still runs, or was cut off.
const Unfinished = "unfinished"

// A Run is what statistics need to know about a recorded run.
type Run struct {
	Start   time.Time
	Model   string // the main model
	Agent   string // "" without an agent file
	Exit    string // name of the exit, or Unfinished
	Turns   int
	Calls   int
	Models  []chat.ModelUsage
	Tools   []runfile.ToolCount
	Seconds float64
}

// isReplay reports whether a run with this model replayed a recording, which sends and costs nothing.
func isReplay(model string) bool { return model == "demo" || strings.HasPrefix(model, "replay:") }

// ReadRun reads the run file at path. It reads only the first and the last record, unless the run has no end.
func ReadRun(path string) (Run, error) {
	if s, ok, err := runfile.ReadSummary(path); ok && err == nil {
		if end, ok := s.Last.Body.(runfile.End); ok {
			run := newRun(s.First)
			run.end(s.Last, end)
			return run, nil
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return Run{}, err
	}
	defer f.Close()
	scan, fold := runfile.NewScanner(f), newFold()
	for r := range scan.Records() {
		fold.add(r)
	}
	if scan.Err != nil {
		return Run{}, scan.Err
	}
	if log := (&runfile.Log{Torn: scan.Torn}); fold.run.Start.IsZero() {
		return Run{}, cmp.Or(log.CheckNotEmpty(), errNoRun)
	}
	return fold.run, nil
}

type noRunError struct{}

func (noRunError) Error() string { return "not a run file" }

var errNoRun error = noRunError{}

func newRun(first runfile.Record) Run {
	b, _ := first.Body.(runfile.Run)
	r := Run{Start: first.Time, Model: b.Model, Exit: Unfinished}
	if b.Agent != nil {
		r.Agent = b.Agent.Name
	}
	return r
}

func (r *Run) end(record runfile.Record, b runfile.End) {
	r.Exit, r.Turns, r.Calls, r.Models, r.Tools = b.Name, b.Turns, b.Calls, b.Models, b.Tools
	r.Seconds = record.Time.Sub(r.Start).Seconds()
}

// A fold is a run made of all its records.
type fold struct {
	run    Run
	prices pricing.Prices
	tools  map[string]string // of the calls, by ID
}

func newFold() *fold { return &fold{prices: pricing.Prices{}, tools: map[string]string{}} }

func (f *fold) add(r runfile.Record) {
	f.run.Seconds = r.Time.Sub(f.run.Start).Seconds()
	switch b := r.Body.(type) {
	case runfile.Run:
		f.run = newRun(r)
		f.addPrices(b.Resolved)
	case runfile.Resumed:
		f.run.Exit = Unfinished
		f.addPrices(b.Resolved)
	case runfile.Request:
		f.run.Turns = b.Turn
	case runfile.Attempt:
		if b.Charged {
			f.use(b.By, 0, b.Usage)
		}
	case runfile.Response:
		f.use(b.By, 1, b.Usage)
	case runfile.Call:
		f.tools[b.ID] = b.Name
		f.run.Calls++
	case runfile.Result:
		f.count(f.tools[b.Call], outcomeOf(b.Result))
	case runfile.Discarded:
		f.count(f.tools[b.Call], "discarded")
	case runfile.UnknownOutcome:
		f.count(f.tools[b.Call], string(chat.UnknownOutcome))
	case runfile.End:
		f.run.end(r, b)
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
	cost := chat.Cost{}
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

// count counts the outcome of a call of a tool.
func (f *fold) count(tool, outcome string) {
	for i := range f.run.Tools {
		if f.run.Tools[i].Tool == tool {
			f.run.Tools[i].Add(outcome)
			return
		}
	}
	c := runfile.ToolCount{Tool: tool}
	c.Add(outcome)
	f.run.Tools = append(f.run.Tools, c)
}

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
