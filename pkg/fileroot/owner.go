package fileroot

import (
	"errors"
	"io/fs"
	"syscall"
)

// adopt gives a draft the owner, the group and the permissions of the file that it is to replace.
// Only root can give a file away; where the group cannot be kept, nobody gets what was the group's.
func (d *draft) adopt(old fs.FileInfo) error {
	own, err := d.file.Stat()
	if err != nil {
		return err
	}
	mode := old.Mode().Perm()
	oldUser, oldGroup := owners(old)
	user, group := owners(own)
	if user != oldUser {
		if err := d.file.Chown(oldUser, oldGroup); err == nil {
			group = oldGroup
		} else if !refusesOwner(err) {
			return err
		}
	}
	if group != oldGroup {
		if err := d.file.Chown(-1, oldGroup); refusesOwner(err) {
			mode = ungrouped(mode)
		} else if err != nil {
			return err
		}
	}
	if own.Mode().Perm() == mode {
		return nil
	}
	return d.file.Chmod(mode)
}

// refusesOwner reports whether an error says that a file cannot have another owner: that it may not,
// or that its file system knows none.
func refusesOwner(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}

// ungrouped returns permissions in which the group may do what everybody may.
func ungrouped(mode fs.FileMode) fs.FileMode { return mode&0o707 | mode&(mode&0o007<<3) }

// owners returns the user and the group of a file.
func owners(info fs.FileInfo) (user, group int) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, -1
	}
	return int(st.Uid), int(st.Gid)
}
