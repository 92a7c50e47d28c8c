package runfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"oneshot/pkg/chat"
)

// The types below are records as stored in a file: a member whose name ends in "_parts" replaces a text that repeats
// an earlier one.

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

type storedCallRecord struct {
	Call
	Parts []part `json:"effective_parts,omitempty"`
}

// minShared is the minimum length of arguments for which a reference pays off, in bytes.
const minShared = 64

// A deduplicator replaces texts of a record by references to earlier records.
type deduplicator struct {
	*earlierTexts
	results      []string // calls with a result since the latest request
	calls        []string // calls since then
	lastResponse int      // turn of the response since then; or 0
}

func newDeduplicator() deduplicator {
	w := deduplicator{earlierTexts: newEarlierTexts()}
	w.budget = math.MaxInt64 // reuse checks the references it makes
	return w
}

// reuse returns parts that reproduce a text, or nil if the text is to be stored unchanged.
func (w *deduplicator) reuse(text string, quotable bool, sources ...*source) []part {
	parts := matchSources(text, quotable, sources...)
	if got, err := w.joinParts(parts); err != nil || got != text {
		return nil
	}
	return parts
}

// deduplicatorAt returns a deduplicator for the record after number last.
func deduplicatorAt(records []Record, last int) *deduplicator {
	w := newDeduplicator()
	for _, r := range records {
		if r.Seq <= last {
			w.track(r.Body)
		}
	}
	return &w
}

// track adds a written record. A request repeats the texts before it for the last time.
func (w *deduplicator) track(body Body) {
	switch b := body.(type) {
	case Request:
		input := w.input
		*w = newDeduplicator()
		w.input = input
		return
	case Result:
		w.results = append(w.results, b.Call)
	case Call:
		w.calls = append(w.calls, b.ID)
	case Response:
		w.lastResponse = b.Turn
	}
	w.addTexts(body)
}

// source returns the text of a reference, or nil.
func (w *deduplicator) source(r reference) *source {
	text, ok, err := w.lookup(r)
	if !ok || err != nil {
		return nil
	}
	return &source{ref: r, plain: text}
}

// deduplicate returns a body with references instead of texts written before.
func (w *deduplicator) deduplicate(body Body) Body {
	switch b := body.(type) {
	case Request:
		return w.request(b)
	case Response:
		return w.response(b)
	case Call:
		return w.callRecord(b)
	}
	return body
}

func (w *deduplicator) request(b Request) Body {
	out := storedRequest{Request: b}
	for _, m := range b.Messages {
		out.Messages = append(out.Messages, w.message(m))
	}
	if b.Messages != nil && out.Messages == nil {
		out.Messages = []storedMessage{}
	}
	return out
}

func (w *deduplicator) message(m chat.Message) storedMessage {
	out := storedMessage{Message: m, Content: &m.Content}
	if out.Parts = w.reuse(m.Content, m.Role == chat.User && len(w.results) == 0, w.sources(m)...); out.Parts != nil {
		out.Content = nil
	}
	for _, c := range m.Calls {
		s := storedCall{Call: c}
		if s.Parts = w.arguments(c.Arguments, c.ID); s.Parts != nil {
			s.Call.Arguments = nil
		}
		out.Calls = append(out.Calls, s)
	}
	out.Native = w.native(m.Native, w.source(reference{Native: w.lastResponse}))
	return out
}

// sources returns the texts that a message may repeat.
func (w *deduplicator) sources(m chat.Message) []*source {
	switch m.Role {
	case chat.Assistant:
		return []*source{w.source(reference{Response: w.lastResponse})}
	case chat.Tool:
		return []*source{w.source(reference{Result: m.CallID})}
	}
	if len(w.results) == 0 && len(w.input) >= minShared {
		return []*source{w.source(reference{Input: true})}
	}
	var all []*source
	for _, id := range w.results {
		all = append(all, w.source(reference{Result: id}))
	}
	return all
}

