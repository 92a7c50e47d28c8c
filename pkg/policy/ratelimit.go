package policy

import (
	"errors"
	"slices"
	"time"
)

// A RateWindow allows at most MaxStarts starts of calls under one key within Window.
type RateWindow struct {
	Key       string
	MaxStarts int
	Window    time.Duration
}

// MaxLedgerStarts is the number of past starts that a [Ledger] keeps per key.
const MaxLedgerStarts = 1000

// A Ledger records when calls of all runs of a user start. It is safe for use by several processes at once.
type Ledger interface {
	// Take reserves and returns the first time, not before at, at which a call can start
	// under all windows.
	Take(at time.Time, uses []RateWindow) (time.Time, error)
}

// NextFree returns the first time, not before at, at which another call can start. starts are past and reserved times
// in ascending order. It can be before a reserved one: a call that waits long for another rate delays no other call.
func (u RateWindow) NextFree(starts []time.Time, at time.Time) time.Time {
	for i := 0; i+u.MaxStarts <= len(starts); i++ {
		first, last := starts[i], starts[i+u.MaxStarts-1]
		isFull := last.Sub(first) < u.Window // a window with all of them has no room for another
		if isFull && last.Sub(at) < u.Window && at.Sub(first) < u.Window {
			at = first.Add(u.Window)
		}
	}
	return at
}

// insertTime inserts a time in ascending order.
func insertTime(starts []time.Time, at time.Time) []time.Time {
	i, _ := slices.BinarySearchFunc(starts, at, time.Time.Compare)
	return slices.Insert(starts, i, at)
}

func laterTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// A limitWithRate is a limit with a rate and the keys of its calls, in the run and in the ledger.
type limitWithRate struct {
	key, user string
	limit
}

// withRates returns the limits that have a rate.
func withRates(all ...limitWithRate) []limitWithRate {
	return slices.DeleteFunc(all, func(r limitWithRate) bool { return r.rate.Calls == 0 })
}

func (r limitWithRate) rateWindow(key string) RateWindow {
	u := RateWindow{Key: key, MaxStarts: r.maxBurst(), Window: r.rate.Per}
	if r.burst > 0 {
		u.Window = time.Duration(float64(r.rate.Per) / float64(r.rate.Calls) * float64(r.burst))
	}
	return u
}

// maxBurst returns how many calls may start at once.
func (l limit) maxBurst() int {
	if l.burst > 0 {
		return l.burst
	}
	return l.rate.Calls
}

var errNoLedger = errors.New("the policy has a rate per user, but this run has no ledger")

// ReserveStart reserves the start of an allowed call and returns how long the call must wait for its rates. The number
// of calls within the time of a burst never exceeds the burst. The record of the call must have been applied to the
// state. If the ledger returns an error, the call must not start.
func (d Decision) ReserveStart(s *State, id string, now time.Time) (time.Duration, error) {
	s.initMaps()
	at := now
	var shared []RateWindow
	for _, r := range d.rateLimits {
		if r.perUser {
			shared = append(shared, r.rateWindow(r.user))
			continue
		}
		starts := s.starts[r.key]
		if n := len(starts); n > 0 { // in order: the ledger may delay a call further
			at = laterTime(at, starts[n-1])
		}
		at = r.rateWindow(r.key).NextFree(starts, at)
	}
	if len(shared) > 0 {
		if d.ledger == nil {
			return 0, errNoLedger
		}
		var err error
		if at, err = d.ledger.Take(at, shared); err != nil {
			return 0, err
		}
	}
	s.recordStart(id, at)
	return at.Sub(now), nil
}
