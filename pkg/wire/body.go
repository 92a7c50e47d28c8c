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
	format format
	max    int64
	limits Limits
	raw    []byte // the part of it that is still needed
	base   int    // where raw begins in the body
	pos    int    // how much of the body has been read
	held   int    // bytes of text and calls in the response
	kept   store  // what is kept of it in the form of its server

	framing framing
	list    bool // the objects stand in an array
	sse     sse
	frame   frame
	at      int             // where the last object begins in the body
	rest    int             // where the part of it begins that stands on this line
	before  []byte          // what stands on the lines before that
	lines   []lineStart     // of the object, behind the first
	sources *Sources        // nil if nobody asks for them
	text    []byte          // data that is no object
	others  map[string]bool // the choices beside the first, by index

	messages  int
	known     bool   // one of them is of the format
	strange   string // the beginning of the first that is not
	strangeAt int    // where that begins in the body
	done      bool
	err       error

	emit    func(chat.Delta)
	resp    chat.Response
	content strings.Builder
	reasons strings.Builder
}

// newBody returns a body of at most maxBytes bytes in a format.
func newBody(maxBytes int64, f format) body { return body{format: f, max: max(maxBytes, 0)} }

// Done reports whether the body's last message has been read.
func (b *body) Done() bool { return b.done && b.err == nil }

// Messages counts the objects, and other data of an event stream, that have
// been read.
func (b *body) Messages() int { return b.messages }

// Open reports whether an object has begun and not ended.
func (b *body) Open() bool { return b.frame.open() }

// Write reads the next bytes of the body and hands on what they complete; emit
// may be nil. An error is an [*Error] and final: what was written before it
// counts, and nothing after it is read.
func (b *body) Write(p []byte, emit func(chat.Delta)) error {
	if b.over() {
		return b.err
	}
	b.compact()
	fits := min(int64(len(p)), b.max-int64(b.Size()))
	if len(b.raw)+int(fits) > cap(b.raw) {
		b.raw = slices.Grow(b.raw, int(max(fits, b.growth())))
	}
	b.raw = append(b.raw, p[:fits]...)
	b.emit = emit
	for b.pos < b.Size() && !b.over() {
		b.step(b.raw[b.pos-b.base:])
	}
	b.emit = nil
	if b.over() {
		b.raw = b.raw[:b.pos-b.base]
	} else if fits < int64(len(p)) {
		b.fail(Large, b.pos, fmt.Sprintf("response is over %d bytes", b.max))
	}
	return b.err
}

// growth returns how many bytes of room raw gets at once: half of what it has, which is less copying than append does,
// and the rest of the body where it is long, of which the system provides only what is written.
func (b *body) growth() int64 {
	const long, most = 8 << 20, 64 << 20
	if len(b.raw) < long {
		return int64(len(b.raw) / 2)
	}
	return max(int64(len(b.raw)/2), min(b.max-int64(b.Size()), most))
}

// Size returns how many bytes of the body count: those up to its end or its first error.
func (b *body) Size() int { return b.base + len(b.raw) }

// compact drops the bytes that no later step needs, once they are at least half of what is kept.
func (b *body) compact() {
	from := b.pos
	switch {
	case b.framing == undecided:
		from = 0 // for the byte order mark
	case b.frame.open() && b.rest == unset:
	case b.frame.open() && len(b.before) > 0:
		from = b.rest // the line
	case b.frame.open(), b.framing == events && !b.sse.first:
		from = b.at // the object, or what may turn out to be a page
	}
	if n := from - b.base; n > 0 && n >= len(b.raw)/2 {
		b.raw, b.base = append(b.raw[:0], b.raw[n:]...), from
		if !b.frame.open() {
			b.rest, b.before = unset, b.before[:0]
		}
	}
}

// over reports whether nothing more is to be read.
func (b *body) over() bool { return b.done || b.err != nil }

// object reads an object that has just ended.
func (b *body) object(raw []byte) {
	b.messages++
	if err := check(raw); err != nil {
		b.garbled(err)
		return
	}
	v := gjson.ParseBytes(raw)
	if f := b.reported(v); f.said() {
		b.noteFault(v)
		b.refuse(f)
		return
	}
	known, err := b.format.message(v)
	switch {
	case b.err != nil, b.exceedsKept():
	case err != nil:
		b.fail(Garbled, b.at, Excerpt(err.Error()))
	case known:
		b.known = true
	default:
		b.stranger(v)
	}
}

// reported returns the error that an object is there to report, if it is. Most do not
// even have the word.
func (b *body) reported(v gjson.Result) fault {
	if !b.sse.isError() && !strings.Contains(v.Raw, "error") {
		return fault{}
	}
	f := errorFault(v.Get("error"))
	if b.sse.isError() || v.Get("type").Str == "error" || v.Get("object").Str == "error" {
		f.message = v.Raw // if there is nothing better
	}
	if !f.said() {
		return f
	}
	if better := faultOf(v); better.said() {
		return better
	}
	return f
}

