package runfile

import (
	"testing"

	"golang.org/x/sys/unix"
)

// A folder of this machine is none of another, and neither is one that does not exist.
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
