package dialect

import (
	"strconv"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// callList is the grammar of JSON that holds calls: an object with a list of
// them, the list itself, or a single one.
var callList = grammar{newBody: newCallBody, render: renderCalls, memberNames: &toolCallsMembers}

// maxHeldFindings bounds the findings about a value of which it is not known yet whether
// it holds calls.
const maxHeldFindings = 100

// A callBody reads JSON values that hold calls. Until it is known that one does
// its text is kept, because it can be content. It is made once, because there are
// many where each call is a value of its own.
type callBody struct {
	scanner     *Scanner
	frame       *frame
	memberNames *memberNames
	fence       literal.Fence // that ends what is read
	lit         *literal.Scanner
	stage       stage
	certain     bool // a value before this one holds calls
	jsonValue
}

// A jsonValue is what is known of the value of JSON that is being read.
type jsonValue struct {
	begin         int       // where it begins
	isList        bool      // it is a list and no object
	started       bool      // a part of it has been read
	confirmed     bool      // it holds calls
	listFound     bool      // its list of calls has been found
	listInvalid   bool      // what is for that list is none
	comma         int       // offset of the comma that was read last, or -1
	otherCount    int       // how many other members it has
	firstOther    diag.Span // the key of the first
	lastEnd       int       // where the item that was read last ends
	lastBracket   string    // the bracket that it ends with; "" if that is unknown
	invalidAt     int       // where what cannot be read begins
	commaOptional bool      // no comma need precede the next item
	memberName    string    // the member that is being read
	keySpan       diag.Span
	singleCall    callObject // its members, as long as it can be a single call
	holderValue   string     // the value of its only member, where the key says that it holds a call
}

// A stage is what is expected next.
type stage int

const (
	atValue      stage = iota // a value of the frame
	atOpening                 // its opening bracket
	atKey                     // a member of the object, or its end
	inMemberKey               // the key of a member
	atList                    // the opening bracket of the list of calls
	inMember                  // the value of a member
	atMemberEnd               // a comma, or the end of the object
	atItem                    // a call of the list, or its end
	inCall                    // a call of the list
	atItemEnd                 // a comma, or the end of the list
	afterBrace                // what tells why a brace is in the list
	inJunkMember              // the end of a member that cannot be read
	inJunkItem                // the end of an item that is no call
)

// expectedBytes are the markers that are expected in each stage that expects some.
var expectedBytes = [...]string{
	atOpening: "{[", atKey: "},", atList: "[", atMemberEnd: ",}", atItem: "],", atItemEnd: ",]", afterBrace: ",]}",
}

// toolCallsMembers is the form of a call of the dialect "toolcalls".
var toolCallsMembers = memberNames{name: ofType, args: ofParameters, needsID: true}

func newCallBody(s *Scanner, f *frame) body {
	fence := literal.Fence{Char: f.char, Len: f.length}
	if !f.open() {
		fence = rawFence
	}
	b, lit := &s.jsonValues, s.literals.json(literal.Options{Fence: fence})
	lit.MoveTo(f.bodyAt)
	*b = callBody{scanner: s, frame: f, memberNames: f.grammar.memberNames, fence: fence, lit: lit, jsonValue: jsonValue{singleCall: b.singleCall}}
	b.nextValue()
	return b
}

// nextValue makes the body ready for another value of the frame.
func (b *callBody) nextValue() {
	b.certain = b.certain || b.confirmed
	b.jsonValue = jsonValue{comma: -1, singleCall: callObject{memberNames: b.memberNames, members: b.singleCall.members[:0]}}
	b.lit.Forget()
	b.expect(atValue)
}

// expect continues a stage that expects a marker.
func (b *callBody) expect(stage stage) {
	b.stage = stage
	b.lit.ExpectMark(expectedBytes[stage], b.frame.open() && (stage == atValue || stage == afterBrace))
}

func (b *callBody) write(p []byte) (int, frameEnd) {
	for n := 0; ; {
		k, state := b.scanner.readLiteral(b.lit, p[n:])
		n += k
		if state == literal.More {
			return n, notYet
		}
		if end := b.advance(state, p[n:]); end != notYet {
			return n, end
		}
	}
}

// advance continues after a part that has been read. Where another byte came than
// the markers that were expected, it is the first of rest.
func (b *callBody) advance(state literal.State, rest []byte) frameEnd {
	if b.stage == inCall {
		return b.endCall(state)
	}
	b.report(b.partFindings())
	found := byte(0)
	switch {
	case state == literal.Fenced:
		return b.endAtFence()
	case state == literal.Done:
		found = b.lit.Mark()
	case b.lit.End() == b.lit.At() && len(rest) > 0:
		found = rest[0]
	}
	return b.dispatch(found, state == literal.Done)
}

// partFindings returns the findings about the part that was read last.
func (b *callBody) partFindings() []diag.Finding {
	findings := b.lit.Findings()
	for i := range findings {
		findings[i].Path = "/" + b.memberName + findings[i].Path
	}
	return findings
}

// dispatch takes what was expected if good is set, and otherwise the text there
// instead. In stages that expect one, marker is that or the byte instead of it.
func (b *callBody) dispatch(found byte, good bool) frameEnd {
	switch b.stage {
	case atValue:
		return b.beginValue(found)
	case atOpening:
		b.beginBracket(found)
	case atKey:
		return b.beginMember(found)
	case inMemberKey:
		return b.endKey(good)
	case atList:
		b.beginList(good)
	case inMember:
		return b.endMember(good)
	case atMemberEnd:
		return b.afterMember(found)
	case atItem:
		return b.beginItem(found)
	case atItemEnd:
		return b.afterItem(found)
	case afterBrace:
		return b.resolveBrace(found)
	case inJunkMember:
		b.expect(atMemberEnd)
	case inJunkItem:
		b.endSkippedItem()
	}
	return notYet
}

// beginValue begins a value of the frame. Other text ends the frame.
func (b *callBody) beginValue(found byte) frameEnd {
	if found != '{' && found != '[' {
		return b.leaveFrame()
	}
	b.begin = b.lit.At()
	b.lit.Keep()
	b.expect(atOpening)
	return notYet
}

func (b *callBody) beginBracket(found byte) {
	b.isList = found == '['
	if b.isList {
		b.expect(atItem)
	} else {
		b.expect(atKey)
	}
}

// endValue follows the last bracket of the value.
func (b *callBody) endValue() frameEnd {
	if b.otherCount > 0 && b.listFound {
		b.reportAt(diag.UnknownMember, b.firstOther.Start, b.firstOther.End, "members other than the list of calls are ignored")
	}
	if !b.frame.open() {
		b.scanner.lineBlank = b.lit.LineStart()
		return ended
	}
	b.nextValue()
	return notYet
}

// confirm says that the value holds calls.
func (b *callBody) confirm() {
	s := b.scanner
	again := s.callHolders > 0 && s.callsOnly
	if again {
		s.confirmFrame("between the calls")
	} else {
		s.confirmFrame("before the calls")
	}
	b.confirmed = true
	b.lit.Forget()
	if b.frame.missingOpener != "" && !again {
		b.reportAt(diag.MissingOpener, b.begin, b.begin+1, "missing "+strconv.Quote(b.frame.missingOpener)+" before the calls")
	}
	if again && !b.isList && b.stage == atList && b.frame.dialect.framing.callsOnly {
		b.reportAt(diag.SurroundingText, b.begin, b.begin+1, "the calls are in more than one object")
	}
	b.report(b.singleCall.findings)
	b.singleCall = callObject{memberNames: b.memberNames, members: b.singleCall.members[:0]}
}

// leaveFrame says that what comes next is text.
func (b *callBody) leaveFrame() frameEnd {
	s := b.scanner
	if b.frame.open() {
		s.foreign = b.frame.fence
	}
	s.emitContent(b.lit.End(), b.trailingText())
	s.lineBlank = b.lit.LineStart()
	return left
}

// trailingText returns text after the value that has been read already.
func (b *callBody) trailingText() string {
	if b.stage != atValue && b.stage != afterBrace {
		return ""
	}
	return b.lit.Taken()
}

// rejectValue makes content of a value that holds no calls.
func (b *callBody) rejectValue() frameEnd {
	if b.releaseAsText(b.lit.At()) {
		b.reportMissingList()
	}
	return b.leaveFrame()
}

// skipRest makes content of a value that holds no calls, also of what is still to
// come, up to the bracket that closes it.
func (b *callBody) skipRest(around string) frameEnd {
	b.rejectValue()
	b.lit.Forget()
	b.scanner.skipObject(b.lit, b.fence, around)
	return leftOther
}

// releaseAsText makes content of the value up to an offset. It reports whether the
// response begins with it.
func (b *callBody) releaseAsText(end int) (first bool) {
	s := b.scanner
	first = !s.hasBegun
	s.release()
	s.emitContent(b.begin, b.lit.Kept(b.begin)[:end-b.begin])
	return first
}

// reportMissingList reports that the response begins with an object that holds no calls.
func (b *callBody) reportMissingList() {
	if !b.started || !b.frame.dialect.framing.callsOnly || len(b.scanner.markers.dialects) > 1 { // but text that begins with a bracket, or an answer
		return
	}
	b.scanner.surrounding.reported = true
	f := diag.New(diag.NoCallList, diag.Bytes(b.begin, b.begin+1), "the object has no list of calls %q", b.frame.dialect.framing.listKeys[0])
	f.Hint = callHint
	b.scanner.report(f)
}

// endAtFence follows a run of fence characters.
func (b *callBody) endAtFence() frameEnd {
	s, at := b.scanner, b.lit.End()
	switch {
	case b.stage == atValue:
	case b.stage == afterBrace:
		b.reportMissingBracket()
	case b.confirmed && b.frame.open():
		b.reportUnclosed("the end of the fence")
	case b.confirmed:
		b.reportUnclosed("a fence")
	default:
		if b.releaseAsText(at) {
			b.reportMissingList()
		}
	}
	if !b.frame.open() || !b.certain && !b.confirmed {
		b.leaveFrame()
		s.resumeAtRun(b.fence, at)
		return leftRun
	}
	s.checkCloserLine(at, b.lit.LineStart())
	return closed
}

func (b *callBody) close() {
	state := b.lit.Close()
	fence := b.frame.open() && (b.certain || b.confirmed)
	b.scanner.emitContent(b.lit.End(), b.trailingText())
	switch {
	case b.stage == atValue:
	case !b.confirmed:
		if named := b.hasKnownTool(); b.releaseAsText(b.lit.At()) || b.scanner.callHolders > 0 || named {
			b.scanner.surrounding.reported = true
			b.scanner.report(diag.New(diag.TruncatedCall, diag.Bytes(b.begin, b.lit.At()), "the text ends inside JSON that should contain calls"))
		}
	case b.stage == inCall:
		b.endCall(state)
		return
	case b.stage == afterBrace:
		b.reportMissingBracket()
	default:
		b.report(b.partFindings())
		if !diag.HasErrors(b.lit.Findings()) {
			b.reportUnclosed("the end of the text")
		}
	}
	if fence {
		b.scanner.reportOpenFence(b.scanner.at)
	}
}

// report takes findings about the value. They count when it is known that it
// holds calls.
func (b *callBody) report(findings []diag.Finding) {
	for _, f := range findings {
		switch {
		case b.confirmed:
			f.Path = "" // it would be one into arguments
			b.scanner.report(f)
		case len(b.singleCall.findings) < maxHeldFindings:
			b.singleCall.findings = append(b.singleCall.findings, f)
		}
	}
}

// reportAt takes a finding about the value.
func (b *callBody) reportAt(code diag.Code, start, end int, message string) {
	b.report([]diag.Finding{diag.New(code, diag.Bytes(start, end), "%s", message)})
}

// reportRemovable takes a finding about a byte that should not be there.
func (b *callBody) reportRemovable(code diag.Code, at int, kind diag.FixKind, message string) {
	f := diag.New(code, diag.Bytes(at, at+1), "%s", message)
	f.Severity = diag.Warning
	f.Fixes = fix(kind, "remove it", diag.Edit{Start: at, End: at + 1})
	b.report([]diag.Finding{f})
}

// reportRepaired takes a finding about something that is mended with certainty, if it
// can be with a fix.
func (b *callBody) reportRepaired(code diag.Code, start, end int, message, title string, edits ...diag.Edit) {
	f := diag.New(code, diag.Bytes(start, end), "%s", message)
	f.Severity = diag.Warning
	if len(edits) > 0 {
		f.Fixes = fix(diag.Safe, title, edits...)
	}
	b.report([]diag.Finding{f})
}
