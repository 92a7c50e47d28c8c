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
	marks    string          // aMark: the bytes that are wanted
	anywhere bool            // aMark: the fence can be closed in the middle of a line
	mark     byte            // the one that was read
	start    int             // where the key, value or object begins
	keyEnd   int             // aKey: where the key ends
	key      string          // what it says
	plain    bool            // and it is written just so
	first    bool            // aRest: nothing of it has been read yet
	whole    bool            // aRest: up to the last bracket that is open
	value    json.RawMessage // aValue: the value, if it was read at once
}

// NewJSON returns a scanner for the parts of a text that should be JSON. What
// comes next is said with one of the Expect methods, or [Scanner.PassOver]. What
// JavaScript and Python have beyond JSON is read, with a finding.
func NewJSON(o Options) *Scanner { return newScanner(aMark, jsonText, o) }

// MoveTo makes the scanner go on at another place, of this text or another one, as if
// it had read nothing before.
func (s *Scanner) MoveTo(offset int) {
	s.forget()
	if s.lang == jsonText {
		s.clear()
		s.goal, s.state, s.end = aMark, More, 0
	}
	s.at, s.lineBlank, s.held, s.ended = offset, true, nil, false
}

// expect makes the scanner ready for another part. The text behind the last one
// that was read is the next that is written. Of what is known of the last part
// only what could be mistaken is cleared: much is copied otherwise for a comma.
func (s *Scanner) expect(g goal) {
	s.goal, s.state, s.mode, s.phase = g, More, inGap, arguing
	p := &s.part
	p.mark, p.anywhere, p.first, p.whole, p.value = 0, false, false, false, nil
	p.start, p.keyEnd = s.at, s.at
	if s.stop != "" {
		s.stop = ""
	}
	s.clear()
	s.used = g != aMark
	s.object.fresh = g == anObject || g == aValue
	switch {
	case s.holding:
	case g == aKey || g == aValue:
		s.keepFrom(s.at)
	default:
		s.forget()
	}
}

// clear forgets what is known of the last part.
func (s *Scanner) clear() {
	if s.used {
		s.args.reset()
		s.report, s.passing, s.used = report{}, passing{}, false
	}
}

// ExpectMark expects one of the bytes of marks: a bracket, comma or colon. If
// another byte comes the state is [Bad]; [Scanner.End] is where it stands, and it
// has not been read, unless it is that of a fence, a comment or beyond ASCII. If
// anywhere is set, the fence can be closed in the middle of a line.
func (s *Scanner) ExpectMark(marks string, anywhere bool) {
	s.expect(aMark)
	s.part.marks, s.part.anywhere = marks, anywhere
}

// Mark returns the mark that was read.
func (s *Scanner) Mark() byte { return s.part.mark }

// ExpectKey expects the key of an object, and its colon.
func (s *Scanner) ExpectKey() {
	s.expect(aKey)
	s.part.key, s.part.plain = "", false
	s.args.begin('{', s.at)
}

// Key returns the key that was read and its place, and whether it is written
// without an escape.
func (s *Scanner) Key() (key string, plain bool, place diag.Span) {
	return s.part.key, s.part.plain, diag.Bytes(s.part.start, s.part.keyEnd)
}

// ExpectValue expects a value.
func (s *Scanner) ExpectValue() { s.expect(aValue) }

// Place returns the place of the value or object that was read.
func (s *Scanner) Place() diag.Span { return diag.Bytes(s.part.start, s.end) }

// PassOver passes over what cannot be read, at least one byte if none of it has
// been read: up to a comma, an opening brace or a closing bracket that are not
// inside brackets, which it does not read. Behind a value with a fault it begins
// inside its brackets. The state is [Bad] then.
func (s *Scanner) PassOver() {
	first := s.goal == aMark && s.end == s.at
	s.passFrom(s.passing.open)
	s.part.first = first
}

// PassRest passes over the rest of a value, whatever stands there, up to the
// bracket that closes the first of those that are open around this place. Behind
// a value with a fault its own are open, too. The state is [Bad] then.
func (s *Scanner) PassRest(around string) {
	s.passFrom(append([]byte(around), s.passing.open...))
	s.part.whole = true
}

// passFrom passes over text in which some brackets are open. Behind a value or a key
// with a fault it begins in the token with the fault, which can be a string.
func (s *Scanner) passFrom(open []byte) {
	mode := inGap
	if s.state == Bad && (s.goal == aValue || s.goal == aKey) {
		mode = s.mode
	}
	s.expect(aRest)
	s.phase, s.mode = skipping, mode
	s.passing.begin(open)
}

// begin takes the brackets that are open.
func (p *passing) begin(open []byte) {
	p.open, p.lists = open, bytes.Count(open, []byte{'['})
}

// closes takes what closes a bracket, and those inside it that are still open, which
// are not looked at again. It returns their number, 0 if no such bracket is open.
func (p *passing) closes(c byte) int {
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
	s.keepFrom(s.at)
	s.holding = true
}

// Forget ends [Scanner.Keep].
func (s *Scanner) Forget() { s.forget() }

// Kept returns the text from an offset on that was kept.
func (s *Scanner) Kept(from int) string { return s.kept.text()[from-s.keptFrom:] }

// At returns the offset of the next byte that is written.
func (s *Scanner) At() int { return s.at + len(s.held) }

// Settled returns the offset up to which nothing can be a part of a stop or of a
// run that closes the fence.
func (s *Scanner) Settled() int {
	if s.mode == inRun {
		return s.token
	}
	return s.at
}

// Status says how well the last part could be read.
func (s *Scanner) Status() chat.Status { return s.status() }

// Changed reports whether a repair may have changed a value.
func (s *Scanner) Changed() bool { return s.changed }

