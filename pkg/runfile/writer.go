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

	"oneshot/pkg/atomicfile"
	"oneshot/pkg/failpoint"
)

// maxKeptBuffer is the capacity in bytes up to which a writer reuses its encoding buffer.
const maxKeptBuffer = 1 << 20

// A Writer appends records to a run file. It holds an exclusive lock on the file until it is closed.
// Its methods may be called concurrently.
type Writer struct {
	path string
	run  string
	file file
	now  func() time.Time

	mu       sync.Mutex
	seq      int   // of the last record
	size     int64 // of the file
	reserved int64 // bytes allocated on disk and not written yet
	buf      bytes.Buffer
	failure  *WriteError
	active   ActiveTime

	resumedRecords []Record      // live records of the file when it was opened, until the next request
	dedup          *deduplicator // nil before the first record
}

// A file is the part of *os.File that a Writer needs.
type file interface {
	io.WriteCloser
	CheckIntact(path string, size int64) error // fails if the file was renamed, removed or changed
	Sync() error
	Reserve(room int64) error // allocates space after its end
	FreeReservedSpace() error // frees the reserved space
}

// A diskFile is a file on a disk.
type diskFile struct{ *os.File }

func (f diskFile) CheckIntact(path string, size int64) error {
	switch info, named, err := statAtPath(f.File, path); {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it was removed during the run")
	case err != nil:
		return err
	case !named:
		return errors.New("it was replaced by another file")
	case info.Size() != size:
		return fmt.Errorf("it has %d bytes, expected %d", info.Size(), size)
	}
	return nil
}

// statAtPath returns the file info of an open file and reports whether path still names it.
func statAtPath(f *os.File, path string) (info fs.FileInfo, named bool, err error) {
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

func (f diskFile) FreeReservedSpace() error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return f.Truncate(info.Size())
}

// A WriteError reports that a run file could not be written. It is final: after a failed write or fsync the content on disk
// is undefined, so the writer does not retry and returns the same error from then on.
type WriteError struct {
	Path string
	Op   string // "check", "reserve", "write", "sync", "truncate", "lock" or "close"
	Err  error
}

func (e *WriteError) Error() string {
	err := e.Err
	if path := new(fs.PathError); errors.As(err, &path) {
		err = path.Err // e.Path names the file
	}
	return fmt.Sprintf("run file %s: %s: %v", e.Path, e.Op, err)
}

// Unwrap returns the cause.
func (e *WriteError) Unwrap() error { return e.Err }

// A LockedError reports that another process is writing the run file.
type LockedError struct{ Path string }

func (e *LockedError) Error() string {
	return fmt.Sprintf("run file %s: in use by another run", e.Path)
}

// Create creates a run file, readable only by its owner, and appends its first record with run.Version set to [Version].
// An existing file or symbolic link is an error that wraps [os.ErrExist], unless it is the empty file that a crash left.
// The file's name is on disk when Create returns; its first record is on disk after the next [Writer.Sync].
func Create(path string, run Run) (*Writer, error) {
	if run.ID == "" {
		return nil, errors.New("run file: the run has no ID")
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, fs.ErrExist) {
		f, err = openEmptyAbandoned(path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("run file: %w", err)
	}
	w := &Writer{path: path, run: run.ID, file: diskFile{f}, now: time.Now}
	switch err := w.writeFirst(f, run); {
	case errors.As(err, new(*LockedError)): // another run has locked the empty file first and owns it
		return nil, errors.Join(err, f.Close())
	case err != nil:
		return nil, errors.Join(err, w.removeCreated(f))
	}
	return w, nil
}

// openEmptyAbandoned opens an existing file that a crash left before its first record was written: it is empty, owned by the
// user, and accessible to no one else. Otherwise it returns taken.
func openEmptyAbandoned(path string, taken error) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, taken
	}
	var is unix.Stat_t
	err = lock(f, path) // fails if a run has just created it
	if err == nil {
		err = unix.Fstat(int(f.Fd()), &is)
	}
	if err != nil || is.Size != 0 || is.Mode&(unix.S_IFMT|0o777) != unix.S_IFREG|0o600 || is.Nlink != 1 || int(is.Uid) != os.Geteuid() {
		return nil, errors.Join(taken, f.Close())
	}
	return f, nil
}

