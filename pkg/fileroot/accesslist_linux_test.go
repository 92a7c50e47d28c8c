package fileroot

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// encodeAccessList returns an access list with these permissions for the owner, another user, the group, the mask and others.
func encodeAccessList(owner, user, group, mask, other uint16) []byte {
	const none = 0xffffffff
	list := binary.LittleEndian.AppendUint32(nil, 2) // version
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{{1, owner, none}, {2, user, 34567}, {4, group, none}, {16, mask, none}, {32, other, none}} {
		list = binary.LittleEndian.AppendUint16(list, e.tag)
		list = binary.LittleEndian.AppendUint16(list, e.perm)
		list = binary.LittleEndian.AppendUint32(list, e.id)
	}
	return list
}

// listOf returns the access list of a file by name.
func listOf(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := accessList(f)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A replaced file keeps its access list, which holds the permissions of its group, and inherits no list from its
// folder.
func TestWriteKeepsAccessLists(t *testing.T) {
	w := newWorld(t)
	name := filepath.Join(w.dir, "ok.txt")
	list := encodeAccessList(6, 6, 0, 6, 0) // the mode is 0660, but the group has no permissions
	err := unix.Setxattr(name, accessListName, list, 0)
	if errors.Is(err, unix.ENOTSUP) {
		t.Skip("the file system has no access lists")
	} else if err != nil {
		t.Fatal(err)
	}
	if err := w.root.Write("ok.txt", []byte("new"), ""); err != nil {
		t.Fatal(err)
	}
	if got := listOf(t, name); !slices.Equal(got, list) {
		t.Errorf("access list %x, want %x", got, list)
	}

	if err := unix.Removexattr(name, accessListName); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o660); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setxattr(w.dir, "system.posix_acl_default", encodeAccessList(7, 7, 7, 7, 0), 0); err != nil {
		t.Fatal(err)
	}
	if err := w.root.Write("ok.txt", []byte("newer"), ""); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := listOf(t, name); got != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("inherited access list %x, mode %v", got, info.Mode())
	}
}
