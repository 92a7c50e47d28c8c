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
	Torn    *Torn // set if the last line is incomplete
}

// Torn is the position of an incomplete last line. The line does not count: a record counts only when it is complete.
type Torn struct {
	Line      int
	Offset    int64 // of its first byte; truncating the file here repairs it
	Why       string
	BadPrefix bool // it is the first line and does not begin like a first record
}

// A DamageError reports that a run file was modified after it was written, that parts of two files were mixed, or that
// it needs another version of this program.
type DamageError struct {
	Code   diag.Code // [diag.RunDamaged], [diag.RunSequence] or [diag.RunVersion]
	Line   int
	Offset int64 // of the line's first byte
	Why    string
	Err    error // [ErrNoRecord] for an empty file; otherwise nil
}

// ErrNoRecord reports that a run file is empty: the run ended before its first record was written. [Create] can take over the
// file.
var ErrNoRecord = errors.New("the run file has no record")

// Unwrap returns Err.
func (e *DamageError) Unwrap() error { return e.Err }

func (e *DamageError) Error() string {
	return fmt.Sprintf("run file: line %d (offset %d): %s", e.Line, e.Offset, e.Why)
}

// Run returns the body of the first record. It reports false for a log without records: the run
// ended before it wrote one.
func (l *Log) Run() (Run, bool) {
	if len(l.Records) == 0 {
		return Run{}, false
	}
	run, ok := l.Records[0].Body.(Run)
	return run, ok
}

// LiveRecords returns the records that count: all except [Resumed] records and the records they void.
func (l *Log) LiveRecords() []Record {
	var out []Record
	for _, r := range l.Records {
		resumed, ok := r.Body.(Resumed)
		if !ok {
			out = append(out, r)
			continue
		}
		for len(out) > 0 && out[len(out)-1].Seq > resumed.KeptThrough {
			out = out[:len(out)-1]
		}
	}
	return out
}

// ActiveTime returns how long the run has been active; see [ActiveTime].
func (l *Log) ActiveTime() time.Duration {
	var t ActiveTime
	for _, r := range l.Records {
		t.Add(r)
	}
	return t.Total()
}

// An ActiveTime sums up how long a run has been active: over its legs, which begin with the run and with each [Resumed]
// record, the time from the first record to the latest, without the waits for turns. A clock that was set back adds
// nothing.
type ActiveTime struct {
	legs, leg time.Duration // the ended ones, and the current one
	began     time.Time     // of the current one, later by its waits
}

// Add counts the next record.
func (t *ActiveTime) Add(r Record) {
	if r.Kind == KindResumed || t.began.IsZero() {
		t.legs, t.leg, t.began = t.Total(), 0, r.Time
	}
	waited := r.Waited()
	t.began = t.began.Add(waited)
	t.leg = max(0, t.leg-waited, r.Time.Sub(t.began)) // the records of calls that start early precede that of their response
}

// Total returns the sum.
func (t *ActiveTime) Total() time.Duration { return t.legs + t.leg }

// ReadFile reads the run file of that name; see [Read].
func ReadFile(path string) (*Log, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("run file: %w", err)
	}
	log, err := Read(f)
	return log, errors.Join(err, f.Close())
}

// Read reads a run file. An incomplete last line is reported in Log.Torn and is not an error. On any
// error, a *[DamageError] or an error of the reader, the log holds the records before it. Unknown
// members of a record are ignored.
func Read(r io.Reader) (*Log, error) {
	scan, log := NewScanner(r), &Log{}
	for record := range scan.Records() {
		log.Records = append(log.Records, record)
	}
	log.Size, log.Torn = scan.Size, scan.Torn
	return log, scan.Err
}

// ReadFirst reads the first record of a run file, as [Read] does.
func ReadFirst(r io.Reader) (*Log, error) {
	scan, log := newScanner(r, 4<<10), &Log{} // most first records are short
	for record := range scan.Records() {
		log.Records = append(log.Records, record)
		break
	}
	log.Size, log.Torn = scan.Size, scan.Torn
	return log, scan.Err
}

