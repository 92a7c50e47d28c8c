package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A pipe in place of the file is refused, even if a process has it open for writing: a read would block while the lock is held.
func TestStateFilePipe(t *testing.T) {
	s := stateFile{dir: t.TempDir(), name: "failed.json", what: "breakers", most: 100}
	if err := unix.Mkfifo(s.path(), 0o600); err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile(s.path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, _, err := s.read()
		ended <- err
	}()
	select {
	case err = <-ended:
	case <-time.After(10 * time.Second):
	}
	writer.Close()
	if err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("%v", err)
	}
}

// A state directory that belongs to another user is refused: that user could replace records, rates and locks.
func TestStateFolderOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	home := t.TempDir()
	env := Env{Getenv: func(name string) string { return map[string]string{"XDG_STATE_HOME": home}[name] }}
	dir, err := makeStateDir(env, "runs")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chown(folder, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		_, err := makeStateDir(env, "runs")
		if err == nil || exitOf(err).Name != "io" || !strings.Contains(err.Error(), "belongs to another user") || !strings.Contains(hintOf(err), "XDG_STATE_HOME") {
			t.Errorf("%s: %v", folder, err)
		}
		if err := os.Chown(folder, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
}
