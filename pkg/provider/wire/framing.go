package wire

import "bytes"

// A framing is the way a body contains its objects.
type framing int

const (
	undecided framing = iota // only whitespace so far
	objects                  // one after another, or just one
	events                   // in the data of an event stream
	page                     // nowhere: this is text for humans
)

const (
	bom       = "\ufeff" // ignored like whitespace
	endMark   = "[DONE]" // data of the last event of some streams
	pageBytes = 4 << 10  // the part of a page that is read
)

// step reads some of p, which is not empty.
func (b *body) step(p []byte) {
	switch b.framing {
	case undecided:
		b.sniff(p[0])
	case objects:
		b.readObjects(p)
	case events:
		b.readEvents(p)
	case page:
		n := min(len(p), b.objectStart+pageBytes-b.pos)
		b.nonObject, b.pos = append(b.nonObject, p[:n]...), b.pos+n
		if len(b.nonObject) == pageBytes {
			b.endText()
		}
	}
}

// sniff decides the framing by the first byte that is not whitespace.
func (b *body) sniff(c byte) {
	switch {
	case isSpace(c), b.pos < len(bom) && string(b.buffered[:b.pos+1]) == bom[:b.pos+1]:
		b.pos++
	case c == '[':
		b.framing, b.inArray = objects, true
		b.pos++
	case c == '{':
		b.framing = objects
	default:
		b.framing, b.objectStart = events, b.pos
	}
}

// readObjects reads consecutive objects.
func (b *body) readObjects(p []byte) {
	if !b.objects.isOpen() && (isSpace(p[0]) || b.inArray && (p[0] == ',' || p[0] == ']')) {
		b.pos++
		return
	}
	b.readObject(p)
}

// readEvents reads a token of an event stream.
func (b *body) readEvents(p []byte) {
	n, token := b.sse.next(p)
	switch token {
	case sseDataChunk:
		b.readData(p[:n])
		return
	case sseDataEnd:
		b.endLine()
	case sseEventEnd:
		b.endEvent()
	case sseNotStream:
		b.framing, n = page, 0
		b.nonObject = append(b.nonObject, b.buffered[b.objectStart-b.bufferStart:b.pos-b.bufferStart]...)
	}
	b.pos += n
}

// readData reads data up to the end of an object.
func (b *body) readData(p []byte) {
	switch {
	case b.objects.isOpen(), len(b.nonObject) == 0 && p[0] == '{':
		b.readObject(p)
		return
	case len(b.nonObject) == 0 && isSpace(p[0]):
		p = p[:1]
	case len(b.nonObject) == 0:
		b.objectStart = b.pos
		fallthrough
	default:
		p = p[:min(len(p), maxErrorBytes+1-len(b.nonObject))]
		b.nonObject = append(b.nonObject, p...)
	}
	if b.pos += len(p); len(b.nonObject) > maxErrorBytes {
		b.endText()
	}
}

// endLine ends a line of data. An object may continue on the next one.
func (b *body) endLine() {
	switch {
	case b.objects.quoted:
		b.fail(Malformed, b.pos, errLineBreak.Error())
	case b.objects.isOpen():
		b.earlierLines = append(append(b.earlierLines, b.lineBytes()...), '\n')
		b.lineStartPos = unset
	case len(b.nonObject) <= 2*len(endMark) && string(bytes.TrimSpace(b.nonObject)) == endMark:
		b.endText()
	case len(b.nonObject) > 0:
		b.nonObject = append(b.nonObject, '\n')
	}
}

func (b *body) endEvent() {
	if b.objects.isOpen() {
		b.fail(Malformed, b.pos, "an event ends inside a JSON object")
		return
	}
	b.endText()
	b.sse.endEvent()
}

// endText ends data that is not an object: the end marker of a stream, or an error.
func (b *body) endText() {
	text := bytes.TrimSpace(b.nonObject)
	b.nonObject = b.nonObject[:0]
	if len(text) == 0 {
		return
	}
	if b.framing == events {
		b.messages++
	}
	f := parseErrorBody(text)
	switch {
	case string(text) == endMark:
		b.done = b.format.end(true)
	case b.sse.isError():
		b.failServer(errorReport{ErrorText(text), f.codes})
	case f.isSet():
		b.failServer(f)
	default:
		b.fail(Malformed, b.objectStart, "not JSON: "+Excerpt(ErrorText(text)))
	}
}

// readObject reads p up to the end of the current or a new object.
func (b *body) readObject(p []byte) {
	if !b.objects.isOpen() {
		b.objectStart, b.lineStartPos, b.earlierLines, b.lines, b.objects.separators = b.pos, b.pos, b.earlierLines[:0], b.lines[:0], 0
	}
	if b.lineStartPos == unset {
		b.lineStartPos = b.pos
		if b.sources != nil {
			b.lines = append(b.lines, lineStart{len(b.earlierLines), b.pos})
		}
	}
	n, end, err := b.objects.scan(p)
	b.pos += n
	switch {
	case err != nil:
		b.fail(Malformed, b.pos, err.Error())
	case b.nativeBudget.limit > 0 && b.exceeds(b.objects.separators, maxValues, "a message of the reply has more than %d values"):
	case end:
		b.handleObject(b.objectBytes())
	}
}

// objectBytes returns the bytes of the last object.
func (b *body) objectBytes() []byte {
	if len(b.earlierLines) == 0 {
		return b.lineBytes()
	}
	return append(b.earlierLines, b.lineBytes()...)
}

// lineBytes returns the part of the last object on the current line.
func (b *body) lineBytes() []byte {
	if b.lineStartPos == unset {
		return nil
	}
	return b.buffered[b.lineStartPos-b.bufferStart : b.pos-b.bufferStart]
}

// unset marks that no part of the object is on the current line.
const unset = -1
