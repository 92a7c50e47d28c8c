// Package literal scans calls name(args) with JavaScript or Python literals as arguments, JSON
// with recorded repairs, and objects whose strings have a dialect's own delimiter, from a text
// that arrives in pieces.
//
// It evaluates nothing: an expression is a finding. It looks at every byte a bounded number of
// times, so any split of a text gives the same calls and findings. Text inside a string is never
// read as syntax, even if the string or its call is faulty. Package dialect finds the calls in a
// response.
package literal

import (
	"cmp"
	"encoding/json"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A State is the progress of a [Scanner].
type State int

// The states of a scanner. It reads further only in state [NeedMore].
const (
	NeedMore    State = iota // the end has not been reached
	Done                     // the expected item was read without errors
	Invalid                  // the item has an error, or is not a call
	FenceClosed              // the surrounding code fence was closed
	Stopped                  // a stop was found, see [Options]
)

// MaxDepth is the default limit for nested arrays and objects.
const MaxDepth = 64

// Options configure a scanner.
type Options struct {
	Base     int   // offset of the first byte in the whole text; all offsets include it
	MaxDepth int   // limit for nested arrays and objects; 0 means [MaxDepth]
	Fence    Fence // the surrounding code fence; the zero value for none

	Stops *Stops // nil for none

	Wrapper string // Python: a function such as print that is not the call if its first argument is a call
}

// A Fence is an open code fence. A run of Len times Char outside strings and comments closes it.
// Inside arguments and values the run must begin a line.
type Fence struct {
	Char byte
	Len  int
}

// A goal is the item that a scanner reads.
type goal int

const (
	goalCall goal = iota
	goalStatement
	goalValue
	goalPunct // from here on JSON, see NewJSON
	goalKey
	goalObject
	goalSkip
	goalDelimited // see NewDelimited
)

// A language is the syntax of the literals.
type language int

const (
	javaScript language = iota
	jsonText            // lenient: extensions are read with a finding
	python
	delimited // see NewDelimited
)

// A phase is a part of a statement.
type phase int

const (
	beforeStatement phase = iota
	inHead                // in the words before "("
	inArguments
	skipping  // skipping to the ")" of a faulty call
	inNonCall // in a statement that is not a call
)

// A Scanner reads calls, statements, values or parts of JSON, one after another, from the bytes
// written to it.
type Scanner struct {
	goal  goal
	dirty bool // the fields below hold state of the last part
	state State
	steps int // bytes and tokens looked at, for tests

	settings
	stopLookahead
	lexer
	phase      phase
	head       head
	args       arguments
	part       part
	object     object
	skip       skipState
	lastString lastString
	strict     *strictParser // parses complete strict values
	textArena  stringArena
	valueArena byteArena
	report
}

// NewCall returns a scanner for one call name(args). Whitespace and comments may precede it.
func NewCall(o Options) *Scanner { return newScanner(goalCall, javaScript, o) }

// NewStatement returns a scanner for one statement: "return name(args)" with or without "return"
// (or "await"), or anything else up to its end. Whitespace, comments and semicolons may precede
// it.
func NewStatement(o Options) *Scanner { return newScanner(goalStatement, javaScript, o) }

// settings do not change while a text is read.
type settings struct {
	lang      language
	fence     Fence
	maxDepth  int
	wrapper   string
	delimiter string // the string delimiter of NewDelimited
}

func newScanner(g goal, lang language, o Options) *Scanner {
	s := &Scanner{goal: g, settings: settings{lang: lang}}
	s.Reset(o)
	return s
}

// Reset makes the scanner read another text with other options, like a new scanner. Results
// returned before stay valid.
func (s *Scanner) Reset(o Options) {
	s.args.reset()
	*s = Scanner{
		goal: s.goal, steps: s.steps,
		settings:      settings{lang: s.lang, delimiter: s.delimiter, fence: o.Fence, maxDepth: cmp.Or(o.MaxDepth, MaxDepth), wrapper: o.Wrapper},
		stopLookahead: newStopLookahead(o.Stops, s.delimiter),
		lexer:         lexer{pos: o.Base, lineBlank: true, captured: s.captured},
		args:          s.args,
		object:        object{found: s.object.found[:0], gaps: s.object.gaps[:0]},
		strict:        s.strict, textArena: s.textArena, valueArena: s.valueArena,
	}
	s.begin()
}

// begin sets the initial state for the goal.
func (s *Scanner) begin() {
	switch {
	case s.lang == jsonText:
		s.goal, s.phase = goalPunct, inArguments
	case s.goal == goalValue || s.goal == goalDelimited:
		s.phase = inArguments
		s.captureFrom(s.pos)
	}
}

// Next prepares the scanner for the next call, statement or object of the text. Results returned
// before stay valid.
func (s *Scanner) Next() {
	s.args.reset()
	*s = Scanner{
		goal: s.goal, steps: s.steps, settings: s.settings, stopLookahead: s.stopLookahead,
		lexer: lexer{pos: s.pos, lineBlank: s.lineBlank, captured: s.captured},
		args:  s.args, valueArena: s.valueArena,
	}
	s.stop = ""
	s.begin()
}

// Write reads from p until the state is no longer [NeedMore]. It returns how many bytes it has
// read and does not retain p. A call is [Done] exactly with its closing parenthesis, a number
// with the byte before the first that does not belong to it.
//
// A possible start of a stop or string delimiter counts as read while it is undecided. If the
// part ends before it, [Scanner.Unread] returns it.
func (s *Scanner) Write(p []byte) (int, State) {
	if len(s.lookahead) > 0 {
		return s.writeAfterPendingLookahead(p)
	}
	n := s.read(p)
	if s.undecided {
		s.lookahead = append(s.lookahead, p[n:]...)
		n = len(p)
	}
	return n, s.state
}

// read reads from p until the state is no longer [NeedMore] or more bytes are needed as
// lookahead. It returns how many bytes it has read.
func (s *Scanner) read(p []byte) int {
	i := 0
	switch {
	case len(p) == 0 || s.state != NeedMore:
	case s.object.untried:
		i = s.tryStrict(p)
	case s.goal == goalPunct && s.mode == inGap:
		i = s.readPunctFast(p)
	}
	s.undecided = false
	for i < len(p) && s.state == NeedMore && !s.undecided {
		n := s.step(p[i:])
		if s.capturing && n > 0 {
			s.captured.block.Write(p[i : i+n])
		}
		i, s.pos, s.steps = i+n, s.pos+n, s.steps+n+1
	}
	return i
}

// Close marks the end of the text and returns the last state. An unfinished call is reported as
// truncated and is never executable.
func (s *Scanner) Close() State {
	s.flushLookahead()
	if s.state == NeedMore {
		s.endOfText()
	}
	return s.state
}

// endOfText ends the current token and item at the end of the text.
func (s *Scanner) endOfText() {
	if s.mode == inDelimited && s.endObjectBeforeStop(true) {
		return
	}
	if s.goal == goalValue && (s.mode == inWord || s.mode == inNumber || s.mode == inBackticks) ||
		s.goal == goalPunct && (s.mode == inSlash || s.mode == inNonASCII || s.mode == inFenceRun) {
		s.step([]byte{'\n'}) // ends such a token without being part of it
	}
	switch {
	case s.mode == inLine:
		s.noteComment(s.pos)
	case s.goal == goalPunct && (s.mode == inBlock || s.mode == inStar):
		s.noteCut(s.tokenStart, "unterminated comment")
	}
	if s.state != NeedMore {
		return
	}
	switch {
	case s.phase == inHead:
		s.noteCut(s.head.start, "unexpected end of text before the call")
	case s.goal == goalPunct || s.goal == goalSkip:
	case s.phase == skipping || s.phase == inArguments:
		s.noteTruncated()
	}
	s.end, s.state = s.pos, Invalid
}

// Steps returns how many bytes and tokens were looked at, for tests.
func (s *Scanner) Steps() int { return s.steps }

// IsLineStart reports whether the line has only whitespace so far; in state [FenceClosed],
// whether the closing fence began a line.
func (s *Scanner) IsLineStart() bool { return s.lineBlank }

// End returns the offset after the item. In the states [FenceClosed] and [Stopped] it is the
// offset of the closing fence or the stop.
func (s *Scanner) End() int { return s.end }

// NonCallReason returns why the statement at [Scanner.NonCall] is not a call, "" if there is
// nothing to add.
func (s *Scanner) NonCallReason() string {
	if !s.head.lacksParen {
		return ""
	}
	return excerpt(s.head.word) + " is not followed by '('"
}

// NonCall returns the span of a statement that is not a call, and false if the scanner has read
// a call or nothing.
func (s *Scanner) NonCall() (diag.Span, bool) {
	return diag.Bytes(s.head.start, s.end), s.state != NeedMore && s.phase == inNonCall
}

// Call returns the call, and false if there was none. A faulty call has a name and a text but no
// arguments.
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

// Value returns the value as JSON, nil if it has an error. Numbers keep their digits and objects
// the order of their keys.
func (s *Scanner) Value() json.RawMessage {
	if s.state != Done {
		return nil
	}
	return s.takeResult()
}

// takeResult returns the output for the current item, nil if it is empty.
func (s *Scanner) takeResult() json.RawMessage {
	if s.part.value == nil && len(s.args.out) > 0 {
		value, same := s.valueArena.persist(s.args.out)
		if s.part.value = value; same {
			s.args.out = nil
		}
	}
	return s.part.value
}
