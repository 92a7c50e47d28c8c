package runfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"oneshot/pkg/failpoint"
)

// keepBuffer is the largest encoding buffer that a writer keeps between records.
const keepBuffer = 1 << 20

// A Writer appends records to a run file. It holds an exclusive lock on the file
// until it is closed. Its methods may be called from several goroutines.
type Writer struct {
	path string
	run  string
	file file
	now  func() time.Time

	mu   sync.Mutex
	seq  int   // of the last record
	size int64 // of the file
	free int64 // bytes of room that were reserved and not used yet
	buf  bytes.Buffer
	dead *WriteError

	opened []Record // what counts of the file when it was opened, until the next request
	known  *writing // nil before the first record
}

// A file is what a Writer needs of an *os.File.
type file interface {
	io.WriteCloser
	Intact(path string, size int64) error // it has its name still, and nothing else was done to it
	Sync() error
	Reserve(room int64) error // behind its end
	Release() error           // what was reserved
}

// A diskFile is a file on a disk.
type diskFile struct{ *os.File }

func (f diskFile) Intact(path string, size int64) error {
	switch info, named, err := hasName(f.File, path); {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it was removed while the run went on")
	case err != nil:
		return err
	case !named:
		return errors.New("another file has its name now")
	case info.Size() != size:
		return fmt.Errorf("it has %d bytes, and %d were written", info.Size(), size)
	}
	return nil
}

// hasName reports whether it is an open file that has a name, and what the file is.
func hasName(f *os.File, path string) (info fs.FileInfo, named bool, err error) {
	if info, err = f.Stat(); err != nil {
		return nil, false, err
	}
	there, err := os.Lstat(path)
	return info, err == nil && os.SameFile(info, there), err
}

func (f diskFile) Reserve(room int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return reserve(f.Fd(), info.Size(), room)
}

func (f diskFile) Release() error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return f.Truncate(info.Size())
}

// A WriteError says that a run file could not be written. It is final: after a
// failed write or fsync nobody knows which bytes are on disk, so the writer
// never tries again and gives the same error for every later call.
type WriteError struct {
	Path string
	Op   string // "check", "reserve", "write", "sync", "cut", "lock" or "close"
	Err  error
}

func (e *WriteError) Error() string {
	err := e.Err
	if path := new(fs.PathError); errors.As(err, &path) {
		err = path.Err // the path is said already
	}
	return fmt.Sprintf("run file %s: %s: %v", e.Path, e.Op, err)
}

// Unwrap returns the cause.
func (e *WriteError) Unwrap() error { return e.Err }

// A LockedError says that another process is writing the run file.
type LockedError struct{ Path string }

func (e *LockedError) Error() string {
	return fmt.Sprintf("run file %s: in use by another run", e.Path)
}

// Create makes a new run file, readable by its owner only, and appends its first
// record; run.Version is set to [Version]. A file, or a symbolic link, that is
// already there is an error that wraps [os.ErrExist], unless it is the empty file that a crash left. The file's name is on disk
// when Create returns; its first record is so after the next [Writer.Sync].
func Create(path string, run Run) (*Writer, error) {
	if run.ID == "" {
		return nil, errors.New("run file: the run has no id")
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, fs.ErrExist) {
		f, err = openAbandoned(path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("run file: %w", err)
	}
	w := &Writer{path: path, run: run.ID, file: diskFile{f}, now: time.Now}
	switch err := w.begin(f, run); {
	case errors.As(err, new(*LockedError)): // another run has taken the empty file first, and it is its own now
		return nil, errors.Join(err, f.Close())
	case err != nil:
		return nil, errors.Join(err, w.abandon(f))
	}
	return w, nil
}

// openAbandoned opens a file of that name if a crash left it before its first record was written: it is empty,
// and only its owner, who is the user, can touch it. Otherwise the error is the one given.
func openAbandoned(path string, taken error) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, taken
	}
	var is unix.Stat_t
	err = lock(f, path) // a run that has just begun holds it, or has written
	if err == nil {
		err = unix.Fstat(int(f.Fd()), &is)
	}
	if err != nil || is.Size != 0 || is.Mode&(unix.S_IFMT|0o777) != unix.S_IFREG|0o600 || is.Nlink != 1 || int(is.Uid) != os.Geteuid() {
		return nil, errors.Join(taken, f.Close())
	}
	return f, nil
}

