package provider_test

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// FuzzSplits checks the law of every decoder: the reading does not depend on how a body is
// split.
func FuzzSplits(f *testing.F) {
	names := formatNames()
	for i, format := range names {
		for _, c := range cases(f, format) {
			f.Add(uint(i), c.body, uint(7), uint(200))
		}
	}
	f.Fuzz(func(t *testing.T, format uint, b []byte, i, j uint) {
		const limit = 8192
		decoder := formats[names[format%uint(len(names))]]
		whole := read(t, decoder, limit, b)
		checkSources(t, decoder, b)
		n := uint(len(b) + 1)
		i, j = min(i%n, j%n), max(i%n, j%n)
		for _, pieces := range [][][]byte{{b[:i], b[i:j], nil, b[j:]}, singly(b)} {
			if diff := difference(whole, read(t, decoder, limit, pieces...)); diff != "" {
				t.Errorf("(-whole +pieces):\n%s", diff)
			}
		}
	})
}

// formatNames are the names of the formats in a fixed order.
func formatNames() []string {
	var names []string
	for name := range formats {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestMemory checks that the retained memory is about the size of the body, its texts and, if
// the server wants it back, its native message.
func TestMemory(t *testing.T) {
	text := strings.Repeat(`word \"and\" word `, 8*growthSize/18)
	for name, tt := range map[string]struct {
		format, body string
		most         float64 // of the body's size
	}{
		"tokens":         {"openai", string(tokens("openai", 20000)), 1.7},
		"a line":         {"openai", `data: {"choices":[{"delta":{"content":"` + text + `"}}]}` + "\n\n", 3.7},
		"a whole body":   {"openai", `{"choices":[{"message":{"content":"` + text + `"},"finish_reason":"stop"}]}`, 3.7},
		"arguments":      {"openai", `data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":` + quoted(`{"a":"`+text+`"}`) + `}}]}}]}` + "\n\n", 3.7},
		"a block":        {"anthropic", `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"` + text + `"}}` + "\n\n", 3.7},
		"an output item": {"responses", `data: {"type":"response.output_item.done","item":{"type":"message","content":[{"text":"` + text + `"}]}}` + "\n\n", 3.7},
	} {
		t.Run(name, func(t *testing.T) {
			pieces := chunks([]byte(tt.body), 4096)
			before := heap()
			d := formats[tt.format].NewDecoder(1 << 30)
			for _, p := range pieces {
				if err := d.Write(p, nil); err != nil {
					t.Fatal(err)
				}
			}
			resp, _ := d.Close()
			kept := float64(heap()) - float64(before)
			if limit := tt.most*float64(len(tt.body)) + 1<<18; kept > limit {
				t.Errorf("%.0f bytes are kept for a body of %d", kept, len(tt.body))
			}
			t.Logf("%.2f times the body", kept/float64(len(tt.body)))
			runtime.KeepAlive(d)
			runtime.KeepAlive(resp)
			runtime.KeepAlive(pieces)
		})
	}
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
