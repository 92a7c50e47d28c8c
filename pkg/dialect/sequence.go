package dialect

import (
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// An item reads one call of a sequence at a time.
type item interface {
	// begins reports whether a call can begin with a byte.
	begins(c byte) bool
	// begin makes it ready for what stands at an offset, and begins with a byte:
	// a call, or what it can pass over. It reports false if it is neither.
	begin(c byte, at int) bool
	// write reads on in the call, up to its end or that of the frame.
	write(p []byte) (n int, state literal.State)
	// take passes on what was read, and returns what was read behind it.
	take(state literal.State) (rest string)
	// close says that the text ends inside the call.
	close()
}

// A sequence reads calls that stand behind each other in a frame, in a list or
// not, with blanks, commas and semicolons between them, up to the closing mark of
// the frame. Without one it ends with its list, or before anything else.
type sequence struct {
	scanner *Scanner
	frame   frame
	item    item
	hint    string
	at      int // offset of the next byte
	stage   stageOf
	open    int    // brackets of lists that are open
	closed  bool   // a list has been closed
	items   int    // what has been read between marks
	parted  bool   // a comma has been read since
	wrapped bool   // the call stands in the parentheses of another
	held    string // what can be the closing mark
	ends    []string
	from    int // where the call begins
	junk    int // where what is no call begins
}

// A stageOf is what a sequence reads.
type stageOf int

const (
	atPause stageOf = iota // what stands between calls
	atCall                 // a call
	atMark                 // what can be the closing mark
	atJunk                 // what is no call, up to the end of its line or something else
)

func (b *sequence) write(p []byte) (int, ending) {
	for n := 0; n < len(p); {
		k, end := b.step(p[n:])
		n += k
		b.at += k
		b.scanner.steps += k
		if end != notYet {
			return n, end
		}
		if len(b.scanner.given) > 0 {
			b.at -= len(b.scanner.given)
			return n, notYet
		}
	}
	return len(p), notYet
}

func (b *sequence) step(p []byte) (int, ending) {
	switch b.stage {
	case atCall:
		return b.read(p)
	case atMark:
		return b.mark(p[0])
	case atJunk:
		return b.pass(p)
	}
	return b.pause(p[0])
}

// read reads on in a call.
func (b *sequence) read(p []byte) (int, ending) {
	n, state := b.item.write(p)
	if state == literal.More {
		return n, notYet
	}
	rest := b.item.take(state)
	b.stage = atPause
	switch state {
	case literal.Stopped:
		if rest != "" { // another frame begins
			b.scanner.readAgain([]byte(rest))
			return n, b.leave()
		}
		b.missingBracket()
		return n, ended
	case literal.Fenced:
		return n, closed
	}
	if rest != "" {
		b.scanner.readAgain([]byte(rest))
	}
	if b.at+n-len(rest) == b.from { // nothing of it could be read
		b.stage, b.junk = atJunk, b.at
	}
	return n, notYet
}

// pause reads a byte between calls.
func (b *sequence) pause(c byte) (int, ending) {
	closes := b.frame.row.framing.closes
	switch {
	case isSpace(c):
	case c == ',' || c == ';':
		b.parted = true
	case c == ')' && b.wrapped:
		b.wrapped = false
	case c == '[' && !b.closed:
		b.open, b.items = b.open+1, 0
	case c == '}' || c == ']' && b.open == 0:
		b.scanner.find(diag.New(diag.Bracket, diag.Bytes(b.at, b.at+1), "%q closes nothing", c))
	case c == ']':
		b.open--
		b.closed = b.open == 0
		if b.closed && len(closes) == 0 && !b.frame.fence.open() {
			return 1, ended
		}
	case b.mayClose(c):
		b.stage, b.held = atMark, ""
		return 0, notYet
	case len(closes) == 0 && b.open == 0 && !b.frame.fence.open() && !b.item.begins(c):
		return 0, b.leave()
	case b.item.begin(c, b.at):
		b.part(c)
		b.stage, b.from = atCall, b.at
		return 0, notYet
	case c == '<':
		return 0, b.leave()
	default:
		b.stage, b.junk = atJunk, b.at
		return 1, notYet
	}
	return 1, notYet
}

// part reports that a comma is missing before an item of a list, which begins with
// a byte.
func (b *sequence) part(c byte) {
	if b.open > 0 && b.items > 0 && !b.parted {
		f := diag.New(diag.BadLiteral, diag.Bytes(b.at, b.at+1), "a comma is missing before this")
		f.Severity = diag.Warning
		if b.item.begins(c) {
			f.Fixes = fix("add a comma", diag.Edit{Start: b.at, End: b.at, New: ", "})
		}
		b.scanner.find(f)
	}
	b.items, b.parted = b.items+1, false
}

// mayClose reports whether a closing mark or fence begins with a byte.
func (b *sequence) mayClose(c byte) bool {
	for _, text := range b.closers() {
		if text[0] == c {
			return true
		}
	}
	return false
}

// closers returns the marks that end the frame.
func (b *sequence) closers() []string {
	if f := b.frame.fence; !f.open() {
		b.ends = b.frame.row.framing.closes
	} else if b.ends == nil {
		b.ends = []string{strings.Repeat(string(f.char), f.length)}
	}
	return b.ends
}

// mark reads a byte of what can be the closing mark.
func (b *sequence) mark(c byte) (int, ending) {
	n := len(b.held)
	for _, text := range b.closers() {
		switch {
		case !strings.HasPrefix(text, b.held) || text[n] != c:
		case n+1 < len(text):
			b.held = text[:n+1]
			return 1, notYet
		case b.frame.fence.open():
			b.missingBracket()
			b.scanner.closedAt(b.at+1-len(text), true)
			return 1, closed
		default:
			b.missingBracket()
			return 1, ended
		}
	}
	if b.held == "" && c != '<' {
		b.stage = atPause
		if !b.item.begin(c, b.at) {
			b.stage, b.junk = atJunk, b.at
			return 1, notYet
		}
		b.stage, b.from = atCall, b.at
		return 0, notYet
	}
	if b.held != "" {
		b.scanner.readAgain([]byte(b.held))
	}
	return 0, b.leave()
}

// pass passes over what is no call, up to the end of the line or a closing mark.
func (b *sequence) pass(p []byte) (int, ending) {
	for n, c := range p {
		if isNewline(c) || c == ',' || c == '[' || c == ']' || b.mayClose(c) {
			b.endJunk(b.at + n)
			return n, notYet
		}
	}
	return len(p), notYet
}

func (b *sequence) endJunk(at int) {
	b.scanner.noCall(diag.Bytes(b.junk, at), b.hint)
	b.stage = atPause
}

// leave ends a frame whose closing mark is missing.
func (b *sequence) leave() ending {
	if len(b.frame.row.framing.closes) > 0 {
		b.unclosed("what comes next")
	}
	b.missingBracket()
	return left
}

func (b *sequence) unclosed(before string) {
	at, mark := b.frame.at, b.frame.mark
	b.scanner.find(diag.New(diag.MissingCloser, diag.Bytes(at, at+len(mark)), "%s is not closed before %s", mark, before))
}

func (b *sequence) missingBracket() {
	if b.open > 0 {
		b.scanner.find(diag.New(diag.MissingCloser, diag.Bytes(b.frame.at, b.frame.at+len(b.frame.mark)), "']' is missing behind the calls"))
		b.open = 0
	}
}

func (b *sequence) close() {
	switch b.stage {
	case atCall:
		b.item.close()
	case atJunk:
		b.endJunk(b.at)
	case atMark:
		b.scanner.content(b.at-len(b.held), b.held)
	}
	switch {
	case b.frame.fence.open():
		b.scanner.unclosed(b.scanner.at)
	case len(b.frame.row.framing.closes) > 0:
		b.unclosed("the end of the text")
	}
	b.missingBracket()
}

// passOn passes on a call, or what is wrong where there is none.
func (b *sequence) passOn(call chat.Call, ok bool, findings []diag.Finding) {
	if ok {
		b.scanner.call(call, findings)
		return
	}
	for _, f := range findings {
		b.scanner.find(f)
	}
}
