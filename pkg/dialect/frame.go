package dialect

import (
	"slices"

	"oneshot/pkg/diag"
)

// A frame is where calls stand: behind a mark, in a fence, or in JSON outside of
// fences, which has neither.
type frame struct {
	row     *Dialect
	grammar *grammar
	fence
	opening opening // the opening line of the fence
	mark    string  // the mark that opens it, "" for none
	sign    string  // what else says that it holds calls
	lacks   string  // the mark that should stand before it, and is missing
	also    others  // what else begins so
	at      int     // where it begins
	begin   int     // where the body begins to read
	end     int     // behind its last byte; 0 if it has none of its own
	sure    bool    // it holds calls, whatever they are
	calls   int     // how many came before
	none    bool    // it holds what is no call, and that has been said
}

// lacksCalls reports whether nothing in the frame is a call, as has been said: that it is not closed, too, tells nothing.
func (s *Scanner) lacksCalls() bool { return s.frame.none && s.frame.calls == s.calls }

// A body reads the inside of a frame.
type body interface {
	// write reads p up to the end of the frame and says how it came.
	write(p []byte) (n int, end ending)
	// close says that the text has ended.
	close()
}

// An ending says how a frame has ended.
type ending int

const (
	notYet    ending = iota
	closed           // with the run that closes its fence
	ended            // with the last byte that belongs to it
	left             // it holds no more calls: what comes next is text
	leftRun          // the same, and it begins with a run of fence characters, see beginRun
	leftOther        // the same, and it begins with the rest of an object that is not ours
)

// enter begins to read a frame behind a mark at an offset.
func (s *Scanner) enter(u use, at int, mark string) {
	s.frame = frame{row: u.row, mark: mark, at: at, begin: at, lacks: u.lacks, sure: u.role != starts}
	if u.role == begins {
		s.frame.begin += len(mark)
	}
	s.begun = s.begun || s.frame.sure
	s.beginBody(u.reads())
	if s.frame.sure {
		s.framed()
	}
}

// reads returns the grammar of what follows a mark.
func (u use) reads() *grammar {
	switch {
	case u.grammar != nil:
		return u.grammar
	case u.role == starts:
		return u.row.bare()
	}
	return &u.row.grammar
}

// enterObject begins to read JSON outside of fences, at an offset.
func (s *Scanner) enterObject(at int) {
	s.frame = frame{row: s.marks.objects, at: at, begin: at}
	s.beginBody(s.frame.row.bare())
}

// beginBody begins to read the inside of the frame.
func (s *Scanner) beginBody(g *grammar) {
	s.frame.grammar, s.frame.calls = g, s.calls
	s.resync.forget(s.frame.begin)
	s.place, s.body, s.cut, s.unpaired = inBody, g.body(s, &s.frame), false, false
}

// bare returns the grammar of frames without a mark.
func (d *Dialect) bare() *grammar {
	if d.framing.bare != nil {
		return d.framing.bare
	}
	return &d.grammar
}

// known says that the frame holds calls, and that the bytes which are held belong
// to it.
func (s *Scanner) known(outside string) {
	s.alone = s.frame.row.framing.alone
	s.reportOutside(outside)
	s.drop()
	s.begun = true
	s.holders++
	s.framed()
	s.checkOpening()
}

// readBody reads the inside of a frame.
func (s *Scanner) readBody(p []byte) int {
	at := s.at
	n, end := s.body.write(p)
	s.record(at, p[:n])
	f := s.frame.fence
	if end != notYet {
		s.progress(n)
	}
	switch end {
	case notYet:
		return n
	case closed:
		s.opener = fence{char: f.char, length: f.length, at: s.at + n - f.length}
		s.place = inCloser
	case ended:
		s.frame.end = s.at + n - len(s.given)
		if len(s.frame.row.framing.closes) > 0 {
			s.wrap = wrap{}
		}
		s.place = s.betweenFrames()
		if s.wrap.open() && !s.isQuoting(s.frame.row) {
			s.place = inGap
		}
	case left:
		s.place = inProse
	case leftOther:
		s.place = inOther
	}
	s.body = nil
	return n
}

// progress makes content of the mark of a frame that has given all of itself back,
// n bytes into a piece: it would begin the same frame again.
func (s *Scanner) progress(n int) {
	at, size := s.at+n-len(s.given), len(s.frame.mark)
	if size == 0 || at > s.frame.at || len(s.given) < size {
		return
	}
	s.content(at, string(s.given[:size]))
	if !s.claim.told {
		s.claims(at, at+size, true)
	}
	s.given = s.given[size:]
}

// betweenFrames returns the place where no text stands yet: at the start of the
// response, and behind a frame.
func (s *Scanner) betweenFrames() place {
	if len(s.marks.starts) > 0 && !s.thinking.inside {
		return inStart
	}
	return inProse
}

// start reads up to the first byte that is no blank, or behind a separator of
// calls: it is one if a call follows.
func (s *Scanner) start(p []byte) int {
	n := 0
	for n < len(p) && isSpace(p[n]) {
		s.lineBlank = s.lineBlank || isNewline(p[n])
		n++
	}
	if n == 0 {
		if s.bracketBehind(p[0]) {
			return 1
		}
		if s.holders > 0 && !s.alone && (p[0] == ';' || p[0] == ',') {
			n = 1
		} else if !s.mayStart(p[:1]) {
			s.place, s.inQuoted = inProse, false
			return 0
		}
		s.hold(p[:n])
		s.pending = pending{uses: s.marks.starts, early: s.marks.soon, size: n}
		s.place = inLead
		return n
	}
	s.content(s.at, s.said(s.at, p[:n]))
	return n
}

// mayStart reports whether a frame without a mark can begin with a byte.
func (s *Scanner) mayStart(c []byte) bool {
	if s.marks.soon != nil {
		return s.marks.soon.tell(c).may != 0
	}
	return slices.ContainsFunc(s.marks.starts, func(u use) bool { return s.looksLed(u, c) != no })
}

// bracketBehind reports a closing bracket right behind JSON without a mark. It is no
// text, as it would be none in a frame.
func (s *Scanner) bracketBehind(c byte) bool {
	if c != ']' && c != '}' || s.frame.mark != "" || s.frame.fence.open() || s.at != s.frame.end || s.at == 0 {
		return false
	}
	s.findStray(c, s.at, diag.Safe)
	s.frame.end++
	return true
}
