//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// A violationKind is a kind of violation.
type violationKind string

const (
	repeated    violationKind = "effects repeated without their key"
	unexplained violationKind = "runs neither continued nor explained"
	twice       violationKind = "answers printed twice as success"
	lost        violationKind = "completed steps lost"
	unfit       violationKind = "ends or files that are not as they should be"
)

var violationKinds = []violationKind{repeated, unexplained, twice, lost, unfit}

// A violation is a breach of a guarantee in a run.
type violation struct {
	kind violationKind
	why  string
}

// findViolations compares a run with the undisturbed one.
func (w *workspace) findViolations(s *runHistory) ([]violation, error) {
	j, err := w.newJudgement(s)
	if err != nil {
		return nil, err
	}
	j.checkEffectsOnce()
	if w.sc.isBatch() {
		j.checkBatch()
		return j.violations, nil
	}
	j.checkEnd()
	j.checkSingleSuccess()
	j.checkRecordedSteps()
	j.checkFailedPutsReportEffect()
	j.checkBeforeImages()
	j.checkFinalFiles()
	return j.violations, nil
}

// newJudgement reads the state after a run. A damaged run file is a violation, and the records before the damage
// count.
func (w *workspace) newJudgement(s *runHistory) (*judgement, error) {
	files, err := w.takeSnapshot()
	if err != nil {
		return nil, err
	}
	log, err := w.readRunFile()
	j := &judgement{w: w, s: s, files: files, log: log, effects: parseEffects(files)}
	if err != nil {
		j.addViolation(unexplained, "the run file: %v", err)
	}
	return j, nil
}

type judgement struct {
	w          *workspace
	s          *runHistory
	files      folderSnapshot
	log        *runfile.Log
	effects    map[string][]string // the keys of each step
	violations []violation
}

func (j *judgement) addViolation(g violationKind, format string, args ...any) {
	j.violations = append(j.violations, violation{g, fmt.Sprintf(format, args...)})
}

// parseEffects parses the log of effects.
func parseEffects(files folderSnapshot) map[string][]string {
	effects := map[string][]string{}
	for line := range strings.Lines(files["work/effects.log"]) {
		key, rest, _ := strings.Cut(line, " ")
		step, _, _ := strings.Cut(rest, " ")
		effects[step] = append(effects[step], key)
	}
	return effects
}

// checkEffectsOnce checks that an effect without a key happens once, and one with a key only under that key.
func (j *judgement) checkEffectsOnce() {
	for _, step := range j.w.sc.steps {
		keys := j.effects[step.name]
		for _, key := range keys[min(1, len(keys)):] {
			switch {
			case !step.keyed:
				j.addViolation(repeated, "step %s happened %d times", step.name, len(keys))
			case key != keys[0] || key == "none":
				j.addViolation(repeated, "step %s happened under the keys %q", step.name, keys)
			}
		}
	}
}

// lastLegs returns the leg that reports how the run ended, and the one after it, which shows that the run cannot
// succeed again.
func (j *judgement) lastLegs() (end leg, again *leg) {
	legs := j.s.legs
	if n := len(legs); n > 1 && legs[n-2].exit == exitOK {
		return legs[n-2], &legs[n-1]
	}
	return j.s.last(), nil
}

// checkEnd checks that the run ended with its answer, or reported why not.
func (j *judgement) checkEnd() {
	end, _ := j.lastLegs()
	answer := j.w.sc.deliveredAnswer(end)
	switch {
	case end.exit == exitOK && answer == j.w.whole:
	case end.exit == exitOK:
		j.addViolation(unexplained, "the answer is %q, and that of the undisturbed run %q", answer, j.w.whole)
	case end.exit == exitUnknown:
		j.checkOpenCallReported(end)
	case end.isAlreadyFinished():
		if !j.hasDeliveredAnswer() {
			j.addViolation(unexplained, "the run is said to have its answer, and never handed it over")
		}
	case end.hasNoRecord():
		if len(j.log.Records) > 0 || len(j.effects) > 0 {
			j.addViolation(unexplained, "the run is said not to have begun: %d records, effects %v", len(j.log.Records), j.effects)
		}
	case end.lacksAttachment():
		if isRequest := func(r runfile.Record) bool { return r.Kind == runfile.KindRequest }; slices.ContainsFunc(j.log.Records, isRequest) || len(j.effects) > 0 {
			j.addViolation(unexplained, "the run is said to lack its attachment, and has begun: effects %v", j.effects)
		}
	default:
		j.addViolation(unexplained, "exit %d: %s%s", end.exit, end.stdout, end.stderr)
	}
}

