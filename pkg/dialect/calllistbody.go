package dialect

import (
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// callList is the grammar of JSON that contains calls: an object with a list of calls, the list, or a single
// call.
var callList = grammar{newBody: newCallListBody, render: renderCallList, memberNames: &toolCallsMembers}

func newCallListBody(s *sink, f *frame) body {
	fence := literal.Fence{Char: f.char, Len: f.length}
	if !f.isOpen() {
		fence = rawFence
	}
	b, lit := pooledValue[callListBody](s.bodyPool), s.literals.json(literal.Options{Fence: fence})
	lit.ResetAt(f.bodyAt)
	*b = callListBody{sink: s, frame: f, memberNames: f.grammar.memberNames, fence: fence, lit: lit, jsonValue: jsonValue{singleCall: b.singleCall}}
	b.beginNextValue()
	return b
}

func (b *callListBody) write(p []byte) (int, frameEnd) {
	for n := 0; ; {
		k, state := b.sink.readLiteral(b.lit, p[n:])
		n += k
		if state == literal.NeedMore {
			return n, notYet
		}
		if end := b.handleRead(state, p[n:]); end != notYet {
			return n, end
		}
	}
}

// handleRead handles a part that has been read. If the next byte is not an expected one, it is the first of rest.
func (b *callListBody) handleRead(state literal.State, rest []byte) frameEnd {
	if b.stage == inCall {
		return b.endCall(state)
	}
	b.reportOnceConfirmed(b.lastPartFindings())
	found := byte(0)
	switch {
	case state == literal.FenceClosed:
		return b.endAtFence()
	case state == literal.Done:
		found = b.lit.Punct()
	case b.lit.End() == b.lit.Offset() && len(rest) > 0:
		found = rest[0]
	}
	return b.handlePart(found, state == literal.Done)
}

// lastPartFindings returns the findings about the last part.
func (b *callListBody) lastPartFindings() []diag.Finding {
	findings := b.lit.Findings()
	for i := range findings {
		findings[i].Path = "/" + b.memberName + findings[i].Path
	}
	return findings
}

// handlePart handles a part that has been read; good reports whether it is the expected one. In stages that expect
// a byte, found is that byte or the one in its place.
func (b *callListBody) handlePart(found byte, good bool) frameEnd {
	switch b.stage {
	case atValue:
		return b.beginValue(found)
	case atOpening:
		b.beginListOrObject(found)
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
		return b.resolveExtraBrace(found)
	case inJunkMember:
		b.expectStage(atMemberEnd)
	case inJunkItem:
		b.endSkippedItem()
	}
	return notYet
}

// endAtFence handles a run of fence characters.
func (b *callListBody) endAtFence() frameEnd {
	s, at := b.sink, b.lit.End()
	switch {
	case b.stage == atValue:
	case b.stage == afterBrace:
		b.reportMissingBracket()
	case b.confirmed && b.frame.isOpen():
		b.reportUnclosed("the end of the fence")
	case b.confirmed:
		b.reportUnclosed("a fence")
	default:
		if b.emitHeldValue(at) {
			b.reportObjectWithoutCallList()
		}
	}
	if !b.frame.isOpen() || !b.certain && !b.confirmed {
		b.endFrameAsText()
		b.frame.leftover = leftover{fence: b.fence, at: at}
		return leftRun
	}
	s.checkClosingFenceBeginsLine(at, b.lit.IsLineStart())
	return closed
}

func (b *callListBody) close() {
	state := b.lit.Close()
	fence := b.frame.isOpen() && (b.certain || b.confirmed)
	b.sink.emitContent(b.lit.End(), b.trailingText())
	switch {
	case b.stage == atValue:
	case !b.confirmed:
		if named := b.hasKnownTool(); b.emitHeldValue(b.lit.Offset()) || b.sink.callHolders > 0 || named {
			b.sink.surrounding.reported = true
			b.sink.report(diag.New(diag.TruncatedCall, diag.Bytes(b.begin, b.lit.Offset()), "the text ends inside JSON that should contain calls"))
		}
	case b.stage == inCall:
		b.endCall(state)
		return
	case b.stage == afterBrace:
		b.reportMissingBracket()
	default:
		b.reportOnceConfirmed(b.lastPartFindings())
		if !diag.HasErrors(b.lit.Findings()) {
			b.reportUnclosed("the end of the text")
		}
	}
	if fence {
		b.sink.reportUnclosedFence(b.sink.at)
	}
}
