package dialect

import (
	"bytes"

	"oneshot/pkg/diag"
)

// A frame is a fence of the dialect.
type frame struct {
	fence
	infoAt int // offset of the info string
	bodyAt int // offset behind it
	held   int // bytes of the opening line among those that are held
	folded bool
}

// A body reads the inside of a frame.
type body interface {
	// write reads p up to the end of the frame and reports whether it came.
	write(p []byte) (n int, closed bool)
	// close says that the text has ended, and reports whether it did so between
	// calls.
	close() bool
}

// lineProtocol begins the first line in a fence of Continue, which writes its
// calls line by line under the same info string.
const lineProtocol = "tool_name:"

// longestLead bounds the blank lines that are held back before the first word.
const longestLead = 64

// beginFrame opens a frame behind the info string.
func (s *Scanner) beginFrame() {
	info := len(s.dialect.framing.info)
	s.frame = frame{fence: s.opener, infoAt: s.at - info, bodyAt: s.at, held: len(s.held), folded: s.folded}
	s.place, s.matched = inFirst, 0
}

// first reads up to where it is known whether the frame is Continue's.
func (s *Scanner) first(p []byte) int {
	c := p[0]
	space := isBlank(c) || isNewline(c)
	switch {
	case s.matched == 0 && space && len(s.held) < s.frame.held+longestLead:
	case s.matches(lineProtocol, c):
	default:
		s.enterFrame(!space)
		return 0
	}
	s.hold(p[:1])
	if s.matched == len(lineProtocol) {
		s.text()
		s.foreign = s.frame.fence
		s.find(diag.New(diag.OtherDialect, s.frame.span(), "the fence holds the line protocol of Continue (TOOL_NAME: …); it is not read"))
	}
	return 1
}

// enterFrame begins to read the frame. text says whether its first word stands
// at the next byte or among those that are held.
func (s *Scanner) enterFrame(text bool) {
	lead := s.held[s.frame.held:]
	blanks := len(lead) - s.matched
	if s.frame.folded {
		s.caseFinding()
	}
	if (text || s.matched > 0) && !bytes.ContainsAny(lead, "\r\n") {
		s.lineFinding(diag.Bytes(s.frame.bodyAt, s.frame.bodyAt+blanks), diag.Safe, "text stands behind the info string on the opening line")
	}
	s.body = s.dialect.grammar.body(s, s.frame)
	s.body.write(lead)
	s.held = s.held[:0]
	s.place = inBody
}

// caseFinding reports an info string in another case.
func (s *Scanner) caseFinding() {
	info := s.dialect.framing.info
	place := diag.Bytes(s.frame.infoAt, s.frame.bodyAt)
	f := diag.New(diag.FenceLine, place, "the info string should be %q in small letters", info)
	f.Severity = diag.Info
	f.Fixes = fix("write "+info, diag.Edit{Start: place.Start, End: place.End, New: info})
	s.find(f)
}

// readBody reads the inside of a frame.
func (s *Scanner) readBody(p []byte) int {
	n, closed := s.body.write(p)
	if closed {
		f := s.frame.fence
		s.opener = fence{char: f.char, length: f.length, at: s.at + n - f.length}
		s.body, s.place = nil, inCloser
	}
	return n
}
