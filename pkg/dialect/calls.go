package dialect

import (
	"strconv"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// callList is the grammar of JSON that holds calls: an object with a list of
// them, the list itself, or a single one.
var callList = grammar{body: newCallBody, render: renderCalls, form: &theirs}

// mostHeld bounds the findings about a value of which it is not known yet whether
// it holds calls.
const mostHeld = 100

// A callBody reads JSON values that hold calls. Until it is known that one does
// its text is kept, because it can be content. It is made once, because there are
// many where each call is a value of its own.
type callBody struct {
	scanner *Scanner
	frame   *frame
	form    *form
	fence   literal.Fence // that ends what is read
	lit     *literal.Scanner
	stage   stage
	sure    bool // a value before this one holds calls
	value
}

// A value is what is known of the value of JSON that is being read.
type value struct {
	begin  int       // where it begins
	isList bool      // it is a list and no object
	isJSON bool      // a part of it has been read
	known  bool      // it holds calls
	listed bool      // its list of calls has been found
	broken bool      // what stands for that list is none
	comma  int       // offset of the comma that was read last, or -1
	others int       // how many other members it has
	other  diag.Span // the key of the first
	end    int       // where the item that was read last ends
	last   string    // the bracket that it ends with; "" if that is unknown
	junk   int       // where what cannot be read begins
	loose  bool      // no comma need stand before the next item
	name   string    // the member that is being read
	key    diag.Span
	single written // its members, as long as it can be a single call
	holder string  // the value of its only member, where the key says that it holds a call
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
	behindBrace               // what tells why a brace stands in the list
	inJunkMember              // the end of a member that cannot be read
	inJunkItem                // the end of an item that is no call
)

// marks are the marks that are expected in each stage that expects some.
var marks = [...]string{
	atOpening: "{[", atKey: "},", atList: "[", atMemberEnd: ",}", atItem: "],", atItemEnd: ",]", behindBrace: ",]}",
}

// theirs is the form of a call of the dialect "toolcalls".
var theirs = form{name: ofType, args: ofParameters, ids: true}

func newCallBody(s *Scanner, f *frame) body {
	fence := literal.Fence{Char: f.char, Len: f.length}
	if !f.open() {
		fence = rawFence
	}
	b, lit := &s.values, s.literals.json(literal.Options{Fence: fence})
	lit.MoveTo(f.begin)
	*b = callBody{scanner: s, frame: f, form: f.grammar.form, fence: fence, lit: lit, value: value{single: b.single}}
	b.nextValue()
	return b
}

// nextValue makes the body ready for another value of the frame.
func (b *callBody) nextValue() {
	b.sure = b.sure || b.known
	b.value = value{comma: -1, single: written{form: b.form, members: b.single.members[:0]}}
	b.lit.Forget()
	b.at(atValue)
}

// at goes on with a stage that expects a mark.
func (b *callBody) at(stage stage) {
	b.stage = stage
	b.lit.ExpectMark(marks[stage], b.frame.open() && (stage == atValue || stage == behindBrace))
}

func (b *callBody) write(p []byte) (int, ending) {
	for n := 0; ; {
		k, state := b.scanner.read(b.lit, p[n:])
		n += k
		if state == literal.More {
			return n, notYet
		}
		if end := b.take(state, p[n:]); end != notYet {
			return n, end
		}
	}
}

// take goes on behind a part that has been read. Where another byte came than
// the marks that were expected, it is the first of rest.
func (b *callBody) take(state literal.State, rest []byte) ending {
	if b.stage == inCall {
		return b.callEnd(state)
	}
	b.notes(b.partFindings())
	mark := byte(0)
	switch {
	case state == literal.Fenced:
		return b.fenced()
	case state == literal.Done:
		mark = b.lit.Mark()
	case b.lit.End() == b.lit.At() && len(rest) > 0:
		mark = rest[0]
	}
	return b.follow(mark, state == literal.Done)
}

// partFindings returns the findings about the part that was read last.
func (b *callBody) partFindings() []diag.Finding {
	findings := b.lit.Findings()
	for i := range findings {
		findings[i].Path = "/" + b.name + findings[i].Path
	}
	return findings
}

// follow takes what was expected if good is set, and otherwise what stands there
// instead. In stages that expect one, mark is that or the byte instead of it.
func (b *callBody) follow(mark byte, good bool) ending {
	switch b.stage {
	case atValue:
		return b.valueBegin(mark)
	case atOpening:
		b.opening(mark)
	case atKey:
		return b.memberBegin(mark)
	case inMemberKey:
		return b.memberKey(good)
	case atList:
		b.listBegin(good)
	case inMember:
		return b.memberValue(good)
	case atMemberEnd:
		return b.memberEnd(mark)
	case atItem:
		return b.item(mark)
	case atItemEnd:
		return b.itemEnd(mark)
	case behindBrace:
		return b.brace(mark)
	case inJunkMember:
		b.at(atMemberEnd)
	case inJunkItem:
		b.junkEnd()
	}
	return notYet
}

// valueBegin begins a value of the frame. Other text ends the frame.
func (b *callBody) valueBegin(mark byte) ending {
	if mark != '{' && mark != '[' {
		return b.leave()
	}
	b.begin = b.lit.At()
	b.lit.Keep()
	b.at(atOpening)
	return notYet
}

func (b *callBody) opening(mark byte) {
	b.isList = mark == '['
	if b.isList {
		b.at(atItem)
	} else {
		b.at(atKey)
	}
}

// valueEnd follows the last bracket of the value.
func (b *callBody) valueEnd() ending {
	if b.others > 0 && b.listed {
		b.note(diag.UnknownMember, b.other.Start, b.other.End, "members beside the list of calls are ignored")
	}
	if !b.frame.open() {
		b.scanner.lineBlank = b.lit.LineStart()
		return ended
	}
	b.nextValue()
	return notYet
}

// holdsCalls says that the value holds calls.
func (b *callBody) holdsCalls() {
	s := b.scanner
	again := s.holders > 0 && s.alone
	if again {
		s.known("between the calls")
	} else {
		s.known("before the calls")
	}
	b.known = true
	b.lit.Forget()
	if b.frame.lacks != "" && !again {
		b.note(diag.MissingOpener, b.begin, b.begin+1, strconv.Quote(b.frame.lacks)+" is missing before the calls")
	}
	if again && !b.isList && b.stage == atList && b.frame.row.framing.alone {
		b.note(diag.TextAround, b.begin, b.begin+1, "the calls are in more than one object")
	}
	b.notes(b.single.findings)
	b.single = written{form: b.form, members: b.single.members[:0]}
}

// leave says that what comes next is text.
func (b *callBody) leave() ending {
	s := b.scanner
	if b.frame.open() {
		s.foreign = b.frame.fence
	}
	s.content(b.lit.End(), b.taken())
	s.lineBlank = b.lit.LineStart()
	return left
}

// taken returns text behind the value that has been read already.
func (b *callBody) taken() string {
	if b.stage != atValue && b.stage != behindBrace {
		return ""
	}
	return b.lit.Taken()
}

// refuse makes content of a value that holds no calls.
func (b *callBody) refuse() ending {
	if b.release(b.lit.At()) {
		b.missing()
	}
	return b.leave()
}

// pass makes content of a value that holds no calls, also of what is still to
// come, up to the bracket that closes it.
func (b *callBody) pass(around string) ending {
	b.refuse()
	b.lit.Forget()
	b.scanner.passOver(b.lit, b.fence, around)
	return leftOther
}

// release makes content of the value up to an offset. It reports whether the
// response begins with it.
func (b *callBody) release(end int) (first bool) {
	s := b.scanner
	first = !s.begun
	s.release()
	s.content(b.begin, b.lit.Kept(b.begin)[:end-b.begin])
	return first
}

// missing reports that the response begins with an object that holds no calls.
func (b *callBody) missing() {
	if !b.isJSON || !b.frame.row.framing.alone || len(b.scanner.marks.rows) > 1 { // but text that begins with a bracket, or an answer
		return
	}
	b.scanner.outside.told = true
	f := diag.New(diag.NoCallList, diag.Bytes(b.begin, b.begin+1), "the object has no list of calls %q", b.frame.row.framing.lists[0])
	f.Hint = callHint
	b.scanner.find(f)
}

// fenced follows a run of fence characters.
func (b *callBody) fenced() ending {
	s, at := b.scanner, b.lit.End()
	switch {
	case b.stage == atValue:
	case b.stage == behindBrace:
		b.braceEnds()
	case b.known && b.frame.open():
		b.unclosed("the end of the fence")
	case b.known:
		b.unclosed("a fence")
	default:
		if b.release(at) {
			b.missing()
		}
	}
	if !b.frame.open() || !b.sure && !b.known {
		b.leave()
		s.beginRun(b.fence, at)
		return leftRun
	}
	s.closedAt(at, b.lit.LineStart())
	return closed
}

func (b *callBody) close() {
	state := b.lit.Close()
	fence := b.frame.open() && (b.sure || b.known)
	b.scanner.content(b.lit.End(), b.taken())
	switch {
	case b.stage == atValue:
	case !b.known:
		if named := b.namesTool(); b.release(b.lit.At()) || b.scanner.holders > 0 || named {
			b.scanner.outside.told = true
			b.scanner.find(diag.New(diag.CutCall, diag.Bytes(b.begin, b.lit.At()), "the text ends inside the JSON that should hold calls"))
		}
	case b.stage == inCall:
		b.callEnd(state)
		return
	case b.stage == behindBrace:
		b.braceEnds()
	default:
		b.notes(b.partFindings())
		if !diag.HasErrors(b.lit.Findings()) {
			b.unclosed("the end of the text")
		}
	}
	if fence {
		b.scanner.fenceOpen(b.scanner.at)
	}
}

// notes takes findings about the value. They count when it is known that it
// holds calls.
func (b *callBody) notes(findings []diag.Finding) {
	for _, f := range findings {
		switch {
		case b.known:
			f.Path = "" // it would be one into arguments
			b.scanner.find(f)
		case len(b.single.findings) < mostHeld:
			b.single.findings = append(b.single.findings, f)
		}
	}
}

// note takes a finding about the value.
func (b *callBody) note(code diag.Code, start, end int, message string) {
	b.notes([]diag.Finding{diag.New(code, diag.Bytes(start, end), "%s", message)})
}

// removal takes a finding about a byte that should not be there.
func (b *callBody) removal(code diag.Code, at int, kind diag.FixKind, message string) {
	f := diag.New(code, diag.Bytes(at, at+1), "%s", message)
	f.Severity = diag.Warning
	f.Fixes = fix(kind, "remove it", diag.Edit{Start: at, End: at + 1})
	b.notes([]diag.Finding{f})
}

// mended takes a finding about something that is mended with certainty, if it
// can be with a fix.
func (b *callBody) mended(code diag.Code, start, end int, message, title string, edits ...diag.Edit) {
	f := diag.New(code, diag.Bytes(start, end), "%s", message)
	f.Severity = diag.Warning
	if len(edits) > 0 {
		f.Fixes = fix(diag.Safe, title, edits...)
	}
	b.notes([]diag.Finding{f})
}
