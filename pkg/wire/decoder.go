package wire

import "oneshot/pkg/chat"

// A Decoder decodes one body of a provider while it arrives, streamed or whole:
// the first byte that is not blank decides. However the bytes are cut into
// pieces, the deltas and the response are the same. The cost is linear in the
// bytes; there is no limit to a line, only to the body.
//
// The contents of the deltas add up to that of the response, and its calls are
// handed on one by one, in their order, each as soon as nothing can be missing of
// it. Where that cannot be seen, as of arguments that are missing, {} or no
// JSON, it is when the next call has arguments or the message ends. More
// arguments after that are an error.
//
// A call is executable if what stands for its arguments is strictly an object.
// Otherwise that is its text, and the status is [chat.StatusInvalid]; or
// [chat.StatusTruncated], if the message did not end well before the call did.
//
// The response's Native is the message in the form of its server, with the same
// calls in the same order. A response whose Stop is not [chat.StopEnd] may have
// been cut anywhere, or refused.
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
	// Open reports whether a message has begun and not ended.
	Open() bool
	// Size returns how many bytes of the body count: those up to its end or its first error.
	Size() int
	// Limit sets the limits of the response. Decoding ends with an error of the kind [Large] at the first that is
	// exceeded.
	Limit(Limits)
	// Trace makes Sources note where in the body texts stand.
	Trace()
	// Sources returns that; nil without Trace.
	Sources() *Sources
	// Close ends the body. The response holds everything that was read, also
	// when there is an error, which is an [*Error].
	Close() (chat.Response, error)
}

var (
	_ Decoder = (*Ollama)(nil)
	_ Decoder = (*Chat)(nil)
	_ Decoder = (*Responses)(nil)
	_ Decoder = (*Messages)(nil)
	_ Decoder = (*Gemini)(nil)
	_ Decoder = (*Bedrock)(nil)
	_ Decoder = (*Cohere)(nil)
)