// firstRecordPrefix is the beginning of every first record.
var firstRecordPrefix = []byte(`{"seq":1,"run":"`)

// CheckNotEmpty returns a *[DamageError] that explains why a log has no records, or nil if it has any.
func (l *Log) CheckNotEmpty() error {
	if len(l.Records) > 0 {
		return nil
	}
	e := &DamageError{Code: diag.RunSequence, Line: 1, Why: "the run ended before its first record was written"}
	switch {
	case l.Torn == nil:
		e.Err = ErrNoRecord
	case l.Torn.BadPrefix:
		e.Why += ", or this is not a run file"
	}
	return e
}

// checkFirst checks the first record. It checks the version first, because a newer format may
// differ in everything else.
func checkFirst(line line, h Header) error {
	var run struct {
		Version int    `json:"version"`
		ID      string `json:"id"`
	}
	if err := decodeUpTo(line.text, "id", &run, func() bool { return run.Version == Version && run.ID == h.Run }); err != nil {
		return line.otherForm(fmt.Sprintf("the run record cannot be read: %v", err))
	}
	switch {
	case h.Kind != KindRun:
		return line.damage(diag.RunSequence, fmt.Sprintf("the first record has kind %q, expected \"run\"", h.Kind))
	case run.Version < Version:
		return line.damage(diag.RunVersion, fmt.Sprintf("the run file has format version %d, and this oneshot reads version %d; use the older oneshot that wrote it", run.Version, Version))
	case run.Version > Version:
		return line.damage(diag.RunVersion, fmt.Sprintf("the run file has format version %d, and this oneshot reads version %d; update oneshot", run.Version, Version))
	case h.Seq != 1:
		return line.damage(diag.RunSequence, fmt.Sprintf("the first record has number %d, expected 1", h.Seq))
	case h.Run == "" || run.ID != h.Run:
		return line.damage(diag.RunSequence, fmt.Sprintf("the record belongs to run %q but describes run %q", h.Run, run.ID))
	}
	return nil
}

// decoders decode the body of each kind of record.
var decoders = map[Kind]func([]byte) (Body, error){
	KindRun:            decodeAs[Run],
	KindAttachment:     decodeAs[Attachment],
	KindRequest:        decodeAs[storedRequest],
	KindAttempt:        decodeAs[Attempt],
	KindResponse:       decodeAs[storedResponse],
	KindCall:           decodeAs[storedCallRecord],
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

// incompleteReason returns why a line is incomplete, or "".
func incompleteReason(l line) string {
	switch {
	case !l.terminated:
		return "the line has no line feed"
	case !hasValidChecksum(l.text):
		return "the checksum is missing or wrong"
	}
	return ""
}

// hasValidChecksum reports whether text ends with its checksum.
func hasValidChecksum(text []byte) bool {
	n := len(text) - crcSize
	return n > 0 && isChecksum(text[n:], crc32.Checksum(text[:n], crcTable()))
}

// isChecksum reports whether text begins with the "crc" member for sum.
func isChecksum(text []byte, sum uint32) bool {
	return bytes.HasPrefix(text, fmt.Appendf(nil, "%s%08x%s", crcOpen, sum, crcClose))
}

// isTwoRecords reports whether text is a complete record, one byte, and another complete record. It runs in linear time.
func isTwoRecords(text []byte) bool {
	var sum uint32
	done := 0
	for {
		i := bytes.Index(text[done:], []byte(crcOpen))
		if i < 0 {
			return false
		}
		sum = crc32.Update(sum, crcTable(), text[done:done+i])
		done += i
		if isChecksum(text[done:], sum) {
			rest := text[done+crcSize:]
			return len(rest) > 1 && hasValidChecksum(rest[1:])
		}
		sum = crc32.Update(sum, crcTable(), text[done:done+len(crcOpen)])
		done += len(crcOpen)
	}
}
