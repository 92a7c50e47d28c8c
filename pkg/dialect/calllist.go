package dialect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// memberBegin reads the beginning of a member, or the end of the object.
func (b *callBody) memberBegin(mark byte) ending {
	switch mark {
	case ',':
		b.strayComma()
		b.at(atKey)
	case '}':
		b.trailingComma()
		b.isJSON = true
		return b.objectEnd()
	default:
		b.stage = inMemberKey
		b.lit.ExpectKey()
	}
	return notYet
}

// memberKey follows the key of a member. One that is written with escapes is no
// key of a list: that is how results are made inert.
func (b *callBody) memberKey(good bool) ending {
	if !good {
		return b.noMember()
	}
	name, plain, place := b.lit.Key()
	b.name, b.key = name, place
	b.comma, b.isJSON = -1, true
	isList := plain && slices.Contains(b.frame.row.framing.lists, name)
	switch {
	case isList && b.listed:
		b.note(diag.DuplicateKey, place.Start, place.End, "a second list of calls is not read")
	case isList:
		b.at(atList)
		return notYet
	}
	if !isList && b.others == 0 {
		b.other = place
	}
	if !isList {
		b.others++
	}
	b.stage = inMember
	b.lit.ExpectValue()
	return notYet
}

// listBegin follows the key of the list of calls. good says whether it is a list.
func (b *callBody) listBegin(good bool) {
	b.scanner.sign(b.key.Start, "the key "+strconv.Quote(b.name))
	b.holdsCalls()
	b.listed, b.end, b.last = true, b.lit.End(), "["
	if want := b.frame.row.framing.lists[0]; b.name != want {
		b.rename(b.key, b.name, want)
	}
	if good {
		b.at(atItem)
		return
	}
	b.broken, b.stage = true, inMember
	b.lit.ExpectValue()
}

// rename reports the key of a list of calls that should have another name. One
// without quotes has a fix that gives it some.
func (b *callBody) rename(place diag.Span, name, want string) {
	var edits []diag.Edit
	if place.End-place.Start > len(name) {
		edits = []diag.Edit{{Start: place.Start + 1, End: place.End - 1, New: want}}
	}
	b.mended(diag.Relative, place.Start, place.End, fmt.Sprintf("%q should be %q", name, want), "rename it", edits...)
}

// memberValue follows the value of a member.
func (b *callBody) memberValue(good bool) ending {
	if !good {
		return b.noMember()
	}
	b.end, b.last = b.lit.End(), ""
	if place := b.lit.Place(); b.broken {
		b.broken = false
		b.note(diag.NoCallList, place.Start, place.End,
			fmt.Sprintf("%q is %s, and should be an array of calls", b.name, kindOf(b.lit.Value()[0])))
	}
	if !b.known {
		if b.holder = ""; b.others == 1 && len(b.single.members) == 0 && slices.Contains(holderKeys, b.name) {
			b.holder = string(b.lit.Value())
		}
		b.single.add(b.name, b.lit.Member(b.key), b.lit.Status(), b.lit.Changed())
	}
	b.at(atMemberEnd)
	return notYet
}

// noMember passes over a member that cannot be read.
func (b *callBody) noMember() ending {
	switch {
	case !b.known && !b.isJSON:
		return b.refuse()
	case !b.known:
		if i := slices.Index(callMembers, b.name); i >= int(ofParameters) && i <= int(ofInput) {
			b.unreadable(&b.single)
		}
		return b.pass("{")
	}
	b.stage, b.broken = inJunkMember, false
	b.lit.PassOver()
	return notYet
}

func (b *callBody) memberEnd(mark byte) ending {
	switch mark {
	case ',':
		b.comma = b.lit.End() - 1
		b.at(atKey)
	case '}':
		return b.objectEnd()
	case '"':
		b.missingComma()
		b.at(atKey)
	default:
		b.note(diag.BadLiteral, b.lit.End(), b.lit.End()+1, "a comma or '}' is missing before this")
		return b.noMember()
	}
	return notYet
}

// objectEnd follows the closing brace of the object.
func (b *callBody) objectEnd() ending {
	if b.known {
		return b.valueEnd()
	}
	w := b.single
	w.begin, w.text, w.lit = b.begin, b.lit.Kept(b.begin), b.lit
	if !w.isCall() {
		b.innerCall()
		b.nearCall(&w)
		return b.refuse()
	}
	if b.unlikely(&w) {
		return b.refuse()
	}
	b.single.findings = nil
	b.shows(&w)
	b.holdsCalls()
	b.bareCall(w.begin, w.begin+len(w.text))
	b.emit(&w)
	return b.valueEnd()
}

// item reads the beginning of an item of the list, or its end.
func (b *callBody) item(mark byte) ending {
	switch {
	case mark == '{':
		b.stage, b.comma, b.loose = inCall, -1, false
		b.lit.ExpectObject(callMembers)
	case mark == ']':
		b.trailingComma()
		return b.listEnd()
	case !b.known:
		return b.refuse()
	case mark == ',':
		b.strayComma()
		b.at(atItem)
	case mark == '}':
		b.junk = b.lit.End()
		b.at(behindBrace)
	default:
		b.noItem()
	}
	return notYet
}

