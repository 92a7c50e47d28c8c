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
	markers []string
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
			s = &Stops{markers: make([]string, 0, len(marks))}
		}
		s.markers = append(s.markers, m)
		s.first[m[0]] = true
		s.longest = max(s.longest, len(m))
	}
	return s
}

// stopping is what is known of the marks that end what is read.
type stopping struct {
	stops        *Stops
	maxLookahead int    // how many bytes have to be seen to decide what begins here
	stop         string // the one that was met
	lookahead    []byte // what has been written and not been read
	undecided    bool   // more has to be seen to decide what begins here
	atEOF        bool   // nothing follows what is held back
}

func newStopping(stops *Stops, private string) stopping {
	s := stopping{stops: stops, maxLookahead: len(private)}
	if stops != nil {
		s.maxLookahead = max(s.maxLookahead, stops.longest)
	}
	return s
}

// Stop returns the stop that was met; "" if none was.
func (s *Scanner) Stop() string { return s.stop }

// writeLookahead is [Scanner.Write] where bytes are held back.
func (s *Scanner) writeLookahead(p []byte) (int, State) {
	before := len(s.lookahead)
	text := append(s.lookahead, p[:min(len(p), s.maxLookahead)]...)
	s.lookahead = nil
	n := s.read(text)
	switch {
	case s.undecided && len(text) == before+len(p):
		s.lookahead = append(text[:0], text[n:]...)
		return len(p), s.state
	case n < before:
		s.lookahead = append(text[:0], text[n:before]...)
		return 0, s.state
	case s.state != More:
		return n - before, s.state
	}
	more, state := s.Write(p[n-before:])
	return n - before + more, state
}

// flushLookahead reads what was held back when nothing follows it.
func (s *Scanner) flushLookahead() {
	if len(s.lookahead) == 0 {
		return
	}
	s.atEOF = true
	text := s.lookahead
	s.lookahead = nil
	if n := s.read(text); n < len(text) {
		s.lookahead = text[n:]
	}
}

// hasPrefix reports whether p begins with a mark; s.undecided is set where that
// depends on what follows p.
func (s *Scanner) hasPrefix(mark string, p []byte) bool {
	n := 0
	for n < len(mark) && n < len(p) && mark[n] == p[n] {
		n++
	}
	s.steps += n
	if n == len(p) && n < len(mark) && !s.atEOF {
		s.undecided = true
	}
	return n == len(mark)
}

// canBeginStop reports whether a stop can begin with this byte here.
func (s *Scanner) canBeginStop(c byte) bool {
	return s.stops != nil && s.stops.first[c] && len(s.skip.interpolations) == 0
}

// readStop reads a stop. It reports true if one is there, and also where that is
// not known yet: nothing is read then.
func (s *Scanner) readStop(p []byte) (int, bool) {
	found := ""
	for _, mark := range s.stops.markers {
		if s.hasPrefix(mark, p) && (found == "" || len(mark) < len(found)) {
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
		s.noteComment(s.pos)
	}
	s.tokenStart = s.pos
	switch {
	case s.goal == goalPunct:
	case s.phase == inArguments:
		s.failUnclosed(excerpt(mark))
	case s.phase == inHead:
		s.beginNonCall(s.tokenStart)
	}
	s.extendBareFault(mark)
	s.mode = inGap
	s.end, s.state, s.stop = s.tokenStart, Stopped, mark
}

// scanUntil returns how many bytes stand at the start of p before one of some bytes, and
// before the next place where a stop may begin. If one begins or may begin at the
// start it is how many bytes were read of it.
func (s *Scanner) scanUntil(p []byte, ends string) (n int, stopped bool) {
	if s.stops == nil {
		if n = bytes.IndexAny(p, ends); n < 0 {
			n = len(p)
		}
		return n, false
	}
	if s.canBeginStop(p[0]) {
		if n, ok := s.readStop(p); ok {
			return n, true
		}
	}
	for n < len(p) && strings.IndexByte(ends, p[n]) < 0 && (n == 0 || !s.stops.first[p[n]]) {
		n++
	}
	return n, false
}

// indexStop returns the index of the first stop in a text, -1 if there is none.
func (s *Scanner) indexStop(text string) int {
	first := -1
	s.steps += len(text)
	if s.stops == nil {
		return first
	}
	for _, mark := range s.stops.markers {
		if i := strings.Index(text, mark); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}
