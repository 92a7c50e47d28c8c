package wire

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Reader reads the messages of a protocol into a [Response].
type Reader interface {
	// Message reads one valid JSON object and reports whether it belongs to the protocol. An error
	// has the reason why it cannot be read.
	Message(v gjson.Result) (known bool, err error)
	// Native returns the message of a complete response in its server's own format; nil if the
	// text is enough or there is no client that could send it back.
	Native() []byte
}

// A Response is the response of a body while a [Reader] reads it. It is complete when the body ends
// after a stop reason, or at the message for which the reader calls [Response.End].
type Response struct {
	chat.Response           // Stop and Usage are set by the reader, the rest by methods
	StopAtMark    chat.Stop // the stop of a response that "[DONE]" ends without a reason; "" if it is truncated
	EagerCalls    bool      // calls end with their arguments, without an end event

	protocol  *Protocol
	limits    Limits
	native    byteBudget // size of the retained native parts
	heldBytes int        // bytes of text and calls
	calls     callQueue
	content   strings.Builder
	reasoning strings.Builder
	emit      func(chat.Delta)
	done      bool
	err       error

	objectStart  int             // offset of the last object in the body
	lines        []lineStart     // lines of the object after the first
	sources      *Sources        // nil unless tracing
	otherChoices map[string]bool // indexes of the choices other than the first
}

// End ends the response: nothing after the current message is read.
func (r *Response) End() { r.done = true }

// Failed reports whether decoding has ended with an error.
func (r *Response) Failed() bool { return r.err != nil }

// fail ends decoding with an error.
func (r *Response) fail(kind ErrorKind, at int, message string) {
	r.err = &Error{Kind: kind, Message: message, Offset: int64(at)}
}

// FailServer ends decoding with an error of the server, which a value of the current message
// reports.
func (r *Response) FailServer(in gjson.Result, e ErrorReport) {
	r.noteErrorSegment(in)
	text := e.text()
	if len(text) > maxErrorBytes {
		text = strings.ToValidUTF8(strings.Clone(text[:maxErrorBytes]), "") + "…"
	}
	r.err = &Error{Kind: ServerError, Message: text, Codes: e.Codes, Offset: int64(r.objectStart)}
}

// Texts are a text in pieces: JSON strings or nothing.
type Texts []gjson.Result

// Size returns the length of String.
func (t Texts) Size() (n int) {
	for _, v := range t {
		n += len(v.Str)
	}
	return n
}

func (t Texts) String() string {
	if len(t) == 1 {
		return t[0].Str
	}
	var all strings.Builder
	for _, v := range t {
		all.WriteString(v.Str)
	}
	return all.String()
}

// TextsOf returns the text of a string or of a list of parts.
func (r *Response) TextsOf(v gjson.Result) Texts {
	if !v.IsArray() {
		return Texts{v}
	}
	var all Texts
	for _, part := range r.Items(v) {
		all = append(all, part.Get("text"), part.Get("summary"))
	}
	return all
}

// AddText adds text and reasoning to the response.
func (r *Response) AddText(contentTexts, reasoningTexts Texts) {
	if !r.reserve(contentTexts.Size() + reasoningTexts.Size()) {
		return
	}
	content, reasoning := contentTexts.String(), reasoningTexts.String()
	if s := r.sources; s != nil {
		s.Content = r.appendSegments(s.Content, r.content.Len(), contentTexts)
		s.Reasoning = r.appendSegments(s.Reasoning, r.reasoning.Len(), reasoningTexts)
	}
	r.content.WriteString(content)
	r.reasoning.WriteString(reasoning)
	if r.emit != nil && (content != "" || reasoning != "") {
		r.emit(chat.Delta{Content: content, Reasoning: reasoning})
	}
}

// AddCall adds a call to the response.
func (r *Response) AddCall(c chat.Call, from CallSources) {
	if size := len(c.Arguments) + len(c.Text); r.ExceedsArguments(size) || !r.reserve(size+len(c.ID)+len(c.Name)) {
		return
	}
	r.Calls = append(r.Calls, c)
	if r.sources != nil {
		r.sources.Calls = append(r.sources.Calls, from)
	}
	if r.emit != nil {
		r.emit(chat.Delta{Call: &c})
	}
	r.exceedsCalls(len(r.Calls))
}

// SetModel records the model name of the server.
func (r *Response) SetModel(model gjson.Result) {
	if model.Str != "" && !r.exceeds(len(model.Str), maxModelName, "the model name exceeds %d bytes") {
		r.Model = strings.Clone(model.Str)
	}
}

// SetStop records the stop reason of the server.
func (r *Response) SetStop(reason gjson.Result) {
	r.Stop = r.protocol.StopReason(reason.Str).Stop
	if r.sources != nil {
		r.sources.Stop = r.SegmentsOf(0, reason)
	}
}

// exceeds ends decoding and returns true if a limit is exceeded. The format is the error
// message.
func (r *Response) exceeds(n, limit int, format string) bool {
	if limit == 0 || n <= limit {
		return false
	}
	if r.err == nil {
		r.fail(TooLarge, r.objectStart, fmt.Sprintf(format, limit))
	}
	return true
}
