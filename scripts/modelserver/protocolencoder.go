package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A kind says what an item is.
type kind int

const (
	thought kind = iota // reasoning
	said                // text
	called              // a native call
)

// An item is one thing that a message says.
type item struct {
	kind      kind
	text      string // of a call its arguments, as they stand
	signature string // of reasoning
	id, name  string // of a call; the ID may be empty
	members   map[string]json.RawMessage
	index     int // among all items
	nth       int // among those of its kind
}

// A message is what a reply has said so far.
type message struct {
	number int // of the request, for IDs
	model  string
	usage  bool // the client wants to be told in the stream what was used
	items  []*item
	reason string // why it stopped: "" for a clean end, "length", or the server's word
	events int    // so far, where they are numbered
	input  int    // tokens that the response costs
	output int
}

// What a response costs where its reply does not say so.
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

// stopReason returns how a protocol names the reason: for a clean end, for one
// after calls, and for one at the token limit. Other reasons stand as they are.
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

// A protocolEncoder is how a protocol says things. Streamed, a message is: beginMessage, for each
// item beginItem, textDelta and endItem, and endMessage. Each returns what is to be sent, which
// may be nothing.
type protocolEncoder interface {
	contentType() string // of a stream
	keepAlive() string   // what keeps a stream open
	beginMessage(m *message) []byte
	beginItem(m *message, it *item) []byte
	textDelta(m *message, it *item, text string) []byte
	endItem(m *message, it *item) []byte
	endMessage(m *message) []byte
	errorEvent(m *message, text string) []byte
	wholeMessage(m *message) []byte
}

var encoders = map[API]protocolEncoder{Ollama: ollamaEncoder{}, Chat: chatCompletionsEncoder{}, Responses: responsesEncoder{}, Messages: anthropicEncoder{}}

// quoteInvalid returns text as a JSON string in which bytes that are no characters
// stand as they are.
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

// validBytes returns the length of the start of text that is UTF-8.
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

// marshal returns the JSON form of a value that has one.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
