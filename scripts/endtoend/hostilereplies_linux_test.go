package endtoend

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"oneshot/internal/testsize"
	"oneshot/scripts/modelserver"
)

// A hostileReply is a reply that is larger than that of any model: begin, then copies of repeat until the size in MiB
// is reached, then end. In repeat, # is a number that grows.
type hostileReply struct {
	api, name, begin, repeat, end string
	mib                           int
	code                          int
	want                          string // in the message
}

// Parts of replies that several rows share, by protocol.
const (
	chatUsage      = `"usage":{"prompt_tokens":7,"completion_tokens":11}`
	chatDelta      = `data: {"id":"c","choices":[{"index":0,"delta":`
	chatWhole      = `{"id":"c",` + chatUsage + `,"choices":[{"index":0,"finish_reason":"stop","message":`
	chatCall       = `{"type":"function","function":{"name":"file_read","arguments":"{\"path\":\"a\"}"}}`
	responsesUsage = `"usage":{"input_tokens":7,"output_tokens":11}`
	responsesWhole = `{"id":"r","status":"completed",` + responsesUsage + `,"output":[`
	responsesDone  = `data: {"type":"response.completed","response":` + responsesWhole
	responsesCall  = `{"type":"function_call","call_id":"c","name":"file_read","arguments":"{}"}`
	messagesUsage  = `"usage":{"input_tokens":7,"output_tokens":11}`
	messagesStart  = `data: {"type":"message_start","message":{"id":"m",` + messagesUsage + `}}` + "\n\n"
	messagesBlock  = `data: {"type":"content_block_start","index":0,"content_block":`
	messagesDelta  = `data: {"type":"content_block_delta","index":0,"delta":`
	messagesWhole  = `{"type":"message","id":"m","stop_reason":"end_turn",` + messagesUsage + `,"content":[`
	messagesCall   = `{"type":"tool_use","id":"c","name":"file_read","input":{}}`
	ollamaUsage    = `"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":11}`
	ollamaCall     = `{"function":{"name":"file_read","arguments":{}}}`
	words          = "word word word word word word "
	xs             = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
)

// The limits, as messages name them.
const (
	overCalls     = "3 calls" // which the run has used, or the reply exceeds
	overArguments = "the arguments of a call exceed 4194304 bytes"
	overText      = "the text and calls of the reply exceed 16777216 bytes"
	overBody      = "response exceeds 67108864 bytes"
	overParts     = "the parts of the reply exceed 33554432 bytes"
	overItems     = "a list in the reply has more than 50000 elements"
	overValues    = "a message of the reply has more than 1000000 values"
	overKey       = "the id or name of a call exceeds 65536 bytes"
	overName      = "the model name exceeds 1024 bytes"
)

