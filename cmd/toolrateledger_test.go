package cmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"oneshot/pkg/policy"
)

// ledger returns the rate ledger of a new state directory.
func ledger(t *testing.T) *userRates {
	t.Helper()
	env := Env{Getenv: func(name string) string { return map[string]string{"XDG_STATE_HOME": t.TempDir()}[name] }}
	l, err := newUserRates(env, false)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Calls of several runs share a rate, and a call with two rates waits for both.
func TestUserRates(t *testing.T) {
	l, now := ledger(t), time.Now().Add(time.Hour).Truncate(time.Second) // the future: expired starts are dropped
	twice, once := policy.RateWindow{Key: "wget", MaxStarts: 2, Window: time.Second}, policy.RateWindow{Key: "wget docs", MaxStarts: 1, Window: time.Minute}
	for i, c := range []struct {
		after time.Duration
		uses  []policy.RateWindow
		want  time.Duration
	}{
		{0, []policy.RateWindow{twice}, 0},
		{0, []policy.RateWindow{twice}, 0},
		{0, []policy.RateWindow{twice}, time.Second},
		{500 * time.Millisecond, []policy.RateWindow{once}, 500 * time.Millisecond},
		{600 * time.Millisecond, []policy.RateWindow{twice, once}, 60*time.Second + 500*time.Millisecond},
		{700 * time.Millisecond, []policy.RateWindow{twice}, time.Second}, // not delayed by the waiting call before it
		{700 * time.Millisecond, []policy.RateWindow{twice, once}, 120*time.Second + 500*time.Millisecond},
		{60 * time.Second, []policy.RateWindow{twice}, 60 * time.Second},
		{60 * time.Second, []policy.RateWindow{twice}, 61 * time.Second}, // 60 and 60.5 s are taken
		{2 * time.Hour, []policy.RateWindow{twice}, 2 * time.Hour},
		{2 * time.Hour, []policy.RateWindow{twice, once}, 2 * time.Hour},
	} {
		other := &userRates{dir: l.dir, dry: true} // another process sees the same
		seen, err := other.Take(now.Add(c.after), c.uses)
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.Take(now.Add(c.after), c.uses)
		if err != nil || got.Sub(now) != c.want || !seen.Equal(got) {
			t.Errorf("call %d starts at %v (%v), want %v; it was foreseen at %v", i, got.Sub(now), err, c.want, seen.Sub(now))
		}
	}
}

// Concurrent calls never exceed the rate, the file stays private, and no temporary file remains.
func TestUserRatesTogether(t *testing.T) {
	l, now := ledger(t), time.Now()
	u := policy.RateWindow{Key: "k", MaxStarts: 3, Window: time.Second}
	var mu sync.Mutex
	var starts []time.Time
	var running sync.WaitGroup
	for range 40 {
		running.Go(func() {
			at, err := (&userRates{dir: l.dir}).Take(now, []policy.RateWindow{u})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			starts = append(starts, at)
		})
	}
	running.Wait()
	slices.SortFunc(starts, time.Time.Compare)
	for i := 3; i < len(starts); i++ {
		if d := starts[i].Sub(starts[i-3]); d < time.Second {
			t.Errorf("4 calls start within %v", d)
		}
	}
	if last := starts[len(starts)-1].Sub(now); last != 13*time.Second {
		t.Errorf("the last one starts after %v", last)
	}
	info, err := os.Stat(l.state().path())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(l.dir, ".starts-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The number of kept starts is bounded, and expired starts are dropped.
func TestUserRatesForget(t *testing.T) {
	kept, now := map[string]keptStarts{}, time.Now()
	many := []policy.RateWindow{{Key: "many", MaxStarts: policy.MaxLedgerStarts, Window: time.Hour}}
	for i := range maxKeptStarts + 5 {
		addStarts(kept, now.Add(time.Duration(i)), many)
	}
	if n := len(kept["many"].Starts); n != maxKeptStarts {
		t.Errorf("%d starts are kept", n)
	}
	addStarts(kept, now.Add(2*time.Hour), []policy.RateWindow{{Key: "other", MaxStarts: 1, Window: time.Second}})
	dropExpired(kept, now.Add(2*time.Hour))
	if _, there := kept["many"]; there || len(kept) != 1 {
		t.Errorf("kept: %v", kept)
	}
}

// A call that waits for its own rate does not remove the starts of other rates.
func TestUserRatesOfOthers(t *testing.T) {
	l, now := ledger(t), time.Now()
	slow, other := []policy.RateWindow{{Key: "slow", MaxStarts: 1, Window: time.Hour}}, []policy.RateWindow{{Key: "other", MaxStarts: 1, Window: time.Minute}}
	var last time.Time
	for _, uses := range [][]policy.RateWindow{slow, other, slow, other} { // the third waits for an hour
		var err error
		if last, err = l.Take(now, uses); err != nil {
			t.Fatal(err)
		}
	}
	if wait := last.Sub(now); wait != time.Minute {
		t.Errorf("the other rate lets a call start after %v", wait)
	}
}

// A damaged file is refused, and not treated as empty.
func TestUserRatesDamaged(t *testing.T) {
	for _, text := range []string{"", "{", "null", "[]", `{"k":null}`, `{"k":{"starts":[]}}`, `{"k":{"starts":["x"],"window_ns":1}}`, `{"k":{"window_ns":-1,"starts":["2026-11-22T09:00:00Z"]}}`} {
		l := ledger(t)
		if err := os.WriteFile(l.state().path(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := l.Take(time.Now(), []policy.RateWindow{{Key: "k", MaxStarts: 1, Window: time.Second}})
		if err == nil || exitOf(err).Name != "input" || !strings.Contains(err.Error(), "is damaged") || hintOf(err) == "" {
			t.Errorf("%q: %v", text, err)
		}
		if after, _ := os.ReadFile(l.state().path()); string(after) != text {
			t.Errorf("%q was replaced by %q", text, after)
		}
	}
}

// A link in the place of the file is not followed.
func TestUserRatesLink(t *testing.T) {
	l := ledger(t)
	target := filepath.Join(t.TempDir(), "target")
	if err := os.WriteFile(target, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, l.state().path()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Take(time.Now(), []policy.RateWindow{{Key: "k", MaxStarts: 1, Window: time.Second}}); err == nil || exitOf(err).Name != "io" {
		t.Errorf("%v", err)
	}
}

// After a clock that was ahead is set back, no call waits for the former time.
func TestUserRatesOfAClockSetBack(t *testing.T) {
	l, now := ledger(t), time.Now()
	u := []policy.RateWindow{{Key: "k", MaxStarts: 1, Window: time.Minute}}
	later := now.Add(24 * time.Hour)
	if _, err := l.Take(later, u); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(l.state().path(), later, later); err != nil {
		t.Fatal(err)
	}
	got, err := l.Take(now, u)
	if wait := got.Sub(now); err != nil || wait < 50*time.Second || wait > 70*time.Second {
		t.Errorf("a call waits for %v (%v), want about a minute", wait, err)
	}
}
