package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
)

// What one model has said is data for every other one: its text can hold marks that the other one obeys, and
// what its server told it, such as its key.

// foreign returns a message as this client sends it: what another model said without what only the server of
// that one understands, and with texts that are inert and masked.
func (e *encoding) foreign(m chat.Message) chat.Message {
	if m.Role != chat.Assistant || m.By == "" || m.By == e.name {
		return m
	}
	inert := func(text string) string {
		if e.mask != nil {
			text = e.mask(text)
		}
		return dialect.NeutraliseText(text)
	}
	m.Native, m.Content, m.Calls = nil, inert(m.Content), slices.Clone(m.Calls)
	for i, c := range m.Calls {
		m.Calls[i].Name, m.Calls[i].Arguments = inert(c.Name), eachString(c.Arguments, inert)
	}
	return m
}

// eachString returns JSON with its strings changed, those that are names of members, too; nil for what is no JSON.
func eachString(raw json.RawMessage, change func(string) string) json.RawMessage {
	in := jsontext.NewDecoder(bytes.NewReader(raw), lenient)
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, lenient)
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

// deepestText is how deep in what a server said a text stands: in a block of a list of a message in a list.
const deepestText = 4

// WithoutRoles returns what an assistant said in the form of its server with tokens of roles inert in its
// texts, but for those that the server has signed, which it would refuse when they are changed.
func WithoutRoles(n *chat.Native) *chat.Native {
	if n == nil {
		return nil
	}
	inert := *n
	inert.Body = withoutRoles(n.Body, deepestText)
	return &inert
}

func withoutRoles(raw []byte, depth int) []byte {
	if depth == 0 || isSigned(raw) {
		return raw
	}
	return splice(raw, func(name string, value []byte) []byte {
		text, ok := unquote(value)
		switch {
		case !ok:
			return withoutRoles(value, depth-1)
		case !slices.Contains([]string{"content", "text", "reasoning", "reasoning_content", "thinking", "refusal"}, name):
			return value
		}
		if inert := dialect.NeutraliseRoles(text); inert != text {
			return quote(inert)
		}
		return value
	})
}

// isSigned reports whether an object has a signature, or text that is encrypted.
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
