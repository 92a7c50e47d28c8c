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

// maxHeadPiece bounds the text before each marker of the head, in bytes.
const maxHeadPiece = maxToolName + 64

// jsonFenceOpener opens a code fence around arguments.
const jsonFenceOpener = "```json"

// A head is the part of a call before its arguments.
type head struct {
	markerReader
	at          int    // its offset
	text        []byte // read so far
	pieceAt     int    // start of the current piece in text
	name        string
	nameAt      int // offset of the name in text
	id          string
	hasTypeWord bool         // the type word was read instead of the name
	typeWordAt  int          // its offset in text
	afterMarker bool         // a marker was read after the name
	missing     diag.Finding // a finding about a missing part, to be completed with its name
	otherType   string       // a word in place of the type word
	otherTypeAt int          // its offset in text
}

// readHead reads up to the next marker of the head.
func (b *namedBody) readHead(p []byte) (int, frameEnd) {
	h := &b.head
	n, free, marker := h.readUntilMarker(p[:min(len(p), maxHeadPiece+1-h.pieceLength())])
	from := len(h.text)
	h.text = append(h.text, free...)
	b.sink.steps += n
	if before, rest, ends := b.sink.cutAtReasoningEnd(h.text, from); ends {
		h.text = before
		b.emitTruncatedHead("the reasoning ends")
		b.sink.unread(slices.Concat(rest, []byte(h.pendingText()+marker)))
		return n, left
	}
	switch {
	case marker == "" && h.pieceLength() <= maxHeadPiece:
		return n, notYet
	case marker == "" || !b.handleHeadMarker(marker):
		return n, b.rejectHead(marker)
	case marker == "{" && b.stage == betweenNameAndArguments:
		b.beginArguments(b.at + n - 1)
		return n - 1, notYet
	}
	h.text = append(h.text, marker...)
	h.pieceAt = len(h.text)
	if b.contentName != "" && h.name == b.contentName {
		return n, left
	}
	return n, notYet
}

// pieceLength returns the number of bytes read after the latest marker.
func (h *head) pieceLength() int { return len(h.text) - h.pieceAt + h.pendingLen() }

// handleHeadMarker handles a marker of the head and the piece before it. It reports false if this is not a call.
func (b *namedBody) handleHeadMarker(marker string) bool {
	h := &b.head
	piece := string(h.text[h.pieceAt:])
	name, fenced, ok := cutFenceAfterName(piece)
	if isHead := marker == "{" || marker == b.idMarker || marker == b.beforeName || slices.Contains(b.afterName, marker); !ok || !isHead || strings.Contains(name, "</") {
		return false
	}
	at := h.pieceAt + strings.Index(piece, name)
	fence := marker == jsonFenceOpener
	if fence { // the arguments begin after the fence
		marker = "{"
	}
	switch {
	case marker == "\n" && name == "": // a blank line before the name
		return true
	case marker == b.beforeName:
		h.id = name
		return h.name == ""
	case h.name != "": // the ID
		h.id = name
	case name == "" && h.hasTypeWord && marker == "{" && h.missing.Code == "": // the type word was the name
		h.name, h.nameAt = b.typeWord, h.typeWordAt
	case name == "":
		return b.handleMarkerWithoutName(marker)
	case marker == "{" && !h.afterMarker && strings.ContainsAny(name, " \t"): // a sentence
		return false
	case name == b.typeWord && !h.hasTypeWord && marker != "{": // the name follows
		h.hasTypeWord, h.afterMarker, h.typeWordAt = true, true, at
		return true
	default:
		h.name, h.nameAt = name, at
		b.checkTypeWord(marker)
	}
	h.afterMarker = h.afterMarker || marker != "{"
	switch {
	case fence:
		b.fenceRead, b.fenceAt = len(jsonFenceOpener), h.at+len(h.text)
	case fenced:
		b.fenceRead, b.fenceAt = len(jsonFenceOpener), h.at+bytes.LastIndex(h.text, []byte("```"))
	}
	switch {
	case b.rawTool != "" && h.name == b.rawTool:
		b.stage, b.text = inText, newMarkerReader(b.terminators())
	case marker != b.idMarker:
		b.stage = betweenNameAndArguments
	}
	return true
}

// handleMarkerWithoutName handles a marker with nothing before it. It reports false if no name can follow.
func (b *namedBody) handleMarkerWithoutName(marker string) bool {
	h, at := &b.head, b.head.at+len(b.head.text)
	switch {
	case h.missing.Code != "": // a second marker, or the arguments
		h.missing.Message = "missing name" + h.missing.Message
		return false
	case marker == "{" || marker == b.idMarker || marker == "\n":
		return false
	}
	h.missing = diag.New(diag.CallMember, diag.Bytes(at, at+len(marker)), " before %s", marker)
	if b.typeWord == "" {
		return b.handleMarkerWithoutName(marker)
	}
	h.hasTypeWord, h.afterMarker = true, true
	return true
}

