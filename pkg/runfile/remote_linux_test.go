package runfile

import (
	"testing"

	"golang.org/x/sys/unix"
)

// A folder of this machine is none of another, and neither is one that is not there.
func TestRemote(t *testing.T) {
	for _, dir := range []string{"/proc", t.TempDir() + "/none"} {
		if kind := Remote(dir); kind != "" {
			t.Errorf("%s is on %s", dir, kind)
		}
	}
	if remotes[unix.NFS_SUPER_MAGIC] != "NFS" || len(remotes) < 5 {
		t.Errorf("%v", remotes)
	}
}