// removeCreated removes a file after a failed creation, if path still names it.
func (w *Writer) removeCreated(f *os.File) error {
	_, named, err := statAtPath(f, w.path)
	switch {
	case named:
		err = os.Remove(w.path)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	return errors.Join(err, f.Close())
}

// Open opens and locks a run file to resume the run, and returns its content. It truncates a torn last
// line. Errors are a *[LockedError], a *[DamageError], which leaves the file unchanged, a *[WriteError], or about
// opening it.
func Open(path string) (*Writer, *Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ELOOP):
		return nil, nil, fmt.Errorf("run file: %s is a symbolic link", path)
	case err != nil:
		return nil, nil, fmt.Errorf("run file: %w", err)
	}
	log, err := lockAndRecover(f, path)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	run, _ := log.Run()
	w := &Writer{path: path, run: run.ID, file: diskFile{f}, now: time.Now, seq: len(log.Records), size: log.Size, resumedRecords: log.LiveRecords()}
	for _, r := range log.Records {
		w.active.Add(r)
	}
	return w, log, nil
}

// lockAndRecover locks and reads a run file, and truncates a torn last line.
func lockAndRecover(f *os.File, path string) (*Log, error) {
	if err := lockCurrent(f, path); err != nil {
		return nil, err
	}
	log, err := Read(f)
	switch {
	case err != nil:
		return nil, err
	case len(log.Records) == 0:
		return nil, log.CheckNotEmpty()
	case log.Torn == nil:
		return log, nil
	}
	if err := truncateSynced(f, log.Size); err != nil {
		return nil, &WriteError{Path: path, Op: "truncate", Err: err}
	}
	return log, nil
}

func truncateSynced(f *os.File, size int64) error {
	if err := failpoint.Around("truncate of the run file", func() error { return f.Truncate(size) }); err != nil {
		return err
	}
	return failpoint.Around(failpoint.SyncRun, f.Sync)
}

// writeFirst locks the new file, writes its first record and makes its name durable.
func (w *Writer) writeFirst(f *os.File, run Run) error {
	if err := lockCurrent(f, w.path); err != nil {
		return err
	}
	run.Version = Version
	if err := w.Append(run); err != nil {
		return err
	}
	dir := filepath.Dir(w.path)
	if err := atomicfile.SyncDir(dir, "the run file's directory"); err != nil {
		return &WriteError{Path: dir, Op: "sync", Err: err}
	}
	return nil
}

// lock takes the exclusive lock of a run file without waiting. The lock ends with the process.
func lock(f *os.File, path string) error {
	err := failpoint.Around("lock of the run file", func() error { return atomicfile.Lock(f) })
	if errors.Is(err, atomicfile.ErrLocked) {
		return &LockedError{Path: path}
	}
	if err != nil {
		return &WriteError{Path: path, Op: "lock", Err: err}
	}
	return nil
}

// A RemoveError reports that a run file could not be deleted.
type RemoveError struct{ Err error }

func (e *RemoveError) Error() string { return "run file: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *RemoveError) Unwrap() error { return e.Err }

// Remove deletes the run file at path if no process is writing it and over returns true for its last record and the
// time of the last write. It reports whether it did. The record is the last complete one, and has no body if there is none.
// Errors are a *[LockedError], a *[DamageError], a *[RemoveError], or about opening it; the file remains on any error.
func Remove(path string, over func(last Record, written time.Time) bool) (removed bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false, fmt.Errorf("run file: %w", err)
	}
	defer f.Close() // nothing was written to it
	if err := lockCurrent(f, path); err != nil {
		return false, err
	}
	last, written, err := readLast(f)
	if err != nil || !over(last, written) {
		return false, err
	}
	if err := os.Remove(path); err != nil {
		return false, &RemoveError{err}
	}
	return true, nil
}

// lockCurrent locks an open run file and fails if path no longer names it.
func lockCurrent(f *os.File, path string) error {
	if err := lock(f, path); err != nil {
		return err
	}
	switch _, named, err := statAtPath(f, path); {
	case err != nil: // just deleted
		return fmt.Errorf("run file: %w", err)
	case !named:
		return fmt.Errorf("run file: %s was replaced by another file", path)
	}
	return nil
}

// reserveChunk is the space reserved at once, in bytes: for several results and an end.
const reserveChunk = 4 << 20

// minRoomForChange is the space required before a change starts, in bytes: enough for the result of nearly any tool
// that makes changes.
const minRoomForChange = 2 << 20

// roomForEnd is the space required in addition to the answer before the answer is appended, in bytes: enough for the end.
const roomForEnd = 64 << 10

