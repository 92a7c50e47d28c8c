package agent

import (
	"time"

	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
)

// A journal feeds each step of the run to its recorder, if any, and to the policy state. In a
// resumed run it first checks the steps against the record. It keeps its first error: after a
// record that may be lost, no other is written.
type journal struct {
	to         Recorder
	unreplayed []runfile.Record // steps of the resumed run that are not repeated yet
	state      policy.State
	err        error
}

// append records the next step of the run, or checks it against the recorded one.
func (j *journal) append(body runfile.Body) error {
	if j.err != nil {
		return j.err
	}
	if len(j.unreplayed) > 0 {
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
	return nil
}

// isNew reports whether the next step is to be recorded: there is a recorder and no recorded step
// is left.
func (j *journal) isNew() bool { return j.to != nil && len(j.unreplayed) == 0 }

func (j *journal) sync() error {
	if j.err == nil && j.isNew() {
		j.err = j.to.Sync()
	}
	return j.err
}

// deltaCount returns the number of deltas of a response. A replay delivers a response in one piece,
// so the recorded count takes precedence if it is higher.
func (j *journal) deltaCount(live int) int {
	if len(j.unreplayed) > 0 {
		if recorded, ok := j.unreplayed[0].Body.(runfile.Response); ok {
			return max(live, recorded.DeltaCount)
		}
	}
	return live
}
