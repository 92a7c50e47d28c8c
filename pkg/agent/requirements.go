package agent

import (
	"errors"
	"slices"

	"oneshot/pkg/chat"
)

// unmetRequirements returns the required tools without a successful call.
func (r *run) unmetRequirements() []string {
	return slices.DeleteFunc(slices.Clone(r.cfg.RequiredTools), func(name string) bool { return r.succeeded[name] })
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
	unmet := r.unmetRequirements()
	switch {
	case !errors.As(err, new(*ModelError)):
		return err
	case len(unmet) > 0:
		return &RequiredError{Tools: unmet, Err: err}
	case r.allDenied() != nil:
		return r.allDenied()
	}
	return err
}
