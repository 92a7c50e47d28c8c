package wire

import "bytes"

// A framing says where the objects of a body are.
type framing int

const (
	undecided framing = iota // nothing but blanks has been read
	objects                  // one after the other, or just one
	events                   // in the data of an event stream
	page                     // nowhere: this is a text for people
)

const (
	bom       = "\ufeff" // a byte order mark is as good as a blank
	endMark   = "[DONE]" // the data of the last event of some streams
	pageBytes = 4 << 10  // how much of a page is read
)

// step reads some of p, which is not empty.
func (b *body) step(p []byte) {
	switch b.framing {
	case undecided:
		b.sniff(p[0])
	case objects:
		b.values(p)
	case events:
		b.stream(p)
	case page:
		n := min(len(p), b.at+pageBytes-b.pos)
		b.text, b.pos = append(b.text, p[:n]...), b.pos+n
		if len(b.text) == pageBytes {
			b.endText()
		}
	}
}

// sniff lets the first byte that is not blank decide over the framing.
func (b *body) sniff(c byte) {
	switch {
	case space(c), b.pos < len(bom) && string(b.raw[:b.pos+1]) == bom[:b.pos+1]:
		b.pos++
	case c == '[':
		b.framing, b.list = objects, true
		b.pos++
	case c == '{':
		b.framing = objects
	default:
		b.framing, b.at = events, b.pos
	}
}

// values reads objects that stand one after the other.
func (b *body) values(p []byte) {
	if !b.frame.open() && (space(p[0]) || b.list && (p[0] == ',' || p[0] == ']')) {
		b.pos++
		return
	}
	b.read(p)
}

// stream reads a piece of an event stream.
func (b *body) stream(p []byte) {
	n, token := b.sse.next(p)
	switch token {
	case sseData:
		b.data(p[:n])
		return
	case sseLine:
		b.endLine()
	case sseEvent:
		b.endEvent()
	case ssePage:
		b.framing, n = page, 0
		b.text = append(b.text, b.raw[b.at-b.base:b.pos-b.base]...)
	}
	b.pos += n
}

// data reads a piece of data, up to the end of an object.
func (b *body) data(p []byte) {
	switch {
	case b.frame.open(), len(b.text) == 0 && p[0] == '{':
		b.read(p)
		return
	case len(b.text) == 0 && space(p[0]):
		p = p[:1]
	case len(b.text) == 0:
		b.at = b.pos
		fallthrough
	default:
		p = p[:min(len(p), mostFault+1-len(b.text))]
		b.text = append(b.text, p...)
	}
	if b.pos += len(p); len(b.text) > mostFault {
		b.endText()
	}
}

// endLine ends a line of data. An object may go on in the next one.
func (b *body) endLine() {
	switch {
	case b.frame.quoted:
		b.fail(Garbled, b.pos, errLineBreak.Error())
	case b.frame.open():
		b.before = append(append(b.before, b.onLine()...), '\n')
		b.rest = unset
	case len(b.text) <= 2*len(endMark) && string(bytes.TrimSpace(b.text)) == endMark:
		b.endText()
	case len(b.text) > 0:
		b.text = append(b.text, '\n')
	}
}

// endEvent ends an event.
func (b *body) endEvent() {
	if b.frame.open() {
		b.fail(Garbled, b.pos, "an event ends inside a JSON object")
		return
	}
	b.endText()
	b.sse.endEvent()
}

// endText ends data that is no object: the word for the end of a stream, or an
// error in some form.
func (b *body) endText() {
	text := bytes.TrimSpace(b.text)
	b.text = b.text[:0]
	if len(text) == 0 {
		return
	}
	if b.framing == events {
		b.messages++
	}
	f := readFault(text)
	switch {
	case string(text) == endMark:
		b.done = b.format.end(true)
	case b.sse.isError():
		b.refuse(fault{ErrorText(text), f.codes})
	case f.said():
		b.refuse(f)
	default:
		b.fail(Garbled, b.at, "not JSON: "+Excerpt(ErrorText(text)))
	}
}

// read reads p, which begins an object or goes on with it, up to its end.
func (b *body) read(p []byte) {
	if !b.frame.open() {
		b.at, b.rest, b.before, b.lines, b.frame.commas = b.pos, b.pos, b.before[:0], b.lines[:0], 0
	}
	if b.rest == unset {
		b.rest = b.pos
		if b.sources != nil {
			b.lines = append(b.lines, lineStart{len(b.before), b.pos})
		}
	}
	n, end, err := b.frame.next(p)
	b.pos += n
	switch {
	case err != nil:
		b.fail(Garbled, b.pos, err.Error())
	case b.kept.most > 0 && b.exceeds(b.frame.commas, mostValues, "a message of the reply has more than %d values"):
	case end:
		b.object(b.opened())
	}
}

// opened returns what has been read of the last object.
func (b *body) opened() []byte {
	if len(b.before) == 0 {
		return b.onLine()
	}
	return append(b.before, b.onLine()...)
}

// onLine returns the part of the last object that stands on this line.
func (b *body) onLine() []byte {
	if b.rest == unset {
		return nil
	}
	return b.raw[b.rest-b.base : b.pos-b.base]
}

// unset says that no part of the object stands on this line yet.
const unset = -1
