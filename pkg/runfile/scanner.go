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

// A Scanner reads the records of a run file one by one without keeping them, so the file may have any size. Its fields
// are set when [Scanner.Records] ends.
type Scanner struct {
	Size int64 // bytes of the intact records
	Torn *Torn // set if the last line is incomplete
	Err  error // a *[DamageError] or an error of the reader

	only  Kind        // decode only bodies of this kind; "" for all
	void  voidRecords // not yielded
	src   lineReader
	run   string // the ID in the first record
	count int    // records so far
	line  line   // of the latest one
	refs  *earlierTexts
}

// NewScanner returns a scanner that reads a run file from r.
func NewScanner(r io.Reader) *Scanner { return newScanner(r, 64<<10) }

func newScanner(r io.Reader, buffer int) *Scanner {
	return &Scanner{src: lineReader{src: bufio.NewReaderSize(r, buffer)}, refs: newEarlierTexts()}
}

// NewLiveRecordScanner returns a scanner of the records that count, as [Log.LiveRecords] returns them. It reads the file twice. Its
// error is a read error.
func NewLiveRecordScanner(src io.ReadSeeker) (*Scanner, error) {
	first, resumed := scanResumptions(src)
	if first.Err != nil && !errors.As(first.Err, new(*DamageError)) {
		return nil, first.Err
	}
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	s := NewScanner(io.LimitReader(src, first.Size)) // a run may have appended since
	s.void = newVoidRecords(resumed)
	s.Err, s.Torn = first.Err, first.Torn
	return s, nil
}

// Line returns the line of the latest record and the offset of its first byte. It is valid until the
// next record is read.
func (s *Scanner) Line() (text []byte, offset int64) { return s.line.text, s.line.offset }

// Records yields the records up to the end of the file, a torn last line, or damage. It can be used once.
func (s *Scanner) Records() iter.Seq[Record] {
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
			if !s.void.has(record.Seq) && !yield(record) {
				return
			}
		}
	}
}

// next reads a record. It returns io.EOF at the end and at a torn last line.
func (s *Scanner) next() (Record, error) {
	line, err := s.src.next()
	if err != nil {
		return Record{}, err
	}
	if why := incompleteReason(line); why != "" {
		return Record{}, s.end(line, why)
	}
	return s.record(line)
}

// end handles an incomplete line: the last line is torn, any other is damaged. Two complete records in one
// line are damage too: the line feed between them was overwritten.
func (s *Scanner) end(line line, why string) error {
	last, err := s.src.atEnd()
	switch {
	case err != nil:
		return err
	case !last || isTwoRecords(line.text):
		return line.damage(diag.RunDamaged, why)
	}
	begins := bytes.HasPrefix(line.text, firstRecordPrefix[:min(len(line.text), len(firstRecordPrefix))])
	s.Torn = &Torn{Line: line.number, Offset: line.offset, Why: why, BadPrefix: line.number == 1 && !begins}
	return io.EOF
}

// record decodes a complete line.
func (s *Scanner) record(line line) (Record, error) {
	h, err := parseRecordHeader(line.text)
	if err != nil {
		return Record{}, line.damage(diag.RunDamaged, fmt.Sprintf("the record cannot be read: %v", err))
	}
	if err := s.checkRecordHeader(line, h); err != nil {
		return Record{}, err
	}
	decode := decoders[h.Kind]
	if decode == nil {
		return Record{}, line.otherForm(fmt.Sprintf("unknown kind of record %q", h.Kind))
	}
	var body Body
	if s.only == "" || s.only == h.Kind {
		if body, err = decode(line.text); err != nil {
			return Record{}, line.otherForm(fmt.Sprintf("the %s record cannot be read: %v", h.Kind, err))
		}
		if body, err = s.refs.expandAndAdd(body, len(line.text)); err != nil {
			return Record{}, line.damage(diag.RunDamaged, fmt.Sprintf("%s record: %v", h.Kind, err))
		}
	}
	s.run, s.line = h.Run, line
	s.count++
	s.Size = line.offset + int64(len(line.text)) + 1
	return Record{Header: h, Body: body}, nil
}

// parseRecordHeader parses the header of a record without its body.
func parseRecordHeader(text []byte) (h Header, err error) {
	err = decodeUpTo(text, "time", &h, func() bool { return h.Seq > 0 && h.Run != "" && h.Kind != "" })
	return h, err
}

// decodeUpTo decodes the first members of a record, up to the member with the given name, whose value is a string. If a wanted
// member is not among them, another program wrote the members in another order, and the whole record is decoded.
func decodeUpTo[T any](text []byte, last string, into *T, isWhole func() bool) error {
	name := []byte(`,"` + last + `":"`)
	if i := bytes.Index(text[:min(len(text), 1<<10)], name); i >= 0 {
		if j := bytes.IndexByte(text[i+len(name):], '"'); j >= 0 {
			head := append(slices.Clip(text[:i+len(name)+j+1]), '}')
			if json.Unmarshal(head, into) == nil && isWhole() {
				return nil
			}
		}
	}
	*into = *new(T)
	return json.Unmarshal(text, into)
}

// checkRecordHeader checks a header against the records before it.
func (s *Scanner) checkRecordHeader(line line, h Header) error {
	if s.count == 0 {
		return checkFirst(line, h)
	}
	if h.Run != s.run {
		return line.damage(diag.RunSequence, fmt.Sprintf("the record belongs to run %q, but the file to run %q", h.Run, s.run))
	}
	if want := s.count + 1; h.Seq != want {
		return line.damage(diag.RunSequence, fmt.Sprintf("found record %d, expected record %d", h.Seq, want))
	}
	return nil
}
