package dialect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// beginMember parses the start of a member, or the end of the object.
func (b *callListBody) beginMember(found byte) frameEnd {
	switch found {
	case ',':
		b.reportStrayComma()
		b.expectStage(atKey)
	case '}':
		b.reportTrailingComma()
		b.started = true
		return b.endObject()
	default:
		b.stage = inMemberKey
		b.lit.ExpectKey()
	}
	return notYet
}

// endKey handles a member's key. A key written with escapes is not the key of a list: escapes make results
// inert.
func (b *callListBody) endKey(good bool) frameEnd {
	if !good {
		return b.skipUnreadableMember()
	}
	name, plain, place := b.lit.Key()
	b.memberName, b.keySpan = name, place
	b.comma, b.started = -1, true
	isList := plain && slices.Contains(b.frame.dialect.framing.listKeys, name)
	switch {
	case isList && b.listFound:
		b.reportAt(diag.DuplicateKey, place.Start, place.End, "a second list of calls is ignored")
	case isList:
		b.expectStage(atList)
		return notYet
	}
	if !isList && b.otherCount == 0 {
		b.firstOther = place
	}
	if !isList {
		b.otherCount++
	}
	b.stage = inMember
	b.lit.ExpectValue()
	return notYet
}

// beginList handles the key of the list of calls; good reports whether its value is a list.
func (b *callListBody) beginList(good bool) {
	b.sink.setFrameEvidence(b.keySpan.Start, "the key "+strconv.Quote(b.memberName))
	b.confirmCalls()
	b.listFound, b.lastEnd, b.lastBracket = true, b.lit.End(), "["
	if want := b.frame.dialect.framing.listKeys[0]; b.memberName != want {
		b.reportListKey(b.keySpan, b.memberName, want)
	}
	if good {
		b.expectStage(atItem)
		return
	}
	b.listInvalid, b.stage = true, inMember
	b.lit.ExpectValue()
}

// reportListKey reports a key of the list of calls that should have another name. Its fix applies only to a
// quoted key.
func (b *callListBody) reportListKey(place diag.Span, name, want string) {
	var edits []diag.Edit
	if place.End-place.Start > len(name) {
		edits = []diag.Edit{{Start: place.Start + 1, End: place.End - 1, New: want}}
	}
	b.reportRepaired(diag.CallVariant, place.Start, place.End, fmt.Sprintf("%q should be %q", name, want), "rename it", edits...)
}

func (b *callListBody) endMember(good bool) frameEnd {
	if !good {
		return b.skipUnreadableMember()
	}
	b.lastEnd, b.lastBracket = b.lit.End(), ""
	if place := b.lit.ValueSpan(); b.listInvalid {
		b.listInvalid = false
		b.reportAt(diag.NoCallList, place.Start, place.End,
			fmt.Sprintf("%q: expected an array of calls, got %s", b.memberName, describeKind(b.lit.Value()[0])))
	}
	if !b.confirmed {
		if b.holderValue = ""; b.otherCount == 1 && len(b.singleCall.members) == 0 && slices.Contains(holderKeys, b.memberName) {
			b.holderValue = string(b.lit.Value())
		}
		b.singleCall.addMember(b.memberName, b.lit.NewMember(b.keySpan), b.lit.Status(), b.lit.ValueChanged())
	}
	b.expectStage(atMemberEnd)
	return notYet
}

// skipUnreadableMember skips an unreadable member.
func (b *callListBody) skipUnreadableMember() frameEnd {
	switch {
	case !b.confirmed && !b.started:
		return b.emitValueAsText()
	case !b.confirmed:
		if i := slices.Index(callMembers, b.memberName); i >= int(ofParameters) && i <= int(ofInput) {
			b.reportUnreadableCall(&b.singleCall)
		}
		return b.emitRestAsText("{")
	}
	b.stage, b.listInvalid = inJunkMember, false
	b.lit.SkipInvalid()
	return notYet
}

func (b *callListBody) afterMember(found byte) frameEnd {
	switch found {
	case ',':
		b.comma = b.lit.End() - 1
		b.expectStage(atKey)
	case '}':
		return b.endObject()
	case '"':
		b.reportMissingComma()
		b.expectStage(atKey)
	default:
		b.reportAt(diag.BadLiteral, b.lit.End(), b.lit.End()+1, "missing comma or '}' before this")
		return b.skipUnreadableMember()
	}
	return notYet
}

