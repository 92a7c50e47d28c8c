package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Decoder decodes one body of a provider while it arrives, streamed or whole: the first byte
// that is not whitespace decides. The deltas and the response do not depend on how the bytes are
// split. The cost is linear in the bytes. Lines have no limit, only the body has.
//
// The contents of the deltas add up to that of the response. Calls are emitted one by one in
// their order, each as soon as it is complete. If that cannot be seen, as for arguments that are
// missing, {} or not JSON, a call is emitted when the next one has arguments or the message
// ends. Arguments after that are an error.
//
// A call is executable if its arguments are strictly a JSON object. Otherwise they become its
// text, and the status is [chat.StatusInvalid], or [chat.StatusTruncated] if the message did not
// end cleanly before the call did.
//
// The response's Native is the message in its server's own format, with the same calls in the
// same order. A response whose Stop is not [chat.StopEnd] may be truncated anywhere, or refused.
type Decoder struct {
	reader      Reader
	response    *Response
	emit        func(chat.Delta) // of the last Write
	max         int64
	buffered    []byte // the bytes that are still needed
	bufferStart int    // its offset in the body
	pos         int    // bytes of the body read so far

	framing      framing
	inArray      bool // the objects are elements of an array
	sse          sse
	objects      objectScanner
	lineStartPos int    // offset of the last object's part on the current line
	earlierLines []byte // its parts on earlier lines
	nonObject    []byte // data that is not an object

	messages       int
	hasKnown       bool   // one of them belongs to the protocol
	unknownExcerpt string // excerpt of the first that does not
	unknownStart   int    // its offset in the body
}

// NewDecoder returns a decoder for a body of at most maxBytes bytes.
func (p *Protocol) NewDecoder(maxBytes int64) *Decoder {
	r := &Response{protocol: p}
	return &Decoder{reader: p.NewReader(r), response: r, max: max(maxBytes, 0)}
}

// SetLimits sets the limits of the response. Decoding ends with a [TooLarge] error at the first
// exceeded limit.
func (d *Decoder) SetLimits(l Limits) {
	d.response.limits = l
	d.response.native.limit = 2 * l.Text
}

// TraceSources enables [Decoder.Sources]. Call it before Write.
func (d *Decoder) TraceSources() { d.response.sources = &Sources{} }

// Sources returns the sources of the texts read so far; nil without TraceSources.
func (d *Decoder) Sources() *Sources { return d.response.sources }

// Done reports whether the last message of the body has been read.
func (d *Decoder) Done() bool { return d.response.done && d.response.err == nil }

// MessageCount returns the number of objects or events read so far. Comments that keep a
// connection open do not count.
func (d *Decoder) MessageCount() int { return d.messages }

// HasOpenMessage reports whether an object has begun and not ended.
func (d *Decoder) HasOpenMessage() bool { return d.objects.isOpen() }

// HasOutput reports whether a part of the text, of the reasoning or of a call has been read.
func (d *Decoder) HasOutput() bool {
	r := d.response
	return r.content.Len() > 0 || r.reasoning.Len() > 0 || r.CallCount() > 0 || len(r.Calls) > 0
}

// IsJSONBody reports whether the body is JSON, and not an event stream or a page.
func (d *Decoder) IsJSONBody() bool { return d.framing == objects }

// Size returns how many bytes of the body count: up to its end or its first error.
func (d *Decoder) Size() int { return d.bufferStart + len(d.buffered) }

// Write reads the next bytes of the body and emits the deltas they complete; emit may be nil. An
// error is an [*Error] and final: everything before it counts, and nothing after it is read.
func (d *Decoder) Write(p []byte, emit func(chat.Delta)) error {
	if d.isOver() {
		return d.response.err
	}
	d.dropConsumed()
	fits := min(int64(len(p)), d.max-int64(d.Size()))
	if len(d.buffered)+int(fits) > cap(d.buffered) {
		d.buffered = slices.Grow(d.buffered, int(max(fits, d.bufferGrowth())))
	}
	d.buffered = append(d.buffered, p[:fits]...)
	d.emit, d.response.emit = emit, emit
	for d.pos < d.Size() && !d.isOver() {
		d.step(d.buffered[d.pos-d.bufferStart:])
	}
	d.response.emit = nil
	if d.isOver() {
		d.buffered = d.buffered[:d.pos-d.bufferStart]
	} else if fits < int64(len(p)) {
		d.fail(TooLarge, d.pos, fmt.Sprintf("response exceeds %d bytes", d.max))
	}
	return d.response.err
}

// bufferGrowth returns by how many bytes the buffer grows: half its size, which copies less than
// append does. A long body gets all remaining bytes; the system allocates pages on first write.
func (d *Decoder) bufferGrowth() int64 {
	const long, most = 8 << 20, 64 << 20
	if len(d.buffered) < long {
		return int64(len(d.buffered) / 2)
	}
	return max(int64(len(d.buffered)/2), min(d.max-int64(d.Size()), most))
}

