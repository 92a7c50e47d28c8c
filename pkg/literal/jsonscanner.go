package literal

import (
	"bytes"
	"encoding/json"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A part is the part of JSON that is being read.
type part struct {
	puncts        string // goalPunct: the expected bytes
	fenceAnywhere bool   // goalPunct: the fence can be closed in the middle of a line
	punct         byte   // the byte that was read
	start         int    // start of the key, value or object
	keyEnd        int    // goalKey: end of the key
	key           string
	keyPlain      bool            // the key has no escapes
	atStart       bool            // goalSkip: nothing has been skipped yet
	toOuterEnd    bool            // goalSkip: skip to the end of the outermost open bracket
	value         json.RawMessage // goalValue: the value, if tryStrict has read it
}

// NewJSON returns a scanner for the parts of a text that should be JSON. Select the next part
// with one of the Expect methods or [Scanner.SkipInvalid]. Extensions of JavaScript and Python
// are read with a finding.
func NewJSON(o Options) *Scanner { return newScanner(goalPunct, jsonText, o) }

// ResetAt makes the scanner continue at another offset, of this text or another, with a fresh
// state.
func (s *Scanner) ResetAt(offset int) {
	s.stopCapture()
	if s.lang == jsonText {
		s.clearPartState()
		s.goal, s.state, s.end = goalPunct, NeedMore, 0
	}
	s.pos, s.lineBlank, s.lookahead, s.atEOF = offset, true, nil, false
}

// expect prepares the scanner for another part. The next byte written is the one after the last
// part. It clears only state that could be mistaken for the new part's: for a comma a full reset
// is too slow.
func (s *Scanner) expect(g goal) {
	s.goal, s.state, s.mode, s.phase = g, NeedMore, inGap, inArguments
	p := &s.part
	p.punct, p.fenceAnywhere, p.atStart, p.toOuterEnd, p.value = 0, false, false, false, nil
	p.start, p.keyEnd = s.pos, s.pos
	if s.stop != "" {
		s.stop = ""
	}
	s.clearPartState()
	s.dirty = g != goalPunct
	s.object.untried = g == goalObject || g == goalValue
	switch {
	case s.pinned:
	case g == goalKey || g == goalValue:
		s.captureFrom(s.pos)
	default:
		s.stopCapture()
	}
}

// clearPartState discards the state of the last part.
func (s *Scanner) clearPartState() {
	if s.dirty {
		s.args.reset()
		s.report, s.skip, s.dirty = report{}, skipState{}, false
	}
}

// ExpectPunct expects one of the bytes of puncts: a bracket, comma or colon. For another byte
// the state is [Invalid] and [Scanner.End] is its offset. That byte is unread, unless it is
// non-ASCII or begins a fence or comment. If anywhere is set, the fence can be closed in the
// middle of a line.
func (s *Scanner) ExpectPunct(puncts string, anywhere bool) {
	s.expect(goalPunct)
	s.part.puncts, s.part.fenceAnywhere = puncts, anywhere
}

// Punct returns the punctuation byte that was read.
func (s *Scanner) Punct() byte { return s.part.punct }

// ExpectKey expects the key of an object and its colon.
func (s *Scanner) ExpectKey() {
	s.expect(goalKey)
	s.part.key, s.part.keyPlain = "", false
	s.args.push('{', s.pos)
}

// Key returns the key, its span, and whether it is written without escapes.
func (s *Scanner) Key() (key string, plain bool, place diag.Span) {
	return s.part.key, s.part.keyPlain, diag.Bytes(s.part.start, s.part.keyEnd)
}

func (s *Scanner) ExpectValue() { s.expect(goalValue) }

// ValueSpan returns the span of the value or object.
func (s *Scanner) ValueSpan() diag.Span { return diag.Bytes(s.part.start, s.end) }

// SkipInvalid skips text that is not valid JSON up to a comma, an opening brace or a closing
// bracket outside brackets, and at least one byte if nothing was read. After a faulty value it
// starts inside the value's brackets. The state is [Invalid] at the end.
func (s *Scanner) SkipInvalid() {
	first := s.goal == goalPunct && s.end == s.pos
	s.skipFrom(s.skip.open)
	s.part.atStart = first
}

// SkipToClosingBracket skips the rest of a value up to the bracket that closes the outermost of the brackets
// in around. After a faulty value its own brackets are open, too. The state is [Invalid] at the
// end.
func (s *Scanner) SkipToClosingBracket(around string) {
	s.skipFrom(append([]byte(around), s.skip.open...))
	s.part.toOuterEnd = true
}

// skipFrom skips text inside open brackets. After a faulty value or key it starts in the faulty
// token, which can be a string.
func (s *Scanner) skipFrom(open []byte) {
	mode := inGap
	if s.state == Invalid && (s.goal == goalValue || s.goal == goalKey) {
		mode = s.mode
	}
	s.expect(goalSkip)
	s.phase, s.mode = skipping, mode
	s.skip.begin(open)
}

func (p *skipState) begin(open []byte) {
	p.open, p.lists = open, bytes.Count(open, []byte{'['})
}

// closeBracket closes a bracket of kind c and those still open inside it. It returns their
// number, 0 if no such bracket is open.
func (p *skipState) closeBracket(c byte) int {
	if c == '[' && p.lists == 0 || c == '{' && p.lists == len(p.open) {
		return 0
	}
	i := bytes.LastIndexByte(p.open, c)
	closed := p.open[i:]
	p.open, p.lists = p.open[:i], p.lists-bytes.Count(closed, []byte{'['})
	return len(closed)
}

// StartCapture captures all text from here on until [Scanner.StopCapture].
func (s *Scanner) StartCapture() {
	s.captureFrom(s.pos)
	s.pinned = true
}

// StopCapture ends [Scanner.StartCapture].
func (s *Scanner) StopCapture() { s.stopCapture() }

// Captured returns the captured text from an offset on.
func (s *Scanner) Captured(from int) string { return s.captured.text()[from-s.captureStart:] }

// Offset returns the offset of the next byte written.
func (s *Scanner) Offset() int { return s.pos + len(s.lookahead) }

// CommittedOffset returns the offset before which no byte can belong to a stop or to a closing
// fence.
func (s *Scanner) CommittedOffset() int {
	if s.mode == inFenceRun {
		return s.tokenStart
	}
	return s.pos
}

// Status returns how well the last part could be read.
func (s *Scanner) Status() chat.Status { return s.status() }

// ValueChanged reports whether a repair may have changed a value.
func (s *Scanner) ValueChanged() bool { return s.valueChanged }

// readPunctFast reads whitespace and the next byte if neither a comment nor a fence, stop or
// non-ASCII character begins there. It returns how many bytes it has read.
func (s *Scanner) readPunctFast(p []byte) int {
	i, lineBlank := 0, s.lineBlank
	for i < len(p) && isJSONBlank(p[i]) {
		lineBlank = lineBlank || isNewline(p[i])
		i++
	}
	n := i
	if i < len(p) {
		c := p[i]
		if c == '/' || isNonASCII(c) || c == s.fence.Char || s.canBeginStop(c) || isBlank(c) {
			return 0
		}
		n += s.endAtPunct(c, s.pos+i)
		lineBlank = lineBlank && n == i
	}
	if s.capturing {
		s.captured.block.Write(p[:n])
	}
	s.pos, s.lineBlank, s.steps = s.pos+n, lineBlank, s.steps+n+1
	return n
}

// readPunct reads the expected punctuation byte.
func (s *Scanner) readPunct(c byte) int {
	n := s.endAtPunct(c, s.pos)
	s.lineBlank = s.lineBlank && n == 0
	return n
}

// endAtPunct ends the scan at the byte at an offset if it is expected. It returns how many bytes it has
// read: 1 or 0.
func (s *Scanner) endAtPunct(c byte, at int) int {
	if strings.IndexByte(s.part.puncts, c) < 0 {
		s.endWithoutPunct(at)
		return 0
	}
	s.part.punct = c
	s.end, s.state = at+1, Done
	return 1
}

// captureForUnread captures the text read while looking for punctuation, for [Scanner.Unread].
func (s *Scanner) captureForUnread() {
	if s.goal == goalPunct && !s.capturing {
		s.captureFrom(s.pos)
	}
}

// Unread returns the bytes written after the end that belong to no part: after missing
// punctuation, after the undecided start of a stop, and after an object of [NewDelimited] with a
// missing string delimiter.
func (s *Scanner) Unread() string {
	switch {
	case s.state == FenceClosed || s.state == Stopped:
		return ""
	case s.capturing && s.end < s.pos && (s.state == Invalid || s.state == Done):
		return s.Captured(s.end) + string(s.lookahead)
	}
	return string(s.lookahead)
}

// endWithoutPunct ends the part before a byte that is not the expected punctuation.
func (s *Scanner) endWithoutPunct(at int) { s.end, s.state = at, Invalid }

// recordKeyOfPart records the key, given as JSON, of the current part.
func (s *Scanner) recordKeyOfPart(key []byte, end int) {
	switch {
	case s.goal == goalKey:
		s.part.start, s.part.keyEnd, s.part.key = s.tokenStart, end, unquote(key)
		s.part.keyPlain = strings.Trim(s.tokenText(), `"'`) == s.part.key
	case s.goal == goalObject && len(s.args.open) == 1:
		s.beginMember(unquote(key), diag.Bytes(s.tokenStart, end))
	}
}

// recordPartStart records the start of the value of the current part.
func (s *Scanner) recordPartStart(start int) {
	switch depth := len(s.args.open); {
	case s.goal == goalValue && depth == 0:
		s.part.start = start
	case s.goal == goalObject && depth == 1:
		s.object.outStart, s.object.valueStart = len(s.args.out), start
	}
}

// unquote returns the text of a JSON string.
func unquote(text []byte) string {
	if n := len(text); n > 1 && bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : n-1])
	}
	var s string
	if json.Unmarshal(text, &s) != nil {
		return ""
	}
	return s
}

