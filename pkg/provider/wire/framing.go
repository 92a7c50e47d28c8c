package wire

import (
	"bytes"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

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
func (d *Decoder) step(p []byte) {
	switch d.framing {
	case undecided:
		d.sniffFraming(p[0])
	case objects:
		d.readObjects(p)
	case events:
		d.readEvents(p)
	case page:
		n := min(len(p), d.response.objectStart+pageBytes-d.pos)
		d.nonObject, d.pos = append(d.nonObject, p[:n]...), d.pos+n
		if len(d.nonObject) == pageBytes {
			d.endNonObject()
		}
	}
}

// sniffFraming decides the framing by the first byte that is not whitespace.
func (d *Decoder) sniffFraming(c byte) {
	switch {
	case isSpace(c), d.pos < len(bom) && string(d.buffered[:d.pos+1]) == bom[:d.pos+1]:
		d.pos++
	case c == '[':
		d.framing, d.inArray = objects, true
		d.pos++
	case c == '{':
		d.framing = objects
	default:
		d.framing, d.response.objectStart = events, d.pos
	}
}

// readObjects reads consecutive objects.
func (d *Decoder) readObjects(p []byte) {
	if !d.objects.isOpen() && (isSpace(p[0]) || d.inArray && (p[0] == ',' || p[0] == ']')) {
		d.pos++
		return
	}
	d.readObject(p)
}

// readEvents reads a token of an event stream.
func (d *Decoder) readEvents(p []byte) {
	n, token := d.sse.next(p)
	switch token {
	case sseDataChunk:
		d.readData(p[:n])
		return
	case sseDataEnd:
		d.endDataLine()
	case sseEventEnd:
		d.endEvent()
	case sseNotStream:
		d.framing, n = page, 0
		d.nonObject = append(d.nonObject, d.buffered[d.response.objectStart-d.bufferStart:d.pos-d.bufferStart]...)
	}
	d.pos += n
}

// readData reads data up to the end of an object.
func (d *Decoder) readData(p []byte) {
	switch {
	case d.objects.isOpen(), len(d.nonObject) == 0 && p[0] == '{':
		d.readObject(p)
		return
	case len(d.nonObject) == 0 && isSpace(p[0]):
		p = p[:1]
	case len(d.nonObject) == 0:
		d.response.objectStart = d.pos
		fallthrough
	default:
		p = p[:min(len(p), maxErrorBytes+1-len(d.nonObject))]
		d.nonObject = append(d.nonObject, p...)
	}
	if d.pos += len(p); len(d.nonObject) > maxErrorBytes {
		d.endNonObject()
	}
}

// endDataLine ends a line of data. An object may continue on the next one.
func (d *Decoder) endDataLine() {
	switch {
	case d.objects.quoted:
		d.fail(Malformed, d.pos, errLineBreak.Error())
	case d.objects.isOpen():
		d.earlierLines = append(append(d.earlierLines, d.lineBytes()...), '\n')
		d.lineStartPos = unset
	case len(d.nonObject) <= 2*len(endMark) && string(bytes.TrimSpace(d.nonObject)) == endMark:
		d.endNonObject()
	case len(d.nonObject) > 0:
		d.nonObject = append(d.nonObject, '\n')
	}
}

func (d *Decoder) endEvent() {
	if d.objects.isOpen() {
		d.fail(Malformed, d.pos, "an event ends inside a JSON object")
		return
	}
	d.endNonObject()
	d.sse.endEvent()
}

// endNonObject ends data that is not an object: the end marker of a stream, or an error.
func (d *Decoder) endNonObject() {
	text := bytes.TrimSpace(d.nonObject)
	d.nonObject = d.nonObject[:0]
	if len(text) == 0 {
		return
	}
	if d.framing == events {
		d.messages++
	}
	f := parseErrorBody(text)
	switch {
	case string(text) == endMark:
		d.handleEndMark()
	case d.sse.isError():
		d.response.FailServer(gjson.Result{}, ErrorReport{ErrorText(text), f.Codes})
	case f.IsSet():
		d.response.FailServer(gjson.Result{}, f)
	default:
		d.fail(Malformed, d.response.objectStart, "not JSON: "+Excerpt(ErrorText(text)))
	}
}

// handleEndMark reads the end marker of a stream. The body continues unless the response is complete.
func (d *Decoder) handleEndMark() {
	if d.response.Stop == "" {
		d.response.Stop = d.response.StopAtMark
	}
	if d.response.Stop != "" {
		d.endResponse(d.response.Stop)
	}
}

// endResponse ends the response with the calls that came after its stop reason.
func (d *Decoder) endResponse(stop chat.Stop) {
	d.response.done = true
	d.response.EmitAllCalls(stop)
}

// readObject reads p up to the end of the current or a new object.
func (d *Decoder) readObject(p []byte) {
	if !d.objects.isOpen() {
		d.response.objectStart, d.lineStartPos, d.earlierLines, d.response.lines, d.objects.separators = d.pos, d.pos, d.earlierLines[:0], d.response.lines[:0], 0
	}
	if d.lineStartPos == unset {
		d.lineStartPos = d.pos
		if d.response.sources != nil {
			d.response.lines = append(d.response.lines, lineStart{len(d.earlierLines), d.pos})
		}
	}
	n, end, err := d.objects.scan(p)
	d.pos += n
	switch {
	case err != nil:
		d.fail(Malformed, d.pos, err.Error())
	case d.response.native.limit > 0 && d.response.exceeds(d.objects.separators, maxValues, "a message of the reply has more than %d values"):
	case end:
		d.handleObject(d.objectBytes())
	}
}

// objectBytes returns the bytes of the last object.
func (d *Decoder) objectBytes() []byte {
	if len(d.earlierLines) == 0 {
		return d.lineBytes()
	}
	return append(d.earlierLines, d.lineBytes()...)
}

// lineBytes returns the part of the last object on the current line.
func (d *Decoder) lineBytes() []byte {
	if d.lineStartPos == unset {
		return nil
	}
	return d.buffered[d.lineStartPos-d.bufferStart : d.pos-d.bufferStart]
}

// unset marks that no part of the object is on the current line.
const unset = -1
