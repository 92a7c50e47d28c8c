package wire

import (
	"errors"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// stopReasons translates the reasons for an end that providers name. Their lists do
// not contradict each other.
var stopReasons = map[string]chat.Stop{
	"stop": chat.StopEnd, "tool_calls": chat.StopEnd, "function_call": chat.StopEnd, // OpenAI, Gemini
	"completed": chat.StopEnd,                                                          // OpenAI's responses
	"end_turn":  chat.StopEnd, "tool_use": chat.StopEnd, "stop_sequence": chat.StopEnd, // Anthropic, Bedrock
	"complete": chat.StopEnd, "tool_call": chat.StopEnd, // Cohere
	"eos": chat.StopEnd, "eos_token": chat.StopEnd, // Together, TGI

	"length": chat.StopLength, "model_length": chat.StopLength, // OpenAI, Mistral
	"max_tokens": chat.StopLength, "max_output_tokens": chat.StopLength,
	"model_context_window_exceeded": chat.StopLength, // Anthropic
}

// setStop notes why the response ended, as the server says.
func (b *body) setStop(reason gjson.Result) {
	b.resp.Stop = StopOf(reason.Str)
	if b.sources != nil {
		b.sources.Stop = b.segmentsOf(0, reason)
	}
}

// StopOf translates the reason that a server gives for the end of a response.
func StopOf(reason string) chat.Stop {
	if stop, ok := stopReasons[strings.ToLower(reason)]; ok {
		return stop
	}
	return chat.StopOther
}

// NamesCalls reports whether a reason for an end says that the response holds calls.
func NamesCalls(reason string) bool {
	switch strings.ToLower(reason) {
	case "tool_calls", "function_call", "tool_use", "tool_call":
		return true
	}
	return false
}

// The faults of streams that have been mixed up.
var (
	errSpliced      = errors.New("another response begins inside this one")
	errLateResponse = errors.New("another response begins after the end of this one")
	errUnknownCall  = errors.New("arguments for a call that has not begun")
)

// An streamIdentity tells by the ids of the messages of a stream whether all of them are of
// one response. There are servers that give each message an id of its own (older ones
// of llama.cpp and LiteLLM, Foundry Local), and such as give none: only an id that has come
// twice says that another one is that of another response.
type streamIdentity struct {
	first, last       string
	repeated, changed bool // an id has come twice; two have come
}

// accepts notes the id of a message and reports whether it can be of this response.
func (i *streamIdentity) accepts(id string) bool {
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
