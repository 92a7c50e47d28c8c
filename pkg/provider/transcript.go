package provider

import (
	"bytes"
	"io"
	"sync/atomic"

	"oneshot/pkg/chat"
)

// A transcript is the encoded messages of a conversation: a JSON array without its end. Every request repeats the
// messages before it, so each message is encoded once and a request costs only its new messages.
type transcript struct {
	api      API
	system   string
	messages []chat.Message // encoded so far
	text     []byte
	entries  int
	openRole string // role whose blocks the last entry collects; "" if the entry is complete
}

// isPrefixOf reports whether a request over an API begins with the encoded messages. Sent messages never change, so
// messages at the same address are equal.
func (t *transcript) isPrefixOf(api API, req chat.Request) bool {
	if t.api != api || t.system != req.System || len(t.messages) > len(req.Messages) {
		return false
	}
	if len(t.messages) == 0 || &t.messages[0] == &req.Messages[0] {
		return true
	}
	for i := range t.messages {
		if !isSameMessage(&t.messages[i], &req.Messages[i]) {
			return false
		}
	}
	return true
}

// isSameMessage reports whether messages are equal and share their calls and native form.
func isSameMessage(a, b *chat.Message) bool {
	return a.Role == b.Role && a.Content == b.Content && a.CallID == b.CallID && a.Name == b.Name && a.By == b.By && a.Native == b.Native &&
		len(a.Calls) == len(b.Calls) && (len(a.Calls) == 0 || &a.Calls[0] == &b.Calls[0])
}

// add appends entries.
func (t *transcript) add(entries ...[]byte) {
	for _, entry := range entries {
		t.text = append(append(append(t.text, t.closing()...), t.separator()...), entry...)
		t.entries, t.openRole = t.entries+1, ""
	}
}

// addBlocks appends blocks of a role, to the last entry if it has the same role.
func (t *transcript) addBlocks(speaker string, blocks ...[]byte) {
	for _, block := range blocks {
		if t.openRole == speaker {
			t.text = append(append(t.text, ','), block...)
			continue
		}
		t.add(append([]byte(`{"role":`+string(quote(speaker))+`,"content":[`), block...))
		t.openRole = speaker
	}
}

// closing returns the end of the last entry.
func (t *transcript) closing() string {
	if t.openRole == "" {
		return ""
	}
	return "]}"
}

func (t *transcript) separator() string {
	if t.entries == 0 {
		return "["
	}
	return ","
}

// json returns the array in pieces that are not copied and stay valid when entries are added.
func (t *transcript) json() body {
	end := t.closing() + "]"
	if t.entries == 0 {
		end = "[]"
	}
	return body{t.text[:len(t.text):len(t.text)], []byte(end)}
}

// transcripts keeps the latest transcript of a client between requests. Only one request uses it at a time: a
// concurrent one encodes its messages anew.
type transcripts struct{ latest atomic.Pointer[transcript] }

// acquire returns the transcript that a request begins with, or an empty one.
func (s *transcripts) acquire(api API, req chat.Request) *transcript {
	if t := s.latest.Swap(nil); t != nil && t.isPrefixOf(api, req) {
		return t
	}
	return &transcript{api: api, system: req.System}
}

// release stores a transcript for the next request.
func (s *transcripts) release(t *transcript) { s.latest.Store(t) }

// A body is a request body in pieces.
type body [][]byte

func (b body) bytes() []byte { return bytes.Join(b, nil) }

func (b body) size() (n int64) {
	for _, piece := range b {
		n += int64(len(piece))
	}
	return n
}

// maxSingleBody is the maximum size in bytes of a body that is joined into one piece, to be sent with the headers.
const maxSingleBody = 64 << 10

// reader returns a reader of the whole body.
func (b body) reader() io.Reader {
	if b.size() <= maxSingleBody {
		return bytes.NewReader(b.bytes())
	}
	readers := make([]io.Reader, len(b))
	for i, piece := range b {
		readers[i] = bytes.NewReader(piece)
	}
	return io.MultiReader(readers...)
}
