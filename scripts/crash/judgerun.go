//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// A guilt is what a run must never be found guilty of.
type guilt string

const (
	repeated    guilt = "effects repeated without their key"
	unexplained guilt = "runs neither continued nor explained"
	twice       guilt = "answers printed twice as success"
	lost        guilt = "completed steps lost"
	unfit       guilt = "ends or files that are not as they should be"
)

var guilts = []guilt{repeated, unexplained, twice, lost, unfit}

// A charge is one violation in a history.
type charge struct {
	guilt guilt
	why   string
}

// judge compares a run with the one that was not disturbed.
func (w *world) judge(s *runHistory) ([]charge, error) {
	j, err := w.newJudgement(s)
	if err != nil {
		return nil, err
	}
	j.checkRepeats()
	j.checkEnd()
	j.checkSuccesses()
	j.checkSteps()
	j.checkReplaced()
	j.checkBeforeImages()
	j.checkFinalFiles()
	return j.charges, nil
}

// newJudgement begins one. A run file that is damaged now is a charge, and its records in front of that count.
func (w *world) newJudgement(s *runHistory) (*judgement, error) {
	files, err := w.takeSnapshot()
	if err != nil {
		return nil, err
	}
	log, err := w.readRunFile()
	j := &judgement{w: w, s: s, files: files, log: log, effects: parseEffects(files)}
	if err != nil {
		j.addCharge(unexplained, "the run file: %v", err)
	}
	return j, nil
}

type judgement struct {
	w       *world
	s       *runHistory
	files   folderSnapshot
	log     *runfile.Log
	effects map[string][]string // the keys with which each step was made
	charges []charge
}

func (j *judgement) addCharge(g guilt, format string, args ...any) {
	j.charges = append(j.charges, charge{g, fmt.Sprintf(format, args...)})
}

// parseEffects reads what the programs took down.
func parseEffects(files folderSnapshot) map[string][]string {
	effects := map[string][]string{}
	for line := range strings.Lines(files["work/effects.log"]) {
		key, rest, _ := strings.Cut(line, " ")
		step, _, _ := strings.Cut(rest, " ")
		effects[step] = append(effects[step], key)
	}
	return effects
}

// checkRepeats: an effect without a key happens once, one with a key under that key alone.
func (j *judgement) checkRepeats() {
	for _, step := range j.w.sc.steps {
		keys := j.effects[step.name]
		for _, key := range keys[min(1, len(keys)):] {
			switch {
			case !step.keyed:
				j.addCharge(repeated, "step %s happened %d times", step.name, len(keys))
			case key != keys[0] || key == "none":
				j.addCharge(repeated, "step %s happened under the keys %q", step.name, keys)
			}
		}
	}
}

// lastLegs returns the leg that says how the run ended: that before the one which shows that it cannot
// succeed again.
func (j *judgement) lastLegs() (end leg, again *leg) {
	legs := j.s.legs
	if n := len(legs); n > 1 && legs[n-2].exit == exitOK {
		return legs[n-2], &legs[n-1]
	}
	return j.s.last(), nil
}

// checkEnd: the run came to its answer, or said why not.
func (j *judgement) checkEnd() {
	end, _ := j.lastLegs()
	answer := j.w.sc.handedOverAnswer(end)
	switch {
	case end.exit == exitOK && answer == j.w.whole:
	case end.exit == exitOK:
		j.addCharge(unexplained, "the answer is %q, and that of the undisturbed run %q", answer, j.w.whole)
	case end.exit == exitUnknown:
		j.checkUnknownOutcome(end)
	case end.isAlreadyFinished():
		if !j.hasHandedOverAnswer() {
			j.addCharge(unexplained, "the run is said to have its answer, and never handed it over")
		}
	case end.hasNoRecord():
		if len(j.log.Records) > 0 || len(j.effects) > 0 {
			j.addCharge(unexplained, "the run is said not to have begun: %d records, effects %v", len(j.log.Records), j.effects)
		}
	default:
		j.addCharge(unexplained, "exit %d: %s%s", end.exit, end.stdout, end.stderr)
	}
}

// checkUnknownOutcome: a call has begun and its outcome is unknown. It is named.
func (j *judgement) checkUnknownOutcome(end leg) {
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
	j.addCharge(unexplained, "exit %d, open calls %v, and no word of them: %s", end.exit, open, end.stderr)
}

// hasHandedOverAnswer reports whether a leg that was killed had handed over the whole answer.
func (j *judgement) hasHandedOverAnswer() bool {
	for _, l := range j.s.legs {
		if j.w.sc.handedOverAnswer(l) == j.w.whole {
			return true
		}
	}
	return false
}

// checkSuccesses: there is one at most, but where the record could not say so.
func (j *judgement) checkSuccesses() {
	n := 0
	for _, l := range j.s.legs {
		if l.exit == exitOK && !l.hasUnrecordedEnd() {
			n++
		}
	}
	if n > 1 {
		j.addCharge(twice, "%d times", n)
	}
	if end, again := j.lastLegs(); again != nil && !end.hasUnrecordedEnd() && (!again.isAlreadyFinished() || !j.w.sc.wrapped && again.stdout != "") {
		j.addCharge(twice, "after its success: exit %d: %s%s", again.exit, again.stdout, again.stderr)
	}
}

// checkSteps: what was on record as done stays so, and what is on record as done has been done.
func (j *judgement) checkSteps() {
	now := completedChanges(j.log)
	for id := range j.s.done {
		if !now[id] {
			j.addCharge(lost, "the result of %s was on record, and is no more", id)
		}
	}
	end, _ := j.lastLegs()
	if end.exit != exitOK {
		return
	}
	told := j.countReportedFailures()
	for _, step := range j.w.sc.steps {
		if len(j.effects[step.name]) == 0 && told == 0 {
			j.addCharge(lost, "step %s did not happen", step.name)
		}
	}
	for name, content := range j.w.sc.files {
		if j.files["work/"+name] != content && !j.s.tools {
			j.addCharge(lost, "%s holds %q", name, j.files["work/"+name])
		}
	}
}

// checkReplaced: a file_put that fails after it has replaced the file says so (D5).
func (j *judgement) checkReplaced() {
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
				j.addCharge(lost, "the call %s has replaced %s, and says only: %s", b.Call, put[0], b.Result.Error.Message)
			}
		}
	}
}

// checkBeforeImages: the intent of a file_put describes the file as it was (decision 12), also where it was cut off and made
// again. What scenarios write to a file that a call of theirs has written is not held against it.
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
				j.addCharge(unfit, "the intent of %s says of %s before: %+v", b.Call, path, b.Before)
			}
		}
	}
}

// countReportedFailures counts the results that report a failure or an unknown outcome,
// and, where tools were disturbed, of any.
func (j *judgement) countReportedFailures() int {
	n := 0
	for _, r := range j.log.LiveRecords() {
		b, ok := r.Body.(runfile.Result)
		if !ok || b.Result.Error == nil {
			continue
		}
		if !j.s.tools && b.Result.Error.Code != chat.UnknownOutcome {
			j.addCharge(lost, "the call %s failed: %s", b.Call, b.Result.Error.Message)
		}
		n++
	}
	return n
}
