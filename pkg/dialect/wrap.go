package dialect

import (
	"slices"

	"oneshot/pkg/diag"
)

// wrap is what is known of the marks around calls.
type wrap struct {
	row   *Dialect
	depth int // how many are open
	at    int // where the first stands
	text  string
	calls int // how many came before
}

func (w wrap) open() bool { return w.row != nil }

// wrapped follows a mark before calls. Of several the last tells the dialect best.
func (s *Scanner) wrapped(row *Dialect, at int, text string, inLine bool) {
	if !s.wrap.open() {
		s.wrap = wrap{at: at, text: text, calls: s.calls}
		s.claims(at, at+len(text), inLine)
	}
	s.wrap.row = row
	s.wrap.depth++
	s.place = inGap
}

// unwrapped follows a mark behind calls.
func (s *Scanner) unwrapped(row *Dialect, at int, text string, inLine bool) {
	place := diag.Bytes(at, at+len(text))
	switch {
	case s.wrap.open():
		s.wrap.depth--
		if s.wrap.depth <= 0 && !s.unmet(at, inLine) && s.empty() {
			s.mentions(at)
		}
	case s.unmet(at, inLine):
		return
	case s.claim.open && s.claim.calls == s.calls:
		s.mentions(at)
		return
	case s.frame.row == row && s.lacksCalls(): // it closes what is no call
		s.frame.none = false
	case s.frame.row == row && row.wrapsCalls() && !s.textBehind():
		f := diag.New(diag.MissingOpener, place, "the mark that this one closes is missing before the calls")
		s.find(f)
	case s.textBehind():
		s.stray(at, text)
		return
	default:
		s.stray(at, text)
	}
	if s.wrap.depth <= 0 {
		s.wrap = wrap{}
	}
	s.place = s.betweenFrames()
}

// mentions follows a closing mark at an offset that a sentence mentions, as it does the open one.
func (s *Scanner) mentions(at int) {
	if !s.claim.told {
		f := diag.New(diag.NotACall, diag.Bytes(s.claim.from, at), "no call between these marks: the text is content")
		f.Severity = diag.Info
		s.unfulfilled(f)
	}
	s.claim.open = false
}

// textBehind reports whether text stands behind the last frame.
func (s *Scanner) textBehind() bool { return s.outside.any && s.outside.to > s.frame.end }

// wrapsCalls reports whether marks stand around the calls of a dialect, besides
// their own.
func (d *Dialect) wrapsCalls() bool {
	return slices.ContainsFunc(d.framing.marks, func(m mark) bool { return m.role == wraps || m.around })
}

// closeWrap reports calls whose closing mark is missing at the end of the text. Where there are none, that is
// what is wrong.
func (s *Scanner) closeWrap() {
	w, empty := s.wrap, s.empty()
	s.closeClaim()
	if w.open() && !w.row.framing.stops && !empty && (w.calls < s.calls || !s.claim.told) {
		s.find(diag.New(diag.MissingCloser, diag.Bytes(w.at, w.at+len(w.text)), "%s is not closed before the end of the text", w.text))
	}
}

// readGap passes over the blanks behind a mark around calls.
func (s *Scanner) readGap(p []byte) int {
	n := 0
	for n < len(p) && isSpace(p[n]) {
		n++
	}
	s.claim.add(string(p[:n]))
	if n < len(p) {
		s.place = s.betweenFrames()
		s.lineBlank = true
	}
	return n
}
