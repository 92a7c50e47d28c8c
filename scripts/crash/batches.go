//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"oneshot/scripts/modelserver"
)

// A batch is a scenario with several records. Its steps begin with the ID of a record, which the model takes from the
// request.

// recordName is replaced by the ID of the record in the calls of a batch.
const recordName = "RECORD"

// batchRecords are the records of a batch.
var batchRecords = []string{"ada", "bob", "cyd"}

// batchScenario returns a batch with a number of concurrent runs.
func batchScenario(concurrency int) *scenario {
	sc := &scenario{
		name: fmt.Sprintf("batch-of-%d", concurrency), concurrency: concurrency, api: modelserver.Chat, dialect: "native", file: true,
		flags: []string{"--allow", "post_*", "--tools", "tools", "--tool", "post_*", "--allow-host", address},
		turns: [][]call{{postedPlainCall(recordName + "-one")}, {postedCall(recordName + "-two")}},
	}
	sc.deriveFields()
	of := sc.steps
	sc.steps = nil
	for _, record := range batchRecords {
		for _, s := range of {
			sc.steps = append(sc.steps, step{strings.ReplaceAll(s.name, recordName, record), s.keyed})
		}
	}
	return sc
}

// isBatch reports whether the scenario is a batch.
func (sc *scenario) isBatch() bool { return sc.concurrency > 0 }

// batchRecordLines returns the input of a batch.
func batchRecordLines() string {
	var b strings.Builder
	for _, record := range batchRecords {
		fmt.Fprintf(&b, `{"id":%q,"name":%q}`+"\n", record, record)
	}
	return b.String()
}

// batchArgs are the arguments that start a batch and continue it.
func (w *workspace) batchArgs() []string {
	args := []string{"batch", "--api", string(w.sc.api), "--base-url", w.sc.api.Base(w.model.address()), "--model", "scripted", "--dialect", w.sc.dialect,
		"--concurrency", fmt.Sprint(w.sc.concurrency), "--prompt", "Go for ${name}"}
	for _, flag := range w.sc.flags {
		args = append(args, strings.ReplaceAll(flag, address, w.model.address()))
	}
	return append(append(args, w.answerOutputFlags()...), "records.jsonl")
}

// recordOf returns the ID of the record that a request is about, or "".
func recordOf(body []byte) string {
	for _, record := range batchRecords {
		if strings.Contains(string(body), `[name]\n`+record) {
			return record
		}
	}
	return ""
}

// An outputLine holds the compared members of a line of a batch's output.
type outputLine struct {
	ID   string
	Exit struct{ Code int }
	// Error is set if the run failed.
	Error *struct{ Message string }
}

// checkBatch checks the output of a batch that has come to its end: each record has one line, in their order, with an
// answer or the call whose outcome is unknown, and continuing it once more changes nothing.
func (j *judgement) checkBatch() {
	end, again := j.lastLegs()
	if end.exit != exitOK && end.exit != exitFindings {
		j.addViolation(unexplained, "exit %d: %s%s", end.exit, end.stdout, end.stderr)
		return
	}
	var ids []string
	failed := false
	for text := range strings.Lines(end.file) {
		var l outputLine
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			j.addViolation(unfit, "the line %q: %v", text, err)
			continue
		}
		ids = append(ids, l.ID)
		failed = failed || l.Exit.Code != exitOK
		switch {
		case l.Exit.Code == exitOK:
			j.checkStepsHappened(l.ID)
		case l.Exit.Code != exitUnknown || l.Error == nil || !strings.Contains(l.Error.Message, "call "):
			j.addViolation(unexplained, "the line of %s: %s", l.ID, text)
		}
	}
	if !slices.Equal(ids, batchRecords) {
		j.addViolation(lost, "there are lines for %q", ids)
	}
	if failed != (end.exit == exitFindings) {
		j.addViolation(unexplained, "exit %d, and a record failed: %v", end.exit, failed)
	}
	if again != nil && (again.exit != exitOK || again.file != end.file) {
		j.addViolation(twice, "continued after its end: exit %d: %s", again.exit, again.stderr)
	}
}

// checkStepsHappened checks that all steps of a record happened.
func (j *judgement) checkStepsHappened(id string) {
	for _, step := range j.w.sc.steps {
		if strings.HasPrefix(step.name, id+"-") && len(j.effects[step.name]) == 0 {
			j.addViolation(lost, "step %s did not happen", step.name)
		}
	}
}
