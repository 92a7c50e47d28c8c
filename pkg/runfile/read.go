package runfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"time"

	"oneshot/pkg/diag"
)

// A Log is the content of a run file.
type Log struct {
	Records []Record
	Size    int64 // bytes of the intact records
	Torn    *Torn // set when the last line was not completely written
}

// Torn is the place of a last line that was not completely written. What it
// would have said did not happen: a record counts only when it is whole.
type Torn struct {
	Line   int
	Offset int64 // of its first byte; the file is whole when cut here
	Why    string
	Alien  bool // it is the first line, and no first record begins like that
}

// A DamageError says that a run file was changed after it was written, that
// parts of two files were mixed, or that it is newer than this program.
type DamageError struct {
	Code   diag.Code // [diag.RunDamaged], [diag.RunSequence] or [diag.RunVersion]
	Line   int
	Offset int64 // of the line's first byte
	Why    string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("run file: line %d (offset %d): %s", e.Line, e.Offset, e.Why)
}

// Run returns the first record's body. It reports false when the log has no
// records, because the run ended before it began.
func (l *Log) Run() (Run, bool) {
	if len(l.Records) == 0 {
		return Run{}, false
	}
	run, ok := l.Records[0].Body.(Run)
	return run, ok
}

// Standing returns the records that count: all but those that a [Resumed] record makes
// void, and those records themselves.
func (l *Log) Standing() []Record {
	var out []Record
	for _, r := range l.Records {
		resumed, ok := r.Body.(Resumed)
		if !ok {
			out = append(out, r)
			continue
		}
		for len(out) > 0 && out[len(out)-1].Seq > resumed.Keep {
			out = out[:len(out)-1]
		}
	}
	return out
}

// Spent returns how long the run has been at work: each time from the first record to the last.
// A clock that was set back counts nothing.
func (l *Log) Spent() time.Duration {
	var spent, leg time.Duration
	var began time.Time
	for i, r := range l.Records {
		if _, again := r.Body.(Resumed); again || i == 0 {
			spent, leg, began = spent+leg, 0, r.Time
		}
		leg = max(leg, r.Time.Sub(began))
	}
	return spent + leg
}

// ReadFile reads the run file of that name; see [Read].
func ReadFile(path string) (*Log, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("run file: %w", err)
	}
	log, err := Read(f)
	return log, errors.Join(err, f.Close())
}

// Read reads a run file. A last line that is not whole is reported in Log.Torn
// and is no error. With any error, which is a *[DamageError] or comes from the
// reader, the log holds the records before it. Members of a record that this
// version does not know are ignored.
func Read(r io.Reader) (*Log, error) {
	scan, log := NewScan(r), &Log{}
	for record := range scan.Records() {
		log.Records = append(log.Records, record)
	}
	log.Size, log.Torn = scan.Size, scan.Torn
	return log, scan.Err
}

// ReadFirst reads the first record of a run file, as [Read] does.
func ReadFirst(r io.Reader) (*Log, error) {
	scan, log := newScan(r, 4<<10), &Log{} // most first records are short
	for record := range scan.Records() {
		log.Records = append(log.Records, record)
		break
	}
	log.Size, log.Torn = scan.Size, scan.Torn
	return log, scan.Err
}

// beginning is what every first record begins with.
var beginning = []byte(`{"seq":1,"run":"`)

// Empty says why a log has no records, or is nil. It is a *[DamageError].
func (l *Log) Empty() error {
	if len(l.Records) > 0 {
		return nil
	}
	why := "the run ended before anything of it was on record"
	if l.Torn != nil && l.Torn.Alien {
		why += ", or this is no run file: none begins so"
	}
	return &DamageError{Code: diag.RunSequence, Line: 1, Why: why}
}

// checkFirst judges the first record. Its version comes before everything else:
// a newer file may differ in anything.
func checkFirst(line line, h Header) error {
	var run struct {
		Version int    `json:"version"`
		ID      string `json:"id"`
	}
	if err := json.Unmarshal(line.text, &run); err != nil {
		return line.damage(diag.RunDamaged, fmt.Sprintf("the run record cannot be read: %v", err))
	}
	switch {
	case h.Kind != KindRun:
		return line.damage(diag.RunSequence, fmt.Sprintf("the file begins with a record of kind %q, not with \"run\"", h.Kind))
	case run.Version == 1:
		return line.damage(diag.RunVersion, fmt.Sprintf("the record has version 1 of the format, which an older oneshot wrote; this one reads version %d only", Version))
	case run.Version != Version:
		return line.damage(diag.RunVersion, fmt.Sprintf("the record has version %d of the format; this oneshot reads version %d", run.Version, Version))
	case h.Seq != 1:
		return line.damage(diag.RunSequence, fmt.Sprintf("the file begins with record %d", h.Seq))
	case h.Run == "" || run.ID != h.Run:
		return line.damage(diag.RunSequence, fmt.Sprintf("the record belongs to run %q and describes run %q", h.Run, run.ID))
	}
	return nil
}

// decoders read the body of each kind from a record's line.
var decoders = map[Kind]func([]byte) (Body, error){
	KindRun:            decodeAs[Run],
	KindRequest:        decodeAs[storedRequest],
	KindAttempt:        decodeAs[Attempt],
	KindResponse:       decodeAs[storedResponse],
	KindCall:           decodeAs[storedDecision],
	KindApproval:       decodeAs[Approval],
	KindIntent:         decodeAs[Intent],
	KindResult:         decodeAs[Result],
	KindDiscarded:      decodeAs[Discarded],
	KindUnknownOutcome: decodeAs[UnknownOutcome],
	KindAnswer:         decodeAs[Answer],
	KindUserInput:      decodeAs[UserInput],
	KindEnd:            decodeAs[End],
	KindResumed:        decodeAs[Resumed],
}

func decodeAs[T Body](text []byte) (Body, error) {
	var body T
	err := json.Unmarshal(text, &body)
	return body, err
}

// broken says why a line is not whole, or "".
func broken(l line) string {
	switch {
	case !l.ended:
		return "the line has no end"
	case !wholeRecord(l.text):
		return "the checksum is missing or wrong"
	}
	return ""
}

// wholeRecord reports whether text ends with its checksum.
func wholeRecord(text []byte) bool {
	n := len(text) - crcSize
	return n > 0 && isChecksum(text[n:], crc32.Checksum(text[:n], castagnoli()))
}

// isChecksum reports whether text begins with the "crc" member for sum.
func isChecksum(text []byte, sum uint32) bool {
	return bytes.HasPrefix(text, fmt.Appendf(nil, "%s%08x%s", crcOpen, sum, crcClose))
}

// twoRecords reports whether text is a whole record, one byte, and another whole
// record. It looks at each byte a constant number of times.
func twoRecords(text []byte) bool {
	var sum uint32
	done := 0
	for {
		i := bytes.Index(text[done:], []byte(crcOpen))
		if i < 0 {
			return false
		}
		sum = crc32.Update(sum, castagnoli(), text[done:done+i])
		done += i
		if isChecksum(text[done:], sum) {
			rest := text[done+crcSize:]
			return len(rest) > 1 && wholeRecord(rest[1:])
		}
		sum = crc32.Update(sum, castagnoli(), text[done:done+len(crcOpen)])
		done += len(crcOpen)
	}
}
