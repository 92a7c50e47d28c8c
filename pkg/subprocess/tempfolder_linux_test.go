package subprocess

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// D10: a process that is killed before its helper starts leaves a temporary folder, which a later process removes.
// Similar files and folders are not removed.
func TestLeftTemp(t *testing.T) {
	temp, precious := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	left, err := exec.Command(exe, "probe", "leave").Output()
	if err == nil || filepath.Dir(string(left)) != temp {
		t.Fatalf("%q, %v", left, err)
	}
	if err := os.WriteFile(filepath.Join(precious, "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(precious, filepath.Join(string(left), "link")); err != nil {
		t.Fatal(err)
	}
	name := func(last string) string {
		return filepath.Join(temp, tempPrefix+strings.Repeat("A", tempRandomLen-1)+last)
	}
	var kept []string
	for _, made := range []struct {
		name string
		make func(string) error
	}{
		{name("A"), func(n string) error { return os.Symlink(precious, n) }},
		{name("B"), func(n string) error { return os.WriteFile(n, nil, 0o700) }},
		{name("C"), func(n string) error { return os.Mkdir(n, 0o755) }},
		{name("D") + "x", func(n string) error { return os.Mkdir(n, 0o700) }},
		{filepath.Join(temp, "oneshot-1"), func(n string) error { return os.Mkdir(n, 0o700) }},
		{name("E"), func(n string) error {
			if os.Getuid() != 0 {
				return os.Mkdir(n, 0o750)
			}
			return errors.Join(os.Mkdir(n, 0o700), os.Chown(n, 65534, 65534))
		}},
	} {
		if err := made.make(made.name); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, filepath.Base(made.name))
	}
	young := name("F")
	if err := os.Mkdir(young, 0o700); err != nil {
		t.Fatal(err)
	}
	kept = append(kept, filepath.Base(young))
	old := time.Now().Add(-2 * minStaleAge)
	for _, file := range append([]string{string(left)}, kept[:len(kept)-1]...) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(temp, file)
		}
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	// The temporary folder of a running program looks old.
	dir, running := folder(t), make(chan string, 1)
	file := func(name string) string { return filepath.Join(dir.Name(), name) }
	go func() {
		got, err := confinement().Run(t.Context(), Command{Argv: []string{"sh", "-c", "touch -d '1 hour ago' $TMPDIR; touch ready; while [ ! -e go ]; do sleep 0.01; done; ls -d $TMPDIR"}, Dir: dir})
		running <- fmt.Sprint(string(got.Stdout.Bytes), err)
	}()
	await(t, "it runs", func() bool { _, err := os.Stat(file("ready")); return err == nil })
	if _, err := confinement().Run(t.Context(), Command{Argv: []string{"true"}, Dir: folder(t)}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file("go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-running; !strings.HasSuffix(got, "\n<nil>") {
		t.Errorf("the program that runs: %s", got)
	}
	var there []string
	entries, err := os.ReadDir(temp)
	for _, e := range entries {
		there = append(there, e.Name())
	}
	slices.Sort(kept)
	if err != nil || !slices.Equal(there, kept) {
		t.Errorf("there is %q, want %q: %v", there, kept, err)
	}
	if _, err := os.Stat(filepath.Join(precious, "f")); err != nil {
		t.Error(err)
	}
}
