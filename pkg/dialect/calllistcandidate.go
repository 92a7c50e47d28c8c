package dialect

import (
	"strconv"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// maxHeldFindings bounds the findings held until it is known whether the value contains calls.
const maxHeldFindings = 100

// A callListBody reads JSON values that contain calls. It keeps the text of a value until a call is confirmed,
// because the value may be content. The pool reuses it, because each call may be a value of its own.
type callListBody struct {
	sink        *sink
	frame       *frame
	memberNames *memberNames
	fence       literal.Fence // that ends the value
	lit         *literal.Scanner
	stage       stage
	certain     bool // an earlier value contained calls
	jsonValue
}

// A jsonValue is the state of the JSON value being read.
type jsonValue struct {
	begin         int
	isList        bool      // a list, not an object
	started       bool      // a part of it has been read
	confirmed     bool      // it contains calls
	listFound     bool      // its list of calls has been found
	listInvalid   bool      // the member for the list of calls is not a list
	comma         int       // offset of the last comma, or -1
	otherCount    int       // number of members other than the list of calls
	firstOther    diag.Span // the key of the first
	lastEnd       int       // end of the last item
	lastBracket   string    // the closing bracket of the last item; "" if unknown
	invalidAt     int       // start of the unreadable part
	commaOptional bool      // no comma is required before the next item
	memberName    string    // the member being read
	keySpan       diag.Span
	singleCall    callObject // its members, while it can be a single call
	holderValue   string     // the only member's value, if its key is one of holderKeys
}

// A stage is the part that the parser expects next.
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
	afterBrace                // the byte after a brace in the list, which decides the meaning of the brace
	inJunkMember              // the end of an unreadable member
	inJunkItem                // the end of an item that is not a call
)

// expectedBytes lists the bytes expected in each stage.
var expectedBytes = [...]string{
	atOpening: "{[", atKey: "},", atList: "[", atMemberEnd: ",}", atItem: "],", atItemEnd: ",]", afterBrace: ",]}",
}

// toolCallsMembers are the member names of the dialect "toolcalls".
var toolCallsMembers = memberNames{name: ofType, args: ofParameters, needsID: true}

// beginNextValue prepares for another value in the frame.
func (b *callListBody) beginNextValue() {
	b.certain = b.certain || b.confirmed
	b.jsonValue = jsonValue{comma: -1, singleCall: callObject{memberNames: b.memberNames, members: b.singleCall.members[:0]}}
	b.lit.StopCapture()
	b.expectStage(atValue)
}

// expectStage enters a stage that expects one of a few bytes.
func (b *callListBody) expectStage(stage stage) {
	b.stage = stage
	b.lit.ExpectPunct(expectedBytes[stage], b.frame.isOpen() && (stage == atValue || stage == afterBrace))
}

// beginValue begins a value. Other text ends the frame.
func (b *callListBody) beginValue(found byte) frameEnd {
	if found != '{' && found != '[' {
		return b.endFrameAsText()
	}
	b.begin = b.lit.Offset()
	b.lit.StartCapture()
	b.expectStage(atOpening)
	return notYet
}

func (b *callListBody) beginListOrObject(found byte) {
	b.isList = found == '['
	if b.isList {
		b.expectStage(atItem)
	} else {
		b.expectStage(atKey)
	}
}

func (b *callListBody) endValue() frameEnd {
	if b.otherCount > 0 && b.listFound {
		b.reportAt(diag.UnknownMember, b.firstOther.Start, b.firstOther.End, "members other than the list of calls are ignored")
	}
	if !b.frame.isOpen() {
		b.sink.setLineBlank(b.lit.IsLineStart())
		return ended
	}
	b.beginNextValue()
	return notYet
}

// confirmCalls records that the value contains calls.
func (b *callListBody) confirmCalls() {
	s := b.sink
	again := s.callHolders > 0 && s.callsOnly
	if again {
		s.confirmCallFrame("between the calls")
	} else {
		s.confirmCallFrame("before the calls")
	}
	b.confirmed = true
	b.lit.StopCapture()
	if b.frame.missingOpener != "" && !again {
		b.reportAt(diag.MissingOpener, b.begin, b.begin+1, "missing "+strconv.Quote(b.frame.missingOpener)+" before the calls")
	}
	if again && !b.isList && b.stage == atList && b.frame.dialect.framing.callsOnly {
		b.reportAt(diag.SurroundingText, b.begin, b.begin+1, "the calls are in more than one object")
	}
	b.reportOnceConfirmed(b.singleCall.findings)
	b.singleCall = callObject{memberNames: b.memberNames, members: b.singleCall.members[:0]}
}

