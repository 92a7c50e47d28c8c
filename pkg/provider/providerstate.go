package provider

import (
	"encoding/json"

	"oneshot/pkg/chat"
)

// A message of a model is sent back to its server unchanged, including members that only
// the server understands: signatures, encrypted reasoning. Two parts of a call are repaired
// in place to keep the conversation consistent: its ID, which the result refers to, and
// arguments that are not a JSON object, which servers reject. If the calls in the native
// body do not match those of the message, the native body is not used.

// repairEchoedCalls repairs the calls in the "tool_calls" of a message. Mend returns new arguments, or nil to keep them.
func repairEchoedCalls(body []byte, calls []chat.Call, mend func(raw []byte, c chat.Call) []byte) ([]byte, bool) {
	if !isKind(body, '{') {
		return nil, false
	}
	seen := 0
	out := changeMember(body, "tool_calls", func(list []byte) []byte {
		return mapValues(list, func(_ string, call []byte) []byte {
			if seen++; seen > len(calls) {
				return call
			}
			c := calls[seen-1]
			call = changeMember(call, "id", func(raw []byte) []byte { return sameText(raw, c.ID) })
			return changeMember(call, "function", func(f []byte) []byte {
				return changeMember(f, "arguments", func(raw []byte) []byte { return mend(raw, c) })
			})
		})
	})
	return out, seen == len(calls)
}

// repairEchoedItems repairs the calls among the elements of an array, by their type.
func repairEchoedItems(body []byte, calls []chat.Call, kind string, mend func(item []byte, c chat.Call) []byte) ([]byte, bool) {
	if !isKind(body, '[') {
		return nil, false
	}
	seen := 0
	out := mapValues(body, func(_ string, item []byte) []byte {
		var about struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(item, &about) != nil || about.Type != kind {
			return item
		}
		if seen++; seen > len(calls) {
			return item
		}
		return mend(item, calls[seen-1])
	})
	return out, seen == len(calls)
}

// sameText returns nil if raw is the string text, otherwise that string.
func sameText(raw []byte, text string) []byte {
	if was, ok := unquote(raw); ok && was == text {
		return nil
	}
	return quote(text)
}

// stringArguments returns nil if raw is a string with a JSON object, otherwise the call's arguments as such a string.
func stringArguments(raw []byte, c chat.Call) []byte {
	if text, ok := unquote(raw); ok && isKind([]byte(text), '{') {
		return nil
	}
	return quote(string(arguments(c)))
}
