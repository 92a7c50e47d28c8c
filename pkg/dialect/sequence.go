package dialect

import (
	"slices"
	"strings"

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
	// hint says how a call is written.
	hint() string
}

// A sequence reads calls that stand behind each other in a frame, in a list or
// not, with blanks, commas and semicolons between them, up to the closing mark of
// the frame. Without one it ends with its list, or before anything else.
type sequence struct {
	scanner *Scanner
	frame   *frame
	item    item
	ends    *ends // the marks that end the frame
	at      int   // offset of the next byte
	stage   stageOf
	open    int       // brackets of lists that are open
	closed  bool      // a list has been closed
	items   int       // what has been read in the list
	any     bool      // a call, or what is none, has been read
	hash    bool      // a comment goes from '#' to the end of its line
	ignored bool      // a comment is being read
	comment diag.Span // the last comment
	faulty  bool      // the last of them has a fault
	parts   parts     // what has been read since
	most    int       // how many of them may stand behind the last
	called  bool      // what was read last begins as a call does
	single  bool      // only a list can hold several
	wrapped bool      // the call stands in the parentheses of another
	held    string    // what can be a mark that ends the frame
	inLine  bool      // the line holds something already
	from    int       // where the call begins
	junk    int       // where what is no call begins
	passed  int       // where a statement that is no call ends
}

