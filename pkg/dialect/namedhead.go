package dialect

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// maxHeadPiece bounds what stands before a mark of the head, in bytes.
const maxHeadPiece = maxToolName + 64

// jsonFenceOpener is what opens a code fence around arguments.
const jsonFenceOpener = "```json"

// A headerReader is what stands before the arguments.
type head struct {
	markerReader
	at          int    // where it begins
	text        []byte // what has been read of it
	pieceAt     int    // where in it begins what is being read
	name        string
	nameAt      int // where in it the name begins
	id          string
	hasTypeWord bool         // a word has been read that stands instead of the name
	typeWordAt  int          // where in it that begins
	afterMarker bool         // a mark has been read behind the name
	missing     diag.Finding // a mark with nothing before it, without the word for what is missing
	otherType   string       // another word than the one that should stand there
	otherTypeAt int          // where in it that begins
}

// readHead reads up to the next mark of the head.
func (b *namedBody) readHead(p []byte) (int, frameEnd) {
	h := &b.head
	n, free, mark := h.readUntil(p[:min(len(p), maxHeadPiece+1-h.length())])
	from := len(h.text)
	h.text = append(h.text, free...)
	b.scanner.steps += n
	if before, rest, ends := b.scanner.cutAtReasoningEnd(h.text, from); ends {
		h.text = before
		b.emitCutHead("the reasoning ends")
		b.scanner.unread(slices.Concat(rest, []byte(h.pending()+mark)))
		return n, left
	}
	switch {
	case mark == "" && h.length() <= maxHeadPiece:
		return n, notYet
	case mark == "" || !b.takeHeadMarker(mark):
		return n, b.rejectHead(mark)
	case mark == "{" && b.stage == betweenNameAndArguments:
		b.beginArguments(b.at + n - 1)
		return n - 1, notYet
	}
	h.text = append(h.text, mark...)
	h.pieceAt = len(h.text)
	if b.contentName != "" && h.name == b.contentName {
		return n, left
	}
	return n, notYet
}

// headerLength returns how many bytes have been read behind the latest mark.
func (h *head) length() int { return len(h.text) - h.pieceAt + h.pendingLen() }

// takeHeadMarker takes a mark of the head and the piece before it. It reports false
// where no call looks so.
func (b *namedBody) takeHeadMarker(mark string) bool {
	h := &b.head
	piece := string(h.text[h.pieceAt:])
	name, fenced, ok := cutFence(piece)
	if isHead := mark == "{" || mark == b.idMarker || mark == b.beforeName || slices.Contains(b.afterName, mark); !ok || !isHead || strings.Contains(name, "</") {
		return false
	}
	at := h.pieceAt + strings.Index(piece, name)
	fence := mark == jsonFenceOpener
	if fence { // the arguments begin behind it
		mark = "{"
	}
	switch {
	case mark == "\n" && name == "": // an empty line before the name
		return true
	case mark == b.beforeName:
		h.id = name
		return h.name == ""
	case h.name != "": // what stands behind the mark of the id
		h.id = name
	case name == "" && h.hasTypeWord && mark == "{" && h.missing.Code == "": // the word was the name
		h.name, h.nameAt = b.typeWord, h.typeWordAt
	case name == "":
		return b.handleUnnamed(mark)
	case mark == "{" && !h.afterMarker && strings.ContainsAny(name, " \t"): // a sentence
		return false
	case name == b.typeWord && !h.hasTypeWord && mark != "{": // the name is still to come
		h.hasTypeWord, h.afterMarker, h.typeWordAt = true, true, at
		return true
	default:
		h.name, h.nameAt = name, at
		b.checkTypeWord(mark)
	}
	h.afterMarker = h.afterMarker || mark != "{"
	switch {
	case fence:
		b.fenceRead, b.fenceAt = len(jsonFenceOpener), h.at+len(h.text)
	case fenced:
		b.fenceRead, b.fenceAt = len(jsonFenceOpener), h.at+bytes.LastIndex(h.text, []byte("```"))
	}
	switch {
	case b.rawTool != "" && h.name == b.rawTool:
		b.stage, b.text = inText, newMarkerReader(b.terminators())
	case mark != b.idMarker:
		b.stage = betweenNameAndArguments
	}
	return true
}

// handleUnnamed follows a mark of the head with nothing before it. It reports false where
// no name can follow.
func (b *namedBody) handleUnnamed(mark string) bool {
	h, at := &b.head, b.head.at+len(b.head.text)
	switch {
	case h.missing.Code != "": // a second mark, or the arguments
		h.missing.Message = "the name is missing" + h.missing.Message
		return false
	case mark == "{" || mark == b.idMarker || mark == "\n":
		return false
	}
	h.missing = diag.New(diag.CallMember, diag.Bytes(at, at+len(mark)), " before %s", mark)
	if b.typeWord == "" {
		return b.handleUnnamed(mark)
	}
	h.hasTypeWord, h.afterMarker = true, true
	return true
}

