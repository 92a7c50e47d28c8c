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

// A format interprets the messages of a body.
type format interface {
	// message reads one valid JSON object and reports whether it belongs to the format. An error
	// says why it cannot be read.
	message(v gjson.Result) (known bool, err error)
	// end reports whether the response is complete, at the end of the body and at a "[DONE]" in
	// it (marked).
	end(marked bool) bool
	// native returns a complete response in its server's own format, or nil.
	native() *chat.Native
}

// A body is the common part of the decoders: it buffers bytes, finds and validates the JSON
// objects, and leaves their meaning to a format.
type body struct {
	format       format
	max          int64
	limits       Limits
	buffered     []byte     // the bytes that are still needed
	bufferStart  int        // its offset in the body
	pos          int        // bytes of the body read so far
	heldBytes    int        // bytes of text and calls in the response
	nativeBudget byteBudget // size of the retained native parts

	framing      framing
	inArray      bool // the objects are elements of an array
	sse          sse
	objects      objectScanner
	objectStart  int             // offset of the last object in the body
	lineStartPos int             // offset of its part on the current line
	earlierLines []byte          // its parts on earlier lines
	lines        []lineStart     // lines of the object after the first
	sources      *Sources        // nil unless tracing
	nonObject    []byte          // data that is not an object
	otherChoices map[string]bool // indexes of the choices other than the first

	messages       int
	hasKnown       bool   // one of them belongs to the format
	unknownExcerpt string // excerpt of the first that does not
	unknownStart   int    // its offset in the body
	done           bool
	err            error

	emit      func(chat.Delta)
	resp      chat.Response
	content   strings.Builder
	reasoning strings.Builder
}

// newBody returns a body of at most maxBytes bytes.
func newBody(maxBytes int64, f format) body { return body{format: f, max: max(maxBytes, 0)} }

// Done reports whether the last message of the body has been read.
func (b *body) Done() bool { return b.done && b.err == nil }

// MessageCount returns the number of objects, and other data of an event stream, read so far.
func (b *body) MessageCount() int { return b.messages }

// HasOpenMessage reports whether an object has begun and not ended.
func (b *body) HasOpenMessage() bool { return b.objects.isOpen() }

// Write reads the next bytes of the body and emits the deltas they complete; emit may be nil. An
// error is an [*Error] and final: everything before it counts, and nothing after it is read.
func (b *body) Write(p []byte, emit func(chat.Delta)) error {
	if b.isOver() {
		return b.err
	}
	b.compact()
	fits := min(int64(len(p)), b.max-int64(b.Size()))
	if len(b.buffered)+int(fits) > cap(b.buffered) {
		b.buffered = slices.Grow(b.buffered, int(max(fits, b.growBy())))
	}
	b.buffered = append(b.buffered, p[:fits]...)
	b.emit = emit
	for b.pos < b.Size() && !b.isOver() {
		b.step(b.buffered[b.pos-b.bufferStart:])
	}
	b.emit = nil
	if b.isOver() {
		b.buffered = b.buffered[:b.pos-b.bufferStart]
	} else if fits < int64(len(p)) {
		b.fail(TooLarge, b.pos, fmt.Sprintf("response exceeds %d bytes", b.max))
	}
	return b.err
}

// growBy returns by how many bytes the buffer grows: half its size, which copies less than
// append does. A long body gets all remaining bytes; the system allocates pages on first write.
func (b *body) growBy() int64 {
	const long, most = 8 << 20, 64 << 20
	if len(b.buffered) < long {
		return int64(len(b.buffered) / 2)
	}
	return max(int64(len(b.buffered)/2), min(b.max-int64(b.Size()), most))
}

// Size returns how many bytes of the body count: up to its end or its first error.
func (b *body) Size() int { return b.bufferStart + len(b.buffered) }

