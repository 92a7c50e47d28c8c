package runfile

import "golang.org/x/sys/unix"

// remotes are the file systems of other machines, by what statfs(2) calls them.
var remotes = map[int64]string{
	unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.AFS_SUPER_MAGIC: "AFS", unix.CODA_SUPER_MAGIC: "Coda", unix.V9FS_MAGIC: "9P", unix.CEPH_SUPER_MAGIC: "Ceph",
}

// Remote names the file system of a folder if it is that of another machine, or "": there a lock
// need not keep anybody out, and what is synced need not be on a disk.
func Remote(dir string) string {
	var about unix.Statfs_t
	if unix.Statfs(dir, &about) != nil {
		return "" // to open a file there says why
	}
	return remotes[int64(about.Type)]
}
