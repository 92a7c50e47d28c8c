package runfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oneshot/pkg/chat"
)

// D12: listing runs reads only their first and last records, however many are between them.
func TestSummary(t *testing.T) {
	long := Response{Turn: 7, Content: strings.Repeat("x", 40<<10), Stop: chat.StopEnd}
	for name, tt := range map[string]struct {
		bodies []Body
		spoil  func(text string) string
		ok     bool
		turn   int
		kind   Kind
	}{
		"ended":       {[]Body{Request{Turn: 1}, long, End{Turns: 3}}, nil, true, 3, KindEnd},
		"no turn":     {[]Body{End{}}, nil, true, 0, KindEnd},
		"cut off":     {[]Body{Request{Turn: 2}, Result{Call: "c"}}, nil, true, 2, KindResult},
		"long last":   {[]Body{Request{Turn: 7}, long}, nil, true, 7, KindResponse},
		"long before": {[]Body{long, Result{Call: "c"}}, nil, true, 7, KindResult},
		"nothing":     {nil, nil, false, 0, KindRun},
		"torn":        {[]Body{Request{Turn: 2}}, func(text string) string { return text[:len(text)-3] }, false, 0, ""},
		"damaged":     {[]Body{Request{Turn: 2}}, func(text string) string { return strings.Replace(text, `"turn":2`, `"turn":3`, 1) }, false, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			w, err := Create(path, Run{ID: testID})
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range tt.bodies {
				if err := w.Append(b); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if tt.spoil != nil {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(tt.spoil(string(text))), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			g, ok, err := ReadSummary(path)
			if err != nil || ok != tt.ok || ok && (g.Turn != tt.turn || g.Last.Kind != tt.kind || g.First.Run != testID) {
				t.Errorf("%v, %v, turn %d, last %s", ok, err, g.Turn, g.Last.Kind)
			}
		})
	}
}

// D12: the middle of a file is not read, even if it has a terabyte without a record.
func TestSummaryReadsNoMiddle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := Create(path, Run{ID: testID})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(Request{Turn: 1}), w.Append(End{Turns: 1}), w.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.IndexByte(text, '\n') + 1
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(append([]byte("\n"), text[i:]...), 1<<40)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Skip(err) // not every file system has holes
	}
	if g, ok, err := ReadSummary(path); !ok || err != nil || g.Last.Kind != KindEnd {
		t.Errorf("%v, %v, %+v", ok, err, g)
	}
	if removed, err := Remove(path, func(last Record, _ time.Time) bool { return last.Kind == KindEnd }); !removed || err != nil {
		t.Errorf("it stays: %v", err)
	}
}

// D10: an empty file that a crash left is taken over, and no other file.
func TestCreateTakesAnAbandonedFile(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		mode fs.FileMode
		ok   bool
	}{"empty": {"", 0o600, true}, "not empty": {"\n", 0o600, false}, "of others too": {"", 0o644, false}} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			if err := os.WriteFile(path, []byte(tt.text), tt.mode); err != nil {
				t.Fatal(err)
			}
			w, err := Create(path, Run{ID: testID})
			if tt.ok {
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(w.Append(End{}), w.Close()); err != nil {
					t.Fatal(err)
				}
				if log, err := ReadFile(path); err != nil || len(log.Records) != 2 {
					t.Errorf("%v, %+v", err, log)
				}
				return
			}
			if !errors.Is(err, fs.ErrExist) {
				t.Errorf("error %v", err)
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != tt.text {
				t.Errorf("%v, %q", err, text)
			}
		})
	}
}

// D10: an empty file is not taken over if it has two names or the name is a symbolic link.
func TestCreateTakesOneName(t *testing.T) {
	for name, link := range map[string]func(old, fresh string) error{"hard": os.Link, "symbolic": os.Symlink} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			empty, path := filepath.Join(dir, "empty"), filepath.Join(dir, "r.jsonl")
			if err := errors.Join(os.WriteFile(empty, nil, 0o600), link(empty, path)); err != nil {
				t.Fatal(err)
			}
			if _, err := Create(path, Run{ID: testID}); !errors.Is(err, fs.ErrExist) {
				t.Errorf("error %v", err)
			}
			if info, err := os.Stat(empty); err != nil || info.Size() != 0 {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
}

// D10: a run keeps a file that it has created and not written yet.
func TestCreateLeavesAHeldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := lock(f, path); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path, Run{ID: testID}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
