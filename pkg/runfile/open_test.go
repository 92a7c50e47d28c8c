package runfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
)

// TestOpen checks that a run resumes after its last complete record, whatever a crash left after it.
func TestOpen(t *testing.T) {
	whole := write(t, Request{Turn: 1, Purpose: chat.PurposeTurn}, Response{Turn: 1})
	for _, torn := range []string{"", `{"seq":4,"run":"x"`, "\x00\x00\x00"} {
		path := filepath.Join(t.TempDir(), "run.jsonl")
		if err := os.WriteFile(path, append(bytes.Clone(whole), torn...), 0o600); err != nil {
			t.Fatal(err)
		}
		w, log, err := Open(path)
		if err != nil || len(log.Records) != 3 {
			t.Fatalf("%q: %v", torn, err)
		}
		var locked *LockedError
		if _, _, err := Open(path); !errors.As(err, &locked) {
			t.Errorf("opened twice: %v", err)
		}
		if err := errors.Join(w.Append(Resumed{KeptThrough: 2}), w.Append(Response{Turn: 1, Content: "x"}), w.Sync(), w.Close()); err != nil {
			t.Fatal(err)
		}
		after, err := ReadFile(path)
		if err != nil || after.Torn != nil || len(Findings("r", after, err)) > 0 || after.Records[3].Seq != 4 || after.Records[3].Run != testID {
			t.Errorf("%q: %v %+v %v", torn, err, after.Torn, Findings("r", after, err))
		}
		var seqs []int
		for _, r := range after.LiveRecords() {
			seqs = append(seqs, r.Seq)
		}
		if d := cmp.Diff([]int{1, 2, 5}, seqs); d != "" {
			t.Error(d)
		}
	}
}

// TestOpenRefuses checks that a file that is not an intact run file is refused and not changed.
func TestOpenRefuses(t *testing.T) {
	whole := write(t, Request{Turn: 1}, Response{Turn: 1}, End{})
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 1
	dir := t.TempDir()
	for name, text := range map[string][]byte{"damaged": damaged, "empty": nil, "torn": whole[:20], "other": []byte("{}\n{}\n")} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var damage *DamageError
		if _, _, err := Open(path); !errors.As(err, &damage) || errors.Is(err, ErrNoRecord) != (name == "empty") {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, text) {
			t.Errorf("%s was changed (%v)", name, err)
		}
	}
	good := filepath.Join(dir, "good")
	if err := os.WriteFile(good, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, filepath.Join(dir, "none"), dir} {
		if _, _, err := Open(path); err == nil {
			t.Errorf("%s was opened", path)
		}
	}
}
