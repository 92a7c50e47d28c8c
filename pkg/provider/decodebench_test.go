package provider_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// tokens returns a body of many small text deltas in a format.
func tokens(format string, n int) []byte {
	form := map[string]string{
		"ollama":    `{"model":"m","created_at":"2026-03-01T10:00:00.000000001Z","message":{"role":"assistant","content":%s},"done":false}` + "\n",
		"openai":    `data: {"id":"chatcmpl-123","object":"chat.completion.chunk","created":1700000000,"model":"m","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":%s},"logprobs":null,"finish_reason":null}]}` + "\n\n",
		"responses": `data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":%s,"sequence_number":5}` + "\n\n",
		"anthropic": `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%s}}` + "\n\n",
	}[format]
	var b strings.Builder
	if format == "anthropic" {
		b.WriteString(`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n")
	}
	for i := range n {
		word, _ := json.Marshal(fmt.Sprintf(" word%d\n", i))
		fmt.Fprintf(&b, form, word)
	}
	return []byte(b.String())
}

// BenchmarkTokens reads text deltas of a few bytes each.
func BenchmarkTokens(b *testing.B) {
	for _, format := range []string{"ollama", "openai", "responses", "anthropic"} {
		b.Run(format, func(b *testing.B) {
			pieces := chunks(tokens(format, 5000), 4096)
			size := 0
			for _, p := range pieces {
				size += len(p)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				d := formats[format].NewDecoder(1 << 30)
				for _, p := range pieces {
					if err := d.Write(p, nil); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkLine reads one line of 64 MB.
func BenchmarkLine(b *testing.B) {
	text := strings.Repeat(`A line of text.\n`, 4<<20)
	for _, body := range []string{
		`data: {"choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":"stop"}]}` + "\n\n",
		`{"choices":[{"index":0,"message":{"content":"` + text + `"},"finish_reason":"stop"}]}`,
	} {
		b.Run(body[:5], func(b *testing.B) {
			pieces := chunks([]byte(body), 32<<10)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				d := formats["openai"].NewDecoder(1 << 30)
				for _, p := range pieces {
					if err := d.Write(p, nil); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := d.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
