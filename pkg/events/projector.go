// Package events projects the records of a run onto agent_streaming_events.v1 and chat_message.v2, and writes events to
// readers that may be slow.
//
// A [Projector] and [Messages] take one record at a time, so a run that is under way and the file of a finished run give
// the same lines.
package events

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
)

// A Projector turns the records of a run into events. It keeps the executed calls, and nothing else that grows with the run.
//
// Reads between two writes run at the same time, and the record has only their results. So the results of such a group are
// held until the group is over, and its on_tool_start events come before its on_tool_end events. In a run that is under way
// [Projector.CallStarted] reports the starts, and nothing is held.
type Projector struct {
	emit      func(line []byte)
	secrets   *redact.Set
	text      *redact.Stream // of the response under way; nil without one
	partial   string         // the beginning of a character at the end of the text
	live      bool
	streaming bool // the latest request has no response yet
	isText    bool // the form of the answer
	log       callLog
	dropped   []outcome // calls that ended before their response
	held      []outcome // in the order of their records
	answer    json.RawMessage
	calls     []ToolCall
}

// An outcome is the end of a call.
type outcome struct {
	call   *call
	result chat.Result
}

// NewProjector returns a projector that emits each event as a line of JSON with its line feed. Secrets are those of streamed
// text, which records have masked already; nil for none.
func NewProjector(secrets *redact.Set, emit func(line []byte)) *Projector {
	p := &Projector{emit: emit, secrets: secrets}
	p.log.reset()
	return p
}

// GoLive declares that the following records are of a run under way: the caller reports its text with [Projector.Text], and
// the starts of its calls with [Projector.CallStarted].
func (p *Projector) GoLive() { p.live = true }

// Add emits the events of the next record. Records that a resumed run voids must be left out.
func (p *Projector) Add(body runfile.Body) {
	switch b := body.(type) {
	case runfile.Run:
		p.isText = b.AnswerForm == "text"
		p.emit([]byte(`{"event":"on_chain_start"}` + "\n"))
	case runfile.Request:
		p.FlushOutcomes()
		p.log.reset()
		p.streaming, p.dropped = true, nil
		p.emit(p.withCalls(`{"event":"on_chat_model_start","toolCalls":[`, ToolCall.abridged))
	case runfile.Response:
		p.endResponse(b)
	case runfile.Call:
		p.log.add(b)
	case runfile.Approval:
		p.log.approve(b)
	case runfile.Intent:
		p.FlushOutcomes()
		if c := p.log.calls[b.Call]; c != nil {
			p.start(c)
			c.alone = true
		}
	case runfile.Result, runfile.Discarded, runfile.UnknownOutcome:
		p.addCallOutcome(body)
	case runfile.Answer:
		p.answer = b.JSON
	case runfile.End:
		p.emit(p.Finish(b))
	}
}

// Text emits a piece of the response under way. It may hold back the end of the piece, which can be a part of a secret or of a
// character.
func (p *Projector) Text(piece string) {
	if p.text == nil {
		p.text = p.secrets.Stream()
	}
	piece = p.partial + piece
	whole := len(piece)
	for i := max(0, whole-utf8.UTFMax+1); i < whole; i++ {
		if utf8.RuneStart(piece[i]) && !utf8.FullRuneInString(piece[i:]) {
			whole = i
		}
	}
	p.partial = piece[whole:]
	p.emitText(p.text.Write(piece[:whole]))
}

// CallStarted reports that a call of the run under way has started. The event of a call that starts before its response is
// complete is emitted with the response: until then the call may turn out to be part of the reasoning.
func (p *Projector) CallStarted(id string) {
	if c := p.log.calls[id]; c != nil && !p.streaming {
		p.startHeld()
		p.start(c)
	}
}

// FlushOutcomes emits the events of outcomes that are held. It is needed at the end of a record without an end.
func (p *Projector) FlushOutcomes() {
	p.startHeld()
	for _, o := range p.held {
		p.endCall(o)
	}
	p.held = nil
}

// Finish emits the events that are held and returns the last event, which the caller emits: on_chain_end for exit 0, and
// otherwise an error with the name of the exit.
func (p *Projector) Finish(end runfile.End) []byte {
	p.endText()
	p.FlushOutcomes()
	if end.Exit == 0 {
		head := append([]byte(`{"event":"on_chain_end","data":`), p.answerData()...)
		return p.withCalls(string(head)+`,"toolCalls":[`, func(c ToolCall) ToolCall { return c })
	}
	return errorLine(end.Name, end.Why)
}

