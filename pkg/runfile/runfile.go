// Package runfile reads and writes run files. A run file is the record of one
// run: journal, transcript, cassette and audit log at once.
//
// It is a text file with one record a line. A record is a JSON object that
// begins with "seq" (1, 2, 3, …), "run" (the id of the run, the same in every
// record), "kind" and "time", goes on with the members of its kind, and ends
// with "crc": the CRC-32C, as eight hexadecimal digits, of the bytes of the line
// before `,"crc"`. Records are only ever appended. Whatever a crash leaves
// behind is a prefix of the records and at most one torn last line.
//
// The package knows how records are kept and in which order they can stand. It
// does not know how to run anything: deciding what has to be on disk before
// what happens, and continuing a run from its file, are the business of package
// agent.
package runfile

import (
	"encoding/hex"
	"fmt"
	"time"
)

// Version is the version of the format that this package writes, and the only one that it reads.
const Version = 2

// MaxLine is the longest line of a run file in bytes, its line feed included.
const MaxLine = 64 << 20

// MaxResult is how many bytes of a result's data are kept in a [Result] record: more than a tool
// returns whose definition does not say so, also where each byte of its text is six of JSON.
const MaxResult = 8 << 20

// MaxBefore is how many bytes of a file that is replaced are kept in an [Intent] record.
const MaxBefore = 64 << 10

// A Kind says what a record is about.
type Kind string

// The kinds of records, each with a body type of the same name.
const (
	KindRun            Kind = "run"
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

// A Header is what every record begins with. Because records are numbered from
// 1 without a gap, Seq is also the record's line.
type Header struct {
	Seq  int       `json:"seq"`
	Run  string    `json:"run"`
	Kind Kind      `json:"kind"`
	Time time.Time `json:"time"` // when it was appended, UTC
}

// NewID returns an id for a run that starts now. Ids sort by time; the low 24
// bits of random tell runs of the same millisecond apart.
func NewID(now time.Time, random uint64) string {
	tail := []byte{byte(random >> 16), byte(random >> 8), byte(random)}
	return fmt.Sprintf("%s-%s", now.UTC().Format("20060102T150405.000Z"), hex.EncodeToString(tail))
}