func (b *callListBody) endObject() frameEnd {
	if b.confirmed {
		return b.endValue()
	}
	w := b.singleCall
	w.begin, w.text, w.lit = b.begin, b.lit.Captured(b.begin), b.lit
	if !w.isCertainCall() {
		b.reportWrappedCall()
		b.reportAlmostCall(&w)
		return b.emitValueAsText()
	}
	if b.reportUnlikelyCall(&w) {
		return b.emitValueAsText()
	}
	b.singleCall.findings = nil
	b.setDialectByMembers(&w)
	b.confirmCalls()
	b.reportBareCall(w.begin, w.begin+len(w.text))
	b.emitCall(&w)
	return b.endValue()
}

// beginItem parses the start of a list item, or the end of the list.
func (b *callListBody) beginItem(found byte) frameEnd {
	switch {
	case found == '{':
		b.stage, b.comma, b.commaOptional = inCall, -1, false
		b.lit.ExpectObject(callMembers)
	case found == ']':
		b.reportTrailingComma()
		return b.endList()
	case !b.confirmed:
		return b.emitValueAsText()
	case found == ',':
		b.reportStrayComma()
		b.expectStage(atItem)
	case found == '}':
		b.invalidAt = b.lit.End()
		b.expectStage(afterBrace)
	default:
		b.skipItem()
	}
	return notYet
}

func (b *callListBody) afterItem(found byte) frameEnd {
	switch {
	case found == ',':
		b.comma = b.lit.End() - 1
		b.expectStage(atItem)
		return notYet
	case found == '{' && !b.commaOptional:
		b.reportMissingComma()
	}
	return b.beginItem(found)
}

func (b *callListBody) endList() frameEnd {
	switch {
	case !b.confirmed:
		return b.emitValueAsText()
	case b.isList:
		return b.endValue()
	}
	b.lastEnd, b.lastBracket = b.lit.End(), "]"
	b.expectStage(atMemberEnd)
	return notYet
}

// skipItem skips an item that is not an object.
func (b *callListBody) skipItem() {
	b.stage, b.invalidAt, b.comma = inJunkItem, b.lit.End(), -1
	b.lit.SkipInvalid()
}

// endSkippedItem reports an item that is not an object.
func (b *callListBody) endSkippedItem() {
	b.lastEnd, b.lastBracket, b.commaOptional = b.lit.Offset(), "", true
	f := diag.New(diag.NotACall, diag.Bytes(b.invalidAt, b.lastEnd), "a list item that is not an object is ignored")
	f.Hint = callHint
	b.reportOnceConfirmed([]diag.Finding{f})
	b.expectStage(atItemEnd)
}

// resolveExtraBrace interprets a brace in the list by the byte after it. If the list continues, the brace is one too
// many; otherwise it ends the object and the list lacks its bracket.
func (b *callListBody) resolveExtraBrace(found byte) frameEnd {
	at := b.lit.End() - 1
	switch {
	case found == '}' && at == b.invalidAt: // the brace itself
		b.expectStage(afterBrace)
		return notYet
	case found == '}':
		b.reportStrayBrace()
		b.invalidAt = at
		b.expectStage(afterBrace)
		return notYet
	case found == ',' || found == ']' || found == '{':
		b.reportStrayBrace()
		return b.afterItem(found)
	}
	b.reportMissingBracket()
	if b.trailingText() != "" {
		return b.endFrameAsText()
	}
	return b.endValue()
}

// reportStrayBrace reports an unmatched brace. After an unreadable item it may belong to that item.
func (b *callListBody) reportStrayBrace() {
	if b.sink.unbalanced {
		return
	}
	kind := diag.Safe
	if b.commaOptional {
		kind = diag.Unsafe
	}
	b.reportOnceConfirmed([]diag.Finding{strayBracketFinding('}', b.invalidAt, kind)})
}

func (b *callListBody) reportMissingBracket() {
	b.reportRepaired(diag.UnbalancedBracket, b.invalidAt, b.invalidAt+1, "missing ']' before '}'", "add ]", diag.Edit{Start: b.invalidAt, End: b.invalidAt, New: "]"})
}

