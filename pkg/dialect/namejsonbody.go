package dialect

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A nameSyntax describes the text around a tool name and the JSON after it.
type nameSyntax struct {
	// Before the arguments.
	afterName     []string // markers after the name; without any, "{" follows the name
	braceAllowed  bool     // "{" may follow the name although afterName is set
	noArgsAllowed bool     // another marker right after that of the name means no arguments
	idMarker      string   // a marker after the name, followed by an ID
	beforeName    string   // a marker before the name, preceded by an ID
	typeWord      string   // precedes the marker in place of the name, which follows the marker
	numbered      bool     // the name ends in ":" and a number; all of it is the ID
	namespace     string   // a namespace that is part of the syntax
	contentName   string   // not a tool: the text after it is content
	allowsProse   bool     // prose may follow the marker: a call needs an object or a known tool name

	// Text arguments extend to the next marker: a token, or a word that begins a line.
	rawTool         string // the tool with a text argument
	allowsText      bool   // any tool may have one
	textMayBeQuoted bool   // it may be a JSON string
	partMarker      string // a word that ends it only if a tool name follows on its line

	// After the arguments.
	closers        []string // markers that close the call
	closerOptional bool     // they may be missing
	stops          []string // other markers, which end everything
	separator      string   // written between a rendered name and its arguments
}

func (n *nameSyntax) endMarkers() []string { return sortedUnion(n.closers, n.stops) }

// headDelimiters returns the markers that end a piece of the head.
func (n *nameSyntax) headDelimiters() []string {
	all := sortedUnion(n.afterName, n.endMarkers(), []string{"{"})
	for _, m := range []string{n.idMarker, n.beforeName} {
		if m != "" {
			all = append(all, m)
		}
	}
	return all
}

type namedBody struct {
	*nameSyntax
	sink         *sink
	frame        *frame
	stage        namedStage
	at           int // of the next byte
	head         head
	fenceRead    int // bytes read of the opening code fence around the arguments
	fenceAt      int // its offset
	args         argReader
	secondAt     int // offset of another value after the arguments
	terminators  func() *markerList
	headFindings []diag.Finding // findings about the text before the arguments
	text         markerReader   // reads text arguments
	textValue    []byte         // the text read so far
	mayEndEarly  bool           // it may end at mayEndAt
	mayEndAt     int            // index in textValue
	tail         []byte         // a possible marker after the arguments
	adjacentNext bool           // the next byte follows arguments without a closing marker
}

// A namedStage is the part that a namedBody reads.
type namedStage int

const (
	inHead                  namedStage = iota // up to a marker of the head
	betweenNameAndArguments                   // after it, up to the arguments
	inArguments                               // JSON
	inText                                    // or text
	inPart                                    // a tool name in the text, after partMarker
	afterArguments                            // up to the closing marker
	inSecond                                  // another value after the arguments
)

// isFenced reports whether a code fence around the arguments is open.
func (b *namedBody) isFenced() bool { return b.fenceRead >= len("```") }

// beginArguments begins the arguments at an offset.
func (b *namedBody) beginArguments(at int) {
	b.stage = inArguments
	b.args.begin(b.sink, at, b.isFenced(), b.terminators())
}

func (b *namedBody) endArguments() frameEnd {
	if b.stage == inSecond {
		b.endSecondValue()
	} else {
		b.emitCall()
	}
	b.stage = afterArguments
	if b.args.fenced {
		b.fenceRead = 0
	}
	rest := b.args.unreadText()
	b.sink.unread([]byte(rest))
	if end := b.endIfComplete(rest); end == notYet {
		return end
	}
	b.adjacentNext = true
	return notYet
}

// endSecondValue reports a second value after the arguments.
func (b *namedBody) endSecondValue() {
	place := diag.Bytes(b.secondAt, b.secondAt+len(b.args.valueText()))
	b.sink.report(diag.New(diag.ConcatenatedValues, place, "a second value follows the arguments of %s and is ignored", excerpt(b.head.name)))
}

// endIfComplete returns how the frame ends after the arguments; rest has already been read.
func (b *namedBody) endIfComplete(rest string) frameEnd {
	if rest == "" && len(b.closers) == 0 && !b.isFenced() && b.args.isObject() {
		return ended
	}
	return notYet
}

func (b *namedBody) emitCall() {
	a, text := &b.args, b.args.valueText()
	c, findings := b.newNamedCall(text), b.headFindings
	switch {
	case len(b.afterName) > 0 && !b.braceAllowed && !b.head.afterMarker:
		findings = append(findings, diag.New(diag.CallMember, c.place, "missing marker between the name and its arguments"))
	case b.numbered && c.id == "" && strings.HasSuffix(strings.TrimRight(c.name, "0123456789"), "."):
		findings = append(findings, diag.New(diag.CallMember, c.place, "missing \":\" before the number after the name"))
	}
	if text == "" && b.noArgsAllowed && b.head.afterMarker && a.lit.Stop() != "" {
		a.value, a.status, a.place = json.RawMessage("{}"), chat.StatusOK, diag.Bytes(a.startAt, a.startAt)
		findings = append(findings, noArgumentsFinding(c.place))
	} else if text == "" && a.status == chat.StatusInvalid {
		findings = append(findings, diag.New(diag.CallMember, c.place, "no arguments follow the name"))
	} else {
		findings = append(findings, a.findings...)
	}
	r := newNamedReader(c, b.sink.tools, findings)
	r.call.Status, r.call.ValueChanged = a.status, a.changed
	if a.value != nil {
		r.setArguments(a.value, a.place)
	}
	b.sink.emitCall(r)
}

