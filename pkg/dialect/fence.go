package dialect

import (
	"bytes"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"oneshot/pkg/diag"
)

// Limits for the opening line of a fence of calls. They bound the held-back text.
const (
	maxFenceRun    = 64 // fence characters
	maxFenceBlanks = 8  // between them and the info string
)

// A scanState says what the next byte belongs to.
type scanState int

const (
	inProse         scanState = iota // text, in or outside a foreign fence
	inStart                          // before any text, where JSON outside of fences counts
	inLookahead                      // after a marker that is not resolved yet
	inSkip                           // in text to be skipped after a marker
	inListGap                        // in blanks after an enclosing marker of calls
	inFirstKey                       // in an object in the text, up to its first key
	inSkippedKey                     // in the first key of a skipped object
	inSkippedObject                  // in a skipped object
	inRun                            // a run of fence characters at the start of a line
	inInfo                           // after such a run, while it can open a fence of calls
	inBlanks                         // after such a run and more blanks than allowed
	inForeignInfo                    // the rest of the opening line of a foreign fence
	inFenceStart                     // a candidate fence of calls, before its first word
	inBody                           // in a frame
	inCloser                         // the run that closes a fence
	inReopen                         // after that run, while another fence of calls may begin
	inTail                           // the rest of the closing line
)

// A fence is a run of fence characters.
type fence struct {
	char            byte
	length          int
	at              int  // its offset
	isCode          bool // a language: text in it that looks like a call is only code
	reported        bool // a finding about isCode was reported
	quotesReasoning bool // it quotes a marker that opens reasoning
}

func (f fence) open() bool { return f.length > 0 }

// closes reports whether the run closes the other one's fence.
func (f fence) closes(other fence) bool {
	return f.char == other.char && f.length >= other.length
}

func (f fence) span() diag.Span { return diag.Bytes(f.at, f.at+f.length) }

// step reads the next bytes of p, at least one or none with a state change, and returns the number read.
func (s *Scanner) step(p []byte) int {
	switch s.state {
	case inStart:
		return s.readStart(p)
	case inLookahead:
		return s.readLookahead(p)
	case inSkip:
		return s.readSkip(p)
	case inListGap:
		return s.readListGap(p)
	case inFirstKey:
		return s.readFirstKey(p)
	case inSkippedKey, inSkippedObject:
		return s.readSkipped(p)
	case inRun:
		return s.readRun(p)
	case inInfo:
		return s.readInfo(p)
	case inBlanks:
		return s.readBlanks(p)
	case inForeignInfo:
		return s.readForeignInfo(p)
	case inFenceStart:
		return s.readFenceStart(p)
	case inBody:
		return s.readBody(p)
	case inCloser:
		return s.readCloser(p)
	case inReopen:
		return s.readAfterCloser(p)
	case inTail:
		return s.readTail(p)
	}
	return s.readProse(p)
}

// readRun reads a run of fence characters.
func (s *Scanner) readRun(p []byte) int {
	n := 0
	for n < len(p) && p[n] == s.opener.char && s.opener.length <= maxFenceRun {
		s.opener.length++
		n++
	}
	s.hold(p[:n])
	switch {
	case s.opener.length > maxFenceRun:
		s.releaseText()
	case n < len(p):
		s.beginInfo()
	}
	return n
}

// An info is the info string after a run of fence characters, while it can be that of a fence of calls.
type info struct {
	at         int    // its offset
	length     int    // bytes read
	candidates uint64 // fences of calls it can open, one bit each
	nearMatch  string // a known info string that it starts with
	firstWord  []byte // its first bytes, for a foreign fence
}

// maxInfoWord bounds the kept part of a foreign info string.
const maxInfoWord = 16

// nonCodeInfos are info strings of fences that contain no program; models put calls into some of them.
var nonCodeInfos = []string{"", "json", "jsonl", "xml", "html", "text", "txt", "plain", "plaintext", "tool", "tools", "tool_call", "tool_calls", "function"}

// isCode reports whether an info string names a language.
func (i *info) isCode() bool {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(string(i.firstWord))), " ")
	return !slices.Contains(nonCodeInfos, word)
}

func (s *Scanner) beginInfo() {
	s.info = info{at: s.heldAt + len(s.held)}
	for i, f := range s.markers.fences {
		if f.certain || !s.reasoning.inside {
			s.info.candidates |= 1 << i
		}
	}
	s.state = inInfo
}

// readInfo reads an info string until it is known whether the fence can hold calls.
func (s *Scanner) readInfo(p []byte) int {
	c, i := p[0], &s.info
	switch {
	case i.length == 0 && isBlank(c):
		if len(s.held) == s.opener.length+maxFenceBlanks {
			s.release()
			s.state = inBlanks
			return 0
		}
		i.at++
	case s.narrowInfo(c):
		i.length++
	case s.endsInfo(c):
		s.openOwnFence()
		return 0
	case i.length == 0 && isNewline(c):
		s.toggleForeignFence()
		return 0
	default:
		s.openForeignFence()
		return 0
	}
	s.hold(p[:1])
	return 1
}

