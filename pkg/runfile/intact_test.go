package runfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestIntact checks that no change begins and no answer is given if the run file was removed,
// replaced, truncated or written by another process: the run ends.
func TestIntact(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(path string) error
		why  string
	}{
		"nothing":  {func(string) error { return nil }, ""},
		"removed":  {os.Remove, "it was removed"},
		"replaced": {func(path string) error { return errors.Join(os.Rename(path, path+"~"), os.WriteFile(path, nil, 0o600)) }, "it was replaced by another file"},
		"linked":   {func(path string) error { return errors.Join(os.Rename(path, path+"~"), os.Symlink(path+"~", path)) }, "it was replaced by another file"},
		"cut":      {func(path string) error { return os.Truncate(path, 10) }, " bytes, expected "},
		"written": {func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("x")
			return errors.Join(err, f.Close())
		}, " bytes, expected "},
	} {
		for _, body := range []Body{Intent{Call: "c1"}, Answer{}} {
			t.Run(name+" "+string(body.Kind()), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "run.jsonl")
				w, err := Create(path, Run{ID: "x"})
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				if w, _, err = Open(path); err != nil {
					t.Fatal(err)
				}
				defer w.Close()
				if err := errors.Join(w.Append(Request{Turn: 1}), w.Append(Intent{Call: "c0"}), c.harm(path), w.Append(Result{Call: "c0"})); err != nil {
					t.Fatal(err)
				}
				switch err := w.Append(body); {
				case c.why == "" && err != nil:
					t.Error(err)
				case c.why != "" && (!errors.As(err, new(*WriteError)) || !strings.Contains(err.Error(), c.why)):
					t.Errorf("%v, want %q", err, c.why)
				}
			})
		}
	}
}
