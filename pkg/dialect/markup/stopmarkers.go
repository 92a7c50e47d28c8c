package markup

import (
	"bytes"
	"strings"
)

// stops are strings that end a call wherever they begin, such as the end of the reasoning in
// which the call is a draft.
type stops struct {
	markers   []string
	lookahead []byte // the end of the text, if it can begin a stop or is one
}

// appendUpToStop writes a piece of the text to a machine, up to a stop.
func (s *stops) appendUpToStop(m *machine, p []byte) {
	from := len(m.text)
	m.text = append(append(m.text, s.lookahead...), p...)
	if len(s.markers) == 0 {
		return
	}
	at := s.indexStop(m.text[from:])
	m.final = at >= 0
	if at < 0 {
		at = len(m.text) - from - s.partialStopLen(m.text[from:])
	}
	m.steps += len(m.text) - from
	m.text, s.lookahead = m.text[:from+at], append(s.lookahead[:0], m.text[from+at:]...)
}

// indexStop returns the index of the first stop in a text, or -1.
func (s *stops) indexStop(text []byte) int {
	first := -1
	for _, marker := range s.markers {
		if i := bytes.Index(text, []byte(marker)); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}

// partialStopLen returns how many bytes at the end of a text can begin a stop.
func (s *stops) partialStopLen(text []byte) int {
	most := 0
	for _, marker := range s.markers {
		for n := min(len(marker)-1, len(text)); n > most; n-- {
			if strings.HasPrefix(marker, string(text[len(text)-n:])) {
				most = n
			}
		}
	}
	return most
}
