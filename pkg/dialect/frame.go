package dialect

import (
	"bytes"

	"oneshot/pkg/diag"
)

// A frame is where calls stand: a fence of the dialect, or JSON outside of
// fences, which has no fence.
type frame struct {
	fence
	infoAt  int  // offset of the info string
	bodyAt  int  // offset behind it
	held    int  // bytes of the opening line among those that are held
	folded  bool // the info string is in another case
	oneLine int  // offset of text behind the info string on its line, or -1
	begin   int  // where the body begins to read
	values  int  // how many frames hold calls, or values of JSON in them, up to here
}

// A body reads the inside of a frame.
type body interface {
	// write reads p up to the end of the frame and says how it came.
	write(p []byte) (n int, end ending)
	// close says that the text has ended, and reports whether the fence should
	// have been closed there.
	close() bool
}

// An ending says how a frame has ended.
type ending int

const (
	notYet    ending = iota
	closed           // with the run that closes its fence
	ended            // with the value that it is
	left             // it holds no more calls: what comes next is text
	leftRun          // the same, and it begins with a run of fence characters, see beginRun
	leftOther        // the same, and it begins with the rest of an object that is not ours
)

// lineProtocol begins the first line in a fence of Continue, which writes its
// calls line by line under the same info string as the dialect "tool".
const lineProtocol = "tool_name:"

// longestLead bounds the blank lines that are held back before the first word.
const longestLead = 64

// beginFrame opens a frame behind the info string.
func (s *Scanner) beginFrame() {
	s.frame = frame{
		fence: s.opener, infoAt: s.at - s.matched, bodyAt: s.at, held: len(s.held),
		folded: s.folded, oneLine: -1, values: s.frame.values,
	}
	s.place, s.matched = inFirst, 0
}

// first reads up to where it is known whether the frame is ours.
func (s *Scanner) first(p []byte) int {
	c, f := p[0], &s.dialect.framing
	switch {
	case s.matched == 0 && isSpace(c) && len(s.held) < s.frame.held+longestLead:
	case s.matches(f.other, c):
	case f.certain() || f.mayBegin(c):
		s.enterFrame(!isSpace(c))
		return 0
	default:
		s.refuseFrame()
		return 0
	}
	s.hold(p[:1])
	if f.other != "" && s.matched == len(f.other) {
		s.text()
		s.foreign = s.frame.fence
		s.find(diag.New(diag.OtherDialect, s.frame.span(), "the fence holds the line protocol of Continue (TOOL_NAME: …); it is not read"))
	}
	return 1
}

// refuseFrame goes on with a fence that is not ours, behind its opening line.
func (s *Scanner) refuseFrame() {
	lead := s.held[s.frame.held:]
	s.lineBlank = bytes.ContainsAny(lead, "\r\n")
	s.foreign = s.frame.fence
	s.release()
	s.place = inProse
}

// enterFrame begins to read the frame. text says whether its first word stands
// at the next byte or among those that are held.
func (s *Scanner) enterFrame(text bool) {
	lead := s.held[s.frame.held:]
	if (text || s.matched > 0) && !bytes.ContainsAny(lead, "\r\n") {
		s.frame.oneLine = s.frame.bodyAt + len(lead) - s.matched
	}
	s.place = inBody
	if !s.dialect.framing.certain() {
		s.frame.begin = s.at
		s.body = s.dialect.grammar.body(s, s.frame)
		return
	}
	s.frame.begin = s.frame.bodyAt
	s.known("before the calls")
	s.body = s.dialect.grammar.body(s, s.frame)
	s.body.write(lead)
}

// enterObject begins to read JSON outside of fences, at an offset.
func (s *Scanner) enterObject(at int) {
	s.frame = frame{begin: at, oneLine: -1, values: s.frame.values}
	s.place, s.body = inBody, s.dialect.grammar.body(s, s.frame)
}

// known says that the frame holds calls, and that the bytes which are held belong
// to it. It reports what is wrong with its opening line.
func (s *Scanner) known(outside string) {
	s.reportOutside(outside)
	s.held, s.begun = s.held[:0], true
	s.frame.values++
	f := &s.frame
	if f.folded {
		s.caseFinding()
	}
	if f.oneLine >= 0 {
		s.lineFinding(diag.Bytes(f.bodyAt, f.oneLine), diag.Safe, "text stands behind the info string on the opening line")
	}
	f.folded, f.oneLine = false, -1
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
	n, end := s.body.write(p)
	f := s.frame.fence
	switch end {
	case notYet:
		return n
	case closed:
		s.opener = fence{char: f.char, length: f.length, at: s.at + n - f.length}
		s.place = inCloser
	case ended:
		s.place = s.betweenFrames()
	case left:
		s.place = inProse
	case leftOther:
		s.place = inOther
	}
	s.body = nil
	return n
}

// betweenFrames returns the place behind a frame, where no text stands yet.
func (s *Scanner) betweenFrames() place {
	if s.dialect.framing.keys != nil {
		return inStart
	}
	return inProse
}
