// Package literal reads calls name(args) whose arguments are literals of
// JavaScript or Python, the parts of what should be JSON, and objects whose
// strings stand between private marks, from a text that arrives in pieces.
//
// It evaluates nothing: what is no literal is a finding. Every byte is looked
// at a bounded number of times and never again, so any split of a text gives
// the same calls and findings, and text inside a string is never read as
// anything else, not even when the string or its call turns out to be faulty.
// Where calls stand in a response is the business of package dialect.
package literal

import (
	"cmp"
	"encoding/json"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A State says how far a [Scanner] has come.
type State int

// The states of a scanner. In every state but [More] it reads nothing further.
const (
	More    State = iota // the end has not been seen
	Done                 // what was wanted was read and is good
	Bad                  // what was read is no good call or value, or no call at all
	Fenced               // the fence around the text was closed
	Stopped              // a stop was met, see Options
)

// MaxDepth is how deep arrays and objects may be nested if nothing else is said.
const MaxDepth = 64

// Options say where a scanner reads, and within which limits.
type Options struct {
	Base     int   // offset of the first byte in the whole text; all offsets count like it
	MaxDepth int   // how deep arrays and objects may be nested; 0 means [MaxDepth]
	Fence    Fence // the fence around the text; the zero value for none

	Stops *Stops // nil for none

	Wrapper string // Python: a function, such as print, that is no call itself where a call is its first argument
}

// A Fence is an open code fence. It is closed by a run of Len times Char
// outside strings and comments, which must begin a line when it stands in the
// arguments of a call or in a value.
type Fence struct {
	Char byte
	Len  int
}

// A goal is what a scanner is to read.
type goal int

const (
	goalCall goal = iota
	goalStatement
	goalValue
	goalPunct // these are of JSON, see NewJSON
	goalKey
	goalObject
	goalSkip
	goalDelimited // see NewQuoted
)

// A language is what literals are written in.
type language int

const (
	javaScript language = iota
	jsonText            // what JSON does not have is tolerated, with a finding
	python
	delimited // see NewQuoted
)

// A phase is a stretch of a statement.
type phase int

const (
	beforeStatement phase = iota // the statement has not begun
	inHead                       // in the words before "("
	inArguments                  // in the arguments
	skipping                     // on the way to the ")" of a call that has a fault
	inNonCall                    // in a statement that is no call
)

// A Scanner reads one call, statement, value or part of JSON after another from
// the bytes written to it.
type Scanner struct {
	goal  goal
	dirty bool // what is below holds something of the last part
	state State
	steps int // bytes and tokens looked at; tests count them

	settings
	stopping
	lexer
	phase      phase
	head       head
	args       arguments
	part       part
	object     object
	skip       skipState
	lastString lastString
	strict     *strictParser // reads objects at once
	textArena  stringArena
	valueArena byteArena
	report
}

// NewCall returns a scanner for one call name(args). Blanks and comments may
// stand before it.
func NewCall(o Options) *Scanner { return newScanner(goalCall, javaScript, o) }

// NewStatement returns a scanner for one statement: "return name(args)" with or
// without "return" (or "await"), or anything else up to its end. Blanks,
// comments and semicolons may stand before it.
func NewStatement(o Options) *Scanner { return newScanner(goalStatement, javaScript, o) }

// settings are what does not change while a text is read.
type settings struct {
	lang      language
	fence     Fence
	maxDepth  int
	wrapper   string
	delimiter string // the mark around strings
}

func newScanner(g goal, lang language, o Options) *Scanner {
	s := &Scanner{goal: g, settings: settings{lang: lang}}
	s.Reset(o)
	return s
}

// Reset makes the scanner read another text, with other options, as a new one
// would. What was returned before stays valid.
func (s *Scanner) Reset(o Options) {
	s.args.reset()
	*s = Scanner{
		goal: s.goal, steps: s.steps,
		settings: settings{lang: s.lang, delimiter: s.delimiter, fence: o.Fence, maxDepth: cmp.Or(o.MaxDepth, MaxDepth), wrapper: o.Wrapper},
		stopping: newStopping(o.Stops, s.delimiter),
		lexer:    lexer{pos: o.Base, lineBlank: true, captured: s.captured},
		args:     s.args,
		object:   object{found: s.object.found[:0], gaps: s.object.gaps[:0]},
		strict:   s.strict, textArena: s.textArena, valueArena: s.valueArena,
	}
	s.begin()
}

// begin makes a new scanner ready for what it is to read.
func (s *Scanner) begin() {
	switch {
	case s.lang == jsonText:
		s.goal, s.phase = goalPunct, inArguments
	case s.goal == goalValue || s.goal == goalDelimited:
		s.phase = inArguments
		s.captureFrom(s.pos)
	}
}

// Next makes the scanner ready for the next call, statement or object of the
// text. What was returned for the last one stays valid.
func (s *Scanner) Next() {
	s.args.reset()
	*s = Scanner{
		goal: s.goal, steps: s.steps, settings: s.settings, stopping: s.stopping,
		lexer: lexer{pos: s.pos, lineBlank: s.lineBlank, captured: s.captured},
		args:  s.args, valueArena: s.valueArena,
	}
	s.stop = ""
	s.begin()
}

// Write reads from p until the state is no longer [More]. It returns how many
// bytes it has read and does not keep p. A call is [Done] exactly with its
// closing parenthesis, a number with the byte before the first that does not
// belong to it.
//
// What may begin a stop or a private mark counts as read when it is not yet known
// whether it does; [Scanner.Taken] returns it where the part ends before it.
func (s *Scanner) Write(p []byte) (int, State) {
	if len(s.lookahead) > 0 {
		return s.writeLookahead(p)
	}
	n := s.read(p)
	if s.undecided {
		s.lookahead = append(s.lookahead, p[n:]...)
		n = len(p)
	}
	return n, s.state
}

// read reads from p until the state is no longer [More] or more bytes are needed
// to decide what comes next, and returns how many bytes it has read.
func (s *Scanner) read(p []byte) int {
	i := 0
	switch {
	case len(p) == 0 || s.state != More:
	case s.object.untried:
		i = s.tryStrict(p)
	case s.goal == goalPunct && s.mode == inGap:
		i = s.readPunctFast(p)
	}
	s.undecided = false
	for i < len(p) && s.state == More && !s.undecided {
		n := s.step(p[i:])
		if s.capturing && n > 0 {
			s.captured.block.Write(p[i : i+n])
		}
		i, s.pos, s.steps = i+n, s.pos+n, s.steps+n+1
	}
	return i
}

// Close says that the text has ended, and returns the last state. A call that
// has not ended is cut off: it is reported and can never be executed.
func (s *Scanner) Close() State {
	s.flushLookahead()
	if s.state == More {
		s.endOfText()
	}
	return s.state
}

// endOfText decides what the end of the text means for what was being read.
func (s *Scanner) endOfText() {
	if s.mode == inDelimited && s.endObjectBeforeStop(true) {
		return
	}
	if s.goal == goalValue && (s.mode == inWord || s.mode == inNumber || s.mode == inBackticks) ||
		s.goal == goalPunct && (s.mode == inSlash || s.mode == inNonASCII || s.mode == inFenceRun) {
		s.step([]byte{'\n'}) // which ends such a token without being part of it
	}
	switch {
	case s.mode == inLine:
		s.noteComment(s.pos)
	case s.goal == goalPunct && (s.mode == inBlock || s.mode == inStar):
		s.noteCut(s.tokenStart, "unterminated comment")
	}
	if s.state != More {
		return
	}
	switch {
	case s.phase == inHead:
		s.noteCut(s.head.start, "unexpected end of text before the call")
	case s.goal == goalPunct || s.goal == goalSkip:
	case s.phase == skipping || s.phase == inArguments:
		s.noteTruncated()
	}
	s.end, s.state = s.pos, Bad
}

// Steps returns how many bytes and tokens were looked at, which tests count.
func (s *Scanner) Steps() int { return s.steps }

// LineStart reports whether the line has held only blanks so far; in state
// [Fenced], whether the fence was closed at the start of a line.
func (s *Scanner) LineStart() bool { return s.lineBlank }

// End returns the offset behind what was read; in the states [Fenced] and
// [Stopped], that of the run that closed the fence and of the stop.
func (s *Scanner) End() int { return s.end }

// JunkReason says why the statement at [Scanner.Junk] is no call, "" where nothing more
// is known.
func (s *Scanner) JunkReason() string {
	if !s.head.lacksParen {
		return ""
	}
	return excerpt(s.head.word) + " is not followed by '('"
}

// Junk returns the place of a statement that is no call, and false if the
// scanner has read a call or nothing.
func (s *Scanner) Junk() (diag.Span, bool) {
	return diag.Bytes(s.head.start, s.end), s.state != More && s.phase == inNonCall
}

// Call returns the call that was read, and false if there was none. A call with
// a fault has a name and a text but no arguments.
func (s *Scanner) Call() (chat.Call, bool) {
	if s.head.name == "" {
		return chat.Call{}, false
	}
	text := s.captured.text()[:max(s.end-s.captureStart, 0)]
	text = strings.TrimRight(text, " \t\r\n")
	status := s.status()
	return chat.Call{
		Name:         s.head.name,
		Arguments:    s.takeResult(),
		Positional:   !s.args.hasKeywords,
		Status:       status,
		Executable:   status == chat.StatusOK || status == chat.StatusRepaired,
		ValueChanged: s.valueChanged,
		Start:        s.captureStart,
		End:          s.captureStart + len(text),
		Text:         text,
	}, true
}

// Value returns the value that was read as JSON, nil if it has a fault. Numbers
// keep their digits and objects the order of their keys.
func (s *Scanner) Value() json.RawMessage {
	if s.state != Done {
		return nil
	}
	return s.takeResult()
}

// takeResult returns what has been read up to its end, nil if that is nothing.
func (s *Scanner) takeResult() json.RawMessage {
	if s.part.value == nil && len(s.args.out) > 0 {
		value, same := s.valueArena.persist(s.args.out)
		if s.part.value = value; same {
			s.args.out = nil
		}
	}
	return s.part.value
}
