package dialect

import (
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// An item reads one call of a sequence at a time.
type item interface {
	// canBegin reports whether a call can begin with a byte.
	canBegin(c byte) bool
	// begin makes it ready for what is at an offset, and begins with a byte:
	// a call, or what it can pass over. It reports false if it is neither.
	begin(c byte, at int) bool
	// write reads on in the call, up to its end or that of the frame.
	write(p []byte) (n int, state literal.State)
	// complete emits what was read, and returns what was read after it.
	complete(state literal.State) (rest string)
	// close says that the text ends inside the call.
	close()
	// hint says how a call is written.
	hint() string
}

// A sequence reads calls that follow each other in a frame, in a list or
// not, with blanks, commas and semicolons between them, up to the closing marker of
// the frame. Without one it ends with its list, or before anything else.
type sequence struct {
	scanner      *Scanner
	frame        *frame
	item         item
	terminators  *terminators // the markers that end the frame
	at           int          // offset of the next byte
	stage        sequenceStage
	openLists    int        // brackets of lists that are open
	closed       bool       // a list has been closed
	items        int        // what has been read in the list
	hasItems     bool       // a call, or what is none, has been read
	hashComments bool       // a comment goes from '#' to the end of its line
	inComment    bool       // a comment is being read
	comment      diag.Span  // the last comment
	lastFaulty   bool       // the last of them has a fault
	separators   separators // what has been read since
	maxTrailing  int        // how many of them may follow the last
	lastIsCall   bool       // what was read last begins as a call does
	single       bool       // only a list can hold several
	inParens     bool       // the call is in the parentheses of another
	held         string     // what can be a marker that ends the frame
	midLine      bool       // the line holds something already
	callAt       int        // where the call begins
	junkAt       int        // where what is no call begins
	skippedTo    int        // where a statement that is no call ends
}

// separators are the commas and semicolons that are in a row.
type separators struct {
	count int
	place diag.Span
}

// A sequenceStage is what a sequence reads.
type sequenceStage int

const (
	atPause  sequenceStage = iota // the text between calls
	atCall                        // a call
	atMarker                      // what can be the closing marker
	atJunk                        // what is no call, up to the end of its line or something else
)

func (b *sequence) write(p []byte) (int, frameEnd) {
	for n := 0; n < len(p); {
		k, end := b.step(p[n:])
		n += k
		b.at += k
		b.scanner.steps += k
		if end != notYet {
			return n, end
		}
		if len(b.scanner.pushback) > 0 {
			b.at -= len(b.scanner.pushback)
			return n, notYet
		}
	}
	return len(p), notYet
}

func (b *sequence) step(p []byte) (int, frameEnd) {
	switch b.stage {
	case atCall:
		return b.read(p)
	case atMarker:
		return b.readMarker(p)
	case atJunk:
		return b.skipJunk(p)
	}
	return b.readPause(p[0])
}

// read reads on in a call.
func (b *sequence) read(p []byte) (int, frameEnd) {
	n, state := b.item.write(p)
	if state == literal.NeedMore {
		return n, notYet
	}
	b.stage, b.midLine, b.lastFaulty = atPause, true, state == literal.Invalid
	rest := b.item.complete(state)
	switch state {
	case literal.Stopped:
		if rest != "" { // another frame begins
			b.scanner.unread([]byte(rest))
			return n, b.leave()
		}
		b.finish(b.maxTrailing)
		return n, ended
	case literal.FenceClosed:
		return n, closed
	}
	if rest != "" {
		b.scanner.unread([]byte(rest))
	}
	if b.at+n-len(rest) == b.callAt { // nothing of it could be read
		b.stage, b.junkAt = atJunk, b.at
	}
	return n, notYet
}

// readPause reads a byte between calls.
func (b *sequence) readPause(c byte) (int, frameEnd) {
	if b.canEnd(c) {
		b.stage, b.held = atMarker, ""
		return 0, notYet
	}
	return b.readBetween(c)
}

// readBetween reads a byte between calls that begins no marker.
func (b *sequence) readBetween(c byte) (int, frameEnd) {
	closes, fenced := b.closers(), b.frame.fence.open()
	switch {
	case b.inComment || b.hashComments && c == '#':
		b.readComment(c)
		return 1, notYet
	case isSpace(c):
		b.midLine = b.midLine && !isNewline(c)
		return 1, notYet
	case c == ',' || c == ';':
		b.addSeparator()
	case c == ')' && (b.at == b.skippedTo || b.scanner.unbalanced): // of what is no call, or has a bracket too many
	case c == ')' && b.inParens:
		b.inParens = false
	case c == '[' && !b.closed:
		b.openLists, b.items = b.openLists+1, 0
	case c == '}' || c == ']' && b.openLists == 0:
		b.scanner.reportStrayBracket(c, b.at, diag.Unsafe)
	case c == ']':
		b.reportSeparators(b.maxTrailing)
		b.openLists--
		b.closed = b.openLists == 0
		if b.closed && len(closes) == 0 && !fenced {
			return 1, ended
		}
	case !fenced && b.openLists == 0 && !b.item.canBegin(c) && (len(closes) == 0 || b.textBegins(c)):
		return 0, b.leave()
	case b.item.begin(c, b.at):
		b.checkNext(c)
		b.stage, b.callAt = atCall, b.at
		return 0, notYet
	default:
		b.stage, b.junkAt = atJunk, b.at
	}
	b.midLine = true
	return 1, notYet
}

// readComment reads a byte of a comment, which the end of its line ends.
func (b *sequence) readComment(c byte) {
	if !b.inComment {
		b.comment.Start = b.at
	}
	b.comment.End = b.at + 1
	b.inComment = !isNewline(c)
	b.midLine = b.inComment
}

// closers returns the markers that close the frame: none where the one that opens it is
// missing.
func (b *sequence) closers() []string {
	if b.frame.missingOpener != "" {
		return nil
	}
	return b.frame.dialect.framing.closers
}

// textBegins reports whether a byte after a call begins text: a tag, or a line that
// does not continue with what a fault has left of the call.
func (b *sequence) textBegins(c byte) bool {
	return b.hasItems && b.separators.count == 0 && (c == '<' || !b.midLine && (isNameByte(c) || strings.IndexByte("*#>~", c) >= 0))
}

// addSeparator takes a comma or semicolon.
func (b *sequence) addSeparator() {
	if b.separators.count == 0 {
		b.separators.place.Start = b.at
	}
	b.separators.count++
	b.separators.place.End = b.at + 1
}

// reportSeparators reports the commas and semicolons in a row that part nothing: more than one
// between two calls, or more than may follow the last.
func (b *sequence) reportSeparators(most int) {
	if !b.hasItems {
		most = 0
	}
	if b.separators.count > most {
		b.scanner.report(diag.New(diag.StrayMarker, b.separators.place, "unexpected separator"))
	}
	b.separators = separators{}
}

// checkNext reports what is wrong between the last item and the next, which begins
// with a byte.
func (b *sequence) checkNext(c byte) {
	if b.openLists > 0 && b.items > 0 && b.separators.count == 0 {
		f := diag.New(diag.BadLiteral, diag.Bytes(b.at, b.at+1), "missing comma before this")
		f.Severity = diag.Warning
		if b.item.canBegin(c) && !b.lastFaulty { // after a fault it may be a part of the last one
			f.Fixes = fix(diag.Safe, "add a comma", diag.Edit{Start: b.at, End: b.at, New: ", "})
		}
		b.scanner.report(f)
	}
	begins := b.item.canBegin(c)
	if b.single && b.openLists == 0 && b.lastIsCall && begins {
		b.reportSecondCall()
	}
	b.lastIsCall = begins
	b.reportSeparators(1)
	b.items, b.hasItems = b.items+1, true
}

// reportSecondCall reports a call after another one in a frame that should hold one, or a list.
// Each is complete, so both are certain; readers of the whole frame refuse both.
func (b *sequence) reportSecondCall() {
	f := diag.New(diag.ConcatenatedValues, diag.Bytes(b.at, b.at+1), "expected one call, got two; both are read")
	f.Severity = diag.Warning
	marker := b.frame.marker
	if closes := "</" + strings.TrimPrefix(marker, "<"); !b.lastFaulty && b.separators.count == 0 && slices.Contains(b.frame.dialect.framing.closers, closes) {
		f.Fixes = fix(diag.Safe, "put markers around each", diag.Edit{Start: b.at, End: b.at, New: closes + "\n" + marker})
	}
	b.scanner.report(f)
}

// canEnd reports whether a marker or fence that ends the frame begins with a byte.
func (b *sequence) canEnd(c byte) bool { return b.terminators.firstBytes[c] }

// readMarker reads what can be a marker that ends the frame.
func (b *sequence) readMarker(p []byte) (int, frameEnd) {
	n, held := 0, b.held
	for _, text := range b.terminators.texts {
		rest, ok := strings.CutPrefix(text, held)
		if !ok {
			continue
		}
		k := common(rest, p)
		if k == len(rest) {
			return k, b.endAtMarker(text, k)
		}
		if k > n {
			n, b.held = k, text[:len(held)+k]
		}
	}
	if n == 0 {
		return b.rejectMarker(p[0])
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

// rejectMarker continues where what looked like a marker is none before a byte.
func (b *sequence) rejectMarker(c byte) (int, frameEnd) {
	b.stage = atPause
	if b.held == "" {
		return b.readBetween(c)
	}
	at := b.at
	b.at -= len(b.held)
	n, end := b.readBetween(b.held[0])
	b.at = at
	b.scanner.unread([]byte(b.held[n:]))
	return 0, end
}

// endAtMarker ends the frame with a marker, whose last n bytes come next.
func (b *sequence) endAtMarker(text string, n int) frameEnd {
	switch {
	case slices.Contains(b.closers(), text):
		b.finish(b.maxTrailing)
		return ended
	case text[0] == b.frame.char:
		b.finish(b.maxTrailing)
		b.scanner.checkCloserLine(b.at+n-len(text), !b.midLine)
		return closed
	}
	b.scanner.unread([]byte(text))
	return b.leave()
}

// skipJunk passes over what is no call, up to the end of the line or a closing marker.
func (b *sequence) skipJunk(p []byte) (int, frameEnd) {
	for n, c := range p {
		if isNewline(c) || c == ',' || c == '[' || c == ']' || b.canEnd(c) {
			b.endJunk(b.at + n)
			return n, notYet
		}
	}
	return len(p), notYet
}

func (b *sequence) endJunk(at int) {
	b.scanner.reportNotACall(diag.Bytes(b.junkAt, at), "", b.item.hint())
	b.stage, b.lastIsCall, b.hasItems = atPause, false, true
}

// leave ends a frame whose closing marker is missing.
func (b *sequence) leave() frameEnd {
	switch {
	case b.frame.fence.open():
		b.scanner.reportCutFence()
	case len(b.closers()) > 0:
		b.scanner.reportMissingCloser("the next text")
	}
	b.finish(0)
	return left
}

// textAfter returns what was read after a call: the marker that ended it, unless that
// closes the frame.
func (b *sequence) textAfter(lit *literal.Scanner) string {
	if stop := lit.Stop(); stop != "" && !slices.Contains(b.closers(), stop) {
		return stop
	}
	return lit.Unread()
}

// finish reports what is wrong at the end of the frame.
func (b *sequence) finish(most int) {
	b.reportSeparators(most)
	b.missingBracket()
	if !b.hasItems && b.comment.End > 0 {
		b.scanner.reportNotACall(b.comment, "", b.item.hint())
	}
}

func (b *sequence) missingBracket() {
	if b.openLists > 0 {
		b.scanner.report(diag.New(diag.MissingCloser, diag.Bytes(b.frame.at, b.frame.at+len(b.frame.marker)), "missing ']' after the calls"))
		b.openLists = 0
	}
}

func (b *sequence) close() {
	switch b.stage {
	case atCall:
		b.item.close()
	case atJunk:
		b.endJunk(b.at)
	case atMarker:
		b.scanner.emitContent(b.at-len(b.held), b.held)
	}
	switch {
	case b.frame.fence.open():
		b.scanner.reportOpenFence(b.scanner.at)
	case len(b.closers()) > 0:
		b.scanner.reportMissingCloser("the end of the text")
	}
	b.finish(0)
}
