package fileroot

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// copyOwnerAndMode copies owner, group, permissions and access list of the file to be replaced. Only root can change the owner;
// if the group or the list cannot be kept, the permissions of the group are reduced to those of others.
func (d *tempFile) copyOwnerAndMode(old fs.FileInfo) error {
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
	list, err := d.oldAccessList(old)
	isKept := !errors.Is(err, fs.ErrPermission) // a write-only file has no list that can be read
	if err != nil && isKept {
		return err
	}
	if group != oldGroup {
		if err := d.file.Chown(-1, oldGroup); isChownRefused(err) {
			isKept = false
		} else if err != nil {
			return err
		}
	}
	if isKept && list != nil && setAccessList(d.file, list) == nil {
		return nil
	}
	if !isKept || list != nil {
		mode = limitGroup(mode)
	}
	if err := setAccessList(d.file, nil); err != nil {
		return err
	}
	if own.Mode().Perm() == mode {
		return nil
	}
	return d.file.Chmod(mode)
}

// oldAccessList returns the access list of the file to be replaced.
func (d *tempFile) oldAccessList(old fs.FileInfo) ([]byte, error) {
	f, err := d.target.dir.OpenFile(d.target.name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch info, err := f.Stat(); {
	case err != nil:
		return nil, err
	case !os.SameFile(old, info):
		return nil, errBusy
	}
	return accessList(f)
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
