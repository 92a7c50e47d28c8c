package agent

import (
	"time"

	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
)

// A journal feeds each step of the run to its recorder, if any, to the policy state and, as an
// event, to the observer. In a resumed run it first checks the steps against the record, and
// repeated steps emit no events. It keeps its first error: after a record that may be lost, no other
// is written.
type journal struct {
	to         Recorder
	observe    func(Event)
	unreplayed []runfile.Record // steps of the resumed run that are not repeated yet
	recorded   recordedCalls    // of the resumed run
	state      policy.State
	turn       int            // number of the latest request
	findings   []diag.Finding // faults tolerated or rejected in the model's output
	live       func()         // called once no step is left to repeat; may be nil
	err        error
}

func newJournal(cfg GateConfig, history []runfile.Record) *journal {
	j := &journal{to: cfg.Recorder, observe: cfg.Observe, recorded: newRecordedCalls(history)}
	if j.observe == nil {
		j.observe = func(Event) {}
	}
	if len(history) > 0 { // the first record holds the options of the run
		j.unreplayed = clampTimes(history[1:], time.Now())
	}
	return j
}

// append records the next step of the run, or checks it against the recorded one.
func (j *journal) append(body runfile.Body) error {
	if j.err != nil {
		return j.err
	}
	if j.isReplaying() {
		j.err = j.replayNext(body)
		return j.err
	}
	j.state.Apply(time.Now(), body)
	if j.to != nil {
		j.err = j.to.Append(body)
	}
	return j.err
}

// replayNext checks a step of a resumed run against the next recorded one.
func (j *journal) replayNext(body runfile.Body) error {
	next := j.unreplayed[0]
	if why := diffSteps(next.Body, body); why != "" {
		return &DivergedError{Record: next.Seq, Why: why}
	}
	j.unreplayed = j.unreplayed[1:]
	j.state.Apply(next.Time, next.Body)
	if !j.isReplaying() && j.live != nil {
		j.live()
	}
	return nil
}

// onLive calls f once no recorded step is left to repeat.
func (j *journal) onLive(f func()) {
	if j.live = f; !j.isReplaying() {
		f()
	}
}

// isReplaying reports whether recorded steps are left to repeat.
func (j *journal) isReplaying() bool { return len(j.unreplayed) > 0 }

// isRecording reports whether the next step is to be recorded: there is a recorder and no recorded step
// is left.
func (j *journal) isRecording() bool { return j.to != nil && !j.isReplaying() }

func (j *journal) sync() error {
	if j.err == nil && j.isRecording() {
		j.err = j.to.Sync()
	}
	return j.err
}

// deltaCount returns the number of deltas of a response. A replay delivers a response in one piece,
// so the recorded count takes precedence if it is higher.
func (j *journal) deltaCount(live int) int {
	if j.isReplaying() {
		if recorded, ok := j.unreplayed[0].Body.(runfile.Response); ok {
			return max(live, recorded.DeltaCount)
		}
	}
	return live
}

// emit emits an event of the current turn.
func (j *journal) emit(e Event) {
	if e.Turn = j.turn; !j.isReplaying() {
		j.observe(e)
	}
}

// reportFindings keeps findings and emits their events.
func (j *journal) reportFindings(findings ...diag.Finding) {
	j.findings = append(j.findings, findings...)
	for _, f := range findings {
		j.emit(Event{Kind: EventFinding, Finding: f})
	}
}
