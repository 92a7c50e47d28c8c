package model

import (
	"encoding/json"

	"oneshot/pkg/chat"
)

// What a server said goes back to it as it came, down to members that only the
// server understands: signatures, encrypted reasoning. Two things about a call
// are mended in place, because the conversation would not hold together
// otherwise: its id, which the result refers to, and arguments that are no JSON
// object, which servers refuse to read again. If the calls in such a body are
// not those of the message, there is nothing to go by, and no echo.

// echoCalls mends the calls in the "tool_calls" of a message. mend returns new
// arguments, or nil to leave them.
func echoCalls(body []byte, calls []chat.Call, mend func(raw []byte, c chat.Call) []byte) ([]byte, bool) {
	if !isKind(body, '{') {
		return nil, false
	}
	seen := 0
	out := put(body, "tool_calls", func(list []byte) []byte {
		return splice(list, func(_ string, call []byte) []byte {
			if seen++; seen > len(calls) {
				return call
			}
			c := calls[seen-1]
			call = put(call, "id", func(raw []byte) []byte { return sameText(raw, c.ID) })
			return put(call, "function", func(f []byte) []byte {
				return put(f, "arguments", func(raw []byte) []byte { return mend(raw, c) })
			})
		})
	})
	return out, seen == len(calls)
}

// echoItems mends the calls among the elements of an array: those of a type.
func echoItems(body []byte, calls []chat.Call, kind string, mend func(item []byte, c chat.Call) []byte) ([]byte, bool) {
	if !isKind(body, '[') {
		return nil, false
	}
	seen := 0
	out := splice(body, func(_ string, item []byte) []byte {
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

// sameText returns nil if raw is the string text, and otherwise that string.
func sameText(raw []byte, text string) []byte {
	if was, ok := unquote(raw); ok && was == text {
		return nil
	}
	return quote(text)
}

// stringArguments returns nil if raw is a string with a JSON object in it, and
// otherwise the arguments of a call as such a string.
func stringArguments(raw []byte, c chat.Call) []byte {
	if text, ok := unquote(raw); ok && isKind([]byte(text), '{') {
		return nil
	}
	return quote(string(arguments(c)))
}
