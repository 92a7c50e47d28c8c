package runfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"oneshot/pkg/chat"
)

// What follows are records as they are in a file: where a text repeats an earlier one, a member whose name ends in
// "_parts" is in its place.

type storedRequest struct {
	Request
	Messages []storedMessage `json:"messages"`
}

type storedMessage struct {
	chat.Message
	Content *string       `json:"content,omitempty"`
	Parts   []part        `json:"content_parts,omitempty"`
	Calls   []storedCall  `json:"calls,omitempty"`
	Native  *storedNative `json:"native,omitempty"`
}

type storedCall struct {
	chat.Call
	Parts []part `json:"arguments_parts,omitempty"`
}

type storedNative struct {
	chat.Native
	Body  json.RawMessage `json:"body,omitempty"`
	Parts []part          `json:"body_parts,omitempty"`
}

type storedResponse struct {
	Response
	Native *storedNative `json:"native,omitempty"`
}

type storedDecision struct {
	Call
	Parts []part `json:"effective_parts,omitempty"`
}

// leastShared is how long arguments are for which a reference is worthwhile.
const leastShared = 64

// A writing is what a writer knows of the records that the next one can refer to.
type writing struct {
	*earlier
	results []string // calls with a result since the latest request
	calls   []string // calls since then
	last    int      // turn of the response since then; 0 if there is none
}

func newWriting() writing {
	w := writing{earlier: newEarlier()}
	w.budget = math.MaxInt64 // it checks its own references
	return w
}

// refer returns parts that give a text, or nil where it is stored as it is.
func (w *writing) refer(text string, quotable bool, sources ...*source) []part {
	parts := refer(text, quotable, sources...)
	if got, err := w.join(parts); err != nil || got != text {
		return nil
	}
	return parts
}

// written returns what is known after the records up to a number.
func written(records []Record, last int) *writing {
	w := newWriting()
	for _, r := range records {
		if r.Seq <= last {
			w.follow(r.Body)
		}
	}
	return &w
}

// follow takes in a record that was written. What a request has repeated is not repeated by a later one.
func (w *writing) follow(body Body) {
	switch b := body.(type) {
	case Request:
		input := w.input
		*w = newWriting()
		w.input = input
		return
	case Result:
		w.results = append(w.results, b.Call)
	case Call:
		w.calls = append(w.calls, b.ID)
	case Response:
		w.last = b.Turn
	}
	w.add(body)
}

// source returns the text of a reference; nil if there is none.
func (w *writing) source(r reference) *source {
	text, ok, err := w.lookup(r)
	if !ok || err != nil {
		return nil
	}
	return &source{ref: r, plain: text}
}

// stored returns a body with references in the place of what was written before.
func (w *writing) stored(body Body) Body {
	switch b := body.(type) {
	case Request:
		return w.request(b)
	case Response:
		return w.response(b)
	case Call:
		return w.decision(b)
	}
	return body
}

func (w *writing) request(b Request) Body {
	out := storedRequest{Request: b}
	for _, m := range b.Messages {
		out.Messages = append(out.Messages, w.message(m))
	}
	if b.Messages != nil && out.Messages == nil {
		out.Messages = []storedMessage{}
	}
	return out
}

func (w *writing) message(m chat.Message) storedMessage {
	out := storedMessage{Message: m, Content: &m.Content}
	if out.Parts = w.refer(m.Content, m.Role == chat.User && len(w.results) == 0, w.sources(m)...); out.Parts != nil {
		out.Content = nil
	}
	for _, c := range m.Calls {
		s := storedCall{Call: c}
		if s.Parts = w.arguments(c.Arguments, c.ID); s.Parts != nil {
			s.Call.Arguments = nil
		}
		out.Calls = append(out.Calls, s)
	}
	out.Native = w.native(m.Native, w.source(reference{Native: w.last}))
	return out
}

