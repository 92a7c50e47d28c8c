package literal

import (
	"bytes"
	"encoding/json"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A part is a part of JSON that is being read.
type part struct {
	puncts        string          // goalPunct: the bytes that are wanted
	fenceAnywhere bool            // goalPunct: the fence can be closed in the middle of a line
	punct         byte            // the one that was read
	start         int             // where the key, value or object begins
	keyEnd        int             // goalKey: where the key ends
	key           string          // what it says
	keyPlain      bool            // and it is written just so
	atStart       bool            // goalSkip: nothing of it has been read yet
	toOuterEnd    bool            // goalSkip: up to the last bracket that is open
	value         json.RawMessage // goalValue: the value, if it was read at once
}

// NewJSON returns a scanner for the parts of a text that should be JSON. What
// comes next is said with one of the Expect methods, or [Scanner.PassOver]. What
// JavaScript and Python have beyond JSON is read, with a finding.
func NewJSON(o Options) *Scanner { return newScanner(goalPunct, jsonText, o) }

// MoveTo makes the scanner go on at another place, of this text or another one, as if
// it had read nothing before.
func (s *Scanner) MoveTo(offset int) {
	s.stopCapture()
	if s.lang == jsonText {
		s.clearPart()
		s.goal, s.state, s.end = goalPunct, More, 0
	}
	s.pos, s.lineBlank, s.lookahead, s.atEOF = offset, true, nil, false
}

// expect makes the scanner ready for another part. The text behind the last one
// that was read is the next that is written. Of what is known of the last part
// only what could be mistaken is cleared: much is copied otherwise for a comma.
func (s *Scanner) expect(g goal) {
	s.goal, s.state, s.mode, s.phase = g, More, inGap, inArguments
	p := &s.part
	p.punct, p.fenceAnywhere, p.atStart, p.toOuterEnd, p.value = 0, false, false, false, nil
	p.start, p.keyEnd = s.pos, s.pos
	if s.stop != "" {
		s.stop = ""
	}
	s.clearPart()
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

// clearPart forgets what is known of the last part.
func (s *Scanner) clearPart() {
	if s.dirty {
		s.args.reset()
		s.report, s.skip, s.dirty = report{}, skipState{}, false
	}
}

// ExpectMark expects one of the bytes of marks: a bracket, comma or colon. If
// another byte comes the state is [Bad]; [Scanner.End] is where it stands, and it
// has not been read, unless it is that of a fence, a comment or beyond ASCII. If
// anywhere is set, the fence can be closed in the middle of a line.
func (s *Scanner) ExpectMark(marks string, anywhere bool) {
	s.expect(goalPunct)
	s.part.puncts, s.part.fenceAnywhere = marks, anywhere
}

// Mark returns the mark that was read.
func (s *Scanner) Mark() byte { return s.part.punct }

// ExpectKey expects the key of an object, and its colon.
func (s *Scanner) ExpectKey() {
	s.expect(goalKey)
	s.part.key, s.part.keyPlain = "", false
	s.args.push('{', s.pos)
}

// Key returns the key that was read and its place, and whether it is written
// without an escape.
func (s *Scanner) Key() (key string, plain bool, place diag.Span) {
	return s.part.key, s.part.keyPlain, diag.Bytes(s.part.start, s.part.keyEnd)
}

// ExpectValue expects a value.
func (s *Scanner) ExpectValue() { s.expect(goalValue) }

// Place returns the place of the value or object that was read.
func (s *Scanner) Place() diag.Span { return diag.Bytes(s.part.start, s.end) }

// PassOver passes over what cannot be read, at least one byte if none of it has
// been read: up to a comma, an opening brace or a closing bracket that are not
// inside brackets, which it does not read. Behind a value with a fault it begins
// inside its brackets. The state is [Bad] then.
func (s *Scanner) PassOver() {
	first := s.goal == goalPunct && s.end == s.pos
	s.skipFrom(s.skip.open)
	s.part.atStart = first
}

// PassRest passes over the rest of a value, whatever stands there, up to the
// bracket that closes the first of those that are open around this place. Behind
// a value with a fault its own are open, too. The state is [Bad] then.
func (s *Scanner) PassRest(around string) {
	s.skipFrom(append([]byte(around), s.skip.open...))
	s.part.toOuterEnd = true
}

// skipFrom passes over text in which some brackets are open. Behind a value or a key
// with a fault it begins in the token with the fault, which can be a string.
func (s *Scanner) skipFrom(open []byte) {
	mode := inGap
	if s.state == Bad && (s.goal == goalValue || s.goal == goalKey) {
		mode = s.mode
	}
	s.expect(goalSkip)
	s.phase, s.mode = skipping, mode
	s.skip.begin(open)
}

// begin takes the brackets that are open.
func (p *skipState) begin(open []byte) {
	p.open, p.lists = open, bytes.Count(open, []byte{'['})
}

// closeBracket takes what closes a bracket, and those inside it that are still open, which
// are not looked at again. It returns their number, 0 if no such bracket is open.
func (p *skipState) closeBracket(c byte) int {
	if c == '[' && p.lists == 0 || c == '{' && p.lists == len(p.open) {
		return 0
	}
	i := bytes.LastIndexByte(p.open, c)
	closed := p.open[i:]
	p.open, p.lists = p.open[:i], p.lists-bytes.Count(closed, []byte{'['})
	return len(closed)
}

// Keep keeps all text from here on until [Scanner.Forget].
func (s *Scanner) Keep() {
	s.captureFrom(s.pos)
	s.pinned = true
}

// Forget ends [Scanner.Keep].
func (s *Scanner) Forget() { s.stopCapture() }

// Kept returns the text from an offset on that was kept.
func (s *Scanner) Kept(from int) string { return s.captured.text()[from-s.captureStart:] }

// At returns the offset of the next byte that is written.
func (s *Scanner) At() int { return s.pos + len(s.lookahead) }

// Settled returns the offset up to which nothing can be a part of a stop or of a
// run that closes the fence.
func (s *Scanner) Settled() int {
	if s.mode == inFenceRun {
		return s.tokenStart
	}
	return s.pos
}

// Status says how well the last part could be read.
func (s *Scanner) Status() chat.Status { return s.status() }

// Changed reports whether a repair may have changed a value.
func (s *Scanner) Changed() bool { return s.valueChanged }

// readPunctFast reads blanks and the mark behind them, or what is none, where nothing
// else begins there. It returns how many bytes it has read.
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
		n += s.acceptPunct(c, s.pos+i)
		lineBlank = lineBlank && n == i
	}
	if s.capturing {
		s.captured.block.Write(p[:n])
	}
	s.pos, s.lineBlank, s.steps = s.pos+n, lineBlank, s.steps+n+1
	return n
}

