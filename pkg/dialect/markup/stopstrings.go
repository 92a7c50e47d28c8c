package markup

import "oneshot/pkg/literal"

// stops are strings that end a call wherever they begin, such as the end of the reasoning in
// which the call is a draft.
type stops struct {
	*literal.Stops
	lookahead []byte // the end of the text, if it can begin a stop or is one
}

// appendUpToStop writes a piece of the text to a machine, up to a stop.
func (s *stops) appendUpToStop(m *machine, p []byte) {
	from := len(m.text)
	m.text = append(append(m.text, s.lookahead...), p...)
	if s.Stops == nil {
		return
	}
	at := s.Index(m.text[from:])
	m.final = at >= 0
	if at < 0 {
		at = len(m.text) - from - s.PartialLen(m.text[from:])
	}
	m.steps += len(m.text) - from
	m.text, s.lookahead = m.text[:from+at], append(s.lookahead[:0], m.text[from+at:]...)
}