// markAtOnce reads blanks and the mark behind them, or what is none, where nothing
// else begins there. It returns how many bytes it has read.
func (s *Scanner) markAtOnce(p []byte) int {
	i, lineBlank := 0, s.lineBlank
	for i < len(p) && isWhite(p[i]) {
		lineBlank = lineBlank || isNewline(p[i])
		i++
	}
	n := i
	if i < len(p) {
		c := p[i]
		if c == '/' || isForeign(c) || c == s.fence.Char || s.mayStop(c) || isBlank(c) {
			return 0
		}
		n += s.punctuationAt(c, s.at+i)
		lineBlank = lineBlank && n == i
	}
	if s.keeping {
		s.kept.block.Write(p[:n])
	}
	s.at, s.lineBlank, s.steps = s.at+n, lineBlank, s.steps+n+1
	return n
}

// punctuationMark reads a byte that may be a mark that is wanted.
func (s *Scanner) punctuationMark(c byte) int {
	n := s.punctuationAt(c, s.at)
	s.lineBlank = s.lineBlank && n == 0
	return n
}

// punctuationAt takes the byte at an offset as the mark, and returns whether it
// has read it: 1 if so.
func (s *Scanner) punctuationAt(c byte, at int) int {
	if strings.IndexByte(s.part.marks, c) < 0 {
		s.noMark(at)
		return 0
	}
	s.part.mark = c
	s.end, s.state = at+1, Done
	return 1
}

// keepTaken keeps what is read in the search for a mark and can be none.
func (s *Scanner) keepTaken() {
	if s.goal == aMark && !s.keeping {
		s.keepFrom(s.at)
	}
}

// Taken returns what has been written behind the end and belongs to nothing that
// was read: where no mark was found, behind what may have begun a stop, and
// behind an object of [NewQuoted] that lacks a mark.
func (s *Scanner) Taken() string {
	switch {
	case s.state == Fenced || s.state == Stopped:
		return ""
	case s.keeping && s.end < s.at && (s.state == Bad || s.state == Done):
		return s.Kept(s.end) + string(s.held)
	}
	return string(s.held)
}

// Peek returns the byte that is read next if rest is what will be written, and
// false if there is none. It is not the first of rest where something was held
// back that may begin a stop.
func (s *Scanner) Peek(rest []byte) (byte, bool) {
	for _, b := range [][]byte{s.held, rest} {
		if len(b) > 0 {
			return b[0], true
		}
	}
	return 0, false
}

// noMark says that something else than a mark begins at an offset.
func (s *Scanner) noMark(at int) { s.end, s.state = at, Bad }

// endPartKey takes the key of an object, given as JSON, that a part is about.
func (s *Scanner) endPartKey(key []byte, end int) {
	switch {
	case s.goal == aKey:
		s.part.start, s.part.keyEnd, s.part.key = s.token, end, unquote(key)
		s.part.plain = strings.Trim(s.tokenText(), `"'`) == s.part.key
	case s.goal == anObject && len(s.args.open) == 1:
		s.beginMember(unquote(key), diag.Bytes(s.token, end))
	}
}

// beginPart notes where a value begins that a part is about.
func (s *Scanner) beginPart(start int) {
	switch depth := len(s.args.open); {
	case s.goal == aValue && depth == 0:
		s.part.start = start
	case s.goal == anObject && depth == 1:
		s.object.from, s.object.at = len(s.args.out), start
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

// opening are the brackets that closing brackets close.
var opening = map[byte]byte{']': '[', '}': '{'}

// passPart reads a byte that is passed over in JSON. It reports false where what
// is passed over ends before it.
func (s *Scanner) passPart(c byte) bool {
	p := &s.passing
	switch c {
	case '{', '[':
		if s.beginsNext(c) {
			s.object.cutIn = s.goal == anObject
			return s.passed()
		}
		p.open = append(p.open, c)
		if c == '[' {
			p.lists++
		}
	case '}', ']':
		n := p.closes(opening[c])
		s.steps += n
		if n == 0 {
			return s.part.first || s.part.whole || s.passed()
		}
		if len(p.open) == 0 && (s.goal == anObject || s.part.whole) {
			s.end, s.state = s.at+1, Bad
		}
	case ',':
		if s.goal == aRest && len(p.open) == 0 && !s.part.first {
			return s.passed()
		}
	}
	return true
}

// passed ends what is passed over before this byte.
func (s *Scanner) passed() bool {
	s.end, s.state = s.at, Bad
	return false
}

// beginsNext reports whether a bracket begins what comes behind the part that is
// passed over: in a list, behind an object whose own brace is missing.
func (s *Scanner) beginsNext(c byte) bool {
	switch {
	case c != '{':
		return false
	case s.goal == aRest:
		return len(s.passing.open) == 0 && !s.part.first
	}
	return s.goal == anObject && len(s.passing.open) == 1 && s.passing.last == ','
}

// nextBegins reports, and ends the object, where an opening brace stands instead
// of a key: the closing brace of this object is missing, and the next begins.
func (s *Scanner) nextBegins(c byte) bool {
	a := &s.args
	if s.goal != anObject || c != '{' || a.want != wantKey || len(a.open) != 1 || a.top().items == 0 {
		return false
	}
	comma := a.last - 1
	s.fault(diag.Bracket, s.at, s.at+1, "'{' begins the next object, and '}' of this one is missing")
	s.fixMissing(comma, "}")
	s.object.cutIn = true
	s.end, s.state = s.at, Bad
	return true
}

// openBrackets returns the brackets that are open, for what is to be passed over.
func (s *Scanner) openBrackets() []byte {
	if s.lang != jsonText || s.goal == aKey {
		return nil
	}
	open := make([]byte, len(s.args.open))
	for i, b := range s.args.open {
		open[i] = b.char
	}
	return open
}
