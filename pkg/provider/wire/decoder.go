package wire

import "oneshot/pkg/chat"

// A Decoder decodes one body of a provider while it arrives, streamed or whole: the first byte
// that is not whitespace decides. The deltas and the response do not depend on how the bytes are
// split. The cost is linear in the bytes. Lines have no limit, only the body has.
//
// The contents of the deltas add up to that of the response. Calls are emitted one by one in
// their order, each as soon as it is complete. If that cannot be seen, as for arguments that are
// missing, {} or not JSON, a call is emitted when the next one has arguments or the message
// ends. Arguments after that are an error.
//
// A call is executable if its arguments are strictly a JSON object. Otherwise they become its
// text, and the status is [chat.StatusInvalid], or [chat.StatusTruncated] if the message did not
// end cleanly before the call did.
//
// The response's Native is the message in its server's own format, with the same calls in the
// same order. A response whose Stop is not [chat.StopEnd] may be truncated anywhere, or refused.
type Decoder interface {
	// Write reads the next bytes of the body and emits the deltas they complete; emit may be
	// nil. An error is an [*Error] and final: everything before it counts, and nothing after it
	// is read.
	Write(p []byte, emit func(chat.Delta)) error
	// Done reports whether the last message of the body has been read.
	Done() bool
	// MessageCount returns the number of objects or events read so far. Comments that keep a
	// connection open do not count.
	MessageCount() int
	// HasOpenMessage reports whether a message has begun and not ended.
	HasOpenMessage() bool
	// Size returns how many bytes of the body count: up to its end or its first error.
	Size() int
	// SetLimits sets the limits of the response. Decoding ends with a [TooLarge] error at the
	// first exceeded limit.
	SetLimits(Limits)
	// TraceSources enables Sources. Call it before Write.
	TraceSources()
	// Sources returns the sources of the response's texts in the body; nil without TraceSources.
	Sources() *Sources
	// Close ends the body. The response contains everything read so far, even with an error,
	// which is an [*Error].
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
