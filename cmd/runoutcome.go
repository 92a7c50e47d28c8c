package cmd

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/runfile"
	"oneshot/pkg/telemetry"
)

// A runState is the state of a run. Its exit, its envelope and the last record depend on it.
type runState struct {
	console  *console
	flags    *resolvedFlags
	recorded *recordedRun

	models        *chosenModels // nil until they are known
	text          *textStream   // nil without --stream
	status        *runStatus    // nil without a live line
	began         time.Time     // minus the time that a resumed run had used
	id, path      string        // of the record
	outcome       agent.Outcome
	hasNewRecords bool
	interrupted   []string  // calls with unknown outcome
	secretFlags   []string  // flags to repeat with --resume
	batch         *batchRun // which continues the run, not --resume; nil for a single run
	recordError   error     // of the last record
	findingsOf    int       // the turn that findings counts
	findings      int
}

// modelName returns the main model as far as it is known.
func (r *runState) modelName() string {
	switch {
	case r.models != nil:
		return r.models.names[0]
	case len(r.flags.model.names) > 0:
		return r.flags.model.names[0]
	}
	return ""
}

// takeRecordedUsage sets the usage of a resumed run that fails before it continues. Without a readable record nothing is known.
func (r *runState) takeRecordedUsage() {
	if r.recorded.resumed == nil {
		return
	}
	run, err := telemetry.ReadRun(r.path, nil)
	if err != nil {
		return
	}
	r.outcome.Turns, r.outcome.Models, r.outcome.Cost.Known = run.Turns, run.Models, true
	for _, m := range run.Models {
		r.outcome.Usage, r.outcome.Cost = r.outcome.Usage.Add(m.Usage), r.outcome.Cost.Add(m.Cost)
	}
}

// cost returns the cost of the run so far. Without a request it is known.
func (r *runState) cost() chat.Cost {
	return chat.Cost{Amount: r.outcome.Cost.Amount, Known: r.outcome.Cost.Known || len(r.outcome.Models) == 0}
}

// toolCounts counts the calls so far by tool and outcome.
func (r *runState) toolCounts() []runfile.ToolCount {
	counts := map[string]*runfile.ToolCount{}
	for _, c := range r.outcome.Calls {
		if counts[c.Tool] == nil {
			counts[c.Tool] = &runfile.ToolCount{Tool: c.Tool}
		}
		outcome := string(c.Status)
		if c.Code != "" {
			outcome = string(c.Code)
		}
		counts[c.Tool].Add(outcome)
	}
	var sorted []runfile.ToolCount
	for _, tool := range slices.Sorted(maps.Keys(counts)) {
		sorted = append(sorted, *counts[tool])
	}
	return sorted
}

// answerCodes are the codes of findings that a reader of the answer must know.
var answerCodes = []diag.Code{diag.UnsourcedLink, diag.AnswerIsQuestion, diag.ExposedData}

// maxAnswerWarnings bounds the warnings on record about an answer. The envelope has more.
const maxAnswerWarnings = 20

// answerWarnings returns the findings that a reader of the answer must know, as texts.
func (r *runState) answerWarnings() (warnings []string) {
	for _, f := range r.outcome.Findings {
		if slices.Contains(answerCodes, f.Code) && len(warnings) < maxAnswerWarnings {
			warnings = append(warnings, string(f.Code)+": "+f.Message)
		}
	}
	return warnings
}

// envelope returns the state of the run so far.
func (r *runState) envelope() *envelope {
	return &envelope{
		Answer: r.outcome.Answer, RunFile: r.path, RunID: r.id, Model: cmp.Or(r.outcome.Model, r.modelName()),
		Turns: r.outcome.Turns, Calls: r.outcome.Calls, ToolCalls: r.console.events.toolCalls(), Usage: r.outcome.Usage, Cost: r.cost(), Models: r.outcome.Models,
		Findings: r.outcome.Findings, Labels: r.outcome.Labels, Aborted: r.outcome.Aborted, Repairs: r.outcome.Repairs,
	}
}
