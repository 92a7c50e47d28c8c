package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A lockHeldError says that another run of the same name is going on.
type lockHeldError struct {
	name   string
	holder holder // zero if it is not known
}

func (e *lockHeldError) Error() string {
	by := "another process"
	if e.holder.PID != 0 {
		by = fmt.Sprintf("process %d since %s", e.holder.PID, e.holder.Since.Format(time.RFC3339))
	}
	return fmt.Sprintf("lock %q is held by %s", e.name, by)
}

// A holder is who has a lock. It stands in the lock's file.
type holder struct {
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// checkLock refuses a name that could lead out of the directory of locks, or
// that another system could not keep apart from one.
func checkLock(name string) error {
	const longest = 64 // bytes
	if len(name) > longest || strings.ContainsFunc(name, func(r rune) bool { return !isWord(r) && r != '.' && r != '-' }) {
		return usagef("use at most 64 letters, digits, dots, hyphens and underscores", "--lock: invalid name %q", name)
	}
	return nil
}

// takeLock takes the lock of a name, without waiting. It belongs to the process
// and ends with it, however that ends; to close it gives it back. The lock's file stays: a file that is removed could be locked
// by two.
func takeLock(env Env, name string) (io.Closer, error) {
	dir, err := makeStateDir(env, "locks")
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, name+".lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, &outputError{fmt.Errorf("--lock: %w", err)}
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		defer f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, &lockHeldError{name, holderOf(f)}
		}
		return nil, &outputError{fmt.Errorf("--lock: %w", err)}
	}
	if err := sign(f, holder{os.Getpid(), env.Now()}); err != nil {
		return nil, errors.Join(&outputError{fmt.Errorf("--lock: %w", err)}, f.Close())
	}
	return f, nil
}

// sign writes into a lock's file who has it.
func sign(f *os.File, h holder) error {
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(append(line, '\n'), 0)
	return err
}

// holderOf reads who has a lock. What stands there can be of an earlier one,
// which may have been killed: a process that is gone has no lock.
func holderOf(f *os.File) holder {
	var h holder
	if json.NewDecoder(io.LimitReader(f, 1<<10)).Decode(&h) != nil || h.PID <= 0 || errors.Is(unix.Kill(h.PID, 0), unix.ESRCH) {
		return holder{}
	}
	return h
}