// abandon removes a file that was made in vain, if the name is still its own.
func (w *Writer) abandon(f *os.File) error {
	_, named, err := hasName(f, w.path)
	switch {
	case named:
		err = os.Remove(w.path)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	return errors.Join(err, f.Close())
}

// Open opens a run file to go on with it, locks it, and returns what is in it. A torn last
// line is cut off. Errors are a *[LockedError], a *[DamageError], which leaves the file as
// it is, a *[WriteError], or about opening it.
func Open(path string) (*Writer, *Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ELOOP):
		return nil, nil, fmt.Errorf("run file: %s is a symbolic link", path)
	case err != nil:
		return nil, nil, fmt.Errorf("run file: %w", err)
	}
	log, err := takeUp(f, path)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	run, _ := log.Run()
	return &Writer{path: path, run: run.ID, file: diskFile{f}, now: time.Now, seq: len(log.Records), size: log.Size, opened: log.Standing()}, log, nil
}

// takeUp locks and reads a run file, and cuts off what was not completely written.
func takeUp(f *os.File, path string) (*Log, error) {
	if err := hold(f, path); err != nil {
		return nil, err
	}
	log, err := Read(f)
	switch {
	case err != nil:
		return nil, err
	case len(log.Records) == 0:
		return nil, log.Empty()
	case log.Torn == nil:
		return log, nil
	}
	if err := cut(f, log.Size); err != nil {
		return nil, &WriteError{Path: path, Op: "cut", Err: err}
	}
	return log, nil
}

// cut takes away what stands behind a size, durably.
func cut(f *os.File, size int64) error {
	if err := failpoint.Around("truncate of the run file", func() error { return f.Truncate(size) }); err != nil {
		return err
	}
	return failpoint.Around(failpoint.SyncRun, f.Sync)
}

// begin locks the new file, writes its first record and makes its name durable.
func (w *Writer) begin(f *os.File, run Run) error {
	if err := hold(f, w.path); err != nil {
		return err
	}
	run.Version = Version
	if err := w.Append(run); err != nil {
		return err
	}
	return syncDir(filepath.Dir(w.path))
}

// lock takes the exclusive lock of a run file without waiting. The lock goes
// away with the process, however it ends.
func lock(f *os.File, path string) error {
	err := failpoint.Around("lock of the run file", func() error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return &LockedError{Path: path}
	}
	if err != nil {
		return &WriteError{Path: path, Op: "lock", Err: err}
	}
	return nil
}

// A RemoveError says that a run file could not be deleted.
type RemoveError struct{ Err error }

func (e *RemoveError) Error() string { return "run file: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *RemoveError) Unwrap() error { return e.Err }

// Remove deletes a run file that nobody writes, if over says so of its last record and of when it was
// written last, and reports whether it did. The record is as [Last] returns it. Errors are a *[LockedError], a *[DamageError], a
// *[RemoveError], or about opening it; with any, the file is there.
func Remove(path string, over func(last Record, written time.Time) bool) (removed bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false, fmt.Errorf("run file: %w", err)
	}
	defer f.Close() // nothing was written to it
	if err := hold(f, path); err != nil {
		return false, err
	}
	last, written, err := lastOf(f)
	if err != nil || !over(last, written) {
		return false, err
	}
	if err := os.Remove(path); err != nil {
		return false, &RemoveError{err}
	}
	return true, nil
}

// hold locks an open run file that has its name still.
func hold(f *os.File, path string) error {
	if err := lock(f, path); err != nil {
		return err
	}
	switch _, named, err := hasName(f, path); {
	case err != nil: // it was deleted a moment ago
		return fmt.Errorf("run file: %w", err)
	case !named:
		return fmt.Errorf("run file: %s was replaced by another file", path)
	}
	return nil
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("run file: %w", err)
	}
	if err := errors.Join(failpoint.Around("fsync of the run file's directory", d.Sync), d.Close()); err != nil {
		return &WriteError{Path: dir, Op: "sync", Err: err}
	}
	return nil
}

// roomAhead is what is reserved at once: for some results, and an end.
const roomAhead = 4 << 20

// roomFor is what has to be free before a change is begun: for what a tool says of a change, which
// is rarely long.
const roomFor = 2 << 20

// roomForEnd is what has to be free besides the answer before that is appended: for the end of a run that has delivered it.
const roomForEnd = 64 << 10