// readPunct reads a byte that may be a mark that is wanted.
func (s *Scanner) readPunct(c byte) int {
	n := s.acceptPunct(c, s.pos)
	s.lineBlank = s.lineBlank && n == 0
	return n
}

// acceptPunct takes the byte at an offset as the mark, and returns whether it
// has read it: 1 if so.
func (s *Scanner) acceptPunct(c byte, at int) int {
	if strings.IndexByte(s.part.puncts, c) < 0 {
		s.endWithoutPunct(at)
		return 0
	}
	s.part.punct = c
	s.end, s.state = at+1, Done
	return 1
}

// captureUnread keeps what is read in the search for a mark and can be none.
func (s *Scanner) captureUnread() {
	if s.goal == goalPunct && !s.capturing {
		s.captureFrom(s.pos)
	}
}

// Taken returns what has been written behind the end and belongs to nothing that
// was read: where no mark was found, behind what may have begun a stop, and
// behind an object of [NewQuoted] that lacks a mark.
func (s *Scanner) Taken() string {
	switch {
	case s.state == Fenced || s.state == Stopped:
		return ""
	case s.capturing && s.end < s.pos && (s.state == Bad || s.state == Done):
		return s.Kept(s.end) + string(s.lookahead)
	}
	return string(s.lookahead)
}

