package wire

import (
	"bytes"
	"io"
	"slices"
	"sync/atomic"

	"oneshot/pkg/chat"
)

// A Transcript is the encoded messages of a conversation: a JSON array without its end. Every request repeats the
// messages before it, so each message is encoded once and a request costs only its new messages.
type Transcript struct {
	protocol *Protocol
	system   string
	messages []chat.Message // encoded so far
	text     []byte
	entries  int
	openRole string // role whose blocks the last entry collects; "" if the entry is complete
}

// isPrefixOf reports whether a request of a protocol begins with the encoded messages. Sent messages never change, so
// messages at the same address are equal.
func (t *Transcript) isPrefixOf(p *Protocol, req chat.Request) bool {
	if t.protocol != p || t.system != req.System || len(t.messages) > len(req.Messages) {
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
		len(a.Calls) == len(b.Calls) && (len(a.Calls) == 0 || &a.Calls[0] == &b.Calls[0]) &&
		slices.EqualFunc(a.Attachments, b.Attachments, func(a, b chat.Attachment) bool { return a.Name == b.Name && a.SHA256 == b.SHA256 })
}

// Add appends entries.
func (t *Transcript) Add(entries ...[]byte) {
	for _, entry := range entries {
		t.text = append(append(append(t.text, t.closing()...), t.arraySeparator()...), entry...)
		t.entries, t.openRole = t.entries+1, ""
	}
}

// AddBlocks appends blocks of a role, to the last entry if it has the same role.
func (t *Transcript) AddBlocks(speaker string, blocks ...[]byte) {
	for _, block := range blocks {
		if t.openRole == speaker {
			t.text = append(append(t.text, ','), block...)
			continue
		}
		t.Add(append([]byte(`{"role":`+string(Quote(speaker))+`,"content":[`), block...))
		t.openRole = speaker
	}
}

// closing returns the end of the last entry.
func (t *Transcript) closing() string {
	if t.openRole == "" {
		return ""
	}
	return "]}"
}

func (t *Transcript) arraySeparator() string {
	if t.entries == 0 {
		return "["
	}
	return ","
}

// pieces returns the array in pieces that are not copied and stay valid when entries are added.
func (t *Transcript) pieces() Pieces {
	end := t.closing() + "]"
	if t.entries == 0 {
		end = "[]"
	}
	return Pieces{t.text[:len(t.text):len(t.text)], []byte(end)}
}

// Transcripts keeps the latest transcript of a client between requests. Only one request uses it at a time: a
// concurrent one encodes its messages anew.
type Transcripts struct{ latest atomic.Pointer[Transcript] }

// Acquire returns the transcript that a request begins with, or an empty one.
func (s *Transcripts) Acquire(p *Protocol, req chat.Request) *Transcript {
	if t := s.latest.Swap(nil); t != nil && t.isPrefixOf(p, req) {
		return t
	}
	return &Transcript{protocol: p, system: req.System}
}

// Release stores a transcript for the next request.
func (s *Transcripts) Release(t *Transcript) { s.latest.Store(t) }

// Pieces are a request body in pieces.
type Pieces [][]byte

// Bytes returns the whole body.
func (b Pieces) Bytes() []byte { return bytes.Join(b, nil) }

// Size returns the length of the body in bytes.
func (b Pieces) Size() (n int64) {
	for _, piece := range b {
		n += int64(len(piece))
	}
	return n
}

// maxSingleBody is the maximum size in bytes of a body that is joined into one piece, to be sent with the headers.
const maxSingleBody = 64 << 10

// Reader returns a reader of the whole body.
func (b Pieces) Reader() io.Reader {
	if b.Size() <= maxSingleBody {
		return bytes.NewReader(b.Bytes())
	}
	readers := make([]io.Reader, len(b))
	for i, piece := range b {
		readers[i] = bytes.NewReader(piece)
	}
	return io.MultiReader(readers...)
}