// Append adds a record with one write and does not wait for the disk: see
// [Writer.Sync]. Before an [Intent] it reserves room on the disk for what comes of it, where the
// system can: a full disk ends a run before a change, and not behind it. Before an [Answer] it reserves room for that and the [End]. Before both it looks
// whether the file is still there, as it was written: what has no record cannot go on. The writer keeps nothing of body.
// A body that has no JSON form, or is too large (*[SizeError]), is refused and leaves the file as it is; any other error is
// a *[WriteError].
func (w *Writer) Append(body Body) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dead != nil {
		return w.dead
	}
	defer w.reset()
	h := Header{Seq: w.seq + 1, Run: w.run, Kind: body.Kind(), Time: w.now().UTC()}
	body = kept(body)
	if err := encode(&w.buf, h, w.stored(body)); err != nil {
		return err
	}
	if k := body.Kind(); k == KindIntent || k == KindAnswer {
		if err := w.file.Intact(w.path, w.size); err != nil {
			return w.fail("check", err)
		}
	}
	if err := w.reserve(body.Kind(), int64(w.buf.Len())); err != nil {
		return err
	}
	n, err := failpoint.Write(failpoint.WriteRun, w.file, w.buf.Bytes())
	w.free, w.size = w.free-int64(n), w.size+int64(n)
	if err == nil && n < w.buf.Len() {
		err = io.ErrShortWrite
	}
	if err != nil {
		return w.fail("write", err)
	}
	w.seq++
	w.follow(body)
	return nil
}

// stored returns a body with references in the place of what is on record.
func (w *Writer) stored(body Body) Body {
	if w.known == nil {
		w.known = written(w.opened, w.seq)
	}
	return w.known.stored(body)
}

// follow takes in the record in the buffer, which was written. Later references are to what a reader gets of it: JSON
// without spaces, and characters in the place of bytes that are not UTF-8. After a [Resumed] only the records before it
// that count can be referred to.
func (w *Writer) follow(body Body) {
	switch body.(type) {
	case Run, Call, Response, Result:
		read, err := decoders[body.Kind()](bytes.TrimSuffix(w.buf.Bytes(), []byte("\n")))
		if err == nil {
			read, err = w.known.whole(read)
		}
		if err != nil { // nothing refers to it
			return
		}
		body = read
	}
	w.known.follow(body)
	switch b := body.(type) {
	case Resumed:
		w.known = written(w.opened, b.Keep)
	case Request:
		w.opened = nil // no later request repeats what is in it
	}
}

// reserve gets room for what follows a record of a kind and a size, where that must not fail for want of it.
func (w *Writer) reserve(kind Kind, size int64) error {
	var least, room int64
	switch kind {
	case KindIntent:
		least, room = roomFor, roomAhead
	case KindAnswer:
		least, room = size+roomForEnd, size+roomForEnd
	}
	if room == 0 || w.free >= least {
		return nil
	}
	if err := failpoint.Around("reserving room in the run file", func() error { return w.file.Reserve(room) }); err != nil {
		return w.fail("reserve", err)
	}
	w.free = room
	return nil
}

// Sync returns when everything appended before is on disk. Its error is a
// *[WriteError].
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dead != nil {
		return w.dead
	}
	if err := failpoint.Around(failpoint.SyncRun, func() error { return w.file.Sync() }); err != nil {
		return w.fail("sync", err)
	}
	return nil
}

// Close gives up the lock and the file. It does not sync. After it, every call
// fails.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var err error
	if w.free > 0 && w.dead == nil {
		err = w.file.Release()
	}
	err = errors.Join(err, w.file.Close())
	if w.dead != nil {
		return w.dead
	}
	if err != nil {
		return w.fail("close", err)
	}
	w.fail("write", os.ErrClosed)
	return nil
}

// Path returns the name of the file, as it was given to [Create].
func (w *Writer) Path() string { return w.path }

// fail ends the life of the writer. The caller holds the lock.
func (w *Writer) fail(op string, err error) error {
	w.dead = &WriteError{Path: w.path, Op: op, Err: err}
	return w.dead
}

// reset empties the encoding buffer, and lets go of an unusually large one.
func (w *Writer) reset() {
	if w.buf.Cap() > keepBuffer {
		w.buf = bytes.Buffer{}
	}
	w.buf.Reset()
}
