package runfile

import "golang.org/x/sys/unix"

// remoteFileSystems maps the f_type of statfs(2) to the names of network file systems.
var remoteFileSystems = map[int64]string{
	unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.AFS_SUPER_MAGIC: "AFS", unix.CODA_SUPER_MAGIC: "Coda", unix.V9FS_MAGIC: "9P", unix.CEPH_SUPER_MAGIC: "Ceph",
}

// RemoteFileSystem returns the name of the network file system that a folder is on, or "" for a local one. On a
// network file system a lock may not exclude other machines, and synced data may not be on disk.
func RemoteFileSystem(dir string) string {
	var about unix.Statfs_t
	if unix.Statfs(dir, &about) != nil {
		return "" // opening a file there reports the error
	}
	return remoteFileSystems[int64(about.Type)]
}