// endFrameAsText makes the following text content.
func (b *callListBody) endFrameAsText() frameEnd {
	s := b.sink
	if b.frame.isOpen() {
		s.foreign = b.frame.fence
	}
	s.emitContent(b.lit.End(), b.trailingText())
	s.setLineBlank(b.lit.IsLineStart())
	return left
}

// trailingText returns text after the value that has already been read.
func (b *callListBody) trailingText() string {
	if b.stage != atValue && b.stage != afterBrace {
		return ""
	}
	return b.lit.Unread()
}

// emitValueAsText emits a value without calls as content.
func (b *callListBody) emitValueAsText() frameEnd {
	if b.emitHeldValue(b.lit.Offset()) {
		b.reportObjectWithoutCallList()
	}
	return b.endFrameAsText()
}

// emitRestAsText emits a value without calls as content, including the rest up to its closing bracket.
func (b *callListBody) emitRestAsText(around string) frameEnd {
	b.emitValueAsText()
	b.lit.StopCapture()
	b.frame.leftover = leftover{fence: b.fence, at: b.lit.Offset(), lit: b.lit}
	b.lit.SkipToClosingBracket(around)
	return leftOther
}

// emitHeldValue emits the value up to an offset as content. It reports whether the response begins with the
// value.
func (b *callListBody) emitHeldValue(end int) (first bool) {
	s := b.sink
	first = !s.hasBegun
	s.emitHeld()
	s.emitContent(b.begin, b.lit.Captured(b.begin)[:end-b.begin])
	return first
}

// reportObjectWithoutCallList reports that the response begins with an object without calls.
func (b *callListBody) reportObjectWithoutCallList() {
	if !b.started || !b.frame.dialect.framing.callsOnly || len(b.sink.markers.dialects) > 1 { // not for text that begins with a bracket, nor for an answer
		return
	}
	b.sink.surrounding.reported = true
	f := diag.New(diag.NoCallList, diag.Bytes(b.begin, b.begin+1), "the object has no list of calls %q", b.frame.dialect.framing.listKeys[0])
	f.Hint = callHint
	b.sink.report(f)
}

// reportOnceConfirmed emits findings about the value once calls are confirmed, and holds them until then.
func (b *callListBody) reportOnceConfirmed(findings []diag.Finding) {
	for _, f := range findings {
		switch {
		case b.confirmed:
			f.Path = "" // would be a path into arguments
			b.sink.report(f)
		case len(b.singleCall.findings) < maxHeldFindings:
			b.singleCall.findings = append(b.singleCall.findings, f)
		}
	}
}

// reportAt reports a finding about the value.
func (b *callListBody) reportAt(code diag.Code, start, end int, message string) {
	b.reportOnceConfirmed([]diag.Finding{diag.New(code, diag.Bytes(start, end), "%s", message)})
}

// reportRemovable reports a byte that should not be there.
func (b *callListBody) reportRemovable(code diag.Code, at int, kind diag.FixKind, message string) {
	f := diag.New(code, diag.Bytes(at, at+1), "%s", message)
	f.Severity = diag.Warning
	f.Fixes = newFix(kind, "remove it", diag.Edit{Start: at, End: at + 1})
	b.reportOnceConfirmed([]diag.Finding{f})
}

// reportRepaired reports a fault whose repair is certain, with a safe fix if there are edits.
func (b *callListBody) reportRepaired(code diag.Code, start, end int, message, title string, edits ...diag.Edit) {
	f := diag.New(code, diag.Bytes(start, end), "%s", message)
	f.Severity = diag.Warning
	if len(edits) > 0 {
		f.Fixes = newFix(diag.Safe, title, edits...)
	}
	b.reportOnceConfirmed([]diag.Finding{f})
}
