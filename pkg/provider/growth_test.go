//go:build unix

package provider_test

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A hostileBody repeats a part many times. The %d in it is a counter.
type hostileBody struct{ name, format, before, each, after string }

// hostile are bodies that are expensive if the decoder reads earlier data again for each message.
var hostile = []hostileBody{
	{"comments", "openai", "", ": keep-alive %d\n\n", ""},
	{"blank lines", "openai", "data: x", "\n\n", ""},
	{"data without JSON", "openai", "data: x", "\ndata: \ndata", ""},
	{"data in lines", "openai", "data: {\"a\":[0", "\ndata: ,%d", "]}\n\n"},
	{"blanks in data", "openai", "data:", "        ", ""},
	{"a long name of a field", "openai", "data: {}\n\n", "name%d", ""},
	{"text", "openai", "", `data: {"choices":[{"delta":{"content":"%d"}}]}` + "\n\n", ""},
	{"parts", "openai", `{"choices":[{"message":{"content":["a"`, `,{"text":"%d","thinking":[{"text":"x"}]}`, `]}}]}`},
	{"lines that end in CR", "openai", "", "data:x%d\r", ""},
	{"empty events", "openai", "", "data:%d\r\revent:x\r", ""},
	{"unknown members", "openai", "", `data: {"choices":[{"delta":{"m%d":1}}]}` + "\n\n", ""},
	{"one unknown member", "openai", "", `data: {"choices":[{"delta":{"m":{"n":{"o":"%d"}}}}]}` + "\n\n", ""},
	{"elements by index", "openai", "", `data: {"choices":[{"delta":{"l":[{"index":%d,"text":"x"}]}}]}` + "\n\n", ""},
	{"elements without index", "openai", "", `data: {"choices":[{"delta":{"l":[{"type":"text","text":"%d"},{"a":1}]}}]}` + "\n\n", ""},
	{"deep pieces", "openai", "", `data: {"choices":[{"delta":{"m":` + strings.Repeat(`{"a":`, 50) + `1` + strings.Repeat(`}`, 50) + `}}]}` + "\n\n", ""},
	{"announced calls", "openai", "", `data: {"choices":[{"delta":{"tool_calls":[{"index":%d,"function":{"name":"f"}}]}}]}` + "\n\n", ""},
	{"whole calls", "openai", "", `data: {"choices":[{"delta":{"tool_calls":[{"index":%d,"id":"i","function":{"name":"f","arguments":"{\"a\":1}"}}]}}]}` + "\n\n", ""},
	{"calls after an open one", "openai", `data: {"choices":[{"delta":{"tool_calls":[{"index":"x","function":{"name":"f","arguments":"{"}}]}}]}` + "\n\n", `data: {"choices":[{"delta":{"tool_calls":[{"index":%d,"function":{"name":"f","arguments":"{\"a\":1}"}}]}}]}` + "\n\n", ""},
	{"arguments", "openai", `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"a\":\""}}]}}]}` + "\n\n", `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"%d }"}}]}}]}` + "\n\n", ""},
	{"empty arguments", "openai", "", `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":" {} "}}]}}]}` + "\n\n", ""},
	{"blank arguments", "openai", "", `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"  "}}]}}]}` + "\n\n", ""},
	{"a name", "openai", "", `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"n%d"}}]}}]}` + "\n\n", ""},
	{"reasons", "openai", "", `data: {"choices":[{"delta":{"tool_calls":[{"id":"%d","function":{"name":"f"}}]},"finish_reason":"stop"}]}` + "\n\n", ""},
	{"strange objects", "openai", "", `{"x":%d}` + "\n", ""},
	{"ollama", "ollama", "", `{"message":{"content":"%d","tool_calls":[{"function":{"name":"f","arguments":{}}}]}}` + "\n", ""},
	{"blocks", "anthropic", "", `data: {"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","name":"f","input":{}}}` + "\n\n", ""},
	{"stop reasons", "anthropic", "", `data: {"type":"content_block_start","index":%d,"content_block":{"type":"tool_use"}}` + "\n\n" + `data: {"type":"message_delta","delta":{"stop_reason":"x"}}` + "\n\n", ""},
	{"input", "anthropic", `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use"}}` + "\n\n", `data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":" %d"}}` + "\n\n", ""},
	{"citations", "anthropic", `data: {"type":"content_block_start","index":0,"content_block":{"type":"text"}}` + "\n\n", `data: {"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"a":%d}}}` + "\n\n", ""},
	{"items", "responses", "", `data: {"type":"response.output_item.done","output_index":%d,"item":{"type":"function_call","name":"f","arguments":"{}"}}` + "\n\n", ""},
	{"items that begin", "responses", "", `data: {"type":"response.output_item.added","output_index":%d,"item":{"type":"function_call","name":"f"}}` + "\n\n", ""},
	{"items in one place", "responses", "", `data: {"type":"response.output_item.done","item":{"type":"message","content":[{"text":"%d"}]}}` + "\n\n", ""},
	{"paths", "gemini", `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true,"partialArgs":[{}`, `,{"jsonPath":"$.m%d[0]","stringValue":"x"}`, `]}}]}}]}`},
	{"candidates", "gemini", "[", `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f%d"}}]},"finishReason":"STOP"}]},`, ""},
	{"tools", "bedrock", "", `{"contentBlockStart":{"contentBlockIndex":%d,"start":{"toolUse":{"name":"f"}}},"stopReason":"x"}` + "\n", ""},
	{"tool calls", "cohere", "", `data: {"type":"tool-call-start","index":%d,"delta":{"message":{"tool_calls":{"function":{"name":"f"}}}}}` + "\n\n", ""},
}

// slack is the time that the garbage collector and a busy machine may add. Reading everything again
// for each message takes seconds more.
const slack = 300 * time.Millisecond

// TestLinear checks that eight times the body takes about eight times the work: CPU time and
// bytes allocated.
func TestLinear(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			for _, piece := range []int{4096, 1 << 30} {
				small, large := work(h.format, h.body(growthSize), piece), work(h.format, h.body(8*growthSize), piece)
				if large.time > 24*small.time+slack {
					t.Errorf("%d bytes take %v, eight times as many %v", growthSize, small.time, large.time)
				}
				if large.bytes > 12*small.bytes+1<<20 {
					t.Errorf("%d bytes allocate %d bytes, eight times as many %d", growthSize, small.bytes, large.bytes)
				}
			}
		})
	}
}

// body returns a body of about n bytes.
func (h hostileBody) body(n int) []byte {
	b := []byte(h.before)
	for i := 0; len(b) < n; i++ {
		if strings.Contains(h.each, "%d") {
			b = fmt.Appendf(b, h.each, i)
		} else {
			b = append(b, h.each...)
		}
	}
	return append(b, h.after...)
}

type workDone struct {
	time  time.Duration
	bytes uint64
}

// work reads a body three times. It returns the least CPU time, and the bytes allocated by the last
// reading.
func work(format string, body []byte, piece int) workDone {
	best := workDone{time: time.Hour}
	for range 3 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := processorTime()
		d := formats[format].NewDecoder(1 << 30)
		for _, p := range chunks(body, piece) {
			if d.Write(p, nil) != nil {
				break
			}
		}
		_, _ = d.Close()
		best.time = min(best.time, processorTime()-start)
		runtime.ReadMemStats(&after)
		best.bytes = after.TotalAlloc - before.TotalAlloc
	}
	return best
}

// processorTime returns the CPU time of this process.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
