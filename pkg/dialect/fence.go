package dialect

import (
	"bytes"
	"iter"
	"math/bits"
	"slices"
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
	inLead                  // behind a mark, until it is known what it means
	inSkip                  // behind a mark, in the text that may stand there
	inGap                   // behind a mark around calls, in the blanks there
	inKey                   // in an object in the text, up to its first key
	inOtherKey              // in the first key of one that is not ours
	inOther                 // in such an object, behind that
	inRun                   // a run of fence characters at the start of a line
	inInfo                  // behind such a run, while it can be ours
	inBlanks                // behind such a run and more blanks than ours may have
	inRest                  // the rest of the opening line of a fence that is not ours
	inFirst                 // a fence that can be ours, before its first word
	inBody                  // in a frame
	inCloser                // the run that closes a fence
	inReopen                // behind that, while another fence of ours may begin
	inTail                  // the rest of the closing line
)

// A fence is a run of fence characters.
type fence struct {
	char   byte
	length int
	at     int  // its offset
	code   bool // it holds a program: what looks like a call in it is none
	told   bool // there is a finding about that
	thinks bool // a mark that opens reasoning is quoted in it
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
	case inLead:
		return s.readLead(p)
	case inSkip:
		return s.readSkip(p)
	case inGap:
		return s.readGap(p)
	case inKey:
		return s.readKey(p)
	case inOtherKey, inOther:
		return s.readOther(p)
	case inRun:
		return s.run(p)
	case inInfo:
		return s.readInfo(p)
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

// run reads on in a run of fence characters.
func (s *Scanner) run(p []byte) int {
	n := 0
	for n < len(p) && p[n] == s.opener.char && s.opener.length <= longestRun {
		s.opener.length++
		n++
	}
	s.hold(p[:n])
	switch {
	case s.opener.length > longestRun:
		s.text()
	case n < len(p):
		s.beginInfo()
	}
	return n
}

// An info is the info string behind a run of fence characters, as far as it can
// be one of ours.
type info struct {
	at     int    // its offset
	length int    // how much of it has been read
	fits   uint64 // the fences of calls that it can open, a bit for each
	near   string // it begins with this info string of ours, and goes on
	word   []byte // its first bytes, where it is not ours
}

// longestWord bounds what is kept of an info string that is not ours.
const longestWord = 16

// plainWords are info strings of fences that hold no program: models put calls
// into some.
var plainWords = []string{"", "json", "jsonl", "xml", "html", "text", "txt", "plain", "plaintext", "tool", "tools", "tool_call", "tool_calls", "function"}

// isCode reports whether an info string names a language.
func (i *info) isCode() bool {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(string(i.word))), " ")
	return !slices.Contains(plainWords, word)
}

func (s *Scanner) beginInfo() {
	s.info = info{at: s.heldAt + len(s.held)}
	for i, f := range s.marks.fences {
		if f.sure || !s.thinking.inside {
			s.info.fits |= 1 << i
		}
	}
	s.place = inInfo
}

// readInfo reads an info string, up to where it is known whether the fence can be
// ours.
func (s *Scanner) readInfo(p []byte) int {
	c, i := p[0], &s.info
	switch {
	case i.length == 0 && isBlank(c):
		if len(s.held) == s.opener.length+mostBlanks {
			s.release()
			s.place = inBlanks
			return 0
		}
		i.at++
	case s.narrow(c):
		i.length++
	case s.endsInfo(c):
		s.ours()
		return 0
	case i.length == 0 && isNewline(c):
		s.bare()
		return 0
	default:
		s.other()
		return 0
	}
	s.hold(p[:1])
	return 1
}

// narrow reports whether a byte, in any case, goes on with an info string of
// ours, and keeps those.
func (s *Scanner) narrow(c byte) bool {
	i, fits := &s.info, uint64(0)
	for k, f := range s.marks.fences {
		if i.fits>>k&1 != 0 && i.length < len(f.info) && f.info[i.length] == lower(c) {
			fits |= 1 << k
		}
	}
	if fits == 0 {
		return false
	}
	i.fits = fits
	return true
}

// complete keeps the fences whose info string is what has been read.
func (s *Scanner) complete(keep func(f *fenceForm) bool) {
	i := &s.info
	for k, f := range s.marks.fences {
		if len(f.info) != i.length || !keep(f.fenceForm) {
			i.fits &^= 1 << k
		}
	}
}

// endsInfo reports whether a byte ends an info string of ours.
func (s *Scanner) endsInfo(c byte) bool {
	before := s.info.fits
	s.complete(func(f *fenceForm) bool {
		glued := strings.IndexByte(f.glued, c) >= 0
		if f.info == "" {
			return glued || isNewline(c) && !s.foreign.open()
		}
		return glued || isSpace(c)
	})
	if s.info.fits != 0 {
		return true
	}
	s.info.fits = before
	return false
}

// infoComplete reports whether the text can end behind the info string.
func (s *Scanner) infoComplete() bool {
	s.complete(func(f *fenceForm) bool { return f.info != "" })
	return s.info.fits != 0
}

// forms returns the forms of fences that one can still be.
func (s *Scanner) forms(fits uint64) iter.Seq[fenceUse] {
	return func(yield func(fenceUse) bool) {
		for ; fits != 0; fits &= fits - 1 {
			if !yield(s.marks.fences[bits.TrailingZeros64(fits)]) {
				return
			}
		}
	}
}

// blanks reads on behind a run that is followed by many blanks.
func (s *Scanner) blanks(p []byte) int {
	switch c := p[0]; {
	case isBlank(c):
		s.content(s.at, s.said(s.at, p[:1]))
		return 1
	case isNewline(c):
		s.bare()
	default:
		s.other()
	}
	return 0
}

// ours follows an info string of ours, or none where it may be missing.
func (s *Scanner) ours() {
	if !s.foreign.open() {
		s.beginFrame()
		return
	}
	s.text()
	for f := range s.forms(s.info.fits) {
		if f.sure {
			s.find(diag.New(diag.QuotedCall, s.opener.span(), "a %q fence inside another fence is not read", f.info))
			return
		}
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

// other follows a run with an info string that is not ours.
func (s *Scanner) other() {
	for f := range s.forms(s.info.fits) {
		if f.sure && len(f.info) == s.info.length {
			s.info.near = f.info
		}
	}
	s.info.word = append(s.info.word, s.held[min(len(s.held), s.info.at-s.heldAt):]...)
	s.text()
	if !s.foreign.open() {
		s.place = inRest
	}
}

// rest reads the rest of the opening line of a fence that is not ours. Behind
// backticks it holds no backtick, or it is no opening line. Behind '<' it is read
// as what stands in the fence: reasoning can end there.
func (s *Scanner) rest(p []byte) int {
	ends := "<\r\n"
	if s.opener.char == '`' {
		ends = "`<\r\n"
	}
	end := bytes.IndexAny(p, ends)
	word := p
	if end >= 0 {
		word = p[:end]
	}
	s.info.word = append(s.info.word, word[:min(len(word), max(0, longestWord-len(s.info.word)))]...)
	if end < 0 {
		s.content(s.at, s.said(s.at, p))
		return len(p)
	}
	s.content(s.at, s.said(s.at, p[:end]))
	s.place = inProse
	if p[end] == '`' {
		return end
	}
	s.foreign = s.opener
	s.foreign.code = s.info.isCode()
	if s.info.near != "" {
		s.find(diag.New(diag.QuotedCall, s.opener.span(), "a fence is read when it is marked %q alone", s.info.near))
	}
	return end
}
