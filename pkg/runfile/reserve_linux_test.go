package runfile

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"oneshot/pkg/chat"
)

// blocks returns how many bytes of the disk a file has, and its size.
func blocks(t *testing.T, path string) (held, size int64) {
	t.Helper()
	var info unix.Stat_t
	if err := unix.Stat(path, &info); err != nil {
		t.Fatal(err)
	}
	return info.Blocks * 512, info.Size
}

// Room for a result is there before a change, and what was not used is given back.
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
	if held < roomAhead {
		t.Skipf("this file system reserves nothing: %d bytes are held for %d", held, size)
	}
	large := Result{Call: "c", Result: chat.Result{Data: json.RawMessage(`"` + strings.Repeat(`\"`, roomFor/4) + `"`)}}
	for range 3 {
		if err := w.Append(large); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Append(Intent{Call: "d"}); err != nil {
		t.Fatal(err)
	}
	if held, size = blocks(t, path); held < size+roomFor {
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

const onSmallDisk = "RUNFILE_TEST_SMALL_DISK"

// On a disk that is almost full a change is not begun. The disk is made in a process with a view of
// file systems of its own.
func TestReserveOnFullDisk(t *testing.T) {
	if dir := os.Getenv(onSmallDisk); dir != "" {
		fullDisk(t, dir)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestReserveOnFullDisk$")
	cmd.Env = append(os.Environ(), onSmallDisk+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EINVAL) || strings.Contains(string(out), "SKIP: "):
		t.Skipf("no disk can be made here: %v\n%s", err, out)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	}
}

// fullDisk is the part of TestReserveOnFullDisk in the other process.
func fullDisk(t *testing.T, dir string) {
	err := errors.Join(
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"),
	)
	if err != nil {
		t.Skipf("SKIP: %v", err)
	}
	path := filepath.Join(dir, "run.jsonl")
	w, err := Create(path, start())
	if err != nil {
		t.Fatal(err)
	}
	var full *WriteError
	if err := w.Append(Intent{Call: "c"}); !errors.As(err, &full) || full.Op != "reserve" || !errors.Is(err, unix.ENOSPC) {
		t.Errorf("%v, want no room", err)
	}
	if log, err := ReadFile(path); err != nil || len(log.Records) != 1 || log.Torn != nil {
		t.Errorf("%d records, %v", len(log.Records), err)
	}
}