// hostileReplies returns replies that could exhaust the memory of a run.
func hostileReplies() []hostileReply {
	return []hostileReply{
		{"ollama", "calls", `{"message":{"tool_calls":[` + ollamaCall, "," + ollamaCall, `]},` + ollamaUsage, 61, 6, overValues},
		{"ollama", "fewer calls", `{"message":{"tool_calls":[` + ollamaCall, "," + ollamaCall, `]},` + ollamaUsage, 5, 6, overCalls},
		{"ollama", "empty calls", `{"message":{"tool_calls":[{}`, ",{}", `]},` + ollamaUsage, 2, 6, overCalls},
		{"ollama", "calls one by one", "", `{"message":{"tool_calls":[` + ollamaCall + `]}}` + "\n", "", 61, 6, overCalls},
		{"ollama", "arguments", `{"message":{"tool_calls":[{"function":{"name":"file_read","arguments":{"x":"`, xs, `"}}}]},` + ollamaUsage, 50, 6, overArguments},
		{"ollama", "deltas", "", `{"message":{"content":"` + words + `"}}` + "\n", "{" + ollamaUsage, 63, 6, overText},
		{"ollama", "tiny deltas", "", `{"message":{"content":"x"}}` + "\n", "{" + ollamaUsage, 70, 6, overBody},
		{"ollama", "text", `{"message":{"content":"`, xs, `"},` + ollamaUsage, 63, 6, overText},
		{"ollama", "members", `{"message":{"m":1`, `,"m#":#`, `},` + ollamaUsage, 60, 6, overValues},
		{"ollama", "member", "", `{"message":{"x":"` + xs + `"}}` + "\n", "{" + ollamaUsage, 60, 6, overParts},
		{"ollama", "nest", `{"message":{"x":`, "[", "", 30, 11, "exceeded max depth"},
		{"ollama", "images", "", `{"message":{"images":[{}]}}` + "\n", "{" + ollamaUsage, 60, 6, overParts},

		{"chat", "deltas", "", chatDelta + `{"content":"` + words + `"}}]}` + "\n\n", "", 63, 6, overText},
		{"chat", "tiny deltas", "", `data: {"choices":[{"delta":{"content":"x"}}]}` + "\n\n", "", 70, 6, overBody},
		{"chat", "text", chatWhole + `{"content":"`, xs, `"}}]}`, 63, 6, overText},
		{"chat", "arguments", "", chatDelta + `{"tool_calls":[{"index":0,"function":{"name":"file_read","arguments":"` + xs + `"}}]}}]}` + "\n\n", "", 50, 6, overArguments},
		{"chat", "arguments whole", chatWhole + `{"tool_calls":[{"function":{"name":"file_read","arguments":"`, xs, `"}}]}}]}`, 50, 6, overArguments},
		{"chat", "legacy arguments", "", chatDelta + `{"function_call":{"name":"file_read","arguments":"` + xs + `"}}}]}` + "\n\n", "", 50, 6, overArguments},
		{"chat", "calls one by one", "", chatDelta + `{"tool_calls":[` + chatCall + `]}}]}` + "\n\n", "", 61, 6, overCalls},
		{"chat", "calls in a chunk", chatDelta + `{"tool_calls":[` + chatCall, "," + chatCall, `]}}]}` + "\n\n", 5, 6, overCalls},
		{"chat", "calls", chatWhole + `{"tool_calls":[` + chatCall, "," + chatCall, `]}}]}`, 61, 6, overValues},
		{"chat", "fewer calls", chatWhole + `{"tool_calls":[` + chatCall, "," + chatCall, `]}}]}`, 5, 6, overCalls},
		{"chat", "empty calls", chatWhole + `{"tool_calls":[{}`, ",{}", `]}}]}`, 2, 6, overCalls},
		{"chat", "empty calls in a chunk", chatDelta + `{"tool_calls":[{}`, ",{}", `]}}]}` + "\n\n", 2, 6, overCalls},
		{"chat", "parts", chatWhole + `{"content":[{}`, ",{}", `]}}]}`, 61, 6, overValues},
		{"chat", "fewer parts", chatWhole + `{"content":[{}`, ",{}", `]}}]}`, 2, 6, overItems},
		{"chat", "parts in a chunk", chatDelta + `{"content":[{}`, ",{}", `]}}]}` + "\n\n", 2, 6, overItems},
		{"chat", "parts one by one", "", chatDelta + `{"content":[{}]}}]}` + "\n\n", "", 61, 6, overParts},
		{"chat", "choices", `{"id":"c",` + chatUsage + `,"choices":[{"index":1}`, `,{"index":1}`, `]}`, 5, 6, overItems},
		{"chat", "choices in a chunk", `data: {"id":"c","choices":[{"index":1}`, `,{"index":1}`, "]}\n\n", 5, 6, overItems},
		{"chat", "details", chatWhole + `{"reasoning_details":[{}`, ",{}", `]}}]}`, 2, 6, overItems},
		{"chat", "details one by one", "", chatDelta + `{"reasoning_details":[{"type":"x"}]}}]}` + "\n\n", "", 61, 6, overParts},
		{"chat", "members", chatDelta + `{"m":1`, `,"m#":#`, "}}]}\n\n", 61, 6, overValues},
		{"chat", "member", "", chatDelta + `{"x":"` + xs + xs + `"}}]}` + "\n\n", "", 61, 6, overParts},
		{"chat", "nest", chatDelta + `{"x":`, "[", "", 30, 11, "exceeded max depth"},
		{"chat", "line", "data: ", xs, "", 70, 11, "not JSON: xxxx"},
		{"chat", "comment", ": ", xs, "", 70, 6, overBody},
		{"chat", "lines", "", "data: {\n", "", 70, 6, overBody},
		{"chat", "numbers", "data: [{\"x\":[1\n", "data: ,1\n", "", 70, 11, "not JSON"},
		{"chat", "lines of an object", `data: {"x":[1` + "\n", "data: ,1\n", "", 70, 6, overValues},
		{"chat", "blank lines of an object", `data: {"x":` + "\n", "data: \n", "", 70, 6, overBody},
		{"chat", "model", `{"id":"c","model":"`, xs, `","choices":[]}`, 60, 6, overName},
		{"chat", "pieces of a call", chatDelta + `{"tool_calls":[` + chatCall + `]}}]}` + "\n\n", chatDelta + `{"tool_calls":[{"id":"#","function":{"arguments":""}}]}}]}` + "\n\n", "", 61, 6, overParts},
		{"chat", "id of a call", chatWhole + `{"tool_calls":[{"id":"`, xs, `","function":{"name":"file_read","arguments":"{}"}}]}}]}`, 61, 6, overKey},
		{"chat", "error", `{"error":{"message":"`, xs, `"}}`, 61, 5, "server reports: "},
		{"chat", "errors", `{"error":{"errors":[{"reason":"x"}`, `,{"reason":"x#"}`, `]}}`, 61, 6, overValues},
		{"chat", "error event", "event: error\ndata: ", xs, "\n\n", 61, 5, "server reports: "},
		{"chat", "usage", "", `data: {"id":"c","choices":[],` + chatUsage + "}\n\n", "", 70, 6, overBody},
		{"chat", "pings", "", ": ping\n\n", "", 70, 6, overBody},

		{"responses", "deltas", "", `data: {"type":"response.output_text.delta","output_index":0,"delta":"` + words + `"}` + "\n\n", "", 63, 6, overText},
		{"responses", "items heard", "", `data: {"type":"response.output_text.delta","output_index":#,"delta":""}` + "\n\n", "", 63, 6, overParts},
		{"responses", "text", responsesWhole + `{"type":"message","content":[{"text":"`, xs, `"}]}]}`, 63, 6, overText},
		{"responses", "text in an event", responsesDone + `{"type":"message","content":[{"text":"`, xs, `"}]}]}}` + "\n\n", 63, 6, overText},
		{"responses", "arguments", `data: {"type":"response.output_item.added","output_index":0,"item":` + responsesCall + "}\n\n",
			`data: {"type":"response.function_call_arguments.delta","output_index":0,"delta":"` + xs + xs + `"}` + "\n\n", "", 60, 6, overArguments},
		{"responses", "arguments whole", responsesWhole + `{"type":"function_call","call_id":"c","name":"file_read","arguments":"`, xs, `"}]}`, 50, 6, overArguments},
		{"responses", "calls one by one", "", `data: {"type":"response.output_item.done","output_index":#,"item":` + responsesCall + "}\n\n", "", 61, 6, overCalls},
		{"responses", "calls begun", "", `data: {"type":"response.output_item.added","output_index":#,"item":` + responsesCall + "}\n\n", "", 61, 6, overCalls},
		{"responses", "calls", responsesWhole + responsesCall, "," + responsesCall, "]}", 61, 6, overValues},
		{"responses", "fewer calls", responsesWhole + responsesCall, "," + responsesCall, "]}", 5, 6, overCalls},
		{"responses", "calls in an event", responsesDone + responsesCall, "," + responsesCall, "]}}\n\n", 5, 6, overCalls},
		{"responses", "items", responsesWhole + "{}", ",{}", "]}", 2, 6, overParts},
		{"responses", "items one by one", "", `data: {"type":"response.output_item.done","output_index":0,"item":{}}` + "\n\n", "", 61, 6, overParts},
		{"responses", "item", "", `data: {"type":"response.output_item.done","output_index":0,"item":{"x":"` + strings.Repeat(xs, 100) + `"}}` + "\n\n", "", 61, 6, overParts},
		{"responses", "parts", responsesWhole + `{"type":"message","content":[{}`, ",{}", "]}]}", 61, 6, overValues},
		{"responses", "fewer parts", responsesWhole + `{"type":"message","content":[{}`, ",{}", "]}]}", 2, 9, ""},
		{"responses", "summaries", responsesWhole + `{"type":"reasoning","summary":[{}`, ",{}", "]}]}", 2, 6, overItems},
		{"responses", "nest", `data: {"type":"response.completed","response":{"x":`, "[", "", 30, 11, "exceeded max depth"},
		{"responses", "line", "data: ", xs, "", 70, 11, "not JSON: xxxx"},
		{"responses", "pings", "", `data: {"type":"response.in_progress"}` + "\n\n", "", 70, 6, overBody},

		{"messages", "deltas", messagesStart + messagesBlock + `{"type":"text","text":""}}` + "\n\n", messagesDelta + `{"type":"text_delta","text":"` + words + `"}}` + "\n\n", "", 63, 6, overText},
		{"messages", "text", messagesWhole + `{"type":"text","text":"`, xs, `"}]}`, 63, 6, overText},
		{"messages", "member", messagesStart + messagesBlock + `{"type":"thinking","thinking":""}}` + "\n\n", messagesDelta + `{"x":"` + xs + xs + `"}}` + "\n\n", "", 63, 6, overParts},
		{"messages", "members", messagesStart + messagesBlock + `{"m":1`, `,"m#":#`, "}}\n\n", 61, 6, overValues},
		{"messages", "arguments", messagesStart + messagesBlock + messagesCall + "}\n\n", messagesDelta + `{"type":"input_json_delta","partial_json":"` + xs + `"}}` + "\n\n", "", 50, 6, overArguments},
		{"messages", "input of a text", messagesStart + messagesBlock + `{"type":"text","text":""}}` + "\n\n", messagesDelta + `{"type":"input_json_delta","partial_json":"` + xs + `"}}` + "\n\n", "", 50, 6, overArguments},
		{"messages", "arguments whole", messagesWhole + `{"type":"tool_use","id":"c","name":"file_read","input":{"x":"`, xs, `"}}]}`, 50, 6, overArguments},
		{"messages", "calls one by one", messagesStart, messagesBlock + messagesCall + "}\n\n" + `data: {"type":"content_block_stop","index":0}` + "\n\n", "", 61, 6, overCalls},
		{"messages", "calls begun", messagesStart, messagesBlock + messagesCall + "}\n\n", "", 61, 6, overCalls},
		{"messages", "calls", messagesWhole + messagesCall, "," + messagesCall, "]}", 61, 6, overValues},
		{"messages", "fewer calls", messagesWhole + messagesCall, "," + messagesCall, "]}", 5, 6, overCalls},
		{"messages", "blocks", messagesWhole + "{}", ",{}", "]}", 61, 6, overValues},
		{"messages", "fewer blocks", messagesWhole + "{}", ",{}", "]}", 2, 6, overParts},
		{"messages", "blocks one by one", messagesStart, `data: {"type":"content_block_start","index":#,"content_block":{}}` + "\n\n", "", 61, 6, overParts},
		{"messages", "citations", messagesStart + messagesBlock + `{"type":"text","text":""}}` + "\n\n", messagesDelta + `{"type":"citations_delta","citation":{}}}` + "\n\n", "", 61, 6, overParts},
		{"messages", "nest", messagesStart + messagesBlock + `{"x":`, "[", "", 30, 11, "exceeded max depth"},
		{"messages", "line", "data: ", xs, "", 70, 11, "not JSON: xxxx"},
		{"messages", "usage", messagesStart, `data: {"type":"message_delta",` + messagesUsage + "}\n\n", "", 70, 6, overBody},
		{"messages", "pings", messagesStart, `data: {"type":"ping"}` + "\n\n", "", 70, 6, overBody},
	}
}