// parts are the commas and semicolons that stand in a row.
type parts struct {
	count int
	place diag.Span
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
		return b.mark(p)
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
	b.stage, b.inLine, b.faulty = atPause, true, state == literal.Bad
	rest := b.item.take(state)
	switch state {
	case literal.Stopped:
		if rest != "" { // another frame begins
			b.scanner.readAgain([]byte(rest))
			return n, b.leave()
		}
		b.finish(b.most)
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
	if b.mayEnd(c) {
		b.stage, b.held = atMark, ""
		return 0, notYet
	}
	return b.between(c)
}

// between reads a byte between calls that begins no mark.
func (b *sequence) between(c byte) (int, ending) {
	closes, fenced := b.closers(), b.frame.fence.open()
	switch {
	case b.ignored || b.hash && c == '#':
		b.remark(c)
		return 1, notYet
	case isSpace(c):
		b.inLine = b.inLine && !isNewline(c)
		return 1, notYet
	case c == ',' || c == ';':
		b.part()
	case c == ')' && (b.at == b.passed || b.scanner.unpaired): // of what is no call, or has a bracket too many
	case c == ')' && b.wrapped:
		b.wrapped = false
	case c == '[' && !b.closed:
		b.open, b.items = b.open+1, 0
	case c == '}' || c == ']' && b.open == 0:
		b.scanner.findStray(c, b.at, diag.Unsafe)
	case c == ']':
		b.idle(b.most)
		b.open--
		b.closed = b.open == 0
		if b.closed && len(closes) == 0 && !fenced {
			return 1, ended
		}
	case !fenced && b.open == 0 && !b.item.begins(c) && (len(closes) == 0 || b.textBegins(c)):
		return 0, b.leave()
	case b.item.begin(c, b.at):
		b.follows(c)
		b.stage, b.from = atCall, b.at
		return 0, notYet
	default:
		b.stage, b.junk = atJunk, b.at
	}
	b.inLine = true
	return 1, notYet
}

// remark reads a byte of a comment, which the end of its line ends.
func (b *sequence) remark(c byte) {
	if !b.ignored {
		b.comment.Start = b.at
	}
	b.comment.End = b.at + 1
	b.ignored = !isNewline(c)
	b.inLine = b.ignored
}

// closers returns the marks that close the frame: none where the one that opens it is
// missing.
func (b *sequence) closers() []string {
	if b.frame.lacks != "" {
		return nil
	}
	return b.frame.row.framing.closes
}

// textBegins reports whether a byte behind a call begins text: a tag, or a line that
// does not go on with what a fault has left of the call.
func (b *sequence) textBegins(c byte) bool {
	return b.any && b.parts.count == 0 && (c == '<' || !b.inLine && (isNameByte(c) || strings.IndexByte("*#>~", c) >= 0))
}

// part takes a comma or semicolon.
func (b *sequence) part() {
	if b.parts.count == 0 {
		b.parts.place.Start = b.at
	}
	b.parts.count++
	b.parts.place.End = b.at + 1
}

// idle reports the commas and semicolons in a row that part nothing: more than one
// between two calls, or more than may stand behind the last.
func (b *sequence) idle(most int) {
	if !b.any {
		most = 0
	}
	if b.parts.count > most {
		b.scanner.find(diag.New(diag.StrayMarker, b.parts.place, "this parts nothing"))
	}
	b.parts = parts{}
}

// follows reports what is wrong between the last item and the next, which begins
// with a byte.
func (b *sequence) follows(c byte) {
	if b.open > 0 && b.items > 0 && b.parts.count == 0 {
		f := diag.New(diag.BadLiteral, diag.Bytes(b.at, b.at+1), "a comma is missing before this")
		f.Severity = diag.Warning
		if b.item.begins(c) && !b.faulty { // behind a fault it may be a part of the last one
			f.Fixes = fix(diag.Safe, "add a comma", diag.Edit{Start: b.at, End: b.at, New: ", "})
		}
		b.scanner.find(f)
	}
	begins := b.item.begins(c)
	if b.single && b.open == 0 && b.called && begins {
		b.second()
	}
	b.called = begins
	b.idle(1)
	b.items, b.any = b.items+1, true
}

// second reports a call behind another one in a frame that should hold one, or a list.
// Each is complete, so both are certain; readers of the whole frame refuse both.
func (b *sequence) second() {
	f := diag.New(diag.Concatenated, diag.Bytes(b.at, b.at+1), "two calls in the place of one; both are read")
	f.Severity = diag.Warning
	mark := b.frame.mark
	if closes := "</" + strings.TrimPrefix(mark, "<"); !b.faulty && b.parts.count == 0 && slices.Contains(b.frame.row.framing.closes, closes) {
		f.Fixes = fix(diag.Safe, "write marks around each", diag.Edit{Start: b.at, End: b.at, New: closes + "\n" + mark})
	}
	b.scanner.find(f)
}

// mayEnd reports whether a mark or fence that ends the frame begins with a byte.
func (b *sequence) mayEnd(c byte) bool { return b.ends.first[c] }

// mark reads what can be a mark that ends the frame.
func (b *sequence) mark(p []byte) (int, ending) {
	n, held := 0, b.held
	for _, text := range b.ends.texts {
		rest, ok := strings.CutPrefix(text, held)
		if !ok {
			continue
		}
		k := common(rest, p)
		if k == len(rest) {
			return k, b.markEnds(text, k)
		}
		if k > n {
			n, b.held = k, text[:len(held)+k]
		}
	}
	if n == 0 {
		return b.noMark(p[0])
	}
	return n, notYet
}

// common returns how many bytes a text and p have in common at their start.
func common(text string, p []byte) int {
	n := 0
	for n < len(text) && n < len(p) && text[n] == p[n] {
		n++
	}
	return n
}

// noMark goes on where what looked like a mark is none before a byte.
func (b *sequence) noMark(c byte) (int, ending) {
	b.stage = atPause
	if b.held == "" {
		return b.between(c)
	}
	at := b.at
	b.at -= len(b.held)
	n, end := b.between(b.held[0])
	b.at = at
	b.scanner.readAgain([]byte(b.held[n:]))
	return 0, end
}

// markEnds ends the frame with a mark, whose last n bytes come next.
func (b *sequence) markEnds(text string, n int) ending {
	switch {
	case slices.Contains(b.closers(), text):
		b.finish(b.most)
		return ended
	case text[0] == b.frame.char:
		b.finish(b.most)
		b.scanner.closedAt(b.at+n-len(text), !b.inLine)
		return closed
	}
	b.scanner.readAgain([]byte(text))
	return b.leave()
}

// pass passes over what is no call, up to the end of the line or a closing mark.
func (b *sequence) pass(p []byte) (int, ending) {
	for n, c := range p {
		if isNewline(c) || c == ',' || c == '[' || c == ']' || b.mayEnd(c) {
			b.endJunk(b.at + n)
			return n, notYet
		}
	}
	return len(p), notYet
}

func (b *sequence) endJunk(at int) {
	b.scanner.noCall(diag.Bytes(b.junk, at), "", b.item.hint())
	b.stage, b.called, b.any = atPause, false, true
}

// leave ends a frame whose closing mark is missing.
func (b *sequence) leave() ending {
	switch {
	case b.frame.fence.open():
		b.scanner.fenceCut()
	case len(b.closers()) > 0:
		b.scanner.markOpen("what comes next")
	}
	b.finish(0)
	return left
}

// behind returns what was read behind a call: the mark that ended it, unless that
// closes the frame.
func (b *sequence) behind(lit *literal.Scanner) string {
	if stop := lit.Stop(); stop != "" && !slices.Contains(b.closers(), stop) {
		return stop
	}
	return lit.Taken()
}

// finish reports what is wrong at the end of the frame.
func (b *sequence) finish(most int) {
	b.idle(most)
	b.missingBracket()
	if !b.any && b.comment.End > 0 {
		b.scanner.noCall(b.comment, "", b.item.hint())
	}
}

func (b *sequence) missingBracket() {
	if b.open > 0 {
		b.scanner.find(diag.New(diag.MissingCloser, diag.Bytes(b.frame.at, b.frame.at+len(b.frame.mark)), "']' is missing after the calls"))
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
		b.scanner.fenceOpen(b.scanner.at)
	case len(b.closers()) > 0:
		b.scanner.markOpen("the end of the text")
	}
	b.finish(0)
}