// reportUnclosed reports that the value is not closed. An unclosed call has its own finding.
func (b *callListBody) reportUnclosed(end string) {
	if b.stage == inCall {
		return
	}
	missing := "]}"
	switch {
	case b.isList:
		missing = "]"
	case b.stage == atMemberEnd || b.stage == atKey || b.stage == inMemberKey || b.stage == inMember:
		missing = "}"
	}
	var edits []diag.Edit
	if b.lastBracket != "" && (b.stage == atMemberEnd || b.stage == atItemEnd || b.stage == atItem && b.comma < 0) {
		edits = []diag.Edit{{Start: b.lastEnd - 1, End: b.lastEnd, New: b.lastBracket + missing}}
	}
	b.reportRepaired(diag.MissingCloser, b.begin, b.begin+1, fmt.Sprintf("missing %q before %s", missing, end), "add "+missing, edits...)
}

// reportStrayComma reports a comma with no item before it. Removing it is not safe: an item may be missing.
func (b *callListBody) reportStrayComma() {
	b.reportRemovable(diag.BadLiteral, b.lit.End()-1, diag.Unsafe, "no item before the comma")
}

func (b *callListBody) reportTrailingComma() {
	if b.comma >= 0 {
		b.reportRemovable(diag.TrailingComma, b.comma, diag.Safe, "trailing comma after the last item")
	}
}

func (b *callListBody) reportMissingComma() {
	next := b.lit.End()
	b.reportRepaired(diag.BadLiteral, b.lastEnd, next, "missing comma here", "add a comma", diag.Edit{Start: next, End: next, New: ","})
}

// endCall handles a call of the list, complete or not.
func (b *callListBody) endCall(state literal.State) frameEnd {
	w := pooledValue[callObject](b.sink.bodyPool)
	w.load(b.memberNames, b.lit)
	if !b.confirmed && (state != literal.Done || !w.isCertainCall() || b.reportUnlikelyCall(w)) {
		if state == literal.FenceClosed {
			return b.endAtFence()
		}
		switch {
		case state == literal.Invalid:
			b.reportUnreadableCall(w)
		case state == literal.Done && !w.isCertainCall():
			b.reportAlmostCall(w)
		}
		return b.emitRestAsText("[")
	}
	if !b.confirmed {
		b.setDialectByMembers(w)
		b.confirmCalls()
		b.reportBareList()
	}
	b.lastEnd, b.lastBracket = b.lit.End(), "}"
	b.emitCall(w)
	if state == literal.FenceClosed {
		return b.endAtFence()
	}
	if b.lit.HasNextObjectBegun() {
		b.lastBracket = ""
		b.expectStage(atItem)
	} else {
		b.expectStage(atItemEnd)
	}
	return notYet
}

// reportUnreadableCall reports the first error of an unreadable object that names a tool.
func (b *callListBody) reportUnreadableCall(w *callObject) {
	if _, names := w.firstPresent(ofType, ofFunction); names == 0 {
		return
	}
	f := diag.New(diag.NotACall, diag.Bytes(b.begin, b.begin+1), "this looks like a call")
	if i := slices.IndexFunc(w.findings, func(f diag.Finding) bool { return f.Severity == diag.Error }); i >= 0 {
		f = w.findings[i]
		f.Path, f.Fixes = "", nil
	}
	f.Message += "; the object cannot be read as a call and is treated as text"
	f.Severity = diag.Warning
	b.sink.report(f)
}

// hasKnownTool reports whether the part read so far, or its last item, names a known tool.
func (b *callListBody) hasKnownTool() bool {
	w := b.singleCall
	if w.begin, w.text, w.lit = b.begin, b.lit.Captured(b.begin), b.lit; b.stage == inCall {
		w.load(b.memberNames, b.lit)
	}
	return len(w.members) > 0 && b.sink.isKnownTool(w.matchMembers().name)
}

