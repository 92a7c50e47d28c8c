package dialect

import (
	"strconv"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A detected is the dialect of a response, as far as its calls have told it.
type detected struct {
	row   *Dialect // that of the first call, or else of the first frame
	frame frame    // in which it stands
	calls bool     // there is a call
	mixed []string // other dialects of which there are calls
}

// detect takes note of a call and its dialect. The first of each other dialect is
// a finding.
func (s *Scanner) detect(row *Dialect, c chat.Call) []diag.Finding {
	d := &s.detected
	switch {
	case !d.calls:
		d.row, d.frame, d.calls = row, s.frame, true
		return nil
	case d.row.Name == row.Name:
		return nil
	}
	for _, name := range d.mixed {
		if name == row.Name {
			return nil
		}
	}
	d.mixed = append(d.mixed, row.Name)
	return []diag.Finding{diag.New(diag.OtherDialect, diag.Bytes(c.Start, c.End),
		"this call is written in the dialect %s, the calls before it in %s", row.Name, d.row.Name)}
}

// sign says what tells that the open frame holds calls, and where.
func (s *Scanner) sign(at int, what string) {
	if s.frame.sign == "" {
		s.frame.at, s.frame.sign = at, what
	}
}

// framed takes note of a frame of which it is known that it holds calls.
func (s *Scanner) framed() {
	if d := &s.detected; d.row == nil {
		d.row, d.frame = s.frame.row, s.frame
	}
}

// Detected returns the dialect in which the response is read, how it was told
// from the text, and the offset of what tells it: where the first call stands.
// Without any call, and without a dialect that was asked for, it is "tool", and
// the offset is -1.
func (s *Scanner) Detected() (d Dialect, why string, at int) {
	row, at := s.told()
	return *row, string(s.appendWhy(nil)), at
}

// told returns the dialect, and the offset of what tells it.
func (s *Scanner) told() (row *Dialect, at int) {
	switch t := &s.detected; {
	case len(s.marks.rows) == 1:
		return s.marks.rows[0], -1
	case t.row == nil:
		return &Dialects()[0], -1
	default:
		return t.row, t.frame.at
	}
}

// appendWhy appends how the dialect was told.
func (s *Scanner) appendWhy(b []byte) []byte {
	f := &s.detected.frame
	switch {
	case len(s.marks.rows) == 1:
		return append(b, "named by the caller"...)
	case s.detected.row == nil:
		return append(b, "nothing in the text is a call of any dialect"...)
	case f.sign != "":
		b = append(append(b, "has "...), f.sign...)
	case f.mark != "":
		b = strconv.AppendQuote(append(b, "has the mark "...), strings.TrimSpace(f.mark))
	case f.open():
		b = strconv.AppendQuote(append(b, "has a fence marked "...), f.opening.info)
	default:
		b = append(b, "begins with a call"...)
	}
	before := ", as in "
	for _, name := range f.also.dialects() {
		b = append(append(b, before...), name...)
		before = ", "
	}
	return b
}