// compact drops the bytes that no later step needs, if they are at least half of the buffer.
func (b *body) compact() {
	from := b.pos
	switch {
	case b.framing == undecided:
		from = 0 // for the byte order mark
	case b.objects.isOpen() && b.lineStartPos == unset:
	case b.objects.isOpen() && len(b.earlierLines) > 0:
		from = b.lineStartPos // the line
	case b.objects.isOpen(), b.framing == events && !b.sse.hasLine:
		from = b.objectStart // the object, or a possible page
	}
	if n := from - b.bufferStart; n > 0 && n >= len(b.buffered)/2 {
		b.buffered, b.bufferStart = append(b.buffered[:0], b.buffered[n:]...), from
		if !b.objects.isOpen() {
			b.lineStartPos, b.earlierLines = unset, b.earlierLines[:0]
		}
	}
}

// isOver reports whether decoding has ended.
func (b *body) isOver() bool { return b.done || b.err != nil }

// handleObject reads an object that has just ended.
func (b *body) handleObject(raw []byte) {
	b.messages++
	if err := validateJSON(raw); err != nil {
		b.failSyntax(err)
		return
	}
	v := gjson.ParseBytes(raw)
	if f := b.reportedError(v); f.isSet() {
		b.noteErrorSource(v)
		b.failServer(f)
		return
	}
	known, err := b.format.message(v)
	switch {
	case b.err != nil, b.exceedsNative():
	case err != nil:
		b.fail(Malformed, b.objectStart, Excerpt(err.Error()))
	case known:
		b.hasKnown = true
	default:
		b.handleUnknown(v)
	}
}

// reportedError returns the error that an object reports, if any. Most objects do not even
// contain the word.
func (b *body) reportedError(v gjson.Result) errorReport {
	if !b.sse.isError() && !strings.Contains(v.Raw, "error") {
		return errorReport{}
	}
	f := parseErrorMember(v.Get("error"))
	if b.sse.isError() || v.Get("type").Str == "error" || v.Get("object").Str == "error" {
		f.message = v.Raw // the fallback
	}
	if !f.isSet() {
		return f
	}
	if better := parseError(v); better.isSet() {
		return better
	}
	return f
}

// handleUnknown reads an object that does not belong to the format. An event stream may contain
// such objects. Otherwise the first should be the response, or an error body.
func (b *body) handleUnknown(v gjson.Result) {
	if f := parseError(v); b.framing == objects && !b.hasKnown && f.isSet() {
		b.noteErrorSource(v)
		b.failServer(f)
	}
	if b.unknownExcerpt == "" {
		b.unknownExcerpt, b.unknownStart = Excerpt(v.Raw), b.objectStart
	}
}

// A jsonTexts is a text in pieces: JSON strings or nothing.
type jsonTexts []gjson.Result

// size returns the length of String.
func (t jsonTexts) size() (n int) {
	for _, v := range t {
		n += len(v.Str)
	}
	return n
}

func (t jsonTexts) String() string {
	if len(t) == 1 {
		return t[0].Str
	}
	var all strings.Builder
	for _, v := range t {
		all.WriteString(v.Str)
	}
	return all.String()
}

// appendSegments appends the segments of texts that begin at an offset of the response's text.
func (b *body) appendSegments(segments []Segment, at int, t jsonTexts) []Segment {
	for _, v := range t {
		if v.Str != "" {
			segments = append(segments, b.segmentsOf(at, v)...)
			at += len(v.Str)
		}
	}
	return segments
}

// addText adds text and reasoning to the response.
func (b *body) addText(contentTexts, reasoningTexts jsonTexts) {
	if !b.reserve(contentTexts.size() + reasoningTexts.size()) {
		return
	}
	content, reasoning := contentTexts.String(), reasoningTexts.String()
	if s := b.sources; s != nil {
		s.Content = b.appendSegments(s.Content, b.content.Len(), contentTexts)
		s.Reasoning = b.appendSegments(s.Reasoning, b.reasoning.Len(), reasoningTexts)
	}
	b.content.WriteString(content)
	b.reasoning.WriteString(reasoning)
	if b.emit != nil && (content != "" || reasoning != "") {
		b.emit(chat.Delta{Content: content, Reasoning: reasoning})
	}
}

