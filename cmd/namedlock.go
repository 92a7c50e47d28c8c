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

	"oneshot/pkg/atomicfile"
)

// A holder is the owner of a lock, as JSON in its file.
type holder struct {
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// checkLockName refuses names that are not portable file names.
func checkLockName(name string) error {
	const longest = 64 // bytes
	if len(name) > longest || strings.ContainsFunc(name, func(r rune) bool { return !isWord(r) && r != '.' && r != '-' }) {
		return usagef("use at most 64 letters, digits, dots, hyphens and underscores", "--lock: invalid name %q", name)
	}
	return nil
}

// takeLock takes a lock without waiting. Closing it, or the end of the process, releases it. The file stays, because two
// processes could lock a removed one.
func takeLock(env Env, name string) (io.Closer, error) {
	dir, err := makeStateDir(env, "locks")
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, name+".lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, &outputError{fmt.Errorf("--lock: %w", err)}
	}
	if err := atomicfile.Lock(f); err != nil {
		defer f.Close()
		if errors.Is(err, atomicfile.ErrLocked) {
			return nil, &lockHeldError{name, readHolder(f)}
		}
		return nil, &outputError{fmt.Errorf("--lock: %w", err)}
	}
	if err := writeHolder(f, holder{os.Getpid(), env.Now()}); err != nil {
		return nil, errors.Join(&outputError{fmt.Errorf("--lock: %w", err)}, f.Close())
	}
	return f, nil
}

// writeHolder writes the holder to the file of a lock.
func writeHolder(f *os.File, h holder) error {
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

// readHolder reads the holder of a lock. It ignores a process that no longer exists.
func readHolder(f *os.File) holder {
	var h holder
	if json.NewDecoder(io.LimitReader(f, 1<<10)).Decode(&h) != nil || h.PID <= 0 || errors.Is(unix.Kill(h.PID, 0), unix.ESRCH) {
		return holder{}
	}
	return h
}
