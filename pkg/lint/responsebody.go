package lint

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

// readResponse reads a body or a text and reports trailing data.
func (o Options) readResponse(src []byte) scanResult {
	r := o.readFirstResponse(src)
	r.rejectTrailing(src)
	return r
}

// readFirstResponse reads the first response: a body or a text, with or without an HTTP head.
func (o Options) readFirstResponse(src []byte) scanResult {
	if o.Dialect.Name == "" {
		if head, ok := wire.ParseHTTPHead(src); ok {
			return o.readWithHead(src, head)
		}
	}
	return o.readBodyOrText(src)
}

func (o Options) readBodyOrText(src []byte) scanResult {
	if o.Protocol != nil {
		r := o.readBody(src, o.Protocol)
		r.why = "named by the caller"
		return r
	}
	if o.Dialect.Name == "" {
		if p := provider.DetectProtocol(src); p != nil {
			return o.readBody(src, p)
		}
		if wire.IsTruncatedInFirstMessage(src) {
			return truncatedResult(len(src), "response was truncated before its first message")
		}
	}
	return o.readText(src)
}

// readBody reads the body of a server's response.
func (o Options) readBody(src []byte, p *wire.Protocol) scanResult {
	d, resp, err := decodeBody(src, p)
	trailing := trailingOffset(src, d.Size())
	if trailing > 0 && isServerError(err) {
		trailing = endAfterFailedEvent(src, trailing, p)
	}
	if trailing > 0 {
		src = src[:trailing]
	}
	r := o.readDecoded(diag.Text{Bytes: src}, resp, d.Sources(), true)
	r.dialect, r.why = p.Name, "response of "+p.Title
	if extra := d.Sources().OtherChoices; len(extra) > 0 {
		r.report(findingAtPiece(wire.NewPathFinder(src), extra[:1], diag.ExtraChoices, "the response has %d choices; only the first is read", len(extra)+1))
	}
	r.checkIDs(src, resp.Calls, d.Sources(), p)
	r.reportMisplacedArguments(src, resp.Calls, d.Sources())
	open := r.suppressProgrammaticCalls(src, d.Sources())
	if r.reportDecodeError(src, err, d.Sources().Error) || !r.checkFinishReason(src, resp, open, d.Sources().Stop, p) {
		r.blockCalls()
	}
	r.checkUTF8(src)
	r.trailing = trailing
	return r
}

// decodeBody decodes a body and returns its decoder for sources and size.
func decodeBody(src []byte, p *wire.Protocol) (*wire.Decoder, chat.Response, error) {
	d := p.NewDecoder(int64(len(src)))
	d.TraceSources()
	for part := range slices.Chunk(src, bodyChunkBytes) {
		if err := d.Write(part, nil); err != nil || d.Done() { // Close returns the same error
			break
		}
	}
	resp, err := d.Close()
	return d, resp, err
}

// isServerError reports whether the server itself reported the error.
func isServerError(err error) bool {
	var e *wire.Error
	return errors.As(err, &e) && e.Kind == wire.ServerError
}

// endAfterFailedEvent returns the offset of the data after a response that failed with an error event:
// an immediately following response.failed event belongs to the same response.
func endAfterFailedEvent(src []byte, at int, p *wire.Protocol) int {
	d, _, err := decodeBody(src[at:], p)
	if end := at + d.Size(); isServerError(err) && d.MessageCount() == 1 && bytes.Contains(src[at:end], []byte(`"response.failed"`)) {
		return trailingOffset(src, end)
	}
	return at
}

// bodyChunkBytes is the chunk size for feeding a body to its decoder. It bounds how much trailing
// data is copied.
const bodyChunkBytes = 16 << 10

// blockCalls makes all calls non-executable.
func (r *scanResult) blockCalls() {
	for i := range r.calls {
		r.calls[i].Executable = false
	}
}

