package provider_test

import (
	"encoding/json"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
)

// Every part of a request changes the digest, and equal texts in different parts do not collide.
func TestDigestTellsRequestsApart(t *testing.T) {
	say := func(texts ...string) (out []chat.Message) {
		for _, text := range texts {
			out = append(out, chat.Message{Role: chat.User, Content: text})
		}
		return out
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
		{AnyJSON: true},
		{Params: params("seed", "1")},
		{Params: params("seed", "1.0")},
		{Params: params("top_k", "1")},
		{Tools: []chat.Function{{Name: "a"}}},
		{Tools: []chat.Function{{Name: "a"}, {}}},
		{Tools: []chat.Function{{Description: "a"}}},
		{Tools: []chat.Function{{Parameters: json.RawMessage("1")}}},
		{Messages: []chat.Message{{CallID: "a"}}},
		{Messages: []chat.Message{{Name: "a"}}},
		{Messages: []chat.Message{{Calls: []chat.Call{{}}}}},
		{Messages: []chat.Message{{Calls: []chat.Call{{ID: "a"}}}}},
		{Messages: []chat.Message{{Calls: []chat.Call{{Name: "a"}}}}},
		{Messages: []chat.Message{{Calls: []chat.Call{{Arguments: json.RawMessage("1")}}}}},
		{Messages: []chat.Message{{Attachments: []chat.Attachment{{}}}}},
		{Messages: []chat.Message{{Attachments: []chat.Attachment{{SHA256: "a"}}}}},
		{Messages: []chat.Message{{Attachments: []chat.Attachment{{Name: "a"}}}}},
		{Messages: []chat.Message{{Attachments: []chat.Attachment{{Type: "a"}}}}},
		{Messages: []chat.Message{{Native: &chat.Native{}}}},
		{Messages: []chat.Message{{Native: &chat.Native{API: "a"}}}},
		{Messages: []chat.Message{{Native: &chat.Native{Model: "a"}}}},
		{Messages: []chat.Message{{Native: &chat.Native{Body: json.RawMessage("1")}}}},
	} {
		d := provider.Digest(req)
		if j, ok := seen[d]; ok {
			t.Errorf("requests %d and %d have one digest", i, j)
		}
		seen[d] = i
	}
}

// Run files hold digests, so the form cannot change under the same name.
func TestDigestIsStable(t *testing.T) {
	req := conversation()
	req.Format = json.RawMessage(`{"type":"object"}`)
	req.Params = params("seed", "1", "num_ctx", "4096", "temperature", "0")
	req.Messages[1].Native = &chat.Native{API: "chat", Model: "p/m", Body: json.RawMessage(`{}`)}
	const want = "aa607aa85a777895e20349b4fb7cfa23185cf9243c67ebbadfa1396c213081a3"
	for range 20 { // the order of maps is random
		if got := provider.Digest(req); got != want {
			t.Fatalf("digest %s, want %s", got, want)
		}
	}
}

// A record stores U+FFFD for invalid UTF-8, and its digest must be the same.
func TestDigestOfBytesThatAreNotUTF8(t *testing.T) {
	broken := chat.Request{System: "a\xff\xfeb"}
	if provider.Digest(broken) != provider.Digest(chat.Request{System: "a\ufffd\ufffdb"}) {
		t.Error("the digests differ")
	}
}

// Records do not keep whitespace in the JSON of a model or a definition, so it does not change the
// digest.
func TestDigestOfSpaces(t *testing.T) {
	req := func(open string) chat.Request {
		return chat.Request{
			Tools: []chat.Function{{Parameters: json.RawMessage(open + `"a":1}`)}},
			Messages: []chat.Message{{
				Calls:  []chat.Call{{Arguments: json.RawMessage(open + `"a":"b c"}`)}},
				Native: &chat.Native{Body: json.RawMessage(open + `"a":1.0}`)},
			}},
		}
	}
	if provider.Digest(req("{")) != provider.Digest(req("{ \n")) {
		t.Error("the digests differ")
	}
}