// stranger reads an object that is none of the format's. In an event stream
// there may be such; anything else it begins with should be the response, and
// is an error body if it can be read as one.
func (b *body) stranger(v gjson.Result) {
	if f := faultOf(v); b.framing == objects && !b.known && f.said() {
		b.noteFault(v)
		b.refuse(f)
	}
	if b.strange == "" {
		b.strange, b.strangeAt = Excerpt(v.Raw), b.at
	}
}

// A texts is what a message says, in pieces: strings of JSON, or nothing.
type texts []gjson.Result

// size returns how many bytes String returns.
func (t texts) size() (n int) {
	for _, v := range t {
		n += len(v.Str)
	}
	return n
}

func (t texts) String() string {
	if len(t) == 1 {
		return t[0].Str
	}
	var all strings.Builder
	for _, v := range t {
		all.WriteString(v.Str)
	}
	return all.String()
}

// place appends the pieces of texts, before which a text has some bytes.
func (b *body) place(pieces []Piece, at int, t texts) []Piece {
	for _, v := range t {
		if v.Str != "" {
			pieces = append(pieces, b.placed(at, v)...)
			at += len(v.Str)
		}
	}
	return pieces
}

// say adds text to the response.
func (b *body) say(says, thinks texts) {
	if !b.hold(says.size() + thinks.size()) {
		return
	}
	content, reasoning := says.String(), thinks.String()
	if s := b.sources; s != nil {
		s.Content = b.place(s.Content, b.content.Len(), says)
		s.Reasoning = b.place(s.Reasoning, b.reasons.Len(), thinks)
	}
	b.content.WriteString(content)
	b.reasons.WriteString(reasoning)
	if b.emit != nil && (content != "" || reasoning != "") {
		b.emit(chat.Delta{Content: content, Reasoning: reasoning})
	}
}

// call adds a call to the response.
func (b *body) call(c chat.Call, from CallSources) {
	if size := len(c.Arguments) + len(c.Text); b.exceedsArguments(size) || !b.hold(size+len(c.ID)+len(c.Name)) {
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

// named notes who the server says it is.
func (b *body) named(model gjson.Result) {
	if model.Str != "" && !b.exceeds(len(model.Str), mostName, "the name of the model is over %d bytes") {
		b.resp.Model = strings.Clone(model.Str)
	}
}

// Close ends the body. The response holds everything that was read, also when
// there is an error, which is an [*Error].
func (b *body) Close() (chat.Response, error) {
	if !b.over() {
		b.ending()
	}
	b.resp.Content, b.resp.Reasoning = b.content.String(), b.reasons.String()
	if b.err == nil {
		b.resp.Native = b.format.native()
	}
	return b.resp, b.err
}

// ending finds out what a body means that ends without its last message.
func (b *body) ending() {
	b.endText()
	switch {
	case b.over():
	case b.frame.open():
		b.brokenOff()
	case b.format.end(false):
		b.done = true
	case !b.known && b.strange != "":
		b.fail(Garbled, b.strangeAt, "not a response: "+b.strange)
	case b.messages == 0:
		b.fail(Empty, b.Size(), "response is empty")
	default:
		b.cut()
	}
}

// brokenOff notes that the body ends inside an object: it is cut, unless there
// is more wrong with the object than that its end is missing.
func (b *body) brokenOff() {
	raw := b.opened()
	err := check(raw)
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil || errors.Is(err, io.ErrUnexpectedEOF):
		b.cut()
	case errors.As(err, &syntax) && bytes.HasSuffix(raw[:syntax.ByteOffset], []byte("\n")) && strings.Contains(err.Error(), "'{' after object value"):
		b.fail(Garbled, b.at+int(syntax.ByteOffset)-1, "the object on this line is not closed, and the next line begins another")
	default:
		b.garbled(err)
	}
}

// cut notes that the end of the body is missing.
func (b *body) cut() {
	b.fail(Cut, b.Size(), fmt.Sprintf("response was cut off after %d bytes", b.Size()))
}

// garbled notes a fault of the last object.
func (b *body) garbled(err error) {
	at := b.at
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at, err = at+int(syntax.ByteOffset), syntax.Err
	}
	b.fail(Garbled, at, Excerpt(err.Error()))
}

// refuse notes what the server reports instead of a message.
func (b *body) refuse(f fault) {
	text := f.text()
	if len(text) > mostFault {
		text = strings.ToValidUTF8(strings.Clone(text[:mostFault]), "") + "…"
	}
	b.err = &Error{Kind: Server, Message: text, Codes: f.codes, Offset: int64(b.at)}
}

// fail ends the decoding.
func (b *body) fail(kind ErrorKind, at int, message string) {
	b.err = &Error{Kind: kind, Message: message, Offset: int64(at)}
}

// check returns the fault of a text that is no JSON value, has a name twice in
// an object or is not UTF-8.
func check(raw []byte) error {
	if jsontext.Value(raw).IsValid() {
		return nil
	}
	var v jsontext.Value
	return json.Unmarshal(raw, &v)
}