// checkOpenCallReported checks that a call that has begun and whose outcome is unknown is named.
func (j *judgement) checkOpenCallReported(end leg) {
	open := map[string]bool{}
	for _, r := range j.log.LiveRecords() {
		switch b := r.Body.(type) {
		case runfile.Intent:
			open[b.Call] = true
		case runfile.Result:
			delete(open, b.Call)
		}
	}
	for id := range open {
		if strings.Contains(end.stderr, "call "+id+" of ") {
			return
		}
	}
	j.addViolation(unexplained, "exit %d, open calls %v, and no word of them: %s", end.exit, open, end.stderr)
}

// hasDeliveredAnswer reports whether a leg has delivered the whole answer.
func (j *judgement) hasDeliveredAnswer() bool {
	for _, l := range j.s.legs {
		if j.w.sc.deliveredAnswer(l) == j.w.whole {
			return true
		}
	}
	return false
}

// checkSingleSuccess checks that at most one leg succeeds, unless its success could not be recorded.
func (j *judgement) checkSingleSuccess() {
	n := 0
	for _, l := range j.s.legs {
		if l.exit == exitOK && !l.hasUnrecordedEndWarning() {
			n++
		}
	}
	if n > 1 {
		j.addViolation(twice, "%d times", n)
	}
	if end, again := j.lastLegs(); again != nil && !end.hasUnrecordedEndWarning() && (!again.isAlreadyFinished() || !j.w.sc.wrapped && again.stdout != "") {
		j.addViolation(twice, "after its success: exit %d: %s%s", again.exit, again.stdout, again.stderr)
	}
}

// checkRecordedSteps checks that steps recorded as done stay recorded, and have been done.
func (j *judgement) checkRecordedSteps() {
	now := completedChanges(j.log)
	for id := range j.s.done {
		if !now[id] {
			j.addViolation(lost, "the result of %s was on record, and is no more", id)
		}
	}
	end, _ := j.lastLegs()
	if end.exit != exitOK {
		return
	}
	told := j.countReportedFailures()
	for _, step := range j.w.sc.steps {
		if len(j.effects[step.name]) == 0 && told == 0 {
			j.addViolation(lost, "step %s did not happen", step.name)
		}
	}
	for name, content := range j.w.sc.files {
		if j.files["work/"+name] != content && !j.s.tools {
			j.addViolation(lost, "%s holds %q", name, j.files["work/"+name])
		}
	}
}

// checkFailedPutsReportEffect checks that a file_put that fails after replacing the file reports the change
// (D5).
func (j *judgement) checkFailedPutsReportEffect() {
	puts := map[string][2]string{}
	for _, r := range j.log.LiveRecords() {
		switch b := r.Body.(type) {
		case runfile.Call:
			var args struct{ Path, Content string }
			if json.Unmarshal(b.Effective, &args) == nil && b.Name == "file_put" {
				puts[b.ID] = [2]string{args.Path, args.Content}
			}
		case runfile.Result:
			put, ok := puts[b.Call]
			if ok && b.Result.Error != nil && j.files["work/"+put[0]] == put[1] && !strings.Contains(b.Result.Error.Message, "taken effect") {
				j.addViolation(lost, "the call %s has replaced %s, and says only: %s", b.Call, put[0], b.Result.Error.Message)
			}
		}
	}
}

// checkBeforeImages checks that the intent of a file_put describes the previous file (decision 12), even if the
// call was interrupted and repeated. Files that the scenario's own calls wrote are exempt.
func (j *judgement) checkBeforeImages() {
	paths, seen := map[string]string{}, map[string]bool{}
	for _, r := range j.log.LiveRecords() {
		switch b := r.Body.(type) {
		case runfile.Call:
			var args struct{ Path string }
			if json.Unmarshal(b.Effective, &args) == nil && b.Name == "file_put" {
				paths[b.ID] = args.Path
			}
		case runfile.Intent:
			path, isPut := paths[b.Call]
			if !isPut || seen[path] {
				continue
			}
			seen[path] = true
			want := runfile.BeforeImage{State: chat.FileMissing}
			if path == "text.md" {
				want = runfile.BeforeImage{State: chat.FilePresent, Bytes: int64(len(textBefore)), SHA256: digest(textBefore), Text: textBefore}
			}
			if b.Before == nil || *b.Before != want {
				j.addViolation(unfit, "the intent of %s says of %s before: %+v", b.Call, path, b.Before)
			}
		}
	}
}

// countReportedFailures counts the results that report a failure or an unknown outcome; if tools were disturbed,
// those of all calls.
func (j *judgement) countReportedFailures() int {
	n := 0
	for _, r := range j.log.LiveRecords() {
		b, ok := r.Body.(runfile.Result)
		if !ok || b.Result.Error == nil {
			continue
		}
		if !j.s.tools && b.Result.Error.Code != chat.UnknownOutcome {
			j.addViolation(lost, "the call %s failed: %s", b.Call, b.Result.Error.Message)
		}
		n++
	}
	return n
}
