package wire

import (
	"errors"
	"strings"

	"oneshot/pkg/chat"
)

// stops translates the reasons for an end that providers name. Their lists do
// not contradict each other.
var stops = map[string]chat.Stop{
	"stop": chat.StopEnd, "tool_calls": chat.StopEnd, "function_call": chat.StopEnd, // OpenAI, Gemini
	"completed": chat.StopEnd,                                                          // OpenAI's responses
	"end_turn":  chat.StopEnd, "tool_use": chat.StopEnd, "stop_sequence": chat.StopEnd, // Anthropic, Bedrock
	"complete": chat.StopEnd, "tool_call": chat.StopEnd, // Cohere
	"eos": chat.StopEnd, "eos_token": chat.StopEnd, // Together, TGI

	"length": chat.StopLength, "model_length": chat.StopLength, // OpenAI, Mistral
	"max_tokens": chat.StopLength, "max_output_tokens": chat.StopLength,
	"model_context_window_exceeded": chat.StopLength, // Anthropic
}

// stopOf translates a reason for an end.
func stopOf(reason string) chat.Stop {
	if stop, ok := stops[strings.ToLower(reason)]; ok {
		return stop
	}
	return chat.StopOther
}

// The faults of streams that have been mixed up.
var (
	errSpliced = errors.New("another response begins inside this one")
	errLate    = errors.New("another response begins after the end of this one")
)
