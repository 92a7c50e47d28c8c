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

// A format says what the messages of a body mean.
type format interface {
	// message reads one JSON object, which is valid, and reports whether it is
	// one of the format's. An error says why it cannot be read.
	message(v gjson.Result) (known bool, err error)
	// end is asked at the end of the body, and at a "[DONE]" in it (marked),
	// whether what has been read is a whole response.
	end(marked bool) bool
	// native returns a whole response in the form of its server, or nil.
	native() *chat.Native
}

// A body is what the decoders have in common: it collects the bytes, finds the
// JSON objects in them, checks these and leaves their meaning to a format.
type body struct {
	format       format
	max          int64
	limits       Limits
	buffered     []byte     // the part of it that is still needed
	bufferStart  int        // where raw begins in the body
	pos          int        // how much of the body has been read
	heldBytes    int        // bytes of text and calls in the response
	nativeBudget byteBudget // what is kept of it in the form of its server

	framing      framing
	inArray      bool // the objects stand in an array
	sse          sse
	objects      objectScanner
	objectStart  int             // where the last object begins in the body
	lineStartPos int             // where the part of it begins that stands on this line
	earlierLines []byte          // what stands on the lines before that
	lines        []lineStart     // of the object, behind the first
	sources      *Sources        // nil if nobody asks for them
	nonObject    []byte          // data that is no object
	otherChoices map[string]bool // the choices beside the first, by index

	messages       int
	hasKnown       bool   // one of them is of the format
	unknownExcerpt string // the beginning of the first that is not
	unknownStart   int    // where that begins in the body
	done           bool
	err            error

	emit      func(chat.Delta)
	resp      chat.Response
	content   strings.Builder
	reasoning strings.Builder
}

// newBody returns a body of at most maxBytes bytes in a format.
func newBody(maxBytes int64, f format) body { return body{format: f, max: max(maxBytes, 0)} }

// Done reports whether the body's last message has been read.
func (b *body) Done() bool { return b.done && b.err == nil }

// Messages counts the objects, and other data of an event stream, that have
// been read.
func (b *body) Messages() int { return b.messages }

// Open reports whether an object has begun and not ended.
func (b *body) Open() bool { return b.objects.isOpen() }

// Write reads the next bytes of the body and hands on what they complete; emit
// may be nil. An error is an [*Error] and final: what was written before it
// counts, and nothing after it is read.
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
		b.fail(Large, b.pos, fmt.Sprintf("response exceeds %d bytes", b.max))
	}
	return b.err
}

// growBy returns how many bytes of room raw gets at once: half of what it has, which is less copying than append does,
// and the rest of the body where it is long, of which the system provides only what is written.
func (b *body) growBy() int64 {
	const long, most = 8 << 20, 64 << 20
	if len(b.buffered) < long {
		return int64(len(b.buffered) / 2)
	}
	return max(int64(len(b.buffered)/2), min(b.max-int64(b.Size()), most))
}

// Size returns how many bytes of the body count: those up to its end or its first error.
func (b *body) Size() int { return b.bufferStart + len(b.buffered) }

// compact drops the bytes that no later step needs, once they are at least half of what is kept.
func (b *body) compact() {
	from := b.pos
	switch {
	case b.framing == undecided:
		from = 0 // for the byte order mark
	case b.objects.isOpen() && b.lineStartPos == unset:
	case b.objects.isOpen() && len(b.earlierLines) > 0:
		from = b.lineStartPos // the line
	case b.objects.isOpen(), b.framing == events && !b.sse.hasLine:
		from = b.objectStart // the object, or what may turn out to be a page
	}
	if n := from - b.bufferStart; n > 0 && n >= len(b.buffered)/2 {
		b.buffered, b.bufferStart = append(b.buffered[:0], b.buffered[n:]...), from
		if !b.objects.isOpen() {
			b.lineStartPos, b.earlierLines = unset, b.earlierLines[:0]
		}
	}
}

// isOver reports whether nothing more is to be read.
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
		b.fail(Garbled, b.objectStart, Excerpt(err.Error()))
	case known:
		b.hasKnown = true
	default:
		b.handleUnknown(v)
	}
}

// reportedError returns the error that an object is there to report, if it is. Most do not
// even have the word.
func (b *body) reportedError(v gjson.Result) serverError {
	if !b.sse.isError() && !strings.Contains(v.Raw, "error") {
		return serverError{}
	}
	f := parseErrorMember(v.Get("error"))
	if b.sse.isError() || v.Get("type").Str == "error" || v.Get("object").Str == "error" {
		f.message = v.Raw // if there is nothing better
	}
	if !f.isSet() {
		return f
	}
	if better := parseError(v); better.isSet() {
		return better
	}
	return f
}

