package dialect

import (
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// An item parses one call of a sequence at a time.
type item interface {
	// canBegin reports whether a call can begin with a byte.
	canBegin(c byte) bool
	// begin prepares for a call, or for text to skip, that starts at an offset with a byte. It reports false if it
	// handles neither.
	begin(c byte, at int) bool
	// write reads the call up to its end or the end of the frame.
	write(p []byte) (n int, state literal.State)
	// emitCall emits the call and returns the text read after it.
	emitCall(state literal.State) (rest string)
	// close handles the end of the text inside the call.
	close()
	// callFormHint describes the form of a call.
	callFormHint() string
}

// A sequence parses consecutive calls in a frame, in a list or not, separated by blanks, commas and semicolons,
// up to the closing marker of the frame. Without a closing marker it ends with its list, or before any other
// text.
type sequence struct {
	sink         *sink
	frame        *frame
	item         item
	terminators  *terminators // that end the frame
	at           int          // of the next byte
	stage        sequenceStage
	openLists    int  // number of open list brackets
	closed       bool // a list has been closed
	items        int  // items read in the list
	hasItems     bool // a call or other text has been read
	hashComments bool // '#' begins a comment up to the end of the line
	inComment    bool
	comment      diag.Span  // the last comment
	lastFaulty   bool       // the last item was faulty
	separators   separators // since the last item
	maxTrailing  int        // separators allowed after the last item
	lastIsCall   bool       // the last item began like a call
	single       bool       // several calls need a list
	inParens     bool       // the call is in the parentheses of another
	held         string     // a possible terminator
	midLine      bool       // the line is not blank so far
	callAt       int        // start of the call
	junkAt       int        // start of text that is not a call
	skippedTo    int        // end of a statement that is not a call
}

// separators are consecutive commas and semicolons.
type separators struct {
	count int
	place diag.Span
}

// A sequenceStage is the part that a sequence reads.
type sequenceStage int

const (
	atPause  sequenceStage = iota // between calls
	atCall                        // a call
	atMarker                      // a possible closing marker
	atJunk                        // other text, up to the end of its line or a separator
)

func (b *sequence) write(p []byte) (int, frameEnd) {
	for n := 0; n < len(p); {
		k, end := b.step(p[n:])
		n += k
		b.at += k
		b.sink.steps += k
		if end != notYet {
			return n, end
		}
		if len(b.sink.pushback) > 0 {
			b.at -= len(b.sink.pushback)
			return n, notYet
		}
	}
	return len(p), notYet
}

func (b *sequence) step(p []byte) (int, frameEnd) {
	switch b.stage {
	case atCall:
		return b.readCall(p)
	case atMarker:
		return b.readTerminator(p)
	case atJunk:
		return b.skipJunk(p)
	}
	return b.readBetweenCalls(p[0])
}

func (b *sequence) readCall(p []byte) (int, frameEnd) {
	n, state := b.item.write(p)
	if state == literal.NeedMore {
		return n, notYet
	}
	b.stage, b.midLine, b.lastFaulty = atPause, true, state == literal.Invalid
	rest := b.item.emitCall(state)
	switch state {
	case literal.Stopped:
		if rest != "" { // another frame begins
			b.sink.unread([]byte(rest))
			return n, b.endWithoutCloser()
		}
		b.reportEndFaults(b.maxTrailing)
		return n, ended
	case literal.FenceClosed:
		return n, closed
	}
	if rest != "" {
		b.sink.unread([]byte(rest))
	}
	if b.at+n-len(rest) == b.callAt { // nothing could be read
		b.stage, b.junkAt = atJunk, b.at
	}
	return n, notYet
}

// readBetweenCalls reads a byte between calls.
func (b *sequence) readBetweenCalls(c byte) (int, frameEnd) {
	if b.canBeginTerminator(c) {
		b.stage, b.held = atMarker, ""
		return 0, notYet
	}
	return b.readNonMarkerBetweenCalls(c)
}

// readNonMarkerBetweenCalls reads a byte between calls that does not begin a marker.
func (b *sequence) readNonMarkerBetweenCalls(c byte) (int, frameEnd) {
	closes, fenced := b.closers(), b.frame.fence.isOpen()
	switch {
	case b.inComment || b.hashComments && c == '#':
		b.readComment(c)
		return 1, notYet
	case isSpace(c):
		b.midLine = b.midLine && !isNewline(c)
		return 1, notYet
	case c == ',' || c == ';':
		b.countSeparator()
	case c == ')' && (b.at == b.skippedTo || b.sink.unbalanced): // part of a statement that is not a call, or unbalanced
	case c == ')' && b.inParens:
		b.inParens = false
	case c == '[' && !b.closed:
		b.openLists, b.items = b.openLists+1, 0
	case c == '}' || c == ']' && b.openLists == 0:
		b.sink.reportStrayBracket(c, b.at, diag.Unsafe)
	case c == ']':
		b.reportSeparators(b.maxTrailing)
		b.openLists--
		b.closed = b.openLists == 0
		if b.closed && len(closes) == 0 && !fenced {
			return 1, ended
		}
	case !fenced && b.openLists == 0 && !b.item.canBegin(c) && (len(closes) == 0 || b.canBeginProse(c)):
		return 0, b.endWithoutCloser()
	case b.item.begin(c, b.at):
		b.checkBeforeItem(c)
		b.stage, b.callAt = atCall, b.at
		return 0, notYet
	default:
		b.stage, b.junkAt = atJunk, b.at
	}
	b.midLine = true
	return 1, notYet
}

// readComment reads a byte of a comment.
func (b *sequence) readComment(c byte) {
	if !b.inComment {
		b.comment.Start = b.at
	}
	b.comment.End = b.at + 1
	b.inComment = !isNewline(c)
	b.midLine = b.inComment
}

// closers returns the closing markers of the frame: none if its opening marker is missing.
func (b *sequence) closers() []string {
	if b.frame.missingOpener != "" {
		return nil
	}
	return b.frame.dialect.framing.closers
}

// canBeginProse reports whether a byte after a call begins text: a tag, or a line that does not continue a faulty
// call.
func (b *sequence) canBeginProse(c byte) bool {
	return b.hasItems && b.separators.count == 0 && (c == '<' || !b.midLine && (isNameByte(c) || strings.IndexByte("*#>~", c) >= 0))
}

// countSeparator counts a comma or semicolon.
func (b *sequence) countSeparator() {
	if b.separators.count == 0 {
		b.separators.place.Start = b.at
	}
	b.separators.count++
	b.separators.place.End = b.at + 1
}

// reportSeparators reports excess separators: more than one between two calls, or more than most after the last.
func (b *sequence) reportSeparators(most int) {
	if !b.hasItems {
		most = 0
	}
	if b.separators.count > most {
		b.sink.report(diag.New(diag.StrayMarker, b.separators.place, "unexpected separator"))
	}
	b.separators = separators{}
}

// checkBeforeItem reports faults between the last item and the next one, which begins with a byte.
func (b *sequence) checkBeforeItem(c byte) {
	if b.openLists > 0 && b.items > 0 && b.separators.count == 0 {
		f := diag.New(diag.BadLiteral, diag.Bytes(b.at, b.at+1), "missing comma before this")
		f.Severity = diag.Warning
		if b.item.canBegin(c) && !b.lastFaulty { // after a fault it may be a part of the last one
			f.Fixes = newFix(diag.Safe, "add a comma", diag.Edit{Start: b.at, End: b.at, New: ", "})
		}
		b.sink.report(f)
	}
	begins := b.item.canBegin(c)
	if b.single && b.openLists == 0 && b.lastIsCall && begins {
		b.reportSecondCall()
	}
	b.lastIsCall = begins
	b.reportSeparators(1)
	b.items, b.hasItems = b.items+1, true
}

// reportSecondCall reports another call in a frame for one call or a list. Both calls are complete and therefore
// certain; parsers that read the whole frame reject both.
func (b *sequence) reportSecondCall() {
	f := diag.New(diag.ConcatenatedValues, diag.Bytes(b.at, b.at+1), "expected one call, got two; both are read")
	f.Severity = diag.Warning
	marker := b.frame.marker
	if closes := "</" + strings.TrimPrefix(marker, "<"); !b.lastFaulty && b.separators.count == 0 && slices.Contains(b.frame.dialect.framing.closers, closes) {
		f.Fixes = newFix(diag.Safe, "put markers around each", diag.Edit{Start: b.at, End: b.at, New: closes + "\n" + marker})
	}
	b.sink.report(f)
}

// canBeginTerminator reports whether a terminator begins with a byte.
func (b *sequence) canBeginTerminator(c byte) bool { return b.terminators.firstBytes[c] }

// readTerminator reads a possible terminator.
func (b *sequence) readTerminator(p []byte) (int, frameEnd) {
	n, held := 0, b.held
	for _, text := range b.terminators.texts {
		rest, ok := strings.CutPrefix(text, held)
		if !ok {
			continue
		}
		k := commonPrefixLen(rest, p)
		if k == len(rest) {
			return k, b.endAtTerminator(text, k)
		}
		if k > n {
			n, b.held = k, text[:len(held)+k]
		}
	}
	if n == 0 {
		return b.rereadFalseTerminator(p[0])
	}
	return n, notYet
}

// commonPrefixLen returns the length of the common prefix.
func commonPrefixLen(text string, p []byte) int {
	n := 0
	for n < len(text) && n < len(p) && text[n] == p[n] {
		n++
	}
	return n
}

// rereadFalseTerminator continues before a byte that shows that the held text is not a terminator.
func (b *sequence) rereadFalseTerminator(c byte) (int, frameEnd) {
	b.stage = atPause
	if b.held == "" {
		return b.readNonMarkerBetweenCalls(c)
	}
	at := b.at
	b.at -= len(b.held)
	n, end := b.readNonMarkerBetweenCalls(b.held[0])
	b.at = at
	b.sink.unread([]byte(b.held[n:]))
	return 0, end
}

// endAtTerminator ends the frame with a marker that ends after the next n bytes.
func (b *sequence) endAtTerminator(text string, n int) frameEnd {
	switch {
	case slices.Contains(b.closers(), text):
		b.reportEndFaults(b.maxTrailing)
		return ended
	case text[0] == b.frame.char:
		b.reportEndFaults(b.maxTrailing)
		b.sink.checkClosingFenceBeginsLine(b.at+n-len(text), !b.midLine)
		return closed
	}
	b.sink.unread([]byte(text))
	return b.endWithoutCloser()
}

// skipJunk skips text that is not a call, up to the end of the line or a terminator.
func (b *sequence) skipJunk(p []byte) (int, frameEnd) {
	for n, c := range p {
		if isNewline(c) || c == ',' || c == '[' || c == ']' || b.canBeginTerminator(c) {
			b.endJunk(b.at + n)
			return n, notYet
		}
	}
	return len(p), notYet
}

func (b *sequence) endJunk(at int) {
	b.sink.reportNotACall(diag.Bytes(b.junkAt, at), "", b.item.callFormHint())
	b.stage, b.lastIsCall, b.hasItems = atPause, false, true
}

// endWithoutCloser ends a frame without its closing marker.
func (b *sequence) endWithoutCloser() frameEnd {
	switch {
	case b.frame.fence.isOpen():
		b.sink.reportFenceCutByReasoning()
	case len(b.closers()) > 0:
		b.sink.reportMissingCloser("the next text")
	}
	b.reportEndFaults(0)
	return left
}

// markerTextToUnread returns the text read after a call: the marker that ended it, unless that closes the frame.
func (b *sequence) markerTextToUnread(lit *literal.Scanner) string {
	if stop := lit.Stop(); stop != "" && !slices.Contains(b.closers(), stop) {
		return stop
	}
	return lit.Unread()
}

// reportEndFaults reports faults at the end of the frame.
func (b *sequence) reportEndFaults(most int) {
	b.reportSeparators(most)
	b.reportMissingBracket()
	if !b.hasItems && b.comment.End > 0 {
		b.sink.reportNotACall(b.comment, "", b.item.callFormHint())
	}
}

func (b *sequence) reportMissingBracket() {
	if b.openLists > 0 {
		b.sink.report(diag.New(diag.MissingCloser, diag.Bytes(b.frame.at, b.frame.at+len(b.frame.marker)), "missing ']' after the calls"))
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
		b.sink.emitContent(b.at-len(b.held), b.held)
	}
	switch {
	case b.frame.fence.isOpen():
		b.sink.reportUnclosedFence(b.sink.at)
	case len(b.closers()) > 0:
		b.sink.reportMissingCloser("the end of the text")
	}
	b.reportEndFaults(0)
}
