package model

import (
	"bytes"
	"io"
	"sync/atomic"

	"oneshot/pkg/chat"
)

// A transcript is the messages of a conversation as an API takes them: a JSON array without its
// end. A conversation holds the same messages in every request, so each is encoded once, and
// a request costs what is new in it.
type transcript struct {
	api      API
	system   string
	messages []chat.Message // encoded so far
	text     []byte
	entries  int
	speaker  string // whose blocks the last entry collects; "" if it is complete
}

// isPrefixOf reports whether the messages so far begin a request over an API. Messages never change
// once they were sent: in the same place there are the same ones.
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

// isSameMessage reports whether messages say the same in the same place.
func isSameMessage(a, b *chat.Message) bool {
	return a.Role == b.Role && a.Content == b.Content && a.CallID == b.CallID && a.Name == b.Name && a.By == b.By && a.Native == b.Native &&
		len(a.Calls) == len(b.Calls) && (len(a.Calls) == 0 || &a.Calls[0] == &b.Calls[0])
}

// add appends entries.
func (t *transcript) add(entries ...[]byte) {
	for _, entry := range entries {
		t.text = append(append(append(t.text, t.closing()...), t.separator()...), entry...)
		t.entries, t.speaker = t.entries+1, ""
	}
}

// addBlocks appends blocks of one speaker, to the last entry if that is another of its own.
func (t *transcript) addBlocks(speaker string, blocks ...[]byte) {
	for _, block := range blocks {
		if t.speaker == speaker {
			t.text = append(append(t.text, ','), block...)
			continue
		}
		t.add(append([]byte(`{"role":`+string(quote(speaker))+`,"content":[`), block...))
		t.speaker = speaker
	}
}

// closing returns what ends the last entry.
func (t *transcript) closing() string {
	if t.speaker == "" {
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

// json returns the array, in pieces that are not copied. Later entries leave them as they are.
func (t *transcript) json() body {
	end := t.closing() + "]"
	if t.entries == 0 {
		end = "[]"
	}
	return body{t.text[:len(t.text):len(t.text)], []byte(end)}
}

// transcripts keep the latest transcript of a client between two requests. Only one request has it at
// a time: another one encodes its messages anew.
type transcripts struct{ latest atomic.Pointer[transcript] }

// take returns the transcript that begins a request, or an empty one.
func (s *transcripts) take(api API, req chat.Request) *transcript {
	if t := s.latest.Swap(nil); t != nil && t.isPrefixOf(api, req) {
		return t
	}
	return &transcript{api: api, system: req.System}
}

// keep keeps a transcript for the next request.
func (s *transcripts) keep(t *transcript) { s.latest.Store(t) }

// A body is the text of a request in pieces.
type body [][]byte

func (b body) bytes() []byte { return bytes.Join(b, nil) }

func (b body) size() (n int64) {
	for _, piece := range b {
		n += int64(len(piece))
	}
	return n
}

// smallBody is how large a body is copied into one piece, which leaves with the header of its request.
const smallBody = 64 << 10

// reader returns a reader of the text, from its beginning.
func (b body) reader() io.Reader {
	if b.size() <= smallBody {
		return bytes.NewReader(b.bytes())
	}
	readers := make([]io.Reader, len(b))
	for i, piece := range b {
		readers[i] = bytes.NewReader(piece)
	}
	return io.MultiReader(readers...)
}
