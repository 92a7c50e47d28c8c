package dialect

import "oneshot/pkg/diag"

// An outside is the text between calls.
type outside struct {
	from, to int // from its first byte that is no blank to behind its last
	any      bool
	told     bool // there is a finding about it already
}

// add takes text at an offset, and returns how many bytes were looked at.
func (o *outside) add(at int, text string) int {
	first, last := 0, len(text)
	for last > 0 && isSpace(text[last-1]) {
		last--
	}
	looked := len(text) - last
	if last == 0 {
		return looked
	}
	if !o.any {
		for isSpace(text[first]) {
			first++
		}
		o.from, o.any = at+first, true
	}
	o.to = at + last
	return looked + first
}

// reportOutside reports the text since the last calls, in a dialect that wants
// the calls alone.
func (s *Scanner) reportOutside(where string) {
	if o := s.outside; o.any && !o.told && s.alone {
		s.find(diag.New(diag.TextAround, diag.Bytes(o.from, o.to), "text %s", where))
	}
	s.outside = outside{}
}

// closeOutside reports the text behind the last calls, or all of it where there
// are none.
func (s *Scanner) closeOutside() {
	switch {
	case s.holders > 0:
		s.reportOutside("after the calls")
	case len(s.marks.rows) == 1:
		s.alone = s.marks.rows[0].framing.alone
		s.reportOutside("in place of a JSON object with calls")
	}
}
