package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"oneshot/pkg/diag"
)

// The argument of a call can be text, such as code. It has no end of its own and extends to the next marker.

// readTextArgument reads a text argument. It ends before a marker: a token, or a word at the start of a line. In a draft
// it ends with the reasoning as well.
func (b *namedBody) readTextArgument(p []byte) (int, frameEnd) {
	n, free, marker := b.text.readUntilMarker(p)
	b.sink.steps += n
	from := len(b.textValue)
	b.textValue = append(b.textValue, free...)
	if before, rest, ends := b.sink.cutAtReasoningEnd(b.textValue, from); ends {
		b.textValue = before
		b.emitTruncatedTextCall("the reasoning ends")
		b.sink.unread(slices.Concat(rest, []byte(b.text.pendingText()+marker)))
		return n, left
	}
	switch {
	case marker == "":
		return n, notYet
	case marker[0] != '<' && !b.isAtLineStart():
		b.textValue = append(b.textValue, marker...)
		return n, notYet
	case marker == b.partMarker:
		b.stage, b.tail = inPart, []byte(marker)
		return n, notYet
	}
	b.emitTextCall()
	b.sink.unread([]byte(marker))
	return n, left
}

// isAtLineStart reports whether the next byte begins a line.
func (b *namedBody) isAtLineStart() bool {
	before := b.textValue
	if len(before) == 0 {
		before = b.head.text
	}
	return len(before) > 0 && isNewline(before[len(before)-1])
}

// readAfterPartMarker reads after a marker that ends the text only before a tool name on a line of its own, or before text
// for the user.
func (b *namedBody) readAfterPartMarker(c byte) (int, frameEnd) {
	name := string(b.tail[len(b.partMarker):])
	switch {
	case isNameByte(c) && len(name) < maxToolName:
		b.tail = append(b.tail, c)
		return 1, notYet
	case c != '\n' || name == "":
	case b.sink.isKnownTool(name) || name == b.contentName:
		b.emitTextCall()
		b.sink.unread(append(b.tail, c))
		return 1, left
	case !b.mayEndEarly:
		b.mayEndEarly, b.mayEndAt = true, len(b.textValue)
		f := diag.New(diag.MarkerInValue, diag.Bytes(b.at-len(b.tail), b.at), "the code may end here or continue: no tool is named %s", excerpt(name))
		f.Severity = diag.Error
		b.headFindings = append(b.headFindings, f)
	}
	b.addMarkerToText()
	return 0, notYet
}

// addMarkerToText makes the marker and the text after it part of the argument.
func (b *namedBody) addMarkerToText() {
	b.textValue, b.tail = append(b.textValue, b.tail...), nil
	b.stage = inText
}

// emitTruncatedTextCall emits a call whose text argument is cut off.
func (b *namedBody) emitTruncatedTextCall(how string) {
	b.headFindings = append(b.headFindings, diag.New(diag.TruncatedCall, b.nameSpan(), "%s inside the argument of the call", how))
	b.emitTextCall()
}

// emitTextCall emits a call with a text argument. If the text may end earlier, the call has two readings.
func (b *namedBody) emitTextCall() {
	r := b.readerForText(b.textValue, b.headFindings...)
	if b.mayEndEarly {
		r.markAmbiguous(b.readerForText(b.textValue[:b.mayEndAt]).call)
	}
	b.sink.emitCall(r)
}

// readerForText returns a reader for a call with a text argument.
func (b *namedBody) readerForText(written []byte, findings ...diag.Finding) *callReader {
	text := string(written)
	value := strings.TrimRight(text, "\r\n")
	if b.textMayBeQuoted {
		value = strings.TrimSpace(value)
		_ = json.Unmarshal([]byte(value), &value) // otherwise it is not a string
	}
	return newTextArgumentReader(b.newNamedCall(text), b.sink.tools, value, findings)
}
