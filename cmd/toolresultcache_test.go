package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"oneshot/pkg/chat"
)

// newCachedResults returns an empty folder of results with a clock that the test sets.
func newCachedResults(t *testing.T) (cachedResults, *time.Time) {
	now := time.Now()
	return cachedResults{t.TempDir(), func() time.Time { return now }}, &now
}

func cachedData(text string) chat.Result {
	return chat.Result{Data: json.RawMessage(`"` + text + `"`), Labels: []string{"private"}}
}

func TestCachedResults(t *testing.T) {
	c, clock := newCachedResults(t)
	now := *clock
	c.Put("k", "run", cachedData("a"), time.Minute)
	*clock = now.Add(time.Second)
	r, ok := c.Get("k", time.Minute)
	if !ok || string(r.Data) != `"a"` || len(r.Labels) != 1 || r.Cached == nil || r.Cached.Run != "run" || !r.Cached.At.Equal(now) {
		t.Errorf("got %+v, %v", r, ok)
	}
	for name, at := range map[string]time.Time{"too old": now.Add(time.Minute), "of the future": now.Add(-time.Second)} {
		*clock = at
		if _, ok := c.Get("k", time.Minute); ok {
			t.Errorf("a result that is %s is used", name)
		}
	}
	*clock = now
	c.Put("failed", "run", chat.Failure(chat.Failed, "no"), time.Minute)
	c.Put("large", "run", cachedData(string(make([]byte, maxCachedResult))), time.Minute)
	for _, key := range []string{"failed", "large", "none"} {
		if _, ok := c.Get(key, time.Minute); ok {
			t.Errorf("%s is kept", key)
		}
	}
	if err := os.Rename(c.path("k"), c.path("other")); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Get("other", time.Minute); ok {
		t.Error("the result of another call is used")
	}
}

func TestCachedResultsIsPruned(t *testing.T) {
	c, clock := newCachedResults(t)
	now := *clock
	for i := range maxCachedResults + 5 {
		name := filepath.Join(c.dir, fmt.Sprintf("%04d.json", i))
		if err := os.WriteFile(name, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if at := now.Add(time.Duration(i+1) * time.Millisecond); os.Chtimes(name, at, at) != nil {
			t.Fatal("cannot set the time of a file")
		}
	}
	c.Put("new", "run", cachedData("a"), time.Minute)
	entries, err := os.ReadDir(c.dir)
	if err != nil || len(entries) != maxCachedResults {
		t.Errorf("%d files, error %v", len(entries), err)
	}
	if _, ok := c.Get("new", time.Minute); !ok || entries[0].Name() != "0006.json" {
		t.Errorf("the last to expire is missing, or the first is %s", entries[0].Name())
	}
	*clock = now.Add(expiryGrace + 1002*time.Millisecond)
	c.prune()
	if entries, err = os.ReadDir(c.dir); err != nil || len(entries) != 5 || entries[0].Name() != "1001.json" {
		t.Errorf("%d files, error %v", len(entries), err)
	}
}

// Readers see whole results while others write.
func TestCachedResultsConcurrently(t *testing.T) {
	c, _ := newCachedResults(t)
	c.Put("k", "run", cachedData("a"), time.Minute)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 10 {
				c.Put("k", "run", cachedData("a"), time.Minute)
				if r, ok := c.Get("k", time.Minute); !ok || string(r.Data) != `"a"` {
					t.Errorf("got %+v, %v", r, ok)
				}
			}
		})
	}
	all.Wait()
}
