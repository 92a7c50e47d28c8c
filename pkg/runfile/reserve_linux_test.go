package runfile

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"oneshot/pkg/chat"
)

// blocks returns the disk space of a file in bytes, and its size.
func blocks(t *testing.T, path string) (held, size int64) {
	t.Helper()
	var info unix.Stat_t
	if err := unix.Stat(path, &info); err != nil {
		t.Fatal(err)
	}
	return info.Blocks * 512, info.Size
}

// Space for a result is reserved before a change, and unused space is released.
func TestReserve(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := Create(path, start())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(Intent{Call: "c"}); err != nil {
		t.Fatal(err)
	}
	held, size := blocks(t, path)
	if held < reserveChunk {
		t.Skipf("this file system reserves nothing: %d bytes are held for %d", held, size)
	}
	large := Result{Call: "c", Result: chat.Result{Data: json.RawMessage(`"` + strings.Repeat(`\"`, minRoomForChange/4) + `"`)}}
	for range 3 {
		if err := w.Append(large); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Append(Intent{Call: "d"}); err != nil {
		t.Fatal(err)
	}
	if held, size = blocks(t, path); held < size+minRoomForChange {
		t.Errorf("%d bytes are held for %d", held, size)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if held, size = blocks(t, path); held > size+1<<16 {
		t.Errorf("%d bytes are held for %d after the end", held, size)
	}
	if log, err := ReadFile(path); err != nil || len(log.Records) != 6 {
		t.Errorf("%d records, %v", len(log.Records), err)
	}
}

// D3: space for the answer and the end is reserved before the answer is recorded.
func TestReserveForTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := Create(path, start())
	if err != nil {
		t.Fatal(err)
	}
	answer := Answer{JSON: json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)}
	if err := w.Append(answer); err != nil {
		t.Fatal(err)
	}
	if held, size := blocks(t, path); held < size+roomForEnd-1<<12 {
		t.Errorf("%d bytes are held for %d before the end", held, size)
	}
	if err := errors.Join(w.Append(End{Name: "ok"}), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestReserveTooMuch checks that reserving more space than a file can have is an error, which ends a run before a change. Less
// than that would fill the disk for a moment: ext4 takes all free space before it fails. The crash sweep covers a full disk.
func TestReserveTooMuch(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	err = diskFile{f}.Reserve(math.MaxInt64)
	if err == nil {
		t.Skip("this file system reserves nothing")
	}
	if !errors.Is(err, unix.ENOSPC) && !errors.Is(err, unix.EFBIG) {
		t.Errorf("%v, want no room", err)
	}
}
