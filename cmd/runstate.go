package cmd

import (
	"cmp"

	"oneshot/pkg/agent"
)

// A runState is what a run has done so far. Its exit, its envelope and the last record depend on it.
type runState struct {
	console  *console
	flags    *resolvedFlags
	recorded *recordedRun

	models        *chosenModels // nil until they are known
	text          *textStream   // nil without --stream
	id, path      string        // of the record
	outcome       agent.Outcome
	hasNewRecords bool
	interrupted   []string // calls with unknown outcome
	secretFlags   []string // flags to repeat with --resume
	isOfBatch     bool     // a batch continues the run, not --resume
	recordError   error    // of the last record
	findingsOf    int      // the turn that findings counts
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

// envelope returns the state of the run so far.
func (r *runState) envelope() *envelope {
	return &envelope{
		Answer: r.outcome.Answer, RunFile: r.path, RunID: r.id, Model: cmp.Or(r.outcome.Model, r.modelName()),
		Turns: r.outcome.Turns, Calls: r.outcome.Calls, ToolCalls: r.console.events.toolCalls(), Usage: r.outcome.Usage,
		Findings: r.outcome.Findings, Labels: r.outcome.Labels, Aborted: r.outcome.Aborted, Repairs: r.outcome.Repairs,
	}
}
