package provider_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"oneshot/internal/testsize"
	"oneshot/pkg/provider/anthropic"
	"oneshot/pkg/provider/bedrock"
	"oneshot/pkg/provider/cohere"
	"oneshot/pkg/provider/gemini"
	"oneshot/pkg/provider/ollama"
	"oneshot/pkg/provider/openai"
	"oneshot/pkg/provider/responses"
	"oneshot/pkg/provider/wire"
)

// A reply of any format is decoded up to its limits, with memory in proportion to its retained
// parts (M8). Protocols without a client are tested only here.
func TestLimits(t *testing.T) {
	const most = 10
	for _, tt := range []struct {
		name               string
		decoder            *wire.Decoder
		begin, repeat, end string
		want               string
		usage              bool // the usage is known, although there are too many calls
	}{
		{"gemini", gemini.Protocol.NewDecoder(1 << 30), `{"usageMetadata":{"promptTokenCount":7},"candidates":[{"finishReason":"STOP","content":{"parts":[{}`, `,{"functionCall":{"name":"f","args":{}}}`, `]}}]}`, "more than 10 calls", true},
		{"gemini arguments", gemini.Protocol.NewDecoder(1 << 30), `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true,"partialArgs":[{}`, `,{"jsonPath":"$.#","numberValue":1}`, `]}}]}}]}`, "a list in the reply has more than", false},
		{"gemini candidates", gemini.Protocol.NewDecoder(1 << 30), `{"candidates":[{"index":1}`, `,{"index":1}`, `]}`, "a list in the reply has more than", false},
		{"gemini text", gemini.Protocol.NewDecoder(1 << 30), `{"candidates":[{"content":{"parts":[{}`, `,{"text":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}`, `]}}]}`, "the text and calls of the reply exceed", false},
		{"gemini stream", gemini.Protocol.NewDecoder(1 << 30), "", `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}}]}}]}` + "\n\n", "", "more than 10 calls", false},
		{"bedrock", bedrock.Protocol.NewDecoder(1 << 30), `{"output":{"message":{"content":[{}`, `,{"toolUse":{"toolUseId":"c","name":"f","input":{}}}`, `]}},"stopReason":"tool_use","usage":{"inputTokens":7}}`, "more than 10 calls", true},
		{"bedrock text", bedrock.Protocol.NewDecoder(1 << 30), `{"output":{"message":{"content":[{}`, `,{"text":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}`, `]}},"stopReason":"end_turn"}`, "the text and calls of the reply exceed", false},
		{"bedrock stream", bedrock.Protocol.NewDecoder(1 << 30), "", `{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"c","name":"f"}}}}` + "\n", "", "more than 10 calls", false},
		{"cohere", cohere.Protocol.NewDecoder(1 << 30), `{"finish_reason":"TOOL_CALL","usage":{"tokens":{"input_tokens":7}},"message":{"tool_calls":[{}`, `,{"id":"c","function":{"name":"f","arguments":"{}"}}`, `]}}`, "more than 10 calls", true},
		{"cohere text", cohere.Protocol.NewDecoder(1 << 30), `{"finish_reason":"COMPLETE","message":{"content":[{}`, `,{"text":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}`, `]}}`, "the text and calls of the reply exceed", false},
		{"cohere stream", cohere.Protocol.NewDecoder(1 << 30), "", `data: {"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"c","function":{"name":"f"}}}}}` + "\n\n", "", "more than 10 calls", false},
		{"ollama member", ollama.Protocol.NewDecoder(1 << 30), "", `{"message":{"x":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}` + "\n", "", "the parts of the reply exceed", false},
		{"openai member", openai.Protocol.NewDecoder(1 << 30), "", `data: {"choices":[{"delta":{"x":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}]}` + "\n\n", "", "the parts of the reply exceed", false},
		{"anthropic member", anthropic.Protocol.NewDecoder(1 << 30), `data: {"type":"content_block_start","index":0,"content_block":{"type":"x"}}` + "\n\n", `data: {"type":"content_block_delta","index":0,"delta":{"x":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}` + "\n\n", "", "the parts of the reply exceed", false},
		{"responses items", responses.Protocol.NewDecoder(1 << 30), "", `data: {"type":"response.output_item.done","output_index":0,"item":{"x":"xxxxxxxxxxxx"}}` + "\n\n", "", "the parts of the reply exceed", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := []byte(tt.begin + strings.Repeat(tt.repeat, 100_000) + tt.end)
			d := tt.decoder
			d.SetLimits(wire.Limits{Calls: most, Arguments: 1 << 20, Text: 1 << 20})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := d.Write(body, nil)
			resp, _ := d.Close()
			runtime.ReadMemStats(&after)
			var fault *wire.Error
			if !errors.As(err, &fault) || fault.Kind != wire.TooLarge || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v", err)
			}
			if len(resp.Calls) > most+1 || tt.usage && resp.Usage.InputTokens != 7 {
				t.Errorf("%d calls, usage %+v", len(resp.Calls), resp.Usage)
			}
			// With the race detector, more values escape to the heap.
			if bytes := after.TotalAlloc - before.TotalAlloc; bytes > uint64(3*len(body))+32<<20 && !testsize.RaceDetector {
				t.Errorf("%d bytes are allocated for a body of %d", bytes, len(body))
			}
		})
	}
}