var openerOf = map[byte]byte{']': '[', '}': '{'}

// skipJSONByte skips a byte of JSON. It returns false if skipping ends before it.
func (s *Scanner) skipJSONByte(c byte) bool {
	p := &s.skip
	switch c {
	case '{', '[':
		if s.isNextObject(c) {
			s.object.endsAtNext = s.goal == goalObject
			return s.endSkipBeforeByte()
		}
		p.open = append(p.open, c)
		if c == '[' {
			p.lists++
		}
	case '}', ']':
		n := p.closeBracket(openerOf[c])
		s.steps += n
		if n == 0 {
			return s.part.atStart || s.part.toOuterEnd || s.endSkipBeforeByte()
		}
		if len(p.open) == 0 && (s.goal == goalObject || s.part.toOuterEnd) {
			s.end, s.state = s.pos+1, Invalid
		}
	case ',':
		if s.goal == goalSkip && len(p.open) == 0 && !s.part.atStart {
			return s.endSkipBeforeByte()
		}
	}
	return true
}

// endSkipBeforeByte ends skipping before this byte.
func (s *Scanner) endSkipBeforeByte() bool {
	s.end, s.state = s.pos, Invalid
	return false
}

// isNextObject reports whether a bracket begins the next object of a list, after an object
// without a closing brace.
func (s *Scanner) isNextObject(c byte) bool {
	switch {
	case c != '{':
		return false
	case s.goal == goalSkip:
		return len(s.skip.open) == 0 && !s.part.atStart
	}
	return s.goal == goalObject && len(s.skip.open) == 1 && s.skip.last == ','
}

// endAtNextObject ends the object and returns true if an opening brace replaces a key: the
// closing brace is missing and the next object begins.
func (s *Scanner) endAtNextObject(c byte) bool {
	a := &s.args
	if s.goal != goalObject || c != '{' || a.want != wantKey || len(a.open) != 1 || a.top().items == 0 {
		return false
	}
	comma := a.lastEnd - 1
	s.fail(diag.UnbalancedBracket, s.pos, s.pos+1, "missing '}': the next object begins here")
	s.addBracketsFix(comma, "}")
	s.object.endsAtNext = true
	s.end, s.state = s.pos, Invalid
	return true
}

// openBracketBytes returns the open brackets, for skipping.
func (s *Scanner) openBracketBytes() []byte {
	if s.lang != jsonText || s.goal == goalKey {
		return nil
	}
	open := make([]byte, len(s.args.open))
	for i, b := range s.args.open {
		open[i] = b.char
	}
	return open
}
