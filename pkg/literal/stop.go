package literal

import (
	"bytes"
	"strings"
)

// Stops, and private marks, have several bytes, and the text may be cut inside
// one. What begins like one and may still become another thing is held back until
// that is known: a scanner looks ahead and never reads anything twice.

// Stops are marks that end what is read wherever one begins outside strings,
// whatever is open there. None may be a piece of valid JSON, such as "{". One
// that begins with a letter, a digit or a byte beyond ASCII is seen only where
// a token can begin. They do not change, and many scanners can share them.
type Stops struct {
	marks   []string
	first   byteSet // the bytes that one begins with
	longest int     // bytes of the longest
}

// NewStops returns marks that end what is read, nil for none. Empty ones do not count.
func NewStops(marks ...string) *Stops {
	var s *Stops
	for _, m := range marks {
		if m == "" {
			continue
		}
		if s == nil {
			s = &Stops{marks: make([]string, 0, len(marks))}
		}
		s.marks = append(s.marks, m)
		s.first[m[0]] = true
		s.longest = max(s.longest, len(m))
	}
	return s
}

// stopping is what is known of the marks that end what is read.
type stopping struct {
	stops     *Stops
	ahead     int    // how many bytes have to be seen to decide what begins here
	stop      string // the one that was met
	held      []byte // what has been written and not been read
	undecided bool   // more has to be seen to decide what begins here
	ended     bool   // nothing follows what is held back
}

func newStopping(stops *Stops, private string) stopping {
	s := stopping{stops: stops, ahead: len(private)}
	if stops != nil {
		s.ahead = max(s.ahead, stops.longest)
	}
	return s
}

// Stop returns the stop that was met; "" if none was.
func (s *Scanner) Stop() string { return s.stop }

// writeHeld is [Scanner.Write] where bytes are held back.
func (s *Scanner) writeHeld(p []byte) (int, State) {
	before := len(s.held)
	text := append(s.held, p[:min(len(p), s.ahead)]...)
	s.held = nil
	n := s.read(text)
	switch {
	case s.undecided && len(text) == before+len(p):
		s.held = append(text[:0], text[n:]...)
		return len(p), s.state
	case n < before:
		s.held = append(text[:0], text[n:before]...)
		return 0, s.state
	case s.state != More:
		return n - before, s.state
	}
	more, state := s.Write(p[n-before:])
	return n - before + more, state
}

// releaseHeld reads what was held back when nothing follows it.
func (s *Scanner) releaseHeld() {
	if len(s.held) == 0 {
		return
	}
	s.ended = true
	text := s.held
	s.held = nil
	if n := s.read(text); n < len(text) {
		s.held = text[n:]
	}
}

// begins reports whether p begins with a mark; s.undecided is set where that
// depends on what follows p.
func (s *Scanner) begins(mark string, p []byte) bool {
	n := 0
	for n < len(mark) && n < len(p) && mark[n] == p[n] {
		n++
	}
	s.steps += n
	if n == len(p) && n < len(mark) && !s.ended {
		s.undecided = true
	}
	return n == len(mark)
}

// mayStop reports whether a stop can begin with this byte here.
func (s *Scanner) mayStop(c byte) bool {
	return s.stops != nil && s.stops.first[c] && len(s.passing.holes) == 0
}

// atStop reads a stop. It reports true if one is there, and also where that is
// not known yet: nothing is read then.
func (s *Scanner) atStop(p []byte) (int, bool) {
	found := ""
	for _, mark := range s.stops.marks {
		if s.begins(mark, p) && (found == "" || len(mark) < len(found)) {
			found = mark
		}
	}
	if found == "" {
		return 0, s.undecided
	}
	s.undecided = false
	s.endAtStop(found)
	return len(found), true
}

// endAtStop ends the part in front of a stop.
func (s *Scanner) endAtStop(mark string) {
	if s.mode == inLine || s.mode == inBlock || s.mode == inStar {
		s.noteComment(s.at)
	}
	s.token = s.at
	switch {
	case s.goal == aMark:
	case s.phase == arguing:
		s.endedIn(excerpt(mark))
	case s.phase == heading:
		s.beginJunk(s.token)
	}
	s.endBareOpen(mark)
	s.mode = inGap
	s.end, s.state, s.stop = s.token, Stopped, mark
}

// upTo returns how many bytes stand at the start of p before one of some bytes, and
// before the next place where a stop may begin. If one begins or may begin at the
// start it is how many bytes were read of it.
func (s *Scanner) upTo(p []byte, ends string) (n int, stopped bool) {
	if s.stops == nil {
		if n = bytes.IndexAny(p, ends); n < 0 {
			n = len(p)
		}
		return n, false
	}
	if s.mayStop(p[0]) {
		if n, ok := s.atStop(p); ok {
			return n, true
		}
	}
	for n < len(p) && strings.IndexByte(ends, p[n]) < 0 && (n == 0 || !s.stops.first[p[n]]) {
		n++
	}
	return n, false
}

// firstStop returns the index of the first stop in a text, -1 if there is none.
func (s *Scanner) firstStop(text string) int {
	first := -1
	s.steps += len(text)
	if s.stops == nil {
		return first
	}
	for _, mark := range s.stops.marks {
		if i := strings.Index(text, mark); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}