// trailingOffset returns the offset of data after a response that ends at a byte; 0 for none.
func trailingOffset(src []byte, end int) int {
	at := end
	for line := range bytes.Lines(src[end:]) {
		if !isTrailer(bytes.TrimSpace(line)) {
			return at
		}
		at += len(line)
	}
	return 0
}

// rejectTrailing reports data after the response, if any, and blocks the calls: it is unknown which
// of the two was meant.
func (r *scanResult) rejectTrailing(src []byte) {
	if r.trailing == 0 {
		return
	}
	line, _, _ := bytes.Cut(src[r.trailing:], []byte("\n"))
	end := r.trailing + len(bytes.TrimRight(line, "\r"))
	r.report(diag.New(diag.UnreadableBody, diag.Bytes(r.trailing, end), "data after the end of the response is ignored"))
	r.blockCalls()
}

// isTrailer reports whether a line may follow a response: a blank line, the end of a list and, in
// event streams, comments, fields without data and the end marker.
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

// readDecoded reads a response that a server has decoded into native calls and text. The text may
// hold more calls, which is a fault if toolsSent is true, because the server should have parsed
// them.
func (o Options) readDecoded(src diag.Text, resp chat.Response, from *wire.Sources, toolsSent bool) scanResult {
	var r scanResult
	for i, c := range resp.Calls {
		r.addNative(src, c, from.Calls[i])
	}
	var text scanResult
	if !toolsSent || resp.Content != "" {
		text = o.readText([]byte(resp.Content))
	}
	if toolsSent && len(text.calls) > 0 {
		c := text.calls[0]
		text.reportCall(0, diag.New(diag.CallInText, diag.Bytes(c.Start, c.End), "the server returned a call in the dialect %s as text", text.dialect))
	}
	r.merge(text, newLayer(src, from.Content))
	r.dialect, r.why = text.dialect, text.why
	r.content, r.reasoning = text.content, resp.Reasoning+text.reasoning
	return r
}

// addNative adds a native call.
func (r *scanResult) addNative(src diag.Text, c chat.Call, from wire.CallSources) {
	i := len(r.calls)
	call, faults := dialect.Native(c)
	arguments := newLayer(src, from.Arguments)
	arguments.bounds = fileSpan(src, pieceBounds(from.ID, from.Name, from.Arguments))
	call.Start, call.End = arguments.bounds.Start, arguments.bounds.End
	for _, f := range faults {
		r.reportCall(i, arguments.findingWithOuterSpans(f))
	}
	r.calls = append(r.calls, call)
	o := origin{native: true, text: cmp.Or(call.Text, string(call.Arguments)), args: call.Arguments, layers: []*layer{arguments}}
	if len(from.Name) > 0 {
		o.nameSpan, o.nameLayer = diag.Bytes(0, len(c.Name)), newLayer(src, from.Name)
	}
	r.origins = append(r.origins, o)
}

// reportDecodeError reports why a body could not be decoded, and whether there was an error. The
// pieces are where the body holds the server's own error message, if it does.
func (r *scanResult) reportDecodeError(src []byte, err error, errorPieces []wire.Segment) bool {
	var e *wire.Error
	if !errors.As(err, &e) {
		return false
	}
	at := diag.Bytes(int(e.Offset), int(e.Offset))
	switch e.Kind {
	case wire.Truncated, wire.Empty:
		r.report(diag.New(diag.TruncatedBody, at, "%s", e.Message))
	case wire.ServerError:
		if len(errorPieces) == 0 { // fall back to the line
			line, _, _ := bytes.Cut(src[at.Start:], []byte("\n"))
			errorPieces = []wire.Segment{{Start: at.Start, End: at.Start + len(bytes.TrimRight(line, blanks))}}
		}
		r.report(findingAtPiece(wire.NewPathFinder(src), errorPieces, diag.ServerError, "%s", e.Error()))
	default:
		at.End++ // the offending byte; past the end at the end of the text
		r.report(diag.New(diag.UnreadableBody, at, "%s", e.Message))
	}
	return true
}
