package wire

import "oneshot/pkg/chat"

// A Decoder decodes one body of a provider while it arrives, streamed or whole.
// However the bytes are cut into pieces, the deltas and the response are the
// same. The cost is linear in the bytes.
//
// The contents of the deltas add up to that of the response, and its calls are
// handed on one by one, in their order, each as soon as its last byte is there.
type Decoder interface {
	// Write reads the next bytes of the body and hands on what they complete;
	// emit may be nil. An error is an [*Error] and final: what was written
	// before it counts, and nothing after it is read.
	Write(p []byte, emit func(chat.Delta)) error
	// Done reports whether the body's last message has been read.
	Done() bool
	// Messages counts what has been read so far that says something: objects or
	// events, but not the comments that keep a connection open.
	Messages() int
	// Close ends the body. The response holds everything that was read, also
	// when there is an error, which is an [*Error].
	Close() (chat.Response, error)
}
