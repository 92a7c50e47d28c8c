package batch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"oneshot/pkg/atomicfile"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/failpoint"
	"oneshot/pkg/quote"
	"oneshot/pkg/runfile"
)

// An OutputLine is a line of the output: the outcome for one record. Its JSON Schema is published as batch.v1.
type OutputLine struct {
	ID         string          `json:"id"`
	Index      int             `json:"index"` // of the record in the input, from 1
	Input      string          `json:"input"` // digest of the record
	Plan       string          `json:"plan"`  // digest of everything else that the run depends on
	Exit       Exit            `json:"exit"`
	Answer     json.RawMessage `json:"answer,omitempty"`
	Error      *Failure        `json:"error,omitempty"`
	Warnings   []string        `json:"warnings,omitempty"` // about the answer
	Usage      chat.Usage      `json:"usage"`
	Cost       chat.Cost       `json:"cost_usd"`
	DurationMS int64           `json:"duration_ms"`
	RunID      string          `json:"run_id"`
	RunFile    string          `json:"run_file"`
	Version    int             `json:"version,omitempty"` // of the format, if it is later than 1
}

// An Exit describes the end of a run by its exit code.
type Exit struct {
	Code      int           `json:"code"`
	Name      string        `json:"name"`
	Retry     runfile.Retry `json:"retry"`
	Retryable bool          `json:"retryable"`
}

// A Failure is the error of a run.
type Failure struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// check refuses a line that no batch of this version has written.
func (l OutputLine) check() error {
	switch {
	case l.Version > 1:
		return fmt.Errorf("the line has format version %d, and this oneshot reads version 1; update oneshot", l.Version)
	case l.ID == "" || l.Index < 1 || l.Input == "" || l.Plan == "" || l.Exit.Name == "":
		return errors.New(notALine)
	case (l.Exit.Code == 0) == (l.Answer == nil):
		return errors.New("the line needs an answer if its exit code is 0, and an error otherwise")
	}
	return nil
}

// MaxLine is the maximum size of a line that is read, in bytes. An answer has at most the 64 MiB of a response, before
// invisible characters are escaped: a DEL becomes six times as long, and others at most three times.
const MaxLine = 256 << 20

// linePrefix is the beginning of each line.
const linePrefix = `{"id":"`

// An Output is an open output file. Its lock is held until it is closed.
type Output struct {
	file   *os.File
	path   string
	size   int64 // of the whole lines
	isTorn bool  // a torn line follows them
}

// A ForeignError reports a file that is not the output of a batch.
type ForeignError struct {
	Path string
	Line int // from 1
	Why  string
}

func (e *ForeignError) Error() string { return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Why) }

// OpenOutput opens or creates the output file at path and locks it. The error wraps [atomicfile.ErrLocked] if another batch
// has locked it.
func OpenOutput(path string) (*Output, error) {
	_, err := os.Lstat(path)
	isNew := errors.Is(err, fs.ErrNotExist)
	var f *os.File
	err = failpoint.Around("open of the batch's output", func() (err error) {
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666) // before the umask
		return err
	})
	if err != nil {
		return nil, err
	}
	err = failpoint.Around("lock of the batch's output", func() error { return atomicfile.Lock(f) })
	if err == nil && isNew {
		err = atomicfile.SyncDir(filepath.Dir(path), "the directory of the batch's output")
		if errors.Is(err, fs.ErrPermission) {
			err = nil // writable but not readable: the system syncs it later
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Output{file: f, path: path}, nil
}

// OpenOutputReadOnly opens an output file to read it. It is not locked, and cannot be changed.
func OpenOutputReadOnly(path string) (*Output, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &Output{file: f, path: path}, nil
}

// Close releases the lock.
func (o *Output) Close() error { return o.file.Close() }

// IsEmpty reports whether there is nothing in the output, not even a torn line.
func (o *Output) IsEmpty() bool {
	info, err := o.file.Stat()
	return err == nil && info.Size() == 0
}

// Read passes the lines of the output to each, as [ReadLines] does. Only its own batch can continue an output with nothing but
// a torn line: isKnown reports whether the caller is that batch.
func (o *Output) Read(isKnown bool, each func(l OutputLine, number int, offset int64) error) (err error) {
	o.size, o.isTorn, err = ReadLines(io.NewSectionReader(o.file, 0, 1<<62), o.path, each)
	if err == nil && o.isTorn && o.size == 0 && !isKnown {
		return &ForeignError{o.path, 1, notALine}
	}
	return err
}

// Repair prepares an output that was read for further lines: it removes a torn last line, or adds a missing last line feed.
func (o *Output) Repair() error {
	if o.isTorn {
		return o.truncate()
	}
	last := []byte{'\n'}
	if o.size > 0 {
		if _, err := o.file.ReadAt(last, o.size-1); err != nil {
			return err
		}
	}
	if last[0] == '\n' {
		return nil
	}
	return o.Append([]byte{'\n'})
}

// ReadLines passes the lines of an output to each, with their numbers and offsets. The path is for errors. The last line may
// lack its line feed, as other programs write it. It returns the size of the whole lines, and whether a torn one follows. A
// file that is not the output of a batch is a *[ForeignError].
func ReadLines(file io.Reader, path string, each func(l OutputLine, number int, offset int64) error) (size int64, isTorn bool, err error) {
	src := bufio.NewReaderSize(file, 64<<10)
	for number := 1; ; number++ {
		text, isLong, err := readLine(src, MaxLine)
		foreign := func(why string) error { return &ForeignError{path, number, why} }
		switch {
		case isLong:
			return size, false, foreign(notALine)
		case err != nil && !errors.Is(err, io.EOF):
			return size, false, err
		case len(text) == 0:
			return size, false, nil
		}
		isLast := err != nil
		l, err := ParseLine(text)
		if err != nil {
			if isLast && isTornLine(text) {
				return size, true, nil
			}
			return size, false, foreign(err.Error())
		}
		if err := each(l, number, size); err != nil {
			return size, false, err
		}
		size += int64(len(text))
		if isLast {
			return size, false, nil
		}
	}
}

// isTornLine reports whether a text that is not a line can be the beginning of one.
func isTornLine(text []byte) bool {
	n := min(len(text), len(linePrefix))
	return string(text[:n]) == linePrefix[:n] && !json.Valid(text)
}

const notALine = "not a line of a batch output"

// ParseLine parses a line of an output.
func ParseLine(text []byte) (l OutputLine, err error) {
	if !bytes.HasPrefix(text, []byte(linePrefix)) {
		return l, errors.New(notALine)
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return l, fmt.Errorf(notALine+": %w", err)
	}
	return l, l.check()
}

// truncate removes a torn last line.
func (o *Output) truncate() error {
	err := failpoint.Around("truncate of the batch's output", func() error { return o.file.Truncate(o.size) })
	if err != nil {
		return err
	}
	return o.sync()
}

func (o *Output) sync() error { return failpoint.Around("fsync of the batch's output", o.file.Sync) }

// Append appends a line, which ends in a line feed, durably. After an error nothing may be appended.
func (o *Output) Append(line []byte) error {
	if _, err := failpoint.Write("write of the batch's output", o.file, line); err != nil {
		return err
	}
	o.size += int64(len(line))
	return o.sync()
}

// Encode returns the line with its line feed.
func (l OutputLine) Encode() ([]byte, error) {
	text, err := quote.Encode(l)
	if err != nil {
		return nil, err
	}
	return append(diag.EscapeInvisibleJSON(bytes.TrimSuffix(text, []byte("\n"))), '\n'), nil
}