// readAfterArguments reads a byte after the arguments.
func (b *namedBody) readAfterArguments(c byte) (int, frameEnd) {
	b.tail = append(b.tail, c)
	marker, v := b.matchTail()
	switch {
	case v == undecided:
		return 1, notYet
	case marker == "```":
		b.closeFence()
		return 1, b.endIfComplete("")
	case slices.Contains(b.closers, marker):
		if b.isFenced() {
			b.reportUnclosed(marker)
		}
		return 1, ended
	case v == no && isSpace(b.tail[0]) && !b.adjacentNext:
		b.sink.unread(b.tail[1:])
		b.tail = b.tail[:0]
		return 1, notYet
	case v == no && (len(b.tail) == 1 || b.tail[0] == '['): // a list can begin like a marker
		return b.readNonMarker()
	}
	return b.endUnclosedCall()
}

// readNonMarker reads the tail, which begins no marker.
func (b *namedBody) readNonMarker() (int, frameEnd) {
	c, at := b.tail[0], b.tailAt()
	opens, closes := c == '{' || c == '[', c == '}' || c == ']'
	touches := b.adjacentNext
	b.adjacentNext = false
	switch {
	case touches && !opens && !closes:
		b.sink.unread(b.tail)
		return 1, ended
	case touches && opens:
		b.beginSecondValue()
		return 1, notYet
	case opens && (len(b.closers) > 0 && !b.closerOptional || !b.args.isObject()):
		b.beginSecondValue()
		return 1, notYet
	case b.isObjectContinuation(c):
		b.beginSecondValue()
		b.args.skipRest()
		return 1, notYet
	case closes:
		b.sink.reportStrayBracket(c, at, diag.Unsafe)
		b.tail = b.tail[:0]
		return 1, notYet
	case opens:
		f := diag.New(diag.ConcatenatedValues, diag.Bytes(at, at+1), "a second value follows the arguments of %s: it is treated as text", excerpt(b.head.name))
		f.Severity = diag.Warning
		b.sink.report(f)
	}
	return b.endUnclosedCall()
}

// endUnclosedCall ends the call before other text.
func (b *namedBody) endUnclosedCall() (int, frameEnd) {
	b.sink.unread(b.tail)
	b.reportUnclosed("the next text")
	return 1, left
}

// isObjectContinuation reports whether a byte after the arguments continues an object that has lost a bracket. The
// text in its strings is quoted.
func (b *namedBody) isObjectContinuation(c byte) bool {
	return c == ':' || c == ',' || !b.args.isObject() && (c == '"' || c == '\'')
}

// tailAt returns the offset of the tail, whose last byte is being read.
func (b *namedBody) tailAt() int { return b.at + 1 - len(b.tail) }

// beginSecondValue begins a second value after the arguments, with the tail.
func (b *namedBody) beginSecondValue() {
	b.sink.unread(b.tail)
	b.stage, b.secondAt, b.tail = inSecond, b.tailAt(), b.tail[:0]
	b.args.begin(b.sink, b.secondAt, b.isFenced(), b.terminators())
}

// matchTail returns the marker in tail, or whether tail can become one.
func (b *namedBody) matchTail() (marker string, v verdict) {
	ends := b.sink.terminatorsFor(terminatorKey{markers: b.terminators()}) // a value ends before any of them, so none begins there
	if marker, v = matchMarkerPrefix(b.tail, ends.texts); v != no || !b.isFenced() && len(b.closers) == 0 {
		return marker, v
	}
	return matchMarkerPrefix(b.tail, fenceEnds)
}

// fenceEnds close a code fence around arguments.
var fenceEnds = []string{"```"}

// matchMarkerPrefix returns the marker equal to text, or whether text can become one of the sorted markers.
func matchMarkerPrefix(text []byte, markers []string) (marker string, v verdict) {
	i := sort.Search(len(markers), func(i int) bool { return markers[i] >= string(text) })
	switch n := len(text); {
	case i == len(markers) || len(markers[i]) < n || markers[i][:n] != string(text):
		return "", no
	case len(markers[i]) == n:
		return markers[i], yes
	}
	return "", undecided
}

// closeFence handles a closing code fence.
func (b *namedBody) closeFence() {
	switch fence := strings.TrimSpace(b.separator); {
	case b.isFenced():
	case strings.HasPrefix(fence, "```"):
		f := diag.New(diag.MissingOpener, diag.Bytes(b.args.startAt, b.args.startAt), "missing %q before the arguments", fence)
		f.Fixes = newFix(diag.Safe, "add it", diag.Edit{Start: b.args.startAt, End: b.args.startAt, New: b.separator})
		b.sink.reportAboutCall(b.sink.calls-1, f)
	default:
		b.sink.reportStrayMarker(b.at-2, "```")
	}
	b.fenceRead, b.tail = 0, b.tail[:0]
}

// reportUnclosed reports a missing closer of the call.
func (b *namedBody) reportUnclosed(before string) {
	switch {
	case b.isFenced():
		b.sink.report(diag.New(diag.UnclosedFence, diag.Bytes(b.fenceAt, b.fenceAt+len("```")), "the fence around the arguments is not closed before %s", before))
	case len(b.closers) > 0 && !b.closerOptional:
		b.sink.reportMissingCloser(before)
	}
}
