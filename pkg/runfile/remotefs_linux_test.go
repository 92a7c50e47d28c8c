package runfile

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Local and missing folders are not on a network file system.
func TestRemote(t *testing.T) {
	for _, dir := range []string{"/proc", t.TempDir() + "/none"} {
		if kind := RemoteFileSystem(dir); kind != "" {
			t.Errorf("%s is on %s", dir, kind)
		}
	}
	if remoteFileSystems[unix.NFS_SUPER_MAGIC] != "NFS" || len(remoteFileSystems) < 5 {
		t.Errorf("%v", remoteFileSystems)
	}
}