// addCall adds a call to the response.
func (b *body) addCall(c chat.Call, from CallSources) {
	if size := len(c.Arguments) + len(c.Text); b.exceedsArguments(size) || !b.reserve(size+len(c.ID)+len(c.Name)) {
		return
	}
	b.resp.Calls = append(b.resp.Calls, c)
	if b.sources != nil {
		b.sources.Calls = append(b.sources.Calls, from)
	}
	if b.emit != nil {
		b.emit(chat.Delta{Call: &c})
	}
	b.exceedsCalls(len(b.resp.Calls))
}

// setModel records the model name of the server.
func (b *body) setModel(model gjson.Result) {
	if model.Str != "" && !b.exceeds(len(model.Str), maxModelName, "the model name exceeds %d bytes") {
		b.resp.Model = strings.Clone(model.Str)
	}
}

// Close ends the body. The response contains everything read so far, even with an error, which
// is an [*Error].
func (b *body) Close() (chat.Response, error) {
	if !b.isOver() {
		b.finish()
	}
	b.resp.Content, b.resp.Reasoning = b.content.String(), b.reasoning.String()
	if b.err == nil {
		b.resp.Native = b.format.native()
	}
	return b.resp, b.err
}

// finish handles the end of a body without a last message.
func (b *body) finish() {
	b.endText()
	switch {
	case b.isOver():
	case b.objects.isOpen():
		b.failOpenObject()
	case b.format.end(false):
		b.done = true
	case !b.hasKnown && b.unknownExcerpt != "":
		b.fail(Malformed, b.unknownStart, "not a response: "+b.unknownExcerpt)
	case b.messages == 0:
		b.fail(Empty, b.Size(), "response is empty")
	default:
		b.failTruncated()
	}
}

// failOpenObject reports a body that ends inside an object: truncated, unless the object also
// has a syntax error.
func (b *body) failOpenObject() {
	raw := b.objectBytes()
	err := validateJSON(raw)
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil || errors.Is(err, io.ErrUnexpectedEOF):
		b.failTruncated()
	case errors.As(err, &syntax) && bytes.HasSuffix(raw[:syntax.ByteOffset], []byte("\n")) && strings.Contains(err.Error(), "'{' after object value"):
		b.fail(Malformed, b.objectStart+int(syntax.ByteOffset)-1, "unterminated object: the next line begins another")
	default:
		b.failSyntax(err)
	}
}

// failTruncated reports that the end of the body is missing.
func (b *body) failTruncated() {
	b.fail(Truncated, b.Size(), fmt.Sprintf("response was cut off after %d bytes", b.Size()))
}

// failSyntax reports a syntax error of the last object.
func (b *body) failSyntax(err error) {
	at := b.objectStart
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at, err = at+int(syntax.ByteOffset), syntax.Err
	}
	b.fail(Malformed, at, Excerpt(err.Error()))
}

// failServer reports the server's error.
func (b *body) failServer(f errorReport) {
	text := f.text()
	if len(text) > maxErrorBytes {
		text = strings.ToValidUTF8(strings.Clone(text[:maxErrorBytes]), "") + "…"
	}
	b.err = &Error{Kind: ServerError, Message: text, Codes: f.codes, Offset: int64(b.objectStart)}
}

// fail ends decoding with an error.
func (b *body) fail(kind ErrorKind, at int, message string) {
	b.err = &Error{Kind: kind, Message: message, Offset: int64(at)}
}

// validateJSON returns an error for invalid JSON, duplicate names and invalid UTF-8.
func validateJSON(raw []byte) error {
	if jsontext.Value(raw).IsValid() {
		return nil
	}
	var v jsontext.Value
	return json.Unmarshal(raw, &v)
}
