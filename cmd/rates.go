package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"oneshot/pkg/policy"
)

// userRates is the ledger of a user: a file in the state directory, which is replaced as a
// whole while its lock is held. What cannot be read is refused, and not taken for empty.
type userRates struct {
	dir string
	dry bool // nothing is noted
}

// keptStarts is when calls started that count under one key.
type keptStarts struct {
	Window time.Duration `json:"window_ns"` // the longest that was asked about
	Starts []time.Time   `json:"starts"`
}

// mostRates is how large the file can be, in bytes.
const mostRates = 16 << 20

// newUserRates returns the ledger of the user, once it could be read.
func newUserRates(env Env, dry bool) (*userRates, error) {
	dir, err := makeStateDir(env, "rates")
	if err != nil {
		return nil, err
	}
	l := &userRates{dir: dir, dry: dry}
	release, err := l.lock()
	if err != nil {
		return nil, err
	}
	defer release()
	_, err = l.read()
	return l, err
}

func (l *userRates) file() string { return filepath.Join(l.dir, "starts.json") }

// Take is as [policy.Ledger] says.
func (l *userRates) Take(at time.Time, uses []policy.Use) (time.Time, error) {
	release, err := l.lock()
	if err != nil {
		return at, err
	}
	defer release()
	kept, err := l.read()
	if err != nil {
		return at, err
	}
	for _, u := range uses {
		at = u.Free(kept[u.Key].Starts, at)
	}
	if l.dry {
		return at, nil
	}
	note(kept, at, uses)
	forget(kept, time.Now())
	return at, l.write(kept)
}

// note adds a start.
func note(kept map[string]keptStarts, at time.Time, uses []policy.Use) {
	for _, u := range uses {
		k := kept[u.Key]
		k.Starts = append(k.Starts, at.Round(0)) // it is never before the last one
		k.Starts = k.Starts[max(0, len(k.Starts)-policy.MostKept):]
		k.Window = max(k.Window, u.Window)
		kept[u.Key] = k
	}
}

// forget drops what no rate can ask about any more. Now is not when a call may
// start that has to wait: others need not wait as long.
func forget(kept map[string]keptStarts, now time.Time) {
	for key, k := range kept {
		if k.Starts[len(k.Starts)-1].Add(k.Window).Before(now) {
			delete(kept, key)
		}
	}
}

// lock waits for the lock of the ledger, which is held for moments only.
func (l *userRates) lock() (release func(), err error) {
	const patience, pause = 10 * time.Second, 2 * time.Millisecond
	f, err := os.OpenFile(filepath.Join(l.dir, "lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, l.fault(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(pause) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return func() { _ = f.Close() }, nil // nothing was written to it
		case errors.Is(err, unix.EINTR):
		case !errors.Is(err, unix.EWOULDBLOCK):
			return nil, errors.Join(l.fault(err), f.Close())
		case time.Now().After(end):
			return nil, errors.Join(l.fault(errors.New("another process has held the lock for "+patience.String())), f.Close())
		}
	}
}

// read returns what is kept.
func (l *userRates) read() (map[string]keptStarts, error) {
	kept := map[string]keptStarts{}
	f, err := os.OpenFile(l.file(), os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	if err != nil {
		return nil, l.fault(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostRates+1))
	if err != nil {
		return nil, l.fault(err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, l.fault(err)
	}
	if err := decodeRates(text, &kept); err != nil {
		return nil, &hintedError{&inputError{fmt.Errorf("rates: %s is damaged: %w", l.file(), err)},
			"no call of a rate of this user is made until it is removed; what it held is then forgotten"}
	}
	turnBack(kept, time.Until(info.ModTime()))
	return kept, nil
}

// turnBack takes the starts of calls along with a clock that was set back since they were kept, so
// that no call waits for the old time.
func turnBack(kept map[string]keptStarts, ahead time.Duration) {
	if ahead <= 0 {
		return
	}
	for _, k := range kept {
		for i := range k.Starts {
			k.Starts[i] = k.Starts[i].Add(-ahead)
		}
	}
}

// decodeRates refuses what this program has not written.
func decodeRates(text []byte, kept *map[string]keptStarts) error {
	if len(text) > mostRates {
		return fmt.Errorf("it has more than %d bytes", mostRates)
	}
	if err := json.Unmarshal(text, kept); err != nil {
		return err
	}
	if *kept == nil {
		return errors.New("it holds null")
	}
	for key, k := range *kept {
		if len(k.Starts) == 0 || len(k.Starts) > policy.MostKept || k.Window <= 0 {
			return fmt.Errorf("what it says of %q cannot be", key)
		}
	}
	return nil
}

// write replaces the file.
func (l *userRates) write(kept map[string]keptStarts) error {
	text, err := json.Marshal(kept)
	if err != nil {
		return err // times of this century always have a JSON form
	}
	f, err := os.CreateTemp(l.dir, ".starts-*") // with the mode 0600
	if err != nil {
		return l.fault(err)
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), l.file())
	}
	if err != nil {
		return l.fault(errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// fault is an error of the file system: a rate that cannot be kept lets no call through.
func (l *userRates) fault(err error) error {
	return &outputError{fmt.Errorf("rates: %w", err)}
}
