package dialect

import (
	"strings"

	"oneshot/pkg/chat"
)

// namedJSON is the grammar of one call: a name with JSON after it.
func namedJSON(n nameSyntax) grammar {
	heads, ends := newMarkerList(n.headDelimiters), newMarkerList(n.endMarkers)
	return grammar{
		newBody: func(s *sink, f *frame) body {
			b := pooledValue[namedBody](s.bodyPool) // reused, because each call has a frame of its own
			h := head{markerReader: b.head.markerReader.withMarkers(heads()), at: f.bodyAt, text: b.head.text[:0]}
			*b = namedBody{nameSyntax: &n, sink: s, frame: f, at: f.bodyAt, terminators: ends, head: h, tail: b.tail[:0]}
			return b
		},
		render: n.render,
	}
}

func (b *namedBody) write(p []byte) (int, frameEnd) {
	for n := 0; n < len(p); {
		k, end := b.step(p[n:])
		n += k
		b.at += k
		if back := len(b.sink.pushback); back > 0 || end != notYet {
			b.at -= back
			return n, end
		}
	}
	return len(p), notYet
}

func (b *namedBody) step(p []byte) (int, frameEnd) {
	switch b.stage {
	case inHead:
		return b.readHead(p)
	case betweenNameAndArguments:
		return b.readBeforeArguments(p[0])
	case inArguments, inSecond:
		n, done := b.args.write(b.sink, p)
		if done {
			return n, b.endArguments()
		}
		return n, notYet
	case inText:
		return b.readTextArgument(p)
	case inPart:
		return b.readAfterPartMarker(p[0])
	}
	return b.readAfterArguments(p[0])
}

func (b *namedBody) close() {
	switch b.stage {
	case inHead:
		b.head.text = append(b.head.text, b.head.pendingText()...)
		b.emitTruncatedHead("the text ends")
	case betweenNameAndArguments, inArguments:
		if b.stage == betweenNameAndArguments {
			b.beginArguments(b.at)
		}
		b.args.close()
		b.emitCall()
	case inSecond:
		b.args.close()
		b.endSecondValue()
	case inText, inPart: // only a marker ends these
		b.addMarkerToText()
		b.textValue = append(b.textValue, b.text.pendingText()...)
		b.emitTruncatedTextCall("the text ends")
	default:
		b.reportUnclosed("the end of the text")
	}
}

// render writes a call.
func (n *nameSyntax) render(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	b = append(b, d.framing.affixes[0]...)
	switch {
	case n.numbered:
		b = append(b, callIDWithName(n.namespace, c)...)
	case n.beforeName != "":
		b = append(append(append(b, c.ID...), n.beforeName...), c.Name...)
	default:
		b = append(b, c.Name...)
	}
	b = append(append(b, n.separator...), argumentsObject(c)...)
	return append(b, d.framing.affixes[1]...), isBareName(c.Name)
}

// callIDWithName returns the ID of a call if it contains the name, else a new one.
func callIDWithName(space string, c chat.Call) string {
	if rest, id := splitNumberedName(c.ID); id != "" && strings.TrimPrefix(rest, space) == c.Name {
		return id
	}
	return space + c.Name + ":0"
}
