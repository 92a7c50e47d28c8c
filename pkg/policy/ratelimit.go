package policy

import (
	"errors"
	"slices"
	"time"
)

// A RateWindow is a key under which the start of a call counts: in the time of a window there are at
// most so many starts under one key.
type RateWindow struct {
	Key       string
	MaxStarts int
	Window    time.Duration
}

// MaxLedgerStarts is how many starts under one key a [Ledger] has to keep.
const MaxLedgerStarts = 1000

// A Ledger keeps when the calls of all runs of a user started. It may be used by several
// processes at once.
type Ledger interface {
	// Take returns the first time from at on at which a call can start that counts under all
	// of the uses, and takes that it starts then.
	Take(at time.Time, uses []RateWindow) (time.Time, error)
}

// NextFree returns the first time from at on at which one more call can start, of those that
// started, or will start, at these times. They are in order, and so is what it returns.
func (u RateWindow) NextFree(starts []time.Time, at time.Time) time.Time {
	if n := len(starts); n > 0 {
		at = laterTime(at, starts[n-1])
	}
	if i := len(starts) - u.MaxStarts; i >= 0 {
		at = laterTime(at, starts[i].Add(u.Window))
	}
	return at
}

// insertTime puts a time among others, in order.
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

// A limitWithRate is a limit with a rate, and the key of the calls that it is about. In a ledger they
// have a key of their own.
type limitWithRate struct {
	key, user string
	limit
}

// withRates returns those that have a rate.
func withRates(all ...limitWithRate) []limitWithRate {
	return slices.DeleteFunc(all, func(r limitWithRate) bool { return r.rate.Calls == 0 })
}

func (r limitWithRate) window(key string) RateWindow {
	u := RateWindow{Key: key, MaxStarts: r.maxAtOnce(), Window: r.rate.Per}
	if r.burst > 0 {
		u.Window = time.Duration(float64(r.rate.Per) / float64(r.rate.Calls) * float64(r.burst))
	}
	return u
}

// maxAtOnce is how many calls may start at once.
func (l limit) maxAtOnce() int {
	if l.burst > 0 {
		return l.burst
	}
	return l.rate.Calls
}

var errNoLedger = errors.New("the policy has a rate per user, but this run has no ledger")

// ReserveStart returns how long a call that was decided has to wait for its rates when it is about
// to start, and takes that it starts then: in the time of a burst there are never more
// calls than a burst has. Its record has been applied. An error is one of the ledger, and
// the call may not start.
func (d Decision) ReserveStart(s *State, id string, now time.Time) (time.Duration, error) {
	s.initMaps()
	at := now
	var shared []RateWindow
	for _, r := range d.rateLimits {
		if r.perUser {
			shared = append(shared, r.window(r.user))
			continue
		}
		at = r.window(r.key).NextFree(s.starts[r.key], at)
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
