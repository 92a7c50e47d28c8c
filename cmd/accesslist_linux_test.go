package cmd

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// C3: mayHaveAccessList detects an access list, through which other users may write a file.
func TestMayHaveAccessList(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if mayHaveAccessList(file) {
		t.Error("a plain file has an access list")
	}
	list := binary.LittleEndian.AppendUint32(nil, 2) // the version
	for _, entry := range []struct {
		tag, rights uint16
		id          uint32
	}{{0x01, 6, 1<<32 - 1}, {0x02, 6, 12345}, {0x04, 4, 1<<32 - 1}, {0x10, 6, 1<<32 - 1}, {0x20, 4, 1<<32 - 1}} { // owner, user 12345, group, mask, others
		list = binary.LittleEndian.AppendUint16(list, entry.tag)
		list = binary.LittleEndian.AppendUint16(list, entry.rights)
		list = binary.LittleEndian.AppendUint32(list, entry.id)
	}
	switch err := unix.Setxattr(file, "system.posix_acl_access", list, 0); {
	case errors.Is(err, unix.ENOTSUP):
		t.Skip("the file system has no access lists")
	case err != nil:
		t.Fatal(err)
	}
	if !mayHaveAccessList(file) {
		t.Error("the access list is not seen")
	}
}