// FailedStart returns the events of a run that fails before its first record.
func FailedStart(end runfile.End) []byte {
	return append([]byte(`{"event":"on_chain_start"}`+"\n"), errorLine(end.Name, end.Why)...)
}

func errorLine(name, message string) []byte {
	line := append([]byte(`{"event":"error","data":{"error":`), encoded(name)...)
	line = append(append(line, `,"message":`...), encoded(message)...)
	return append(line, "}}\n"...)
}

// ToolCalls returns the executed calls so far, in the order in which they ended, including those whose events are held.
func (p *Projector) ToolCalls() []ToolCall {
	calls := slices.Clone(p.calls)
	for _, o := range p.held {
		calls = append(calls, o.toolCall())
	}
	return calls
}

// endResponse emits the text of a response, unless it was streamed, and the starts of its early calls. The text of a response
// that broke off is not repeated from a record.
func (p *Projector) endResponse(b runfile.Response) {
	p.endText()
	if !p.live && b.BrokenOff == "" {
		p.emitText(b.Content)
	}
	p.streaming = false
	for _, c := range p.log.order {
		if c.early && c.runs {
			p.start(c)
		}
	}
	for _, o := range p.dropped {
		p.endCall(o)
	}
	p.dropped = nil
}

// endText emits the rest of the streamed text.
func (p *Projector) endText() {
	if p.text != nil {
		p.emitText(p.text.Write(p.partial) + p.text.Close())
		p.text, p.partial = nil, ""
	}
}

func (p *Projector) emitText(text string) {
	if text != "" {
		p.emit(append(append([]byte(`{"event":"on_chat_model_stream","data":`), encoded(text)...), "}\n"...))
	}
}

// addCallOutcome emits the end of a call, or holds it.
func (p *Projector) addCallOutcome(body runfile.Body) {
	c, result := p.log.outcome(body)
	switch o := (outcome{c, result}); {
	case c == nil:
	case p.streaming:
		p.dropped = append(p.dropped, o)
	case c.alone, p.live && c.started:
		p.FlushOutcomes()
		p.endCall(o)
	default:
		p.held = append(p.held, o)
	}
}

// maxDescription is the maximum number of bytes of the arguments in an on_tool_start.
const maxDescription = 1 << 10

// start emits the start of a call, once.
func (p *Projector) start(c *call) {
	if c.started {
		return
	}
	c.started = true
	data := c.name + " with " + quote.Shorten(string(asObject(c.input)), maxDescription)
	p.emit(append(append([]byte(`{"event":"on_tool_start","data":`), encoded(data)...), "}\n"...))
}

func (p *Projector) startHeld() {
	for _, o := range p.held {
		p.start(o.call)
	}
}

// endCall emits the end of a call and adds it to the calls so far.
func (p *Projector) endCall(o outcome) {
	p.start(o.call)
	p.emit([]byte(`{"event":"on_tool_end"}` + "\n"))
	p.calls = append(p.calls, o.toolCall())
}

// toolCall returns the call with its outcome.
func (o outcome) toolCall() ToolCall {
	c, err := newToolCall(o.call.name, o.call.input, o.result)
	if err != nil {
		c, _ = newToolCall(o.call.name, o.call.input, chat.Failure(chat.Failed, "the result cannot be encoded: %v", err))
	}
	return c
}

// withCalls returns a line that ends in the list of the calls so far, each as shown returns it.
func (p *Projector) withCalls(head string, shown func(ToolCall) ToolCall) []byte {
	line := []byte(head)
	for i, c := range p.calls {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(line, encodeCall(shown(c))...)
	}
	return append(line, "]}\n"...)
}

// answerData returns the answer as JSON: a text if the run asked for one.
func (p *Projector) answerData() []byte {
	if text, ok := defaultAnswerText(p.answer); ok && p.isText {
		return encoded(text)
	}
	var b bytes.Buffer
	if err := json.Compact(&b, p.answer); err != nil {
		return []byte("null") // a run that ends well has a valid answer
	}
	return diag.EscapeInvisibleJSON(b.Bytes())
}

// encoded returns a text as a JSON string.
func encoded(text string) []byte { return diag.EscapeInvisibleJSON(quote.Encoded(text)) }

// encodeCall returns a call as JSON. Input and output are valid JSON, so it has a JSON form.
func encodeCall(c ToolCall) []byte {
	doc, err := quote.Encode(c)
	if err != nil {
		panic(err)
	}
	return diag.EscapeInvisibleJSON(doc)
}