func (b *callBody) itemEnd(mark byte) ending {
	switch {
	case mark == ',':
		b.comma = b.lit.End() - 1
		b.at(atItem)
		return notYet
	case mark == '{' && !b.loose:
		b.missingComma()
	}
	return b.item(mark)
}

// listEnd follows the closing bracket of the list.
func (b *callBody) listEnd() ending {
	switch {
	case !b.known:
		return b.refuse()
	case b.isList:
		return b.valueEnd()
	}
	b.end, b.last = b.lit.End(), "]"
	b.at(atMemberEnd)
	return notYet
}

// noItem passes over an item that is no object.
func (b *callBody) noItem() {
	b.stage, b.junk, b.comma = inJunkItem, b.lit.End(), -1
	b.lit.PassOver()
}

// junkEnd follows an item that is no object.
func (b *callBody) junkEnd() {
	b.end, b.last, b.loose = b.lit.At(), "", true
	f := diag.New(diag.NotACall, diag.Bytes(b.junk, b.end), "an item of the list is no object, and nothing is done with it")
	f.Hint = callHint
	b.notes([]diag.Finding{f})
	b.at(atItemEnd)
}

// brace follows a brace in the list. Where the list goes on behind it the brace
// is one too many; otherwise it ends the object, and the list lacks its bracket.
func (b *callBody) brace(mark byte) ending {
	at := b.lit.End() - 1
	switch {
	case mark == '}' && at == b.junk: // the brace itself
		b.at(behindBrace)
		return notYet
	case mark == '}':
		b.strayBrace()
		b.junk = at
		b.at(behindBrace)
		return notYet
	case mark == ',' || mark == ']' || mark == '{':
		b.strayBrace()
		return b.itemEnd(mark)
	}
	b.braceEnds()
	if b.taken() != "" {
		return b.leave()
	}
	return b.valueEnd()
}

// strayBrace reports a brace that closes nothing. Behind something that cannot be
// read it may close a part of that.
func (b *callBody) strayBrace() {
	if b.scanner.unpaired {
		return
	}
	kind := diag.Safe
	if b.loose {
		kind = diag.Unsafe
	}
	b.notes([]diag.Finding{strayBracket('}', b.junk, kind)})
}

func (b *callBody) braceEnds() {
	b.mended(diag.Bracket, b.junk, b.junk+1, "']' is missing before '}'", "add ]", diag.Edit{Start: b.junk, End: b.junk, New: "]"})
}

// unclosed reports that the value has no end. A call that has none has a finding
// of its own.
func (b *callBody) unclosed(end string) {
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
	if b.last != "" && (b.stage == atMemberEnd || b.stage == atItemEnd || b.stage == atItem && b.comma < 0) {
		edits = []diag.Edit{{Start: b.end - 1, End: b.end, New: b.last + missing}}
	}
	b.mended(diag.MissingCloser, b.begin, b.begin+1, fmt.Sprintf("%q is missing before %s", missing, end), "add "+missing, edits...)
}

// strayComma reports a comma with nothing before it. Removing it is not safe, for
// something may be missing there.
func (b *callBody) strayComma() {
	b.removal(diag.BadLiteral, b.lit.End()-1, diag.Unsafe, "no item before the comma")
}

func (b *callBody) trailingComma() {
	if b.comma >= 0 {
		b.removal(diag.TrailingComma, b.comma, diag.Safe, "trailing comma after the last item")
	}
}

func (b *callBody) missingComma() {
	next := b.lit.End()
	b.mended(diag.BadLiteral, b.end, next, "a comma is missing here", "add a comma", diag.Edit{Start: next, End: next, New: ","})
}

// callEnd follows a call of the list, whole or not.
func (b *callBody) callEnd(state literal.State) ending {
	w := &b.scanner.written
	w.take(b.form, b.lit)
	if !b.known && (state != literal.Done || !w.isCall() || b.unlikely(w)) {
		if state == literal.Fenced {
			return b.fenced()
		}
		switch {
		case state == literal.Bad:
			b.unreadable(w)
		case state == literal.Done && !w.isCall():
			b.nearCall(w)
		}
		return b.pass("[")
	}
	if !b.known {
		b.shows(w)
		b.holdsCalls()
		b.bareList()
	}
	b.end, b.last = b.lit.End(), "}"
	b.emit(w)
	if state == literal.Fenced {
		return b.fenced()
	}
	if b.lit.NextBegun() {
		b.last = ""
		b.at(atItem)
	} else {
		b.at(atItemEnd)
	}
	return notYet
}

