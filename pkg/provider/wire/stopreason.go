package wire

import (
	"errors"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// stopReasons maps the stop reasons of providers, which do not contradict each other.
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

// setStop records the stop reason of the server.
func (b *body) setStop(reason gjson.Result) {
	b.resp.Stop = ParseStop(reason.Str)
	if b.sources != nil {
		b.sources.Stop = b.segmentsOf(0, reason)
	}
}

// ParseStop returns the stop for a provider's stop reason.
func ParseStop(reason string) chat.Stop {
	if stop, ok := stopReasons[strings.ToLower(reason)]; ok {
		return stop
	}
	return chat.StopOther
}

// IsToolCallStop reports whether a stop reason says that the response has calls.
func IsToolCallStop(reason string) bool {
	switch strings.ToLower(reason) {
	case "tool_calls", "function_call", "tool_use", "tool_call":
		return true
	}
	return false
}

// The errors of mixed-up streams.
var (
	errSpliced      = errors.New("another response begins inside this one")
	errLateResponse = errors.New("another response begins after the end of this one")
	errUnknownCall  = errors.New("arguments for a call that has not begun")
)

// A streamIdentity checks by the message ids of a stream whether all belong to one response.
// Some servers give each message its own id (older llama.cpp and LiteLLM, Foundry Local), and
// some none, so only an id that returns after another one indicates a different response.
type streamIdentity struct {
	first, last       string
	repeated, changed bool // an id was repeated; the id has changed
}

// accepts records the id of a message and reports whether it can belong to this response.
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
