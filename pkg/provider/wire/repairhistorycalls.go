package wire

import (
	"encoding/json"

	"oneshot/pkg/chat"
)

// A message of a model is sent back to its server unchanged, including members that only
// the server understands: signatures, encrypted reasoning. Two parts of a call are repaired
// in place to keep the conversation consistent: its ID, which the result refers to, and
// Arguments that are not a JSON object, which servers reject. If the calls in the native
// body do not match those of the message, the native body is not used.

// RepairCalls repairs the calls in the "tool_calls" of a message. Repair returns new arguments, or nil to keep them.
func RepairCalls(body []byte, calls []chat.Call, repair func(raw []byte, c chat.Call) []byte) ([]byte, bool) {
	if !IsKind(body, '{') {
		return nil, false
	}
	seen := 0
	out := ChangeMember(body, "tool_calls", func(list []byte) []byte {
		return MapValues(list, func(_ string, call []byte) []byte {
			if seen++; seen > len(calls) {
				return call
			}
			c := calls[seen-1]
			call = ChangeMember(call, "id", func(raw []byte) []byte { return QuoteIfChanged(raw, c.ID) })
			return ChangeMember(call, "function", func(f []byte) []byte {
				return ChangeMember(f, "arguments", func(raw []byte) []byte { return repair(raw, c) })
			})
		})
	})
	return out, seen == len(calls)
}

// RepairItems repairs the calls among the elements of an array, by their type.
func RepairItems(body []byte, calls []chat.Call, kind string, repair func(item []byte, c chat.Call) []byte) ([]byte, bool) {
	if !IsKind(body, '[') {
		return nil, false
	}
	seen := 0
	out := MapValues(body, func(_ string, item []byte) []byte {
		var about struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(item, &about) != nil || about.Type != kind {
			return item
		}
		if seen++; seen > len(calls) {
			return item
		}
		return repair(item, calls[seen-1])
	})
	return out, seen == len(calls)
}

// QuoteIfChanged returns nil if raw is the string text, otherwise that string.
func QuoteIfChanged(raw []byte, text string) []byte {
	if was, ok := StringValue(raw); ok && was == text {
		return nil
	}
	return Quote(text)
}

// StringArguments returns nil if raw is a string with a JSON object, otherwise the call's arguments as such a string.
func StringArguments(raw []byte, c chat.Call) []byte {
	if text, ok := StringValue(raw); ok && IsKind([]byte(text), '{') {
		return nil
	}
	return Quote(string(Arguments(c)))
}
