package model_test

import (
	"encoding/json"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/model"
)

// Every part of a request counts, and no part can pass for another.
func TestDigestTellsRequestsApart(t *testing.T) {
	say := func(texts ...string) (out []chat.Message) {
		for _, text := range texts {
			out = append(out, chat.Message{Role: chat.User, Content: text})
		}
		return out
	}
	params := func(text string) map[string]json.RawMessage {
		return map[string]json.RawMessage{"seed": json.RawMessage(text)}
	}
	seen := make(map[string]int)
	for i, req := range []chat.Request{
		{},
		{Purpose: chat.PurposeTurn},
		{Purpose: chat.PurposeAnswer},
		{System: "ab"},
		{System: "a"},
		{Messages: say("")},
		{Messages: say("ab")},
		{Messages: say("a", "b")},
		{Messages: say("ab", "")},
		{Messages: []chat.Message{{Role: chat.Assistant, Content: "ab"}}},
		{System: "a", Messages: say("b")},
		{Format: json.RawMessage(`{}`)},
		{Format: json.RawMessage(`{ }`)},
		{Params: params("1")},
		{Params: params("1.0")},
		{Params: map[string]json.RawMessage{"top_k": json.RawMessage("1")}},
	} {
		d := model.Digest(req)
		if j, ok := seen[d]; ok {
			t.Errorf("requests %d and %d have one digest", i, j)
		}
		seen[d] = i
	}
}

// Run files hold digests, so the form cannot change under the same name.
func TestDigestIsStable(t *testing.T) {
	req := question
	req.Format = json.RawMessage(`{"type":"object"}`)
	req.Params = map[string]json.RawMessage{"seed": json.RawMessage("1"), "num_ctx": json.RawMessage("4096"), "temperature": json.RawMessage("0")}
	const want = "0a4bde6b29edaa07f317e9b081b5458b7e826d1a00d82060ceb3241f3eb7af83"
	for range 20 { // maps are ordered at random
		if got := model.Digest(req); got != want {
			t.Fatalf("digest %s, want %s", got, want)
		}
	}
}

// A record keeps U+FFFD in place of what is not UTF-8; a replay must not differ.
func TestDigestOfBytesThatAreNotUTF8(t *testing.T) {
	broken := chat.Request{System: "a\xff\xfeb"}
	if model.Digest(broken) != model.Digest(chat.Request{System: "a\ufffd\ufffdb"}) {
		t.Error("the digests differ")
	}
}