// Peek returns the byte that is read next if rest is what will be written, and
// false if there is none. It is not the first of rest where something was held
// back that may begin a stop.
func (s *Scanner) Peek(rest []byte) (byte, bool) {
	for _, b := range [][]byte{s.lookahead, rest} {
		if len(b) > 0 {
			return b[0], true
		}
	}
	return 0, false
}

// endWithoutPunct says that something else than a mark begins at an offset.
func (s *Scanner) endWithoutPunct(at int) { s.end, s.state = at, Bad }

// notePartKey takes the key of an object, given as JSON, that a part is about.
func (s *Scanner) notePartKey(key []byte, end int) {
	switch {
	case s.goal == goalKey:
		s.part.start, s.part.keyEnd, s.part.key = s.tokenStart, end, unquote(key)
		s.part.keyPlain = strings.Trim(s.tokenText(), `"'`) == s.part.key
	case s.goal == goalObject && len(s.args.open) == 1:
		s.beginMember(unquote(key), diag.Bytes(s.tokenStart, end))
	}
}

// notePartStart notes where a value begins that a part is about.
func (s *Scanner) notePartStart(start int) {
	switch depth := len(s.args.open); {
	case s.goal == goalValue && depth == 0:
		s.part.start = start
	case s.goal == goalObject && depth == 1:
		s.object.outStart, s.object.valueStart = len(s.args.out), start
	}
}

// unquote returns what a JSON string says.
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

// openerOf are the brackets that closing brackets close.
var openerOf = map[byte]byte{']': '[', '}': '{'}

// skipJSONByte reads a byte that is passed over in JSON. It reports false where what
// is passed over ends before it.
func (s *Scanner) skipJSONByte(c byte) bool {
	p := &s.skip
	switch c {
	case '{', '[':
		if s.isNextObject(c) {
			s.object.endsAtNext = s.goal == goalObject
			return s.endSkip()
		}
		p.open = append(p.open, c)
		if c == '[' {
			p.lists++
		}
	case '}', ']':
		n := p.closeBracket(openerOf[c])
		s.steps += n
		if n == 0 {
			return s.part.atStart || s.part.toOuterEnd || s.endSkip()
		}
		if len(p.open) == 0 && (s.goal == goalObject || s.part.toOuterEnd) {
			s.end, s.state = s.pos+1, Bad
		}
	case ',':
		if s.goal == goalSkip && len(p.open) == 0 && !s.part.atStart {
			return s.endSkip()
		}
	}
	return true
}

// endSkip ends what is passed over before this byte.
func (s *Scanner) endSkip() bool {
	s.end, s.state = s.pos, Bad
	return false
}

// isNextObject reports whether a bracket begins what comes behind the part that is
// passed over: in a list, behind an object whose own brace is missing.
func (s *Scanner) isNextObject(c byte) bool {
	switch {
	case c != '{':
		return false
	case s.goal == goalSkip:
		return len(s.skip.open) == 0 && !s.part.atStart
	}
	return s.goal == goalObject && len(s.skip.open) == 1 && s.skip.last == ','
}

// endAtNextObject reports, and ends the object, where an opening brace stands instead
// of a key: the closing brace of this object is missing, and the next begins.
func (s *Scanner) endAtNextObject(c byte) bool {
	a := &s.args
	if s.goal != goalObject || c != '{' || a.want != wantKey || len(a.open) != 1 || a.top().items == 0 {
		return false
	}
	comma := a.lastEnd - 1
	s.fail(diag.Bracket, s.pos, s.pos+1, "missing '}': the next object begins here")
	s.addMissingFix(comma, "}")
	s.object.endsAtNext = true
	s.end, s.state = s.pos, Bad
	return true
}

// openBracketBytes returns the brackets that are open, for what is to be passed over.
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