// unreadable reports why an object with the name of a tool cannot be read: its first error.
func (b *callBody) unreadable(w *written) {
	if _, names := w.first(ofType, ofFunction); names == 0 {
		return
	}
	f := diag.New(diag.NotACall, diag.Bytes(b.begin, b.begin+1), "this looks like a call")
	if i := slices.IndexFunc(w.findings, func(f diag.Finding) bool { return f.Severity == diag.Error }); i >= 0 {
		f = w.findings[i]
		f.Path, f.Fixes = "", nil
	}
	f.Message += "; the object cannot be read as a call and is text"
	f.Severity = diag.Warning
	b.scanner.find(f)
}

// namesTool reports whether what has been read of a value names a tool that is known, as
// a call does: its members, or those of the item that it ends in.
func (b *callBody) namesTool() bool {
	w := b.single
	if w.begin, w.text, w.lit = b.begin, b.lit.Kept(b.begin), b.lit; b.stage == inCall {
		w.take(b.form, b.lit)
	}
	return len(w.members) > 0 && b.scanner.knows(w.shape().name)
}

// nearCall reports an object without any mark that names a tool as calls of the
// dialect do, or a tool that is known, and still is no call.
func (b *callBody) nearCall(w *written) {
	s := w.shape()
	known := b.scanner.knows(s.name)
	if s.name == "" || w.others > 0 || !known && !(s.own && s.given) || s.given && isSchema(s.args) {
		return
	}
	why := "several of its members can be the tool or the arguments"
	switch {
	case s.more || s.extra:
	case !s.given:
		why = "it has no arguments"
	case s.args[0] != '{':
		why = fmt.Sprintf("%q is %s, and should be an object", s.with, kindOf(s.args[0]))
	default:
		return
	}
	f := diag.New(diag.NotACall, diag.Bytes(w.begin, w.begin+1), "this looks like a call, and is read as text: %s", why)
	f.Severity = diag.Warning
	b.scanner.find(f)
}

// holderKeys are keys of an object around a call that no dialect writes.
var holderKeys = []string{"tool_call", "function_call"}

// innerCall reports an object without any mark whose only member is such a key, and holds
// a call of a tool that is known.
func (b *callBody) innerCall() {
	var inner struct {
		Name     string
		Function struct{ Name string }
	}
	if b.holder == "" || json.Unmarshal([]byte(b.holder), &inner) != nil {
		return
	}
	if name := cmp.Or(inner.Name, inner.Function.Name); b.scanner.knows(name) {
		f := diag.New(diag.NotACall, b.other, "%q holds a call of %s, but no dialect has this key: it is text", b.name, excerpt(name))
		f.Severity = diag.Warning
		b.scanner.find(f)
	}
}

// unlikely reports an object without any mark that has the members of a relative of
// the dialect, and names no tool that is known: it can be any object.
func (b *callBody) unlikely(w *written) bool {
	s := w.shape()
	if !b.frame.row.framing.exact || b.frame.open() {
		return false
	}
	usual := s.own || s.by == ofFunction && s.inner != "" || s.by == ofName && (s.with == ofArguments || s.with == ofParameters)
	if usual || b.scanner.knows(s.name) {
		return false
	}
	place, own := w.brace(), quotedList([]string{b.form.name.String(), b.form.args.String()})
	if s.named {
		place = w.get(s.by).Key()
	}
	f := diag.New(diag.Relative, place, "this object is text: it has %s, and a call of %s has %s", quotedList(s.keys()), b.frame.row.Name, own)
	if b.scanner.tools == nil {
		f.Hint = "it is read where a definition has its tool"
	} else {
		f.Message += fmt.Sprintf("; no tool is known as %q", excerpt(s.name))
	}
	b.scanner.find(f)
	return true
}

// shows says by which of its members an object is known to be a call.
func (b *callBody) shows(w *written) {
	s := w.shape()
	if !b.scanner.detected.calls {
		b.scanner.sign(b.begin, "JSON with the keys "+quotedList(s.keys()))
	}
	if row := b.scanner.marks.plain.row(s); row != nil {
		b.frame.row = row
		b.form, w.form = row.grammar.form, row.grammar.form
	}
}

// bareCall reports a call that should stand in an object.
func (b *callBody) bareCall(begin, end int) {
	if b.frame.row.framing.alone {
		b.mended(diag.Relative, begin, begin+1, "a call stands without the object with the list of calls around it",
			"write it around the call", diag.Edit{Start: begin, End: begin + 1, New: `{"` + b.frame.row.framing.lists[0] + `":[{`}, diag.Edit{Start: end - 1, End: end, New: "}]}"})
	}
}

// bareList reports a list of calls that should stand in an object.
func (b *callBody) bareList() {
	if b.frame.row.framing.alone {
		b.note(diag.Relative, b.begin, b.begin+1, "the list of calls stands without an object around it")
	}
}

// emit passes on a call that was written, or what is wrong with it.
func (b *callBody) emit(w *written) {
	r := reader{tools: b.scanner.tools}
	r.read(w)
	b.scanner.passCall(&r)
}
