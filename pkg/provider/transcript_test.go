package provider_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/anthropic"
	"oneshot/pkg/provider/ollama"
	"oneshot/pkg/provider/openai"
	"oneshot/pkg/provider/responses"
	"oneshot/pkg/provider/wire"
	"oneshot/pkg/runfile"
)

var everyAPI = []*wire.Protocol{&ollama.Protocol, &openai.Protocol, &responses.Protocol, &anthropic.Protocol}

// longConversation returns turns of a question, two native calls and their results. Every second turn
// has a native form.
func longConversation(turns int) []chat.Message {
	var all []chat.Message
	for i := range turns {
		calls := []chat.Call{
			{ID: fmt.Sprintf("a%d", i), Name: "read", Arguments: json.RawMessage(`{"n":1}`)},
			{ID: fmt.Sprintf("b%d", i), Name: "read", Arguments: json.RawMessage(`{"n":2}`)},
		}
		said := chat.Message{Role: chat.Assistant, Content: "so", Calls: calls}
		if i%2 == 1 {
			said.Native = &chat.Native{API: "chat", Model: "p/m", Body: json.RawMessage(`{"role":"assistant","content":"echoed","tool_calls":[{},{}]}`)}
		}
		all = append(all, chat.Message{Role: chat.User, Content: fmt.Sprint("question ", i)}, said,
			chat.Message{Role: chat.Tool, CallID: calls[0].ID, Name: "read", Content: "one"},
			chat.Message{Role: chat.Tool, CallID: calls[1].ID, Name: "read", Content: "two"})
	}
	return all
}

// B12: a client that reuses the encoding of earlier requests sends the same bytes as a new one,
// even if another conversation comes in between.
func TestGrownConversationIsEncodedLikeANewOne(t *testing.T) {
	messages := longConversation(5)
	for _, api := range everyAPI {
		config := provider.Config{Protocol: api, Name: "p/m", Model: "m"}
		grown := provider.New(config)
		for n := range len(messages) + 1 {
			req := chat.Request{System: "s", Messages: messages[:n:n]}
			if n%3 == 2 {
				req.Messages = append([]chat.Message(nil), req.Messages...) // as after append has moved the slice
			}
			compareBodies(t, grown, provider.New(config), req)
		}
		other := chat.Request{System: "s", Messages: append(longConversation(2), messages...)}
		compareBodies(t, grown, provider.New(config), other)
		compareBodies(t, grown, provider.New(config), chat.Request{System: "another", Messages: messages})
	}
}

func compareBodies(t *testing.T, a, b *provider.Client, req chat.Request) {
	t.Helper()
	x, err := a.Compose(req)
	y, err2 := b.Compose(req)
	if err != nil || err2 != nil || string(x.Body) != string(y.Body) || !json.Valid(x.Body) {
		t.Fatalf("%s, %d messages: errors %v, %v\n%s\n%s", a.Protocol().API, len(req.Messages), err, err2, x.Body, y.Body)
	}
}

// B12: the cost of encoding a request and of its digest does not grow with the conversation before
// it.
func TestRequestCostsWhatIsNewInIt(t *testing.T) {
	for _, api := range everyAPI {
		var allocations []float64
		for _, turns := range []int{10, 1000} {
			client := provider.New(provider.Config{Protocol: api, Name: "p/m", Model: "m"})
			req := chat.Request{System: "s", Messages: longConversation(turns)}
			var chain provider.MessageDigest
			chain.Add(req.Messages...)
			allocations = append(allocations, testing.AllocsPerRun(5, func() {
				if _, err := client.Compose(req); err != nil {
					t.Fatal(err)
				}
				chain.RequestDigest(req)
			}))
		}
		if allocations[1] > allocations[0]+5 {
			t.Errorf("%s: %v allocations after 10 turns, %v after 1,000", api.API, allocations[0], allocations[1])
		}
	}
}

// D4: a replay compares the digest in a request, and hashes no messages again.
func TestReplayTakesTheDigestOfARequest(t *testing.T) {
	req := chat.Request{Purpose: chat.PurposeTurn, Messages: longConversation(500)}
	digest := provider.Digest(req)
	log := &runfile.Log{Records: []runfile.Record{
		{Header: runfile.Header{Seq: 1}, Body: runfile.Request{Turn: 1, Purpose: req.Purpose, Messages: req.Messages, Digest: digest}},
		{Header: runfile.Header{Seq: 2}, Body: runfile.Response{Turn: 1, Content: "ok", Stop: chat.StopEnd}},
	}}
	req.Digest = digest
	allocations := testing.AllocsPerRun(3, func() {
		p, err := provider.NewReplay("r", log)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := p.Reply(t.Context(), req, func(chat.Delta) {}); err != nil || resp.Content != "ok" {
			t.Fatal(resp, err)
		}
	})
	if allocations > 30 {
		t.Errorf("%v allocations for a reply to 2,000 messages", allocations)
	}
}