// reportAlmostCall reports an object without a marker that names a known tool, or has the member names of a call
// of the dialect, and still is not a call.
func (b *callListBody) reportAlmostCall(w *callObject) {
	s := w.matchMembers()
	known := b.sink.isKnownTool(s.name)
	if s.name == "" || !known && (w.otherCount > 0 || !s.isOwn || !s.hasArgs) || s.hasArgs && isArgumentsSchema(s.args) {
		return
	}
	if w.otherCount > 0 && !w.hasLikelyArguments(&s) {
		return
	}
	why := "several members could name the tool or hold the arguments"
	switch {
	case s.severalFit || s.extra:
	case w.otherCount > 0:
		why = fmt.Sprintf("unknown or repeated member %q", excerpt(strings.Trim(w.text[w.firstOther.Start-w.begin:w.firstOther.End-w.begin], `"'`)))
	case !s.hasArgs:
		why = "it has no arguments"
	case s.args[0] != '{':
		why = fmt.Sprintf("%q: expected an object, got %s", s.argsMember, describeKind(s.args[0]))
	default:
		return
	}
	f := diag.New(diag.NotACall, diag.Bytes(w.begin, w.begin+1), "this looks like a call but is treated as text: %s", why)
	f.Severity = diag.Warning
	b.sink.report(f)
}

// holderKeys are keys of an object around a call, used by no dialect.
var holderKeys = []string{"tool_call", "function_call"}

// reportWrappedCall reports an object without a marker whose only member is a holder key with a call of a known
// tool.
func (b *callListBody) reportWrappedCall() {
	var inner struct {
		Name     string
		Function struct{ Name string }
	}
	if b.holderValue == "" || json.Unmarshal([]byte(b.holderValue), &inner) != nil {
		return
	}
	if name := cmp.Or(inner.Name, inner.Function.Name); b.sink.isKnownTool(name) {
		f := diag.New(diag.NotACall, b.firstOther, "%q holds a call of %s, but no dialect uses this key: it is treated as text", b.memberName, excerpt(name))
		f.Severity = diag.Warning
		b.sink.report(f)
	}
}

// reportUnlikelyCall reports an object without a marker that has the member names of another dialect and no known
// tool: it can be any object.
func (b *callListBody) reportUnlikelyCall(w *callObject) bool {
	s := w.matchMembers()
	if !b.frame.dialect.framing.strictMembers || b.frame.isOpen() {
		return false
	}
	usual := s.isOwn || s.nameMember == ofFunction && s.innerKey != "" || s.nameMember == ofName && (s.argsMember == ofArguments || s.argsMember == ofParameters)
	if usual || b.sink.isKnownTool(s.name) {
		return false
	}
	place, own := w.braceSpan(), quoteAndJoin([]string{b.memberNames.name.String(), b.memberNames.args.String()})
	if s.hasName {
		place = w.get(s.nameMember).KeySpan()
	}
	f := diag.New(diag.CallVariant, place, "this object is treated as text: it has %s, a call in dialect %s has %s", quoteAndJoin(s.keyNames()), b.frame.dialect.Name, own)
	if b.sink.tools == nil {
		f.Hint = "it is read as a call if a definition declares its tool"
	} else {
		f.Message += fmt.Sprintf("; no tool is named %q", excerpt(s.name))
	}
	b.sink.report(f)
	return true
}

// setDialectByMembers records which members identify the object as a call, and its dialect.
func (b *callListBody) setDialectByMembers(w *callObject) {
	s := w.matchMembers()
	if !b.sink.detected.calls {
		b.sink.setFrameEvidence(b.begin, "JSON with the keys "+quoteAndJoin(s.keyNames()))
	}
	if row := b.sink.markers.plainDialects.dialectOf(s); row != nil {
		b.frame.dialect = row
		b.memberNames, w.memberNames = row.grammar.memberNames, row.grammar.memberNames
	}
}

// reportBareCall reports a call that should be in an object.
func (b *callListBody) reportBareCall(begin, end int) {
	if b.frame.dialect.framing.callsOnly {
		b.reportRepaired(diag.CallVariant, begin, begin+1, "the object with the list of calls is missing around this call",
			"wrap the call in it", diag.Edit{Start: begin, End: begin + 1, New: `{"` + b.frame.dialect.framing.listKeys[0] + `":[{`}, diag.Edit{Start: end - 1, End: end, New: "}]}"})
	}
}

// reportBareList reports a list of calls that should be in an object.
func (b *callListBody) reportBareList() {
	if b.frame.dialect.framing.callsOnly {
		b.reportAt(diag.CallVariant, b.begin, b.begin+1, "the object around the list of calls is missing")
	}
}

func (b *callListBody) emitCall(w *callObject) {
	r := callReader{tools: b.sink.tools}
	r.readObject(w)
	b.sink.emitCall(&r)
}