// mostMemory is the maximum memory of a run: 64 MiB, and twice the maximum reply of 64 MiB.
const mostMemory = (64 + 2*64) << 20

// TestReplyMemory checks M8 and D11: a hostile reply ends the run at a limit that the message names, and never takes
// more than [mostMemory].
func TestReplyMemory(t *testing.T) {
	if !testsize.IsLong() {
		t.Skip("make memory runs it, without the race detector, which multiplies memory")
	}
	for _, tt := range hostileReplies() {
		t.Run(tt.api+"/"+tt.name, func(t *testing.T) {
			out, code, kib := tt.measured(t)
			t.Logf("exit %d, %d MiB at the peak", code, kib>>10)
			if !strings.Contains(out, tt.want) {
				t.Errorf("no %q in: %.2000s", tt.want, out)
			}
			if code != tt.code || kib > mostMemory>>10 {
				t.Errorf("exit %d, %d MiB at the peak, of which %d are allowed", code, kib>>10, mostMemory>>20)
			}
		})
	}
}

// TestReplyMemorySettings checks that the bound applies with the garbage collector off, and that a GOMEMLIMIT of the
// user overrides it.
func TestReplyMemorySettings(t *testing.T) {
	if !testsize.IsLong() {
		t.Skip("make memory runs it, without the race detector, which multiplies memory")
	}
	all := hostileReplies()
	reply := all[slices.IndexFunc(all, func(h hostileReply) bool { return h.api == "chat" && h.name == "deltas" })]
	for _, tt := range []struct {
		env   []string
		below bool
	}{
		{[]string{"GOGC=off"}, true},
		{[]string{"GOGC=off", "GOMEMLIMIT=1GiB"}, false},
		{[]string{"GOMEMLIMIT=48MiB"}, true},
	} {
		out, code, kib := reply.measured(t, tt.env...)
		t.Logf("%v: exit %d, %d MiB at the peak", tt.env, code, kib>>10)
		if code != 6 || kib <= mostMemory>>10 != tt.below {
			t.Errorf("%v: exit %d, %d MiB at the peak: %.2000s", tt.env, code, kib>>10, out)
		}
	}
}

// serve writes the reply until the client disconnects.
func (h hostileReply) serve(w io.Writer) {
	io.WriteString(w, h.begin)
	var chunk []byte
	for n, i := 0, 0; n < h.mib<<20; n += len(chunk) {
		for chunk = chunk[:0]; len(chunk) < 64<<10; i++ {
			chunk = append(chunk, strings.ReplaceAll(h.repeat, "#", strconv.Itoa(i))...)
		}
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
	io.WriteString(w, h.end)
}

// measured runs the program against a server that sends the reply, as [measured] does.
func (h hostileReply) measured(t *testing.T, env ...string) (out string, code int, kib int64) {
	s := &modelserver.Server{Models: []string{"scripted"}, Tools: true}
	handler := s.Handler()
	running := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/chat", "/chat/completions", "/responses", "/v1/messages":
			h.serve(w)
		default:
			handler.ServeHTTP(w, r)
		}
	}))
	defer running.Close()
	return measured(t, t.TempDir(), env, "run", "--api", h.api, "--base-url", running.URL, "--model", "scripted", "--dialect", "native",
		"--tool", "file_read", "--root", ".", "--max-calls", "3", "--max-identical-calls", "10", "--output", "envelope", "What day is it?")
}