// narrowInfo reports whether a byte, in any case, continues a candidate info string, and keeps those candidates.
func (s *Scanner) narrowInfo(c byte) bool {
	i, fits := &s.info, uint64(0)
	for k, f := range s.markers.fences {
		if i.candidates>>k&1 != 0 && i.length < len(f.info) && f.info[i.length] == lower(c) {
			fits |= 1 << k
		}
	}
	if fits == 0 {
		return false
	}
	i.candidates = fits
	return true
}

// keepComplete keeps the candidates whose info string has been read completely.
func (s *Scanner) keepComplete(keep func(f *fenceSpec) bool) {
	i := &s.info
	for k, f := range s.markers.fences {
		if len(f.info) != i.length || !keep(f.fenceSpec) {
			i.candidates &^= 1 << k
		}
	}
}

// endsInfo reports whether a byte ends a candidate info string.
func (s *Scanner) endsInfo(c byte) bool {
	before := s.info.candidates
	s.keepComplete(func(f *fenceSpec) bool {
		glued := strings.IndexByte(f.adjacent, c) >= 0
		if f.info == "" {
			return glued || isNewline(c) && !s.foreign.open()
		}
		return glued || isSpace(c)
	})
	if s.info.candidates != 0 {
		return true
	}
	s.info.candidates = before
	return false
}

// isInfoComplete reports whether the text may end after the info string.
func (s *Scanner) isInfoComplete() bool {
	s.keepComplete(func(f *fenceSpec) bool { return f.info != "" })
	return s.info.candidates != 0
}

func (s *Scanner) candidateFences(fits uint64) iter.Seq[fenceCandidate] {
	return func(yield func(fenceCandidate) bool) {
		for ; fits != 0; fits &= fits - 1 {
			if !yield(s.markers.fences[bits.TrailingZeros64(fits)]) {
				return
			}
		}
	}
}

// readBlanks reads after a run followed by many blanks.
func (s *Scanner) readBlanks(p []byte) int {
	switch c := p[0]; {
	case isBlank(c):
		s.emitContent(s.at, s.textOf(s.at, p[:1]))
		return 1
	case isNewline(c):
		s.toggleForeignFence()
	default:
		s.openForeignFence()
	}
	return 0
}

// openOwnFence handles the info string of a fence of calls, or a missing one where it is optional.
func (s *Scanner) openOwnFence() {
	if !s.foreign.open() {
		s.beginFrame()
		return
	}
	s.releaseText()
	for f := range s.candidateFences(s.info.candidates) {
		if f.certain {
			s.report(diag.New(diag.QuotedCall, s.opener.span(), "a %q fence inside another fence is not read", f.info))
			return
		}
	}
}

// toggleForeignFence handles a run alone on its line, which opens or closes a fence.
func (s *Scanner) toggleForeignFence() {
	s.releaseText()
	switch {
	case !s.foreign.open():
		s.foreign = s.opener
	case s.opener.closes(s.foreign):
		s.foreign = fence{}
	}
}

// openForeignFence handles a run with a foreign info string.
func (s *Scanner) openForeignFence() {
	for f := range s.candidateFences(s.info.candidates) {
		if f.certain && len(f.info) == s.info.length {
			s.info.nearMatch = f.info
		}
	}
	s.info.firstWord = append(s.info.firstWord, s.held[min(len(s.held), s.info.at-s.heldAt):]...)
	s.releaseText()
	if !s.foreign.open() {
		s.state = inForeignInfo
	}
}

// readForeignInfo reads the rest of the opening line of a foreign fence. After backticks it must not contain a
// backtick. From '<' on it is read like the text in the fence, because reasoning can end there.
func (s *Scanner) readForeignInfo(p []byte) int {
	ends := "<\r\n"
	if s.opener.char == '`' {
		ends = "`<\r\n"
	}
	end := bytes.IndexAny(p, ends)
	word := p
	if end >= 0 {
		word = p[:end]
	}
	s.info.firstWord = append(s.info.firstWord, word[:min(len(word), max(0, maxInfoWord-len(s.info.firstWord)))]...)
	if end < 0 {
		s.emitContent(s.at, s.textOf(s.at, p))
		return len(p)
	}
	s.emitContent(s.at, s.textOf(s.at, p[:end]))
	s.state = inProse
	if p[end] == '`' {
		return end
	}
	s.foreign = s.opener
	s.foreign.isCode = s.info.isCode()
	if s.info.nearMatch != "" {
		s.report(diag.New(diag.QuotedCall, s.opener.span(), "the fence is not read: its info string must be exactly %q", s.info.nearMatch))
	}
	return end
}