// Append appends a record with one write, without waiting for the disk: see [Writer.Sync]. Before an [Intent] it
// reserves disk space for the outcome, if the system can, so that a full disk ends the run before a change and not
// after it. Before an [Answer] it reserves space for the answer and the [End]. Before both it checks that the file
// still exists and is unchanged, because a run without a record must stop. The writer does not retain body. A body
// that cannot be encoded or is too large (*[SizeError]) is rejected and leaves the file unchanged; any other error is a
// *[WriteError].
func (w *Writer) Append(body Body) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure != nil {
		return w.failure
	}
	defer w.resetBuffer()
	h := Header{Seq: w.seq + 1, Run: w.run, Kind: body.Kind(), Time: w.now().UTC()}
	w.active.Add(Record{Header: h, Body: body})
	if end, ok := body.(End); ok {
		end.Duration = w.active.Total()
		body = end
	}
	body = TruncateResult(body)
	if err := encode(&w.buf, h, w.deduplicate(body)); err != nil {
		return err
	}
	if k := body.Kind(); k == KindIntent || k == KindAnswer {
		if err := w.file.CheckIntact(w.path, w.size); err != nil {
			return w.fail("check", err)
		}
	}
	if err := w.reserve(body.Kind(), int64(w.buf.Len())); err != nil {
		return err
	}
	n, err := failpoint.Write(failpoint.WriteRun, w.file, w.buf.Bytes())
	w.reserved, w.size = w.reserved-int64(n), w.size+int64(n)
	if err == nil && n < w.buf.Len() {
		err = io.ErrShortWrite
	}
	if err != nil {
		return w.fail("write", err)
	}
	w.seq++
	w.track(body)
	return nil
}

func (w *Writer) deduplicate(body Body) Body {
	if w.dedup == nil {
		w.dedup = deduplicatorAt(w.resumedRecords, w.seq)
	}
	return w.dedup.deduplicate(body)
}

// track adds the record in the buffer to the deduplicator. Later references are to the record as a reader sees it: JSON
// without whitespace, and U+FFFD for invalid UTF-8. After a [Resumed] only the live records before it can be referred to.
func (w *Writer) track(body Body) {
	switch body.(type) {
	case Run, Call, Response, Result:
		read, err := decoders[body.Kind()](bytes.TrimSuffix(w.buf.Bytes(), []byte("\n")))
		if err == nil {
			read, err = w.dedup.expand(read)
		}
		if err != nil { // later records do not refer to it
			return
		}
		body = read
	}
	w.dedup.track(body)
	switch b := body.(type) {
	case Resumed:
		w.dedup = deduplicatorAt(w.resumedRecords, b.KeptThrough)
	case Request:
		w.resumedRecords = nil // later requests do not repeat it
	}
}

// reserve allocates disk space for the records that must be writable after a record of this kind and size.
func (w *Writer) reserve(kind Kind, size int64) error {
	var least, room int64
	switch kind {
	case KindIntent:
		least, room = minRoomForChange, reserveChunk
	case KindAnswer:
		least, room = size+roomForEnd, size+roomForEnd
	}
	if room == 0 || w.reserved >= least {
		return nil
	}
	if err := failpoint.Around("reserving room in the run file", func() error { return w.file.Reserve(room) }); err != nil {
		return w.fail("reserve", err)
	}
	w.reserved = room
	return nil
}

// Sync returns when all appended records are on disk. Its error is a *[WriteError].
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure != nil {
		return w.failure
	}
	if err := failpoint.Around(failpoint.SyncRun, func() error { return w.file.Sync() }); err != nil {
		return w.fail("sync", err)
	}
	return nil
}

// Close releases the lock and the file. It does not sync. After it, every call fails.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var err error
	if w.reserved > 0 && w.failure == nil {
		err = w.file.FreeReservedSpace()
	}
	err = errors.Join(err, w.file.Close())
	if w.failure != nil {
		return w.failure
	}
	if err != nil {
		return w.fail("close", err)
	}
	w.fail("write", os.ErrClosed)
	return nil
}

// Path returns the name of the file as passed to [Create].
func (w *Writer) Path() string { return w.path }

// fail makes the writer unusable. The caller holds the mutex.
func (w *Writer) fail(op string, err error) error {
	w.failure = &WriteError{Path: w.path, Op: op, Err: err}
	return w.failure
}

// resetBuffer empties the encoding buffer and frees an unusually large one.
func (w *Writer) resetBuffer() {
	if w.buf.Cap() > maxKeptBuffer {
		w.buf = bytes.Buffer{}
	}
	w.buf.Reset()
}
