package dialect

import (
	"bytes"
	"strings"

	"oneshot/pkg/diag"
)

// Bounds of what can be the opening line of a fence of ours. They bound what is
// held back.
const (
	longestRun = 64 // fence characters
	mostBlanks = 8  // between them and the info string
)

// A place is what the next byte belongs to.
type place int

const (
	inProse    place = iota // text, inside or outside a fence that is not ours
	inStart                 // before any text, where JSON outside of fences counts
	inKey                   // in an object in the text, up to its first key
	inOtherKey              // in the first key of one that is not ours
	inOther                 // in such an object, behind that
	inRun                   // a run of fence characters at the start of a line
	inInfo                  // behind such a run, while it can be ours
	inBlanks                // behind such a run and more blanks than ours may have
	inRest                  // the rest of the opening line of a fence that is not ours
	inFirst                 // a fence of ours, before its first word
	inBody                  // a fence of ours, or JSON
	inCloser                // the run that closes it
	inReopen                // behind that, while another fence of ours may begin
	inTail                  // the rest of the closing line
)

// A fence is a run of fence characters.
type fence struct {
	char   byte
	length int
	at     int // its offset
}

func (f fence) open() bool { return f.length > 0 }

// closes reports whether the run closes another's fence.
func (f fence) closes(other fence) bool {
	return f.char == other.char && f.length >= other.length
}

func (f fence) span() diag.Span { return diag.Bytes(f.at, f.at+f.length) }

// step reads the next bytes of p, at least one or else a change of place, and
// returns how many.
func (s *Scanner) step(p []byte) int {
	switch s.place {
	case inStart:
		return s.start(p)
	case inKey:
		return s.readKey(p)
	case inOtherKey, inOther:
		return s.readOther(p)
	case inRun:
		return s.run(p)
	case inInfo:
		return s.info(p)
	case inBlanks:
		return s.blanks(p)
	case inRest:
		return s.rest(p)
	case inFirst:
		return s.first(p)
	case inBody:
		return s.readBody(p)
	case inCloser:
		return s.closer(p)
	case inReopen:
		return s.afterCloser(p)
	case inTail:
		return s.tail(p)
	}
	return s.prose(p)
}

// certain reports whether the info string alone says that calls stand in a fence.
func (f *framing) certain() bool { return f.begins == "" }

// mayBegin reports whether a byte is one of those that begin a fence of calls.
func (f *framing) mayBegin(c byte) bool { return strings.IndexByte(f.begins, c) >= 0 }

// matches reads a byte of the word that decides, if it is one.
func (s *Scanner) matches(word string, c byte) bool {
	if s.matched == len(word) || lower(c) != word[s.matched] {
		return false
	}
	s.folded = s.folded || c != word[s.matched]
	s.matched++
	return true
}

// info reads behind a run of fence characters, up to where it is known whether
// the fence is ours.
func (s *Scanner) info(p []byte) int {
	c, f := p[0], &s.dialect.framing
	complete := s.matched == len(f.info)
	switch {
	case s.matched == 0 && isBlank(c):
		if len(s.held) == s.opener.length+mostBlanks {
			s.release()
			s.place = inBlanks
			return 0
		}
	case s.matches(f.info, c):
	case complete && (isSpace(c) || f.mayBegin(c)), s.matched == 0 && f.bare && f.mayBegin(c):
		s.ours()
		return 0
	case s.matched == 0 && isNewline(c) && f.bare && !s.foreign.open():
		s.ours()
		return 0
	case s.matched == 0 && isNewline(c):
		s.bare()
		return 0
	default:
		s.other()
		return 0
	}
	s.hold(p[:1])
	return 1
}

// blanks reads on behind a run that is followed by many blanks.
func (s *Scanner) blanks(p []byte) int {
	switch c := p[0]; {
	case isBlank(c):
		s.content(s.at, string(p[:1]))
		return 1
	case isNewline(c):
		s.bare()
	default:
		s.other()
	}
	return 0
}

// ours follows the info string of the dialect, or none where it may be missing.
func (s *Scanner) ours() {
	if !s.foreign.open() {
		s.beginFrame()
		return
	}
	s.text()
	if f := s.dialect.framing; f.certain() {
		s.find(diag.New(diag.QuotedCall, s.opener.span(), "a %q fence inside another fence is not read", f.info))
	}
}

// bare follows a run alone on its line: it opens a fence or closes one.
func (s *Scanner) bare() {
	s.text()
	switch {
	case !s.foreign.open():
		s.foreign = s.opener
	case s.opener.closes(s.foreign):
		s.foreign = fence{}
	}
}

// other follows a run with an info string that is not the dialect's.
func (s *Scanner) other() {
	s.text()
	if !s.foreign.open() {
		s.place = inRest
	}
}

// rest reads the rest of the opening line of a fence that is not ours. Behind
// backticks it holds no backtick, or it is no opening line.
func (s *Scanner) rest(p []byte) int {
	ends := "\r\n"
	if s.opener.char == '`' {
		ends = "`\r\n"
	}
	end := bytes.IndexAny(p, ends)
	if end < 0 {
		s.content(s.at, string(p))
		return len(p)
	}
	s.content(s.at, string(p[:end]))
	s.place = inProse
	if p[end] == '`' {
		return end
	}
	s.foreign = s.opener
	if f := s.dialect.framing; f.certain() && s.matched == len(f.info) {
		s.find(diag.New(diag.QuotedCall, s.opener.span(), "a fence is read when it is marked %q alone", f.info))
	}
	return end
}
