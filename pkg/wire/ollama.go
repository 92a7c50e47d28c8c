package wire

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
)

// An Ollama decodes one body of Ollama's /api/chat, streamed or whole: JSON
// objects one after the other, of which the last says "done":true. However the
// bytes are cut into pieces, the deltas and the response are the same. The cost
// is linear in the bytes; there is no limit to a line, only to the body.
//
// The body ends with its last object. What a server sends after it is not read.
type Ollama struct {
	max     int64
	frame   frame
	raw     []byte // the body so far
	start   int    // where the object that is being read starts in raw
	done    bool
	err     error // the first error; nothing is read after it
	resp    chat.Response
	content strings.Builder
	reasons strings.Builder
}

// NewOllama returns a decoder for a body of at most maxBytes bytes.
func NewOllama(maxBytes int64) *Ollama { return &Ollama{max: max(maxBytes, 0)} }

// Done reports whether the body's last object has been read.
func (d *Ollama) Done() bool { return d.done }

// Write reads the next bytes of the body and hands on every piece of text that
// they complete; emit may be nil. An error is an [*Error] and final: what was
// written before it counts, and nothing after it is read.
func (d *Ollama) Write(p []byte, emit func(chat.Delta)) error {
	for len(p) > 0 && d.err == nil && !d.done {
		n, end, err := d.frame.next(p[:min(int64(len(p)), d.max-int64(len(d.raw)))])
		d.raw = append(d.raw, p[:n]...)
		p = p[n:]
		switch {
		case err != nil:
			d.fail(Garbled, d.offset(), err.Error())
		case end:
			d.object(emit)
		case len(p) > 0:
			d.fail(Large, d.offset(), fmt.Sprintf("response is over %d bytes", d.max))
		}
	}
	return d.err
}

// Close ends the body. The response holds everything that was read, also when
// there is an error, which is an [*Error].
func (d *Ollama) Close() (chat.Response, error) {
	if d.err == nil && !d.done {
		d.unfinished()
	}
	d.resp.Content, d.resp.Reasoning = d.content.String(), d.reasons.String()
	d.resp.Raw = d.raw
	return d.resp, d.err
}

// unfinished finds out what is wrong with a body that has no last object.
func (d *Ollama) unfinished() {
	switch fault := d.brokenOff(); {
	case fault != nil:
		d.garbled(fault)
	case d.start == 0 && !d.frame.open():
		d.fail(Empty, d.offset(), "response is empty")
	default:
		d.fail(Cut, d.offset(), fmt.Sprintf("response was cut off after %d bytes", len(d.raw)))
	}
}

// brokenOff returns the fault of the object that the body ends in, or nil if
// only its end is missing.
func (d *Ollama) brokenOff() error {
	if !d.frame.open() {
		return nil
	}
	var rest jsontext.Value
	err := json.Unmarshal(d.raw[d.start:], &rest)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// A chatObject is one object of a body. Members that are not named here are
// not of interest.
type chatObject struct {
	Model   string `json:"model"`
	Message struct {
		Content   string       `json:"content"`
		Thinking  string       `json:"thinking"`
		ToolCalls []nativeCall `json:"tool_calls"`
	} `json:"message"`
	Done            bool           `json:"done"`
	DoneReason      string         `json:"done_reason"`
	PromptEvalCount int            `json:"prompt_eval_count"`
	EvalCount       int            `json:"eval_count"`
	Error           jsontext.Value `json:"error"`
}

// A nativeCall is a call that the server has read.
type nativeCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	} `json:"function"`
}

// object decodes the object that has just ended.
func (d *Ollama) object(emit func(chat.Delta)) {
	var o chatObject
	if err := json.Unmarshal(d.raw[d.start:], &o); err != nil {
		d.garbled(err)
		return
	}
	if text := errorMember(o.Error); text != "" {
		d.fail(Server, int64(d.start), text)
		return
	}
	d.start = len(d.raw)
	d.add(&o)
	m := &o.Message
	if emit != nil && (m.Content != "" || m.Thinking != "") {
		emit(chat.Delta{Content: m.Content, Reasoning: m.Thinking})
	}
}

// add adds an object to the response.
func (d *Ollama) add(o *chatObject) {
	d.content.WriteString(o.Message.Content)
	d.reasons.WriteString(o.Message.Thinking)
	for _, c := range o.Message.ToolCalls {
		d.resp.Calls = append(d.resp.Calls, c.call())
	}
	if o.Model != "" {
		d.resp.Model = o.Model
	}
	if o.Done {
		d.done = true
		d.resp.Stop = ollamaStop(o.DoneReason)
		d.resp.Usage = chat.Usage{InputTokens: o.PromptEvalCount, OutputTokens: o.EvalCount}
	}
}

// call returns a native call as a call. Ollama sends the arguments as an
// object; anything else is kept as text.
func (c nativeCall) call() chat.Call {
	args := c.Function.Arguments
	if args.Kind() != jsontext.KindBeginObject {
		return chat.Call{ID: c.ID, Name: c.Function.Name, Text: string(args), Status: chat.StatusInvalid}
	}
	return chat.Call{ID: c.ID, Name: c.Function.Name, Arguments: []byte(args), Status: chat.StatusOK, Executable: true}
}

// ollamaStop translates a "done_reason".
func ollamaStop(reason string) chat.Stop {
	switch reason {
	case "stop":
		return chat.StopEnd
	case "length":
		return chat.StopLength
	}
	return chat.StopOther
}

// offset returns the offset of the next byte of the body.
func (d *Ollama) offset() int64 { return int64(len(d.raw)) }

// garbled ends the decoding with a fault of the current object.
func (d *Ollama) garbled(err error) {
	at := int64(d.start)
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntax):
		at, err = at+syntax.ByteOffset, syntax.Err
	case errors.As(err, &semantic):
		at += semantic.ByteOffset
	}
	d.fail(Garbled, at, Excerpt(err.Error()))
}

// fail ends the decoding.
func (d *Ollama) fail(kind ErrorKind, offset int64, message string) {
	d.err = &Error{Kind: kind, Message: message, Offset: offset}
}
