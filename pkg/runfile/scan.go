package runfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"oneshot/pkg/diag"
)

// A Scan reads the records of a run file one by one, and keeps none of them, so that a file of any size can be
// read. Its fields are set when [Scan.Records] has ended.
type Scan struct {
	Size int64 // bytes of the intact records
	Torn *Torn // set when the last line was not completely written
	Err  error // a *[DamageError], or of the reader

	only  Kind // the only kind of records that are decoded; the others have no body; "" for all
	src   lineReader
	run   string // the id in the first record
	count int    // records so far
	line  line   // of the latest one
	known *earlier
}

// NewScan returns a scan of a run file that begins with the next byte of r.
func NewScan(r io.Reader) *Scan { return newScan(r, 64<<10) }

func newScan(r io.Reader, buffer int) *Scan {
	return &Scan{src: lineReader{src: bufio.NewReaderSize(r, buffer)}, known: newEarlier()}
}

// Line returns the latest record as it stands in the file, and the offset of its first byte. It is valid until the
// next record is read.
func (s *Scan) Line() (text []byte, offset int64) { return s.line.text, s.line.offset }

// Records reads the records, up to the end of the file, a torn last line, or damage. It can be used once.
func (s *Scan) Records() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for {
			record, err := s.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				s.Err = err
				return
			}
			if !yield(record) {
				return
			}
		}
	}
}

// next reads a record. It returns io.EOF at the end, and at a torn last line.
func (s *Scan) next() (Record, error) {
	line, err := s.src.next()
	if err != nil {
		return Record{}, err
	}
	if why := broken(line); why != "" {
		return Record{}, s.end(line, why)
	}
	return s.record(line)
}

// end decides about a line that is not whole: it is torn if it is the last one.
// Two whole records in one line are not torn: the line feed between them was
// damaged.
func (s *Scan) end(line line, why string) error {
	last, err := s.src.atEnd()
	switch {
	case err != nil:
		return err
	case !last || twoRecords(line.text):
		return line.damage(diag.RunDamaged, why)
	}
	begins := bytes.HasPrefix(line.text, beginning[:min(len(line.text), len(beginning))])
	s.Torn = &Torn{Line: line.number, Offset: line.offset, Why: why, Alien: line.number == 1 && !begins}
	return io.EOF
}

// record reads the record of a whole line.
func (s *Scan) record(line line) (Record, error) {
	h, err := headerOf(line.text)
	if err != nil {
		return Record{}, line.damage(diag.RunDamaged, fmt.Sprintf("the record cannot be read: %v", err))
	}
	if err := s.checkHeader(line, h); err != nil {
		return Record{}, err
	}
	decode := decoders[h.Kind]
	if decode == nil {
		return Record{}, line.damage(diag.RunDamaged, fmt.Sprintf("unknown kind of record %q", h.Kind))
	}
	var body Body
	if s.only == "" || s.only == h.Kind {
		if body, err = decode(line.text); err != nil {
			return Record{}, line.damage(diag.RunDamaged, fmt.Sprintf("the %s record cannot be read: %v", h.Kind, err))
		}
		if body, err = s.known.take(body, len(line.text)); err != nil {
			return Record{}, line.damage(diag.RunDamaged, fmt.Sprintf("%s record: %v", h.Kind, err))
		}
	}
	s.run, s.line = h.Run, line
	s.count++
	s.Size = line.offset + int64(len(line.text)) + 1
	return Record{Header: h, Body: body}, nil
}

// headerOf reads the header of a record, which its body follows.
func headerOf(text []byte) (Header, error) {
	var h Header
	const last = `,"time":"`
	if i := bytes.Index(text[:min(len(text), 1<<10)], []byte(last)); i >= 0 {
		if j := bytes.IndexByte(text[i+len(last):], '"'); j >= 0 {
			head := append(slices.Clip(text[:i+len(last)+j+1]), '}')
			if json.Unmarshal(head, &h) == nil && h.Seq > 0 && h.Run != "" && h.Kind != "" {
				return h, nil
			}
		}
	}
	h = Header{}
	return h, json.Unmarshal(text, &h) // another program wrote it
}

// checkHeader holds a record against the records before it.
func (s *Scan) checkHeader(line line, h Header) error {
	if s.count == 0 {
		return checkFirst(line, h)
	}
	if h.Run != s.run {
		return line.damage(diag.RunSequence, fmt.Sprintf("the record belongs to run %q, the file to run %q", h.Run, s.run))
	}
	if want := s.count + 1; h.Seq != want {
		return line.damage(diag.RunSequence, fmt.Sprintf("record %d stands where record %d belongs", h.Seq, want))
	}
	return nil
}
