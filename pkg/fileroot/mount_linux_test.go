package fileroot

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const mountedHere = "VAULT_TEST_MOUNTED"

// Another file system mounted below the root is not part of the root, neither a folder nor a single file.
// The mounts are made in a process with its own mount namespace.
func TestMounts(t *testing.T) {
	if base := os.Getenv(mountedHere); base != "" {
		mounted(t, base)
		return
	}
	w := newWorld(t)
	w.file(t, filepath.Join(w.dir, "mnt/old.txt"), "under the mount")
	cmd := exec.Command(os.Args[0], "-test.run=^TestMounts$")
	cmd.Env = append(os.Environ(), mountedHere+"="+w.base)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) || strings.Contains(string(out), "SKIP: "):
		t.Skipf("no mounts can be made here: %v\n%s", err, out)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	}
	if content, err := os.ReadFile(filepath.Join(w.dir, "mnt/old.txt")); err != nil || string(content) != "under the mount" {
		t.Errorf("%q, %v", content, err)
	}
}

// mounted is the part of TestMounts that runs in the process with the mounts.
func mounted(t *testing.T, base string) {
	dir := filepath.Join(base, "vault")
	mnt, file := filepath.Join(dir, "mnt"), filepath.Join(dir, "ok.txt")
	err := errors.Join(
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("tmpfs", mnt, "tmpfs", 0, "size=1m"),
	)
	if err != nil {
		t.Skipf("SKIP: %v", err)
	}
	secret := filepath.Join(mnt, "secret.txt")
	if err := errors.Join(os.WriteFile(secret, []byte("SECRET"), 0o600), unix.Mount(secret, file, "", unix.MS_BIND, "")); err != nil {
		t.Fatal(err)
	}
	root, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	w := world{base: base, dir: dir, root: root}
	for _, path := range []string{"mnt/secret.txt", "ok.txt"} {
		_, err := root.Read(path, 100)
		w.wantRefusal(t, err, Refused)
	}
	for _, path := range []string{"mnt/secret.txt", "mnt/new.txt", "mnt/new/x.txt", "ok.txt"} {
		w.wantRefusal(t, root.Write(path, []byte("EVIL"), ""), Refused)
	}
	err = root.Walk(t.Context(), func(path string, _ int64) error {
		if path != "a/in.txt" {
			t.Errorf("%s is walked over", path)
		}
		return nil
	}, nil)
	if err != nil {
		t.Error(err)
	}
	names, err := os.ReadDir(mnt)
	if content, readErr := os.ReadFile(secret); err != nil || readErr != nil || len(names) != 1 || string(content) != "SECRET" {
		t.Errorf("%v, %q, %v", names, content, errors.Join(err, readErr))
	}
}