// dropConsumed drops the bytes that no later step needs, if they are at least half of the buffer.
func (d *Decoder) dropConsumed() {
	from := d.pos
	switch {
	case d.framing == undecided:
		from = 0 // for the byte order mark
	case d.objects.isOpen() && d.lineStartPos == unset:
	case d.objects.isOpen() && len(d.earlierLines) > 0:
		from = d.lineStartPos // the line
	case d.objects.isOpen(), d.framing == events && !d.sse.hasLine:
		from = d.response.objectStart // the object, or a possible page
	}
	if n := from - d.bufferStart; n > 0 && n >= len(d.buffered)/2 {
		d.buffered, d.bufferStart = append(d.buffered[:0], d.buffered[n:]...), from
		if !d.objects.isOpen() {
			d.lineStartPos, d.earlierLines = unset, d.earlierLines[:0]
		}
	}
}

// isOver reports whether decoding has ended.
func (d *Decoder) isOver() bool { return d.response.done || d.response.err != nil }

func (d *Decoder) fail(kind ErrorKind, at int, message string) { d.response.fail(kind, at, message) }

// handleObject reads an object that has just ended.
func (d *Decoder) handleObject(raw []byte) {
	d.messages++
	if err := validateJSON(raw); err != nil {
		d.failSyntax(err)
		return
	}
	v := gjson.ParseBytes(raw)
	if e := d.reportedError(v); e.IsSet() {
		d.response.FailServer(v, e)
		return
	}
	known, err := d.reader.Message(v)
	switch {
	case d.response.err != nil, d.response.ExceedsNative():
	case err != nil:
		d.fail(Malformed, d.response.objectStart, Excerpt(err.Error()))
	case known:
		d.hasKnown = true
	default:
		d.handleUnknown(v)
	}
}

// reportedError returns the error that an object reports, if any. Most objects do not even
// contain the word.
func (d *Decoder) reportedError(v gjson.Result) ErrorReport {
	if !d.sse.isError() && !strings.Contains(v.Raw, "error") {
		return ErrorReport{}
	}
	e := ParseErrorMember(v.Get("error"))
	if d.sse.isError() || v.Get("type").Str == "error" || v.Get("object").Str == "error" {
		e.Message = v.Raw // the fallback
	}
	if !e.IsSet() {
		return e
	}
	if better := parseError(v); better.IsSet() {
		return better
	}
	return e
}

// handleUnknown reads an object that does not belong to the protocol. An event stream may
// contain such objects. Otherwise the first should be the response, or an error body.
func (d *Decoder) handleUnknown(v gjson.Result) {
	if e := parseError(v); d.framing == objects && !d.hasKnown && e.IsSet() {
		d.response.FailServer(v, e)
	}
	if d.unknownExcerpt == "" {
		d.unknownExcerpt, d.unknownStart = Excerpt(v.Raw), d.response.objectStart
	}
}

// Close ends the body. Calls that only this ends are emitted to the last Write's emit. The
// response contains everything read so far, even with an error, which is an [*Error].
func (d *Decoder) Close() (chat.Response, error) {
	if !d.isOver() {
		d.response.emit = d.emit
		d.finishBody()
	}
	resp := d.response.Response
	resp.Content, resp.Reasoning = d.response.content.String(), d.response.reasoning.String()
	if d.response.err != nil {
		return resp, d.response.err
	}
	if message := d.reader.Native(); message != nil {
		resp.Native = &chat.Native{API: d.response.protocol.API, Body: message}
	}
	return resp, nil
}

// finishBody handles the end of a body without a last message.
func (d *Decoder) finishBody() {
	d.endNonObject()
	switch {
	case d.isOver():
	case d.objects.isOpen():
		d.failOpenObject()
	case d.response.Stop != "":
		d.endResponse(chat.StopOther) // open calls may be truncated
	case !d.hasKnown && d.unknownExcerpt != "":
		d.fail(Malformed, d.unknownStart, "not a response: "+d.unknownExcerpt)
	case d.messages == 0:
		d.fail(Empty, d.Size(), "response is empty")
	default:
		d.failTruncated()
	}
}

// failOpenObject reports a body that ends inside an object: truncated, unless the object also
// has a syntax error.
func (d *Decoder) failOpenObject() {
	raw := d.objectBytes()
	err := validateJSON(raw)
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil || errors.Is(err, io.ErrUnexpectedEOF):
		d.failTruncated()
	case errors.As(err, &syntax) && bytes.HasSuffix(raw[:syntax.ByteOffset], []byte("\n")) && strings.Contains(err.Error(), "'{' after object value"):
		d.fail(Malformed, d.response.objectStart+int(syntax.ByteOffset)-1, "unterminated object: the next line begins another")
	default:
		d.failSyntax(err)
	}
}

// failTruncated reports that the end of the body is missing.
func (d *Decoder) failTruncated() {
	d.fail(Truncated, d.Size(), fmt.Sprintf("response was cut off after %d bytes", d.Size()))
}

// failSyntax reports a syntax error of the last object.
func (d *Decoder) failSyntax(err error) {
	at := d.response.objectStart
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at, err = at+int(syntax.ByteOffset), syntax.Err
	}
	d.fail(Malformed, at, Excerpt(err.Error()))
}

// validateJSON returns an error for invalid JSON, duplicate names and invalid UTF-8.
func validateJSON(raw []byte) error {
	if jsontext.Value(raw).IsValid() {
		return nil
	}
	var v jsontext.Value
	return json.Unmarshal(raw, &v)
}
