package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A kind is the kind of an item.
type kind int

const (
	thought kind = iota // reasoning
	said                // text
	called              // a native call
)

// An item is one part of a message.
type item struct {
	kind      kind
	text      string // for a call its arguments, unchanged
	signature string // of reasoning
	id, name  string // of a call; the ID may be empty
	members   map[string]json.RawMessage
	index     int // among all items
	nth       int // among those of its kind
}

// A message is the part of a reply that has been played.
type message struct {
	number int // of the request, for IDs
	model  string
	usage  bool // the client asks for the usage in the stream
	items  []*item
	reason string // why it stopped: "" for a clean end, "length", or the server's word
	events int    // so far, where they are numbered
	input  int    // tokens that the response costs
	output int
}

// The usage of a response whose reply does not state it.
const inputTokens, outputTokens = 100, 20

// newID returns an ID of the message or of a part of it.
func (m *message) newID(prefix string, part ...any) string {
	return prefix + fmt.Sprint(append([]any{m.number}, part...)...)
}

// joinedText returns the text of all items of a kind.
func (m *message) joinedText(k kind) string {
	var b strings.Builder
	for _, it := range m.items {
		if it.kind == k {
			b.WriteString(it.text)
		}
	}
	return b.String()
}

// calls returns the native calls.
func (m *message) calls() []*item {
	var calls []*item
	for _, it := range m.items {
		if it.kind == called {
			calls = append(calls, it)
		}
	}
	return calls
}

// stopReason returns a protocol's word for the stop reason: for a clean end, for one
// after calls, and for one at the token limit. Other reasons are returned unchanged.
func (m *message) stopReason(clean, calls, length string) string {
	switch {
	case m.reason == "length":
		return length
	case m.reason != "":
		return m.reason
	case len(m.calls()) > 0:
		return calls
	}
	return clean
}

// A protocolEncoder encodes replies in a protocol. A streamed message is: beginMessage,
// for each item beginItem, textDelta and endItem, and endMessage. Each returns the bytes
// to send, if any.
type protocolEncoder interface {
	contentType() string // of a stream
	keepAlive() string   // sent to keep a stream open
	beginMessage(m *message) []byte
	beginItem(m *message, it *item) []byte
	textDelta(m *message, it *item, text string) []byte
	endItem(m *message, it *item) []byte
	endMessage(m *message) []byte
	errorEvent(m *message, text string) []byte
	wholeMessage(m *message) []byte
}

var encoders = map[API]protocolEncoder{Ollama: ollamaEncoder{}, Chat: chatCompletionsEncoder{}, Responses: responsesEncoder{}, Messages: anthropicEncoder{}}

// quoteInvalid returns text as a JSON string that keeps invalid bytes unchanged.
func quoteInvalid(text string) json.RawMessage {
	out := []byte{'"'}
	for text != "" {
		n := validBytes(text)
		q := marshal(text[:n])
		out = append(out, q[1:len(q)-1]...)
		if n < len(text) {
			out = append(out, text[n])
			n++
		}
		text = text[n:]
	}
	return append(out, '"')
}

// validBytes returns the length of the valid UTF-8 at the start of a text.
func validBytes(text string) int {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			return i
		}
	}
	return len(text)
}

// withMembers returns the object with an item's members.
func (it *item) withMembers(o object) object {
	for name, value := range it.members {
		o[name] = value
	}
	return o
}

// marshal returns the JSON form of a value, which must have one.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