// sources returns what a message can repeat.
func (w *writing) sources(m chat.Message) []*source {
	switch m.Role {
	case chat.Assistant:
		return []*source{w.source(reference{Response: w.last})}
	case chat.Tool:
		return []*source{w.source(reference{Result: m.CallID})}
	}
	if len(w.results) == 0 && len(w.input) >= leastShared {
		return []*source{w.source(reference{Input: true})}
	}
	var all []*source
	for _, id := range w.results {
		all = append(all, w.source(reference{Result: id}))
	}
	return all
}

// arguments returns parts for arguments that are those which a call proposed, or nil.
func (w *writing) arguments(args json.RawMessage, id string) []part {
	var text bytes.Buffer
	if len(args) < leastShared || json.Compact(&text, args) != nil || !bytes.Equal(text.Bytes(), w.turn.calls[id].Proposed) {
		return nil
	}
	return []part{{ref: &reference{Call: id}}}
}

// native returns a native form that repeats sources.
func (w *writing) native(n *chat.Native, sources ...*source) *storedNative {
	if n == nil {
		return nil
	}
	out := &storedNative{Native: *n, Body: n.Body}
	var text bytes.Buffer
	if json.Compact(&text, n.Body) == nil { // what is no JSON is refused when it is encoded
		if out.Parts = w.refer(text.String(), true, sources...); out.Parts != nil {
			out.Body = nil
		}
	}
	return out
}

func (w *writing) response(b Response) Body {
	var sources []*source
	for _, id := range w.calls {
		if s := w.source(reference{Call: id}); s != nil && len(s.plain) >= leastShared {
			sources = append(sources, s)
		}
	}
	if b.Native == nil || len(sources) == 0 {
		return b
	}
	return storedResponse{b, w.native(b.Native, sources...)}
}

func (w *writing) decision(b Call) Body {
	if len(b.Effective) < leastShared || !bytes.Equal(b.Effective, b.Proposed) {
		return b
	}
	out := storedDecision{Call: b, Parts: []part{{ref: &reference{Call: b.ID}}}}
	out.Effective = nil
	return out
}

// A stored body is one that can have references.
type stored interface {
	whole(e *earlier) (Body, error)
}

func (b storedRequest) whole(e *earlier) (Body, error) {
	out := b.Request
	if b.Messages != nil {
		out.Messages = make([]chat.Message, len(b.Messages))
	}
	for i, m := range b.Messages {
		var err error
		if out.Messages[i], err = m.whole(e); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	return out, nil
}

func (m storedMessage) whole(e *earlier) (_ chat.Message, err error) {
	out := m.Message
	switch {
	case m.Parts != nil:
		out.Content, err = e.join(m.Parts)
	case m.Content != nil:
		out.Content = *m.Content
	}
	if err != nil {
		return out, err
	}
	for _, c := range m.Calls {
		if c.Call.Arguments, err = e.raw(c.Parts, c.Call.Arguments); err != nil {
			return out, err
		}
		out.Calls = append(out.Calls, c.Call)
	}
	out.Native, err = m.Native.whole(e)
	return out, err
}

func (n *storedNative) whole(e *earlier) (_ *chat.Native, err error) {
	if n == nil {
		return nil, nil
	}
	out := n.Native
	out.Body, err = e.raw(n.Parts, n.Body)
	return &out, err
}

func (b storedResponse) whole(e *earlier) (_ Body, err error) {
	out := b.Response
	out.Native, err = b.Native.whole(e)
	return out, err
}

func (b storedDecision) whole(e *earlier) (_ Body, err error) {
	out := b.Call
	e.add(out) // it refers to its own proposal
	out.Effective, err = e.raw(b.Parts, out.Effective)
	return out, err
}

// raw returns the JSON that parts stand for, or text if there are none.
func (e *earlier) raw(parts []part, text json.RawMessage) (json.RawMessage, error) {
	if parts == nil {
		return text, nil
	}
	joined, err := e.join(parts)
	if err == nil && !json.Valid([]byte(joined)) {
		err = fmt.Errorf("its references give no JSON")
	}
	return slices.Clip(json.RawMessage(joined)), err
}
