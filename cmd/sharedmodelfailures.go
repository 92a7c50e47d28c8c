package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"oneshot/pkg/provider"
)

// breakers keep the times of the last model failures in a file of the state directory, which the runs of a user share. They
// only affect the order of fallbacks, so their errors never end a run.
type breakers struct {
	file    stateFile
	console *console
}

const maxBreakersBytes = 1 << 20 // bytes

// newBreakers returns the breakers of the user, or nil without a state directory.
func newBreakers(env Env, t *console) *breakers {
	dir, err := makeStateDir(env, "breakers")
	if err != nil {
		t.note("model failures are not shared with other runs: %v", err)
		return nil
	}
	return &breakers{stateFile{dir: dir, name: "failed.json", what: "breakers", most: maxBreakersBytes, lockTimeout: time.Second}, t}
}

// breakerKey identifies a model at an address. It hashes the address, whose path may contain a key.
func breakerKey(name, address string) string { return name + " " + digest(name, address) }

// lastFailures returns the times of the last failures of models, by key. It drops times in the future: the clock was set back.
func (b *breakers) lastFailures(now time.Time) map[string]time.Time {
	release, err := b.file.lock()
	if err == nil {
		defer release()
		var kept map[string]time.Time
		if kept, err = b.read(); err == nil {
			maps.DeleteFunc(kept, func(_ string, at time.Time) bool { return at.After(now) })
			return kept
		}
	}
	b.console.note("model failures of other runs are unknown: %v", err)
	return nil
}

// setFailure stores the time of a failure, or removes the failure if the time is zero.
func (b *breakers) setFailure(key string, at time.Time) {
	if err := b.setTime(key, at); err != nil {
		b.console.note("model failures are not shared with other runs: %v", err)
	}
}

func (b *breakers) setTime(key string, at time.Time) error {
	release, err := b.file.lock()
	if err != nil {
		return err
	}
	defer release()
	kept, err := b.read()
	var damage *damagedError
	if errors.As(err, &damage) { // lastFailures has reported it already; replace the file
		kept, err = map[string]time.Time{}, nil
	}
	if err != nil {
		return err
	}
	maps.DeleteFunc(kept, func(_ string, then time.Time) bool { return time.Since(then) > provider.CoolDown })
	if delete(kept, key); !at.IsZero() {
		kept[key] = at.Round(0)
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return b.file.write(text)
}

// A damagedError reports a state file with invalid content.
type damagedError struct {
	path string
	err  error
}

func (e *damagedError) Error() string { return fmt.Sprintf("%s is damaged: %v", e.path, e.err) }

func (b *breakers) read() (map[string]time.Time, error) {
	kept := map[string]time.Time{}
	text, _, err := b.file.read()
	switch {
	case err != nil || text == nil:
		return kept, err
	case len(text) > maxBreakersBytes:
		return nil, &damagedError{b.file.path(), fmt.Errorf("it has more than %d bytes", maxBreakersBytes)}
	}
	if err := json.Unmarshal(text, &kept); err != nil {
		return nil, &damagedError{b.file.path(), err}
	}
	if kept == nil {
		return nil, &damagedError{b.file.path(), errors.New("it holds null")}
	}
	return kept, nil
}