// arguments returns parts for arguments equal to those a call proposed, or nil.
func (w *deduplicator) arguments(args json.RawMessage, id string) []part {
	var text bytes.Buffer
	if len(args) < minShared || json.Compact(&text, args) != nil || !bytes.Equal(text.Bytes(), w.turn.calls[id].Proposed) {
		return nil
	}
	return []part{{ref: &reference{Call: id}}}
}

// native returns a native body with references to sources.
func (w *deduplicator) native(n *chat.Native, sources ...*source) *storedNative {
	if n == nil {
		return nil
	}
	out := &storedNative{Native: *n, Body: n.Body}
	var text bytes.Buffer
	if json.Compact(&text, n.Body) == nil { // the encoder rejects invalid JSON
		if out.Parts = w.reuse(text.String(), true, sources...); out.Parts != nil {
			out.Body = nil
		}
	}
	return out
}

func (w *deduplicator) response(b Response) Body {
	var sources []*source
	for _, id := range w.calls {
		if s := w.source(reference{Call: id}); s != nil && len(s.plain) >= minShared {
			sources = append(sources, s)
		}
	}
	if b.Native == nil || len(sources) == 0 {
		return b
	}
	return storedResponse{b, w.native(b.Native, sources...)}
}

func (w *deduplicator) callRecord(b Call) Body {
	if len(b.Effective) < minShared || !bytes.Equal(b.Effective, b.Proposed) {
		return b
	}
	out := storedCallRecord{Call: b, Parts: []part{{ref: &reference{Call: b.ID}}}}
	out.Effective = nil
	return out
}

// A storedBody is a body that can contain references.
type storedBody interface {
	expand(e *earlierTexts) (Body, error)
}

func (b storedRequest) expand(e *earlierTexts) (Body, error) {
	out := b.Request
	if b.Messages != nil {
		out.Messages = make([]chat.Message, len(b.Messages))
	}
	for i, m := range b.Messages {
		var err error
		if out.Messages[i], err = m.expand(e); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	return out, nil
}

func (m storedMessage) expand(e *earlierTexts) (_ chat.Message, err error) {
	out := m.Message
	switch {
	case m.Parts != nil:
		out.Content, err = e.joinParts(m.Parts)
	case m.Content != nil:
		out.Content = *m.Content
	}
	if err != nil {
		return out, err
	}
	for _, c := range m.Calls {
		if c.Call.Arguments, err = e.expandJSON(c.Parts, c.Call.Arguments); err != nil {
			return out, err
		}
		out.Calls = append(out.Calls, c.Call)
	}
	for i, a := range out.Attachments {
		data, ok := e.attachments[a.SHA256]
		if !ok {
			return out, fmt.Errorf("attachment %d refers to the digest %q, which is in no earlier record", i+1, a.SHA256)
		}
		out.Attachments[i].Data = data
	}
	out.Native, err = m.Native.expand(e)
	return out, err
}

func (n *storedNative) expand(e *earlierTexts) (_ *chat.Native, err error) {
	if n == nil {
		return nil, nil
	}
	out := n.Native
	out.Body, err = e.expandJSON(n.Parts, n.Body)
	return &out, err
}

func (b storedResponse) expand(e *earlierTexts) (_ Body, err error) {
	out := b.Response
	out.Native, err = b.Native.expand(e)
	return out, err
}

func (b storedCallRecord) expand(e *earlierTexts) (_ Body, err error) {
	out := b.Call
	e.addTexts(out) // the effective arguments may refer to the proposed ones
	out.Effective, err = e.expandJSON(b.Parts, out.Effective)
	return out, err
}

// expandJSON returns the JSON that parts encode, or text if parts is nil.
func (e *earlierTexts) expandJSON(parts []part, text json.RawMessage) (json.RawMessage, error) {
	if parts == nil {
		return text, nil
	}
	joined, err := e.joinParts(parts)
	if err == nil && !json.Valid([]byte(joined)) {
		err = fmt.Errorf("its references do not give valid JSON")
	}
	return slices.Clip(json.RawMessage(joined)), err
}
