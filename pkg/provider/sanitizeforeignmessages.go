package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// The output of one model is untrusted data for every other model: it can contain control tokens that the other
// model obeys, and secrets of its server.

// isForeign reports whether a message is of another model.
func (c *Client) isForeign(m chat.Message) bool {
	return m.Role == chat.Assistant && m.By != "" && m.By != c.name
}

// sanitizeOtherModelMessage returns a message as this client sends it: one of another model is sanitized and has no native form.
func (c *Client) sanitizeOtherModelMessage(m chat.Message) chat.Message {
	if !c.isForeign(m) {
		return m
	}
	m.Native, m.Content, m.Calls = nil, c.sanitize(m.Content), slices.Clone(m.Calls)
	for i, call := range m.Calls {
		m.Calls[i].Name, m.Calls[i].Arguments = c.sanitize(call.Name), mapStrings(call.Arguments, c.sanitize)
	}
	return m
}

// mapStrings returns JSON with all strings changed, including member names; nil for invalid JSON.
func mapStrings(raw json.RawMessage, change func(string) string) json.RawMessage {
	in := jsontext.NewDecoder(bytes.NewReader(raw), wire.Lenient)
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, wire.Lenient)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
		}
		if err == nil && token.Kind() == '"' {
			token = jsontext.String(change(token.String()))
		}
		if err == nil {
			err = enc.WriteToken(token)
		}
		if err != nil {
			return nil
		}
	}
}

// maxTextDepth is the maximum depth of a text in a native form: in a block of a list in a message of a list.
const maxTextDepth = 4

// ChangeNative returns a native form with its texts changed, except in signed parts, which the server would reject then.
// Nil stays nil.
func ChangeNative(n *chat.Native, change func(text string) string) *chat.Native {
	if n == nil {
		return nil
	}
	changed := *n
	changed.Body = mapContentTexts(n.Body, change, maxTextDepth)
	return &changed
}

func mapContentTexts(raw []byte, change func(string) string, depth int) []byte {
	if depth == 0 || isSigned(raw) {
		return raw
	}
	return wire.MapValues(raw, func(name string, value []byte) []byte {
		text, ok := wire.StringValue(value)
		switch {
		case !ok:
			return mapContentTexts(value, change, depth-1)
		case !slices.Contains([]string{"content", "text", "reasoning", "reasoning_content", "thinking", "refusal"}, name):
			return value
		}
		if changed := change(text); changed != text {
			return wire.Quote(changed)
		}
		return value
	})
}

// isSigned reports whether an object has a signature or encrypted text.
func isSigned(raw []byte) bool {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return false
	}
	for _, name := range []string{"signature", "thought_signature", "thoughtSignature", "encrypted_content"} {
		if _, ok := o[name]; ok {
			return true
		}
	}
	return false
}
