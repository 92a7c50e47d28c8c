package dialect

import (
	"fmt"
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
	t := &s.detected
	switch {
	case len(s.marks.rows) == 1:
		return *s.marks.rows[0], "named by the caller", -1
	case t.row == nil:
		return Dialects[0], "nothing in the text is a call of any dialect", -1
	case t.frame.sign != "":
		why = "has " + t.frame.sign
	case t.frame.mark != "":
		why = fmt.Sprintf("has the mark %q", strings.TrimSpace(t.frame.mark))
	case t.frame.open():
		why = fmt.Sprintf("has a fence marked %q", t.frame.opening.info)
	default:
		why = "begins with a call"
	}
	if len(t.frame.also) > 0 {
		why += ", as in " + strings.Join(t.frame.also, ", ")
	}
	return *t.row, why, t.frame.at
}
