package provider_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"oneshot/pkg/chat"
)

var _ = flag.Set("rapid.seed", "1") // the same draws in each run: CONTRIBUTING.md

// The tests in this file check that a streamed message equals the whole one, also in its native
// form.

type object = map[string]any

// drawText draws a text of any letters, possibly empty.
func drawText(t *rapid.T, label string) string {
	return rapid.StringOfN(rapid.RuneFrom([]rune("ab \n\"\\{}é🦜\u2028<")), 0, 12, -1).Draw(t, label)
}

// drawObject draws the text of an object with members.
func drawObject(t *rapid.T) string {
	return fmt.Sprintf(`{"n":%d.50, "text":%s}`, rapid.Int64().Draw(t, "n"), mustJSON(drawText(t, "text")))
}

// pieces splits a text between letters; an empty one has no pieces.
func pieces(t *rapid.T, text string) []string {
	var all []string
	for runes := []rune(text); len(runes) > 0; {
		n := rapid.IntRange(1, len(runes)).Draw(t, "letters")
		all, runes = append(all, string(runes[:n])), runes[n:]
	}
	return all
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// checkSame compares two readings of one message.
func checkSame(t *rapid.T, whole, streamed reading) {
	for _, r := range []*reading{&whole, &streamed} {
		if r.Err != nil {
			t.Fatalf("error %v", r.Err)
		}
		r.Size, r.Messages = 0, 0
		for i, c := range r.Response.Calls { // whitespace may differ in calls with an object
			r.Response.Calls[i].Arguments = json.RawMessage(canonical(c.Arguments))
		}
	}
	native := func(n *chat.Native) string {
		if n == nil {
			return ""
		}
		return n.API + canonical(n.Body)
	}
	if diff := cmp.Diff(native(whole.Response.Native), native(streamed.Response.Native)); diff != "" {
		t.Errorf("native message (-whole +stream):\n%s", diff)
	}
	whole.Response.Native, streamed.Response.Native = nil, nil
	if diff := cmp.Diff(whole, streamed); diff != "" {
		t.Errorf("(-whole +stream):\n%s", diff)
	}
}

// A deltaStream is a message of chat completions, whole and as chunks.
type deltaStream struct {
	t       *rapid.T
	message object
	data    []string
}

// add adds a delta.
func (s *deltaStream) add(delta object) {
	s.data = append(s.data, mustJSON(object{"choices": []any{object{"index": 0, "delta": delta, "finish_reason": nil}}}))
}

// text adds a text in pieces.
func (s *deltaStream) text(name, text string) {
	if text != "" {
		s.message[name] = text
	}
	for _, p := range pieces(s.t, text) {
		s.add(object{name: p})
	}
}

// call adds the i-th call, and returns it whole.
func (s *deltaStream) call(i int) any {
	args := drawObject(s.t)
	extra := object{"google": object{"thought_signature": drawText(s.t, "signature") + "x"}}
	call := func(args string) object {
		return object{"id": fmt.Sprintf("call_%d", i), "type": "function", "extra_content": extra, "function": object{"name": "f", "arguments": args}}
	}
	first := call("")
	first["index"] = i
	s.add(object{"tool_calls": []any{first}})
	for _, p := range pieces(s.t, args) {
		s.add(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": p}}}})
	}
	return call(args)
}

func TestChatWholeAndStream(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := deltaStream{t: rt, message: object{"role": "assistant"}}
		s.add(object{"role": "assistant"})
		s.text("reasoning_content", drawText(rt, "reasoning"))
		s.text("content", drawText(rt, "content"))
		var calls []any
		for i := range rapid.IntRange(0, 3).Draw(rt, "calls") {
			calls = append(calls, s.call(i))
			s.message["tool_calls"] = calls
		}
		s.data = append(s.data, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, "[DONE]")
		whole := mustJSON(object{"choices": []any{object{"index": 0, "message": s.message, "finish_reason": "stop"}}})
		checkSame(rt, read(t, formats["openai"], maxBytes, []byte(whole)), read(t, formats["openai"], maxBytes, stream("data: ", "\n", "\n", s.data)))
	})
}

// A blockStream is a message of content blocks, whole and as events.
type blockStream struct {
	t       *rapid.T
	content []any
	data    []string
}

// add adds a block that begins with start. Its text arrives in deltas with the text in the named
// member.
func (s *blockStream) add(block, start object, text, delta, member string, more ...object) {
	i := len(s.content)
	s.content = append(s.content, block)
	s.data = append(s.data, mustJSON(object{"type": "content_block_start", "index": i, "content_block": start}))
	var deltas []object
	for _, p := range pieces(s.t, text) {
		deltas = append(deltas, object{"type": delta, member: p})
	}
	for _, d := range append(deltas, more...) {
		s.data = append(s.data, mustJSON(object{"type": "content_block_delta", "index": i, "delta": d}))
	}
	s.data = append(s.data, mustJSON(object{"type": "content_block_stop", "index": i}))
}

// draw adds a block of any type.
func (s *blockStream) draw() {
	text, args := drawText(s.t, "text"), drawObject(s.t)
	switch rapid.IntRange(0, 3).Draw(s.t, "block") {
	case 0:
		s.add(object{"type": "text", "text": text}, object{"type": "text", "text": ""}, text, "text_delta", "text")
	case 1:
		s.add(object{"type": "thinking", "thinking": text, "signature": "c2ln"}, object{"type": "thinking", "thinking": "", "signature": ""},
			text, "thinking_delta", "thinking", object{"type": "signature_delta", "signature": "c2ln"})
	case 2:
		block := object{"type": "redacted_thinking", "data": text, "more": []any{1, object{"a": text}}}
		s.add(block, block, "", "", "")
	case 3:
		call := func(input any) object { return object{"type": "tool_use", "id": "t", "name": "f", "input": input} }
		s.add(call(json.RawMessage(args)), call(object{}), args, "input_json_delta", "partial_json")
	}
}

func TestMessagesWholeAndStream(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := blockStream{t: rt, data: []string{`{"type":"message_start","message":{"id":"m","content":[]}}`}}
		for range rapid.IntRange(1, 4).Draw(rt, "blocks") {
			s.draw()
		}
		s.data = append(s.data, `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, `{"type":"message_stop"}`)
		whole := mustJSON(object{"type": "message", "content": s.content, "stop_reason": "tool_use"})
		checkSame(rt, read(t, formats["anthropic"], maxBytes, []byte(whole)), read(t, formats["anthropic"], maxBytes, stream("data: ", "\n", "\n", s.data)))
	})
}
