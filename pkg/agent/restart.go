package agent

import (
	"errors"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// Restarts returns the turns at which a recorded run ended before it was resumed, and the turn at
// which it last ended: 0 if it was cut off. If useless replies or too many repairs ended the run,
// the resumed run asks once more.
func Restarts(log *runfile.Log) (turns []int, last int) {
	for _, record := range log.Records {
		switch b := record.Body.(type) {
		case runfile.Response:
			last = 0
		case runfile.End:
			if b.Exit != 0 {
				last = b.Turns
			}
		case runfile.Resumed:
			if last > 0 {
				turns = append(turns, last)
			}
			last = 0
		}
	}
	return turns, last
}

// resetIfResumePoint reports whether the run ended in this turn and was resumed. If so, it resets
// the counters of repairs and reminders, and the model gets another reminder instead of the end of
// the run.
func (r *run) resetIfResumePoint() bool {
	if !slices.Contains(r.cfg.Restarts, r.out.Turns) {
		return false
	}
	r.uselessReplies, r.repliesWithoutCall, r.repliesWithLeak, r.repairs = 0, 0, 0, 0
	return true
}

// unmetRequirements returns the required tools without a successful call.
func (r *run) unmetRequirements() []string {
	return slices.DeleteFunc(slices.Clone(r.cfg.Require), func(name string) bool { return r.succeeded[name] })
}

// allDenied returns an error if calls were denied and no call was executed, else nil.
func (r *run) allDenied() error {
	e := &AllDeniedError{Calls: len(r.reports)}
	for _, c := range r.reports {
		switch {
		case c.Status == CallDenied:
			e.Denied++
		case c.Status == CallSkipped, c.Status == CallDiscarded, c.Code == chat.InvalidArguments, c.Code == chat.UnknownTool:
		default:
			return nil
		}
	}
	if e.Denied == 0 {
		return nil
	}
	return e
}

// rootCause replaces a [ModelError] by its likely cause: required work that is missing, or denied
// calls.
func (r *run) rootCause(err error) error {
	undone := r.unmetRequirements()
	switch {
	case !errors.As(err, new(*ModelError)):
		return err
	case len(undone) > 0:
		return &RequiredError{Tools: undone, Err: err}
	case r.allDenied() != nil:
		return r.allDenied()
	}
	return err
}