// checkTypeWord reports that the word before the name, or the mark between them, is missing.
func (b *namedBody) checkTypeWord(mark string) {
	h := &b.head
	rest, glued := strings.CutPrefix(h.name, b.typeWord)
	switch {
	case b.typeWord == "":
	case h.missing.Code != "":
		h.missing.Message = fmt.Sprintf("%q is missing", b.typeWord) + h.missing.Message
		b.headFindings, h.missing = append(b.headFindings, h.missing), diag.Finding{}
	case glued && rest != "" && mark == "{" && !h.afterMarker && !b.scanner.isKnownTool(h.name):
		h.name, h.nameAt, h.afterMarker = rest, h.nameAt+len(b.typeWord), true
		at := h.at + h.nameAt
		b.headFindings = append(b.headFindings, diag.New(diag.CallMember, diag.Bytes(at, at), "%s is missing between %q and the name", b.afterName[0], b.typeWord))
	}
}

// useAsType follows a word that stands where the type of the call does: what is behind
// the mark is the name.
func (b *namedBody) useAsType() {
	h := &b.head
	b.headFindings = append(b.headFindings, diag.New(diag.CallMember, b.namePlace(), "the type of the call is %q, and only %q is known", excerpt(h.name), b.typeWord))
	h.otherType, h.otherTypeAt, h.name, h.hasTypeWord, h.pieceAt = h.name, h.nameAt, "", true, len(h.text)
	b.stage = inHead
}

// cutFence cuts a code fence that is opened behind a name.
func cutFence(piece string) (name string, fenced, ok bool) {
	name = strings.TrimSpace(piece)
	rest := ""
	if i := strings.IndexAny(name, "`\r\n"); i >= 0 {
		name, rest = strings.TrimSpace(name[:i]), strings.TrimSpace(name[i:])
	}
	return name, rest != "", rest == "" || rest == "```" || rest == jsonFenceOpener
}

// rejectValue reports a mark with no call behind it. What follows it is text.
func (b *namedBody) rejectHead(mark string) frameEnd {
	h := &b.head
	switch f := b.frame; {
	case h.otherType != "": // it was the name
		h.name, h.nameAt = h.otherType, h.otherTypeAt
		c := b.call("")
		r := newNamedReader(c, b.scanner.tools, nil)
		r.fault(diag.CallMember, diag.Bytes(c.place.End, c.start+len(c.text)), "no arguments follow the name")
		b.scanner.emitCall(r)
		b.scanner.unread([]byte(h.pending() + mark))
		return left
	case h.missing.Code != "":
		b.scanner.reportNotCalls([]diag.Finding{h.missing})
	case b.allowsProse && h.name != "":
	case f.marker != "":
		b.scanner.report(diag.New(diag.NotACall, diag.Bytes(f.at, f.at+len(f.marker)), "no call follows %s", strings.TrimSpace(f.marker)))
	}
	b.scanner.unread([]byte(string(b.head.text) + b.head.pending() + mark))
	return left
}

// readBeforeArguments reads a byte between the name and the arguments.
func (b *namedBody) readBeforeArguments(c byte) (int, frameEnd) {
	switch {
	case isSpace(c):
	case b.fenceRead < len(jsonFenceOpener) && c == jsonFenceOpener[b.fenceRead]:
		if b.fenceRead == 0 {
			b.fenceAt = b.at
		}
		b.fenceRead++
	case b.typeWord != "" && !b.head.hasTypeWord && b.head.afterMarker && !b.isFenced() && isNameByte(c):
		b.useAsType()
		return 0, notYet
	case b.allowsText && !b.isFenced() && c != '{' && c != '[':
		b.stage, b.text = inText, newMarkerReader(b.terminators())
		return 0, notYet
	case c != '{' && (b.frame.marker == "" || b.allowsProse) && !b.scanner.isKnownTool(b.head.name):
		return 0, b.rejectHead("")
	default:
		b.beginArguments(b.at)
		return 0, notYet
	}
	b.head.text = append(b.head.text, c)
	return 1, notYet
}

// namePlace returns where the name stands.
func (b *namedBody) namePlace() diag.Span {
	from := b.head.at + b.head.nameAt
	return diag.Bytes(from, from+len(b.head.name))
}

// call returns the call as it is written, with the text of its arguments.
func (b *namedBody) call(text string) namedCall {
	h := &b.head
	place := b.namePlace()
	c := namedCall{name: h.name, place: place, toolName: h.name, id: h.id, start: place.Start, text: string(h.text[h.nameAt:]) + text}
	if b.numbered {
		c.toolName, c.id = cutNumber(h.name)
	}
	c.toolName = strings.TrimPrefix(c.toolName, b.namespace)
	if b.numbered && strings.Trim(c.toolName, "0123456789") == "" { // only a number
		c.toolName = ""
		if tools := b.scanner.tools; len(tools) == 1 {
			c.toolName, c.onlyTool = slices.Collect(maps.Keys(tools))[0], true
		}
	}
	return c
}

// emitCutHead takes a head that is cut off.
func (b *namedBody) emitCutHead(how string) {
	h := &b.head
	f := diag.New(diag.CutCall, diag.Bytes(b.frame.at, b.head.at+len(h.text)), "%s inside a call", how)
	if h.name == "" {
		if mark := strings.TrimSpace(b.frame.marker); mark != "" && len(bytes.TrimSpace(h.text)) == 0 {
			f.Message = how + " after " + mark + ", before any call"
		}
		b.scanner.report(f)
		return
	}
	r := newNamedReader(b.call(""), b.scanner.tools, []diag.Finding{f})
	r.call.Status = chat.StatusTruncated
	b.scanner.emitCall(r)
}
