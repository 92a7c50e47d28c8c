package lint

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/wire"
)

// response reads a body or a text, and finds what stands behind it.
func (o Options) response(src []byte) reading {
	r := o.first(src)
	r.unread(src)
	return r
}

// first reads the first response: a body or a text, with the head of HTTP before it or
// without.
func (o Options) first(src []byte) reading {
	if o.Dialect.Name == "" {
		if head, ok := wire.HeadOf(src); ok {
			return o.headed(src, head)
		}
	}
	return o.bare(src)
}

// bare reads a body or a text.
func (o Options) bare(src []byte) reading {
	if o.Format.Name != "" {
		r := o.body(src, o.Format)
		r.why = "named by the caller"
		return r
	}
	if o.Dialect.Name == "" {
		if format, ok := wire.FormatOf(src); ok {
			return o.body(src, format)
		}
		if wire.CutStream(src) {
			return nothing(len(src), "response was cut off before its first message")
		}
	}
	return o.text(src)
}

// body reads the response of a server.
func (o Options) body(src []byte, format wire.Format) reading {
	d, resp, err := decoded(src, format)
	rest := behind(src, d.Size())
	if rest > 0 && isServer(err) {
		rest = failedAgain(src, rest, format)
	}
	if rest > 0 {
		src = src[:rest]
	}
	r := o.said(diag.Text{Bytes: src}, resp, d.Sources(), true)
	r.dialect, r.why = format.Name, "it is a response of "+format.Title
	if others := d.Sources().Others; len(others) > 0 {
		r.find(pieceFinding(wire.NewPaths(src), others[:1], diag.OtherChoices, "the response has %d choices, and only the first is read", len(others)+1))
	}
	r.ids(src, resp.Calls, d.Sources(), format)
	r.misnamed(src, resp.Calls, d.Sources())
	open := r.programs(src, d.Sources())
	if r.fault(src, err, d.Sources().Fault) || !r.ending(src, resp, open, d.Sources().Stop, format) {
		r.suspend()
	}
	r.encoding(src)
	r.rest = rest
	return r
}

// decoded returns what a decoder has read of a body.
func decoded(src []byte, format wire.Format) (wire.Decoder, chat.Response, error) {
	d := format.New(int64(len(src)))
	d.Trace()
	for part := range slices.Chunk(src, bodyPart) {
		_ = d.Write(part, nil) // Close says it again
	}
	resp, err := d.Close()
	return d, resp, err
}

// isServer reports whether an error is one that the server reports.
func isServer(err error) bool {
	var e *wire.Error
	return errors.As(err, &e) && e.Kind == wire.Server
}

// failedAgain returns where what stands behind a response begins, of which an error has been reported at an offset:
// the event with which it fails, too, is a part of it.
func failedAgain(src []byte, at int, format wire.Format) int {
	d, _, err := decoded(src[at:], format)
	if end := at + d.Size(); isServer(err) && d.Messages() == 1 && bytes.Contains(src[at:end], []byte(`"response.failed"`)) {
		return behind(src, end)
	}
	return at
}

// bodyPart is how much of a body is read at once: of what stands behind it no more is
// copied.
const bodyPart = 16 << 10

// suspend keeps all calls from being executed.
func (r *reading) suspend() {
	for i := range r.calls {
		r.calls[i].Executable = false
	}
}

// behind returns where what stands behind a response begins, that ends at a byte; 0 if
// nothing does.
func behind(src []byte, end int) int {
	at := end
	for line := range bytes.Lines(src[end:]) {
		if !isTrailer(bytes.TrimSpace(line)) {
			return at
		}
		at += len(line)
	}
	return 0
}

// unread finds what stands behind the response, if anything does: nobody knows which was
// meant.
func (r *reading) unread(src []byte) {
	if r.rest == 0 {
		return
	}
	line, _, _ := bytes.Cut(src[r.rest:], []byte("\n"))
	end := r.rest + len(bytes.TrimRight(line, "\r"))
	r.find(diag.New(diag.UnreadableBody, diag.Bytes(r.rest, end), "more stands behind the end of the response, and is not read"))
	r.suspend()
}

// isTrailer reports whether a line may stand behind a response: a blank one, the end of
// a list, and in event streams comments, fields without data and a mark of the end.
func isTrailer(line []byte) bool {
	field, value, _ := bytes.Cut(line, []byte(":"))
	switch string(field) {
	case "", "]", "event", "id", "retry":
		return true
	case "data":
		value = bytes.TrimSpace(value)
		return len(value) == 0 || string(value) == "[DONE]"
	}
	return false
}

// said reads what a server has taken apart: calls that it has read, and text, in which
// there may be more; if it has been told of tools, that is a fault. The sources say where
// in a text these stand.
func (o Options) said(src diag.Text, resp chat.Response, from *wire.Sources, told bool) reading {
	var r reading
	for i, c := range resp.Calls {
		r.native(src, c, from.Calls[i])
	}
	var text reading
	if !told || resp.Content != "" {
		text = o.text([]byte(resp.Content))
	}
	if told && len(text.calls) > 0 {
		c := text.calls[0]
		text.about(0, diag.New(diag.CallInText, diag.Bytes(c.Start, c.End), "the server has passed on as text what is a call in the dialect %s", text.dialect))
	}
	r.add(text, newLayer(src, from.Content))
	r.dialect, r.why = text.dialect, text.why
	r.content, r.reasoning = text.content, resp.Reasoning+text.reasoning
	return r
}

// native takes a call that the server has read.
func (r *reading) native(src diag.Text, c chat.Call, from wire.CallSources) {
	i := len(r.calls)
	call, faults := dialect.Native(c)
	arguments := newLayer(src, from.Arguments)
	arguments.all = inFile(src, around(from.ID, from.Name, from.Arguments))
	call.Start, call.End = arguments.all.Start, arguments.all.End
	for _, f := range faults {
		r.about(i, arguments.finding(f))
	}
	r.calls = append(r.calls, call)
	o := origin{native: true, text: cmp.Or(call.Text, string(call.Arguments)), args: call.Arguments, layers: []*layer{arguments}}
	if len(from.Name) > 0 {
		o.name, o.named = diag.Bytes(0, len(c.Name)), newLayer(src, from.Name)
	}
	r.origins = append(r.origins, o)
}

// fault reports why a body could not be read to its end, if it could not. What the server says of it may stand somewhere.
func (r *reading) fault(src []byte, err error, said []wire.Piece) bool {
	var e *wire.Error
	if !errors.As(err, &e) {
		return false
	}
	at := diag.Bytes(int(e.Offset), int(e.Offset))
	switch e.Kind {
	case wire.Cut, wire.Empty:
		r.find(diag.New(diag.CutBody, at, "%s", e.Message))
	case wire.Server:
		if len(said) == 0 { // the line then
			line, _, _ := bytes.Cut(src[at.Start:], []byte("\n"))
			said = []wire.Piece{{Start: at.Start, End: at.Start + len(bytes.TrimRight(line, blanks))}}
		}
		r.find(pieceFinding(wire.NewPaths(src), said, diag.ServerError, "%s", e.Error()))
	default:
		at.End++ // the byte that cannot be read; at the end of the text there is none
		r.find(diag.New(diag.UnreadableBody, at, "%s", e.Message))
	}
	return true
}
