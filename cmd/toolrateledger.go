package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"oneshot/pkg/policy"
)

// userRates is the rate ledger of a user: a file in the state directory, replaced atomically under a lock. An unreadable
// file is an error.
type userRates struct {
	dir string
	dry bool // record nothing
}

// keptStarts are the start times of the calls of one key.
type keptStarts struct {
	Window time.Duration `json:"window_ns"` // the longest one used
	Starts []time.Time   `json:"starts"`    // in ascending order
}

// maxKeptStarts bounds the start times of one key, past and reserved.
const maxKeptStarts = 2 * policy.MaxLedgerStarts

// maxRatesBytes is the maximum size of the file, in bytes.
const maxRatesBytes = 16 << 20

// newUserRates returns the ledger of the user. It fails if the file is unreadable.
func newUserRates(env Env, dry bool) (*userRates, error) {
	dir, err := makeStateDir(env, "rates")
	if err != nil {
		return nil, err
	}
	l := &userRates{dir: dir, dry: dry}
	release, err := l.state().lock()
	if err != nil {
		return nil, err
	}
	defer release()
	_, err = l.read()
	return l, err
}

// state returns the file. A call fails if its rate cannot be stored.
func (l *userRates) state() stateFile {
	return stateFile{dir: l.dir, name: "starts.json", what: "rates", most: maxRatesBytes, lockTimeout: 10 * time.Second}
}

// Take implements [policy.Ledger].
func (l *userRates) Take(at time.Time, uses []policy.RateWindow) (time.Time, error) {
	return l.take(at, uses, func(time.Time) bool { return !l.dry })
}

// takeNow reserves a start if a call can start now. Otherwise it returns the next time at which one can.
func (l *userRates) takeNow(now time.Time, uses []policy.RateWindow) (time.Time, error) {
	return l.take(now, uses, func(at time.Time) bool { return !at.After(now) })
}

// take returns the first time, not before at, at which a call can start, and reserves it if isWanted accepts it.
func (l *userRates) take(at time.Time, uses []policy.RateWindow, isWanted func(time.Time) bool) (time.Time, error) {
	release, err := l.state().lock()
	if err != nil {
		return at, err
	}
	defer release()
	kept, err := l.read()
	if err != nil {
		return at, err
	}
	at = nextFreeOfAll(kept, at, uses)
	if !isWanted(at) {
		return at, nil
	}
	addStarts(kept, at, uses)
	dropExpired(kept, time.Now())
	return at, l.write(kept)
}

// nextFreeOfAll returns the first time, not before at, at which all windows have room.
func nextFreeOfAll(kept map[string]keptStarts, at time.Time, uses []policy.RateWindow) time.Time {
	for {
		next := at
		for _, u := range uses {
			next = u.NextFree(kept[u.Key].Starts, next)
		}
		if next.Equal(at) {
			return at
		}
		at = next
	}
}

// addStarts adds a start.
func addStarts(kept map[string]keptStarts, at time.Time, uses []policy.RateWindow) {
	for _, u := range uses {
		k := kept[u.Key]
		k.Starts = append(k.Starts, at.Round(0))
		slices.SortFunc(k.Starts, time.Time.Compare)
		k.Starts = k.Starts[max(0, len(k.Starts)-maxKeptStarts):]
		k.Window = max(k.Window, u.Window)
		kept[u.Key] = k
	}
}

// dropExpired drops start times outside of their window. It compares with now and not with the start of a waiting call,
// because other calls may start earlier.
func dropExpired(kept map[string]keptStarts, now time.Time) {
	for key, k := range kept {
		if k.Starts[len(k.Starts)-1].Add(k.Window).Before(now) {
			delete(kept, key)
		}
	}
}

// read returns the recorded starts.
func (l *userRates) read() (map[string]keptStarts, error) {
	kept := map[string]keptStarts{}
	text, written, err := l.state().read()
	if err != nil || text == nil {
		return kept, err
	}
	if err := decodeRates(text, &kept); err != nil {
		return nil, &hintedError{&inputError{fmt.Errorf("rates: %s is damaged: %w", l.state().path(), err)},
			"rate-limited calls fail until it is removed; removing it forgets the recorded calls"}
	}
	shiftStarts(kept, time.Until(written))
	return kept, nil
}

// shiftStarts shifts start times if the clock was set back, so that no call waits for the old time.
func shiftStarts(kept map[string]keptStarts, ahead time.Duration) {
	if ahead <= 0 {
		return
	}
	for _, k := range kept {
		for i := range k.Starts {
			k.Starts[i] = k.Starts[i].Add(-ahead)
		}
	}
}

// decodeRates parses and validates the file.
func decodeRates(text []byte, kept *map[string]keptStarts) error {
	if len(text) > maxRatesBytes {
		return fmt.Errorf("it has more than %d bytes", maxRatesBytes)
	}
	if err := json.Unmarshal(text, kept); err != nil {
		return err
	}
	if *kept == nil {
		return errors.New("it holds null")
	}
	for key, k := range *kept {
		if len(k.Starts) == 0 || len(k.Starts) > maxKeptStarts || k.Window <= 0 {
			return fmt.Errorf("invalid entry for %q", key)
		}
	}
	return nil
}

// write replaces the file.
func (l *userRates) write(kept map[string]keptStarts) error {
	text, err := json.Marshal(kept)
	if err != nil {
		return err // times of this century always have a JSON form
	}
	return l.state().write(text)
}
