package agent

import (
	"errors"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// Restarts returns the turns in which a recorded run ended before it was resumed, and the one in which it ended
// last: 0 if it was cut off. Where useless replies or too many repairs ended it, the resumed run asks once more.
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

// restarts reports whether the run ended in this turn and was resumed. Then the counters of repairs and reminders begin
// anew, and the model is reminded instead of ending the run.
func (r *run) restarts() bool {
	if !slices.Contains(r.cfg.Restarts, r.out.Turns) {
		return false
	}
	r.unusable, r.reminded, r.leaked, r.repairs = 0, 0, 0, 0
	return true
}

// unmetRequirements returns the required tools of which no call has succeeded.
func (r *run) unmetRequirements() []string {
	return slices.DeleteFunc(slices.Clone(r.cfg.Require), func(name string) bool { return r.worked[name] })
}

// allDenied returns an error if calls were denied and no other call was carried out, else nil.
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

// rootCause returns why the run failed: where the model ended it badly, work that was required or denied says more.
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
