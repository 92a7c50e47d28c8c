// Package runfile reads and writes run files. A run file is the record of one
// run: journal, transcript, cassette and audit log at once.
//
// It is a text file with one record per line. A record is a JSON object. It
// begins with "seq" (1, 2, 3, …), "run" (the run ID, the same in every record),
// "kind" and "time", continues with the members of its kind, and ends with
// "crc": the CRC-32C, as eight hexadecimal digits, of the bytes of the line
// before `,"crc"`. Records are only appended. A crash leaves a prefix of the
// records and at most one torn last line.
//
// The package defines the encoding and the valid order of records. Package agent
// decides which records must be on disk before which actions, and resumes runs.
package runfile

import (
	"encoding/hex"
	"fmt"
	"time"
)

// Version is the format version that this package reads and writes.
const Version = 2

// MaxLine is the maximum length of a line in bytes, including its line feed.
const MaxLine = 64 << 20

// MaxResult is the maximum number of bytes of a result's data in a [Result] record. It exceeds the default limit of a
// tool's result even if JSON encodes each byte as six.
const MaxResult = 8 << 20

// MaxBeforeText is the maximum number of bytes of a replaced file in an [Intent] record.
const MaxBeforeText = 64 << 10

// A Kind names the subject of a record.
type Kind string

// The kinds of records, each with a body type of the same name.
const (
	KindRun            Kind = "run"
	KindAttachment     Kind = "attachment"
	KindRequest        Kind = "request"
	KindAttempt        Kind = "attempt"
	KindResponse       Kind = "response"
	KindCall           Kind = "call"
	KindApproval       Kind = "approval"
	KindIntent         Kind = "intent"
	KindResult         Kind = "result"
	KindDiscarded      Kind = "discarded"
	KindUnknownOutcome Kind = "unknown_outcome"
	KindAnswer         Kind = "answer"
	KindUserInput      Kind = "user_input"
	KindEnd            Kind = "end"
	KindResumed        Kind = "resumed"
)

// A Record is one line of a run file.
type Record struct {
	Header
	Body Body
}

// A Header begins every record. Records are numbered from 1 without gaps, so Seq is also the
// record's line number.
type Header struct {
	Seq  int       `json:"seq"`
	Run  string    `json:"run"`
	Kind Kind      `json:"kind"`
	Time time.Time `json:"time"` // when it was appended, UTC
}

// NewID returns an ID for a run that starts now. IDs sort by time; the low 24 bits of random
// distinguish runs of the same millisecond.
func NewID(now time.Time, random uint64) string {
	tail := []byte{byte(random >> 16), byte(random >> 8), byte(random)}
	return fmt.Sprintf("%s-%s", now.UTC().Format("20060102T150405.000Z"), hex.EncodeToString(tail))
}
