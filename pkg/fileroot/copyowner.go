package fileroot

import (
	"errors"
	"io/fs"
	"syscall"
)

// copyOwner copies owner, group and permissions of the file to be replaced. Only root can change the owner;
// if the group cannot be kept, its permissions are reduced to those of others.
func (d *tempFile) copyOwner(old fs.FileInfo) error {
	own, err := d.file.Stat()
	if err != nil {
		return err
	}
	mode := old.Mode().Perm()
	oldUser, oldGroup := ownerOf(old)
	user, group := ownerOf(own)
	if user != oldUser {
		if err := d.file.Chown(oldUser, oldGroup); err == nil {
			group = oldGroup
		} else if !isChownRefused(err) {
			return err
		}
	}
	if group != oldGroup {
		if err := d.file.Chown(-1, oldGroup); isChownRefused(err) {
			mode = limitGroup(mode)
		} else if err != nil {
			return err
		}
	}
	if own.Mode().Perm() == mode {
		return nil
	}
	return d.file.Chmod(mode)
}

// isChownRefused reports whether a chown failed for lack of permission or of support by the file system.
func isChownRefused(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}

// limitGroup returns permissions that give the group no more than others.
func limitGroup(mode fs.FileMode) fs.FileMode { return mode&0o707 | mode&(mode&0o007<<3) }

// ownerOf returns the user and the group of a file.
func ownerOf(info fs.FileInfo) (user, group int) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, -1
	}
	return int(st.Uid), int(st.Gid)
}