// checkTypeWord reports a missing type word, or a missing marker after it.
func (b *namedBody) checkTypeWord(marker string) {
	h := &b.head
	rest, glued := strings.CutPrefix(h.name, b.typeWord)
	switch {
	case b.typeWord == "":
	case h.missing.Code != "":
		h.missing.Message = fmt.Sprintf("missing %q", b.typeWord) + h.missing.Message
		b.headFindings, h.missing = append(b.headFindings, h.missing), diag.Finding{}
	case glued && rest != "" && marker == "{" && !h.afterMarker && !b.sink.isKnownTool(h.name):
		h.name, h.nameAt, h.afterMarker = rest, h.nameAt+len(b.typeWord), true
		at := h.at + h.nameAt
		b.headFindings = append(b.headFindings, diag.New(diag.CallMember, diag.Bytes(at, at), "missing %s between %q and the name", b.afterName[0], b.typeWord))
	}
}

// useNameAsType treats a word in place of the type as the type: the name follows the marker.
func (b *namedBody) useNameAsType() {
	h := &b.head
	b.headFindings = append(b.headFindings, diag.New(diag.CallMember, b.nameSpan(), "unknown call type %q, expected %q", excerpt(h.name), b.typeWord))
	h.otherType, h.otherTypeAt, h.name, h.hasTypeWord, h.pieceAt = h.name, h.nameAt, "", true, len(h.text)
	b.stage = inHead
}

// cutFenceAfterName splits off a code fence opened after a name.
func cutFenceAfterName(piece string) (name string, fenced, ok bool) {
	name = strings.TrimSpace(piece)
	rest := ""
	if i := strings.IndexAny(name, "`\r\n"); i >= 0 {
		name, rest = strings.TrimSpace(name[:i]), strings.TrimSpace(name[i:])
	}
	return name, rest != "", rest == "" || rest == "```" || rest == jsonFenceOpener
}

// rejectHead reports a marker without a call. The text after it is content.
func (b *namedBody) rejectHead(marker string) frameEnd {
	h := &b.head
	switch f := b.frame; {
	case h.otherType != "": // it was the name
		h.name, h.nameAt = h.otherType, h.otherTypeAt
		c := b.newNamedCall("")
		r := newNamedReader(c, b.sink.tools, nil)
		r.addError(diag.CallMember, diag.Bytes(c.place.End, c.start+len(c.text)), "no arguments follow the name")
		b.sink.emitCall(r)
		b.sink.unread([]byte(h.pendingText() + marker))
		return left
	case h.missing.Code != "":
		b.sink.reportFindingsOfNoCall([]diag.Finding{h.missing})
	case b.allowsProse && h.name != "":
	case f.marker != "":
		b.sink.report(diag.New(diag.NotACall, diag.Bytes(f.at, f.at+len(f.marker)), "no call follows %s", strings.TrimSpace(f.marker)))
	}
	b.sink.unread([]byte(string(b.head.text) + b.head.pendingText() + marker))
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
		b.useNameAsType()
		return 0, notYet
	case b.allowsText && !b.isFenced() && c != '{' && c != '[':
		b.stage, b.text = inText, newMarkerReader(b.terminators())
		return 0, notYet
	case c != '{' && (b.frame.marker == "" || b.allowsProse) && !b.sink.isKnownTool(b.head.name):
		return 0, b.rejectHead("")
	default:
		b.beginArguments(b.at)
		return 0, notYet
	}
	b.head.text = append(b.head.text, c)
	return 1, notYet
}

func (b *namedBody) nameSpan() diag.Span {
	from := b.head.at + b.head.nameAt
	return diag.Bytes(from, from+len(b.head.name))
}

// newNamedCall returns the call as written, with the text of its arguments.
func (b *namedBody) newNamedCall(text string) namedCall {
	h := &b.head
	place := b.nameSpan()
	c := namedCall{name: h.name, place: place, toolName: h.name, id: h.id, start: place.Start, text: string(h.text[h.nameAt:]) + text}
	if b.numbered {
		c.toolName, c.id = splitNumberedName(h.name)
	}
	c.toolName = strings.TrimPrefix(c.toolName, b.namespace)
	if b.numbered && strings.Trim(c.toolName, "0123456789") == "" { // only a number
		c.toolName = ""
		if tools := b.sink.tools; len(tools) == 1 {
			c.toolName, c.onlyTool = slices.Collect(maps.Keys(tools))[0], true
		}
	}
	return c
}

// emitTruncatedHead emits a call that is cut off in its head.
func (b *namedBody) emitTruncatedHead(how string) {
	h := &b.head
	f := diag.New(diag.TruncatedCall, diag.Bytes(b.frame.at, b.head.at+len(h.text)), "%s inside a call", how)
	if h.name == "" {
		if marker := strings.TrimSpace(b.frame.marker); marker != "" && len(bytes.TrimSpace(h.text)) == 0 {
			f.Message = how + " after " + marker + ", before any call"
		}
		b.sink.report(f)
		return
	}
	r := newNamedReader(b.newNamedCall(""), b.sink.tools, []diag.Finding{f})
	r.call.Status = chat.StatusTruncated
	b.sink.emitCall(r)
}
