package agent

import (
	"time"

	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
)

// A journal is the record of a run, if it keeps one, and what the policy knows of the run:
// joinErrors are told the same. Its first error stays: what comes after a record that may be lost
// is not to be recorded.
type journal struct {
	to    Recorder
	past  []runfile.Record // of a run that goes on, which it has not come to again
	state policy.State
	err   error
}

// append takes in the next thing that happened, which is on record already if it had
// happened when the run was left.
func (j *journal) append(body runfile.Body) error {
	if j.err != nil {
		return j.err
	}
	if len(j.past) > 0 {
		j.err = j.again(body)
		return j.err
	}
	j.state.Apply(time.Now(), body)
	if j.to != nil {
		j.err = j.to.Append(body)
	}
	return j.err
}

// retryUseless takes in what happened before the run was left.
func (j *journal) again(body runfile.Body) error {
	next := j.past[0]
	if why := diffSteps(next.Body, body); why != "" {
		return &DivergedError{Record: next.Seq, Why: why}
	}
	j.past = j.past[1:]
	j.state.Apply(next.Time, next.Body)
	return nil
}

// isNew reports whether what happens next is to be recorded: it did not happen before the run was left.
func (j *journal) isNew() bool { return j.to != nil && len(j.past) == 0 }

func (j *journal) sync() error {
	if j.err == nil && j.isNew() {
		j.err = j.to.Sync()
	}
	return j.err
}

// pieces returns in how many pieces a response came: those of which the run hears now, or,
// where it is played again as a whole, those that are on record.
func (j *journal) pieces(heard int) int {
	if len(j.past) > 0 {
		if then, ok := j.past[0].Body.(runfile.Response); ok {
			return max(heard, then.Pieces)
		}
	}
	return heard
}
