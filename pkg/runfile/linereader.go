package runfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"oneshot/pkg/diag"
)

// A line of a run file, without its line feed.
type line struct {
	number     int
	offset     int64
	text       []byte // valid until the next line is read
	terminated bool   // a line feed follows
}

func (l line) damage(code diag.Code, why string) error {
	return &DamageError{Code: code, Line: l.number, Offset: l.offset, Why: why}
}

// otherForm returns the error for an intact record, as its checksum shows, of a form that this version does not read.
func (l line) otherForm(why string) error {
	return l.damage(diag.RunVersion, why+"; another version of oneshot wrote the file")
}

// A lineReader reads lines of up to [MaxLine] bytes.
type lineReader struct {
	src    *bufio.Reader
	buf    []byte
	number int
	offset int64 // of the next line
}

// next returns the next line, or io.EOF after the last one.
func (r *lineReader) next() (line, error) {
	r.number++
	r.buf = r.buf[:0]
	l := line{number: r.number, offset: r.offset}
	for {
		part, err := r.src.ReadSlice('\n')
		if need := len(r.buf) + len(part); need > cap(r.buf) { // doubled to keep copying linear
			r.buf = slices.Grow(r.buf, min(max(need, 2*cap(r.buf)), max(need, MaxLine+1))-len(r.buf))
		}
		r.buf = append(r.buf, part...)
		r.offset += int64(len(part))
		switch {
		case len(r.buf) > MaxLine:
			return l, l.damage(diag.RunDamaged, fmt.Sprintf("the line is longer than %d bytes (%d MiB), the limit of a record", MaxLine, MaxLine>>20))
		case err == nil:
			l.text, l.terminated = r.buf[:len(r.buf)-1], true
			return l, nil
		case errors.Is(err, io.EOF) && len(r.buf) > 0:
			l.text = r.buf
			return l, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return l, err
		}
	}
}

// atEnd reports whether the input has ended.
func (r *lineReader) atEnd() (bool, error) {
	_, err := r.src.Peek(1)
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return false, err
}
