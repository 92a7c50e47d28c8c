package dialect

import "oneshot/pkg/diag"

// surroundingText is the text between calls.
type surroundingText struct {
	from, to int // without blanks around it
	hasText  bool
	reported bool // a finding about it was reported
}

// add adds text at an offset, and returns the number of bytes inspected.
func (o *surroundingText) add(at int, text string) int {
	first, last := 0, len(text)
	for last > 0 && isSpace(text[last-1]) {
		last--
	}
	looked := len(text) - last
	if last == 0 {
		return looked
	}
	if !o.hasText {
		for isSpace(text[first]) {
			first++
		}
		o.from, o.hasText = at+first, true
	}
	o.to = at + last
	return looked + first
}

// reportSurrounding reports the text since the last calls, if the dialect allows nothing but calls.
func (s *Scanner) reportSurrounding(where string) {
	if o := s.surrounding; o.hasText && !o.reported && s.callsOnly {
		s.report(diag.New(diag.SurroundingText, diag.Bytes(o.from, o.to), "text %s", where))
	}
	s.surrounding = surroundingText{}
}

// closeSurrounding reports the text after the last calls, or all text if there are no calls.
func (s *Scanner) closeSurrounding() {
	switch {
	case s.callHolders > 0:
		s.reportSurrounding("after the calls")
	case len(s.markers.dialects) == 1:
		s.callsOnly = s.markers.dialects[0].framing.callsOnly
		s.reportSurrounding("in place of a JSON object with calls")
	}
}
