package wire

import "errors"

// The errors of messages that do not follow their protocol.
var (
	ErrSpliced        = errors.New("another response begins inside this one")
	ErrLateResponse   = errors.New("another response begins after the end of this one")
	ErrContentNotText = errors.New("the content is not text") // nor, if allowed, a list of parts
	ErrUnknownCall    = errors.New("arguments for a call that has not begun")
)

// A StreamIdentity checks by the message ids of a stream whether all belong to one response.
// Some servers give each message its own id (older llama.cpp and LiteLLM, Foundry Local), and
// some none, so only an id that returns after another one indicates a different response.
type StreamIdentity struct {
	first, last       string
	repeated, changed bool // an id was repeated; the id has changed
}

// Accepts records the id of a message and reports whether it can belong to this response.
func (i *StreamIdentity) Accepts(id string) bool {
	if id == "" {
		return true
	}
	if i.last == "" {
		i.first, i.last = id, id
		return true
	}
	i.repeated = i.repeated || id == i.first || id == i.last
	i.changed = i.changed || id != i.last
	i.last = id
	return !i.repeated || !i.changed
}
