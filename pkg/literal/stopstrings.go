package literal

import (
	"bytes"
	"strings"
)

// Stops and string delimiters have several bytes, and a piece of the text can end inside one.
// Their undecided start is held back as lookahead, so that a scanner reads no byte twice.

// Stops are strings that end an item wherever they begin outside strings, whatever brackets are
// open. None may be a part of valid JSON, such as "{". A stop that begins with a letter, a digit
// or a non-ASCII byte is recognised only at the start of a token. Stops are immutable and can be
// shared by scanners.
type Stops struct {
	markers []string
	first   byteSet // first bytes of all markers
	longest int     // length of the longest
}

// NewStops returns stops, nil for none. It ignores empty ones.
func NewStops(markers ...string) *Stops {
	var s *Stops
	for _, m := range markers {
		if m == "" {
			continue
		}
		if s == nil {
			s = &Stops{markers: make([]string, 0, len(markers))}
		}
		s.markers = append(s.markers, m)
		s.first[m[0]] = true
		s.longest = max(s.longest, len(m))
	}
	return s
}

// Index returns the index of the first stop in a text, or -1.
func (s *Stops) Index(text []byte) int {
	first := -1
	if s == nil {
		return first
	}
	for _, marker := range s.markers {
		if i := bytes.Index(text, []byte(marker)); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}

// PartialLen returns how many bytes at the end of a text can begin a stop.
func (s *Stops) PartialLen(text []byte) int {
	most := 0
	for _, marker := range s.markers {
		for n := min(len(marker)-1, len(text)); n > most; n-- {
			if bytes.HasPrefix([]byte(marker), text[len(text)-n:]) {
				most = n
			}
		}
	}
	return most
}

// stopLookahead is the lookahead state for stops and delimiters.
type stopLookahead struct {
	stops        *Stops
	maxLookahead int    // bytes needed at most to decide a token
	stop         string // the stop that was found
	lookahead    []byte // bytes written but not read
	undecided    bool   // the next token needs more lookahead
	atEOF        bool   // nothing follows the lookahead
}

func newStopLookahead(stops *Stops, delimiter string) stopLookahead {
	s := stopLookahead{stops: stops, maxLookahead: len(delimiter)}
	if stops != nil {
		s.maxLookahead = max(s.maxLookahead, stops.longest)
	}
	return s
}

// Stop returns the stop that was found, or "".
func (s *Scanner) Stop() string { return s.stop }

// writeAfterPendingLookahead is [Scanner.Write] with pending lookahead.
func (s *Scanner) writeAfterPendingLookahead(p []byte) (int, State) {
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
	case s.state != NeedMore:
		return n - before, s.state
	}
	more, state := s.Write(p[n-before:])
	return n - before + more, state
}

// flushLookahead reads the lookahead at the end of the text.
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

// hasPrefix reports whether p begins with a marker. It sets s.undecided if p is too short to
// tell.
func (s *Scanner) hasPrefix(marker string, p []byte) bool {
	n := 0
	for n < len(marker) && n < len(p) && marker[n] == p[n] {
		n++
	}
	s.steps += n
	if n == len(p) && n < len(marker) && !s.atEOF {
		s.undecided = true
	}
	return n == len(marker)
}

// canBeginStop reports whether a stop can begin with c here.
func (s *Scanner) canBeginStop(c byte) bool {
	return s.stops != nil && s.stops.first[c] && len(s.skip.interpolations) == 0
}

// readStop reads a stop and reports whether there is one. While that is undecided it returns
// true and reads nothing.
func (s *Scanner) readStop(p []byte) (int, bool) {
	found := ""
	for _, marker := range s.stops.markers {
		if s.hasPrefix(marker, p) && (found == "" || len(marker) < len(found)) {
			found = marker
		}
	}
	if found == "" {
		return 0, s.undecided
	}
	s.undecided = false
	s.endAtStop(found)
	return len(found), true
}

// endAtStop ends the part before a stop.
func (s *Scanner) endAtStop(marker string) {
	if s.mode == inLine || s.mode == inBlock || s.mode == inStar {
		s.noteComment(s.pos)
	}
	s.tokenStart = s.pos
	switch {
	case s.goal == goalPunct:
	case s.phase == inArguments:
		s.failUnclosed(excerpt(marker))
	case s.phase == inHead:
		s.beginNonCall(s.tokenStart)
	}
	s.extendBareFault(marker)
	s.mode = inGap
	s.end, s.state, s.stop = s.tokenStart, Stopped, marker
}

// scanUntil returns the number of bytes at the start of p before a byte of ends and before the
// next possible stop. If a stop begins or may begin at the start, stopped is true and n is the
// number of its bytes read.
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