// handleUnknown reads an object that is none of the format's. In an event stream
// there may be such; anything else it begins with should be the response, and
// is an error body if it can be read as one.
func (b *body) handleUnknown(v gjson.Result) {
	if f := parseError(v); b.framing == objects && !b.hasKnown && f.isSet() {
		b.noteErrorSource(v)
		b.failServer(f)
	}
	if b.unknownExcerpt == "" {
		b.unknownExcerpt, b.unknownStart = Excerpt(v.Raw), b.objectStart
	}
}

// A jsonTexts is what a message says, in pieces: strings of JSON, or nothing.
type jsonTexts []gjson.Result

// size returns how many bytes String returns.
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

// appendSegments appends the pieces of texts, before which a text has some bytes.
func (b *body) appendSegments(pieces []Piece, at int, t jsonTexts) []Piece {
	for _, v := range t {
		if v.Str != "" {
			pieces = append(pieces, b.segmentsOf(at, v)...)
			at += len(v.Str)
		}
	}
	return pieces
}

// addText adds text to the response.
func (b *body) addText(says, thinks jsonTexts) {
	if !b.reserve(says.size() + thinks.size()) {
		return
	}
	content, reasoning := says.String(), thinks.String()
	if s := b.sources; s != nil {
		s.Content = b.appendSegments(s.Content, b.content.Len(), says)
		s.Reasoning = b.appendSegments(s.Reasoning, b.reasoning.Len(), thinks)
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

// setModel notes who the server says it is.
func (b *body) setModel(model gjson.Result) {
	if model.Str != "" && !b.exceeds(len(model.Str), maxModelName, "the model name exceeds %d bytes") {
		b.resp.Model = strings.Clone(model.Str)
	}
}

// Close ends the body. The response holds everything that was read, also when
// there is an error, which is an [*Error].
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

// finish finds out what a body means that ends without its last message.
func (b *body) finish() {
	b.endText()
	switch {
	case b.isOver():
	case b.objects.isOpen():
		b.failOpenObject()
	case b.format.end(false):
		b.done = true
	case !b.hasKnown && b.unknownExcerpt != "":
		b.fail(Garbled, b.unknownStart, "not a response: "+b.unknownExcerpt)
	case b.messages == 0:
		b.fail(Empty, b.Size(), "response is empty")
	default:
		b.failTruncated()
	}
}

// failOpenObject notes that the body ends inside an object: it is cut, unless there
// is more wrong with the object than that its end is missing.
func (b *body) failOpenObject() {
	raw := b.objectBytes()
	err := validateJSON(raw)
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil || errors.Is(err, io.ErrUnexpectedEOF):
		b.failTruncated()
	case errors.As(err, &syntax) && bytes.HasSuffix(raw[:syntax.ByteOffset], []byte("\n")) && strings.Contains(err.Error(), "'{' after object value"):
		b.fail(Garbled, b.objectStart+int(syntax.ByteOffset)-1, "unterminated object: the next line begins another")
	default:
		b.failSyntax(err)
	}
}

// failTruncated notes that the end of the body is missing.
func (b *body) failTruncated() {
	b.fail(Cut, b.Size(), fmt.Sprintf("response was cut off after %d bytes", b.Size()))
}

// failSyntax notes a fault of the last object.
func (b *body) failSyntax(err error) {
	at := b.objectStart
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at, err = at+int(syntax.ByteOffset), syntax.Err
	}
	b.fail(Garbled, at, Excerpt(err.Error()))
}

// failServer notes what the server reports instead of a message.
func (b *body) failServer(f serverError) {
	text := f.text()
	if len(text) > maxErrorBytes {
		text = strings.ToValidUTF8(strings.Clone(text[:maxErrorBytes]), "") + "…"
	}
	b.err = &Error{Kind: Server, Message: text, Codes: f.codes, Offset: int64(b.objectStart)}
}

// fail ends the decoding.
func (b *body) fail(kind ErrorKind, at int, message string) {
	b.err = &Error{Kind: kind, Message: message, Offset: int64(at)}
}

// validateJSON returns the fault of a text that is no JSON value, has a name twice in
// an object or is not UTF-8.
func validateJSON(raw []byte) error {
	if jsontext.Value(raw).IsValid() {
		return nil
	}
	var v jsontext.Value
	return json.Unmarshal(raw, &v)
}
