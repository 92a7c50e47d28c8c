package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag"
)

// M8: no call of an abnormally stopped response is executable, in any format, and the finding is
// located at the reason.
func TestFinishReasons(t *testing.T) {
	const args = `"{\"a\":1}"`
	for _, tt := range []struct{ name, body, reason string }{
		{"chat", `{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"f","arguments":` + args + `}}]},"finish_reason":%s}]}`, "length"},
		{"chat, a filter", `{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"f","arguments":` + args + `}}]},"finish_reason":%s}]}`, "content_filter"},
		{"chat, streamed", `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"f","arguments":` + args + `}}]}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{},"finish_reason":%s}]}` + "\n\ndata: [DONE]\n", "length"},
		{"responses", `{"object":"response","status":"incomplete","incomplete_details":{"reason":%s},"output":[{"type":"function_call","call_id":"1","name":"f","arguments":` + args + `}]}`, "max_output_tokens"},
		{"anthropic", `{"type":"message","content":[{"type":"tool_use","id":"1","name":"f","input":{"a":1}}],"stop_reason":%s}`, "max_tokens"},
		{"gemini", `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":1}}}]},"finishReason":%s}]}`, "MAX_TOKENS"},
		{"gemini, a call", `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":1}}}]},"finishReason":%s}]}`, "MALFORMED_FUNCTION_CALL"},
		{"ollama", `{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"done":true,"done_reason":%s}`, "length"},
		{"bedrock", `{"output":{"message":{"content":[{"toolUse":{"toolUseId":"1","name":"f","input":{"a":1}}}]}},"stopReason":%s}`, "max_tokens"},
		{"cohere", `{"message":{"tool_calls":[{"id":"1","function":{"name":"f","arguments":` + args + `}}]},"finish_reason":%s}`, "MAX_TOKENS"},
	} {
		body := fmt.Sprintf(tt.body, `"`+tt.reason+`"`)
		r := response("f", []byte(body), Options{})
		if len(r.Calls) != 1 || r.Calls[0].Executable {
			t.Errorf("%s: calls %+v", tt.name, r.Calls)
		}
		if len(r.Findings) == 0 {
			t.Errorf("%s: nothing is found", tt.name)
			continue
		}
		f := r.Findings[len(r.Findings)-1]
		if got := body[f.Span.Start:f.Span.End]; f.Code != "TC013" || got != `"`+tt.reason+`"` || f.Layer == "" {
			t.Errorf("%s: %s at %q", tt.name, f, got)
		}
	}
}

// The finish reason is compared with the calls of the response.
func TestContradictions(t *testing.T) {
	chat := func(message, reason string) string {
		return `{"choices":[{"message":{` + message + `},"finish_reason":` + reason + `}]}`
	}
	const call = `"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]`
	for _, tt := range []struct {
		name, body string
		runs       bool
		want       []string
	}{
		{"as it should be", chat(call, `"tool_calls"`), true, []string{}},
		{"no call", chat(`"content":"I call."`, `"tool_calls"`), false, []string{"1:62 warning TC014 -"}},
		{"a call of one that was asked for", chat(call, `"stop"`), true, []string{"1:109 info TC014 -"}},
		{"no call of Anthropic", `{"type":"message","content":[],"stop_reason":"tool_use"}`, false, []string{"1:46 warning TC014 -"}},
		{"Gemini has no reason for calls", `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}}]},"finishReason":"STOP"}]}`, true, []string{}},
		{"nor has Ollama", `{"message":{"tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":true,"done_reason":"stop"}`, true, []string{}},
		{"an older one has none at all", `{"message":{"tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":true}`, true, []string{}},
		{"no reason", chat(call, "null"), false, []string{"1:85 error TC404 0", "1:109 error TC013 -"}},
		{"a refusal", chat(`"refusal":"No."`, `"stop"`), false, []string{"1:58 error TC013 -"}},
		{"broken off", `{"message":{"tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":false}`, false, []string{"1:83 error TC011 -"}},
		{"an error behind a call", `{"message":{"tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":false}` + "\n" + `{"error":"x"}`, false, []string{"2:10 error TC012 -"}},
	} {
		r := response("f", []byte(tt.body), Options{})
		if d := cmp.Diff(tt.want, brief(r.Findings)); d != "" {
			t.Errorf("%s: findings (-want +got)\n%s", tt.name, d)
		}
		if runs := len(r.executableCalls()) > 0; runs != tt.runs {
			t.Errorf("%s: calls %+v", tt.name, r.Calls)
		}
	}
}

// Missing and duplicate ids of native calls are reported where ids are required.
func TestNativeIDs(t *testing.T) {
	call := func(id string) string { return `{` + id + `"function":{"name":"f","arguments":"{}"}}` }
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"none", `{"choices":[{"message":{"tool_calls":[` + call("") + `]},"finish_reason":"tool_calls"}]}`, []string{"1:59 warning TC403 0"}},
		{"empty", `{"choices":[{"message":{"tool_calls":[` + call(`"id":"",`) + `]},"finish_reason":"tool_calls"}]}`, []string{"1:67 warning TC403 0"}},
		{"the same", `{"choices":[{"message":{"tool_calls":[` + call(`"id":"a",`) + `,` + call(`"id":"a",`) + `]},"finish_reason":"tool_calls"}]}`,
			[]string{"1:97 warning TC401 1", "1:97 warning TC402 1"}},
		{"the older field", `{"choices":[{"message":{"function_call":{"name":"f","arguments":"{}"}},"finish_reason":"function_call"}]}`, []string{}},
		{"Gemini", `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}}]},"finishReason":"STOP"}]}`, []string{}},
	} {
		r := response("f", []byte(tt.body), Options{})
		if d := cmp.Diff(tt.want, brief(r.Findings)); d != "" {
			t.Errorf("%s: findings (-want +got)\n%s", tt.name, d)
		}
		if len(r.executableCalls()) != len(r.Calls) {
			t.Errorf("%s: calls %+v", tt.name, r.Calls)
		}
	}
}

// Damaged or deceptive values are reported at their location in any notation.
func TestValues(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      []string
	}{
		{"as it is", fenced("f(\"a\ufffd\")"), []string{"2:5 warning TC003 0"}},
		{"escaped", fenced(`f("a\uFFFD")`), []string{"2:5 warning TC003 0"}},
		{"a token", fenced(`f("a<|im_end|>")`), []string{"2:5 warning TC501 0"}},
		{"in brackets", fenced(`f(["[[<a[INST] <|im_end|>"])`), []string{"2:9 warning TC501 0"}},
		{"escaped by a server", `{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"a":"\u003c|im_end|\u003e"}}}]},"done":true}`, []string{"1:47 warning TC501 0"}},
		{"like one", fenced(`f("<|im_ending|> [INSTALL] <s>")`), []string{}},
		{"in the text", "a\ufffd<|im_end|>\n" + fenced("f(1)"), []string{}},
	} {
		r := response("f", []byte(tt.src), Options{})
		if d := cmp.Diff(tt.want, brief(r.Findings)); d != "" {
			t.Errorf("%s: findings (-want +got)\n%s", tt.name, d)
		}
	}
}

// A server error is located at its message. A response's failure event repeats it.
func TestServerErrors(t *testing.T) {
	const (
		created = `{"type":"response.created","response":{"id":"r","object":"response","output":[]}}`
		failing = `{"type":"error","error":{"code":"quota","message":"No more."}}`
		failed  = `{"type":"response.failed","response":{"id":"r","object":"response","output":[],"error":{"code":"quota","message":"No more."}}}`
	)
	stream := func(events ...string) string {
		return "event: x\ndata: " + strings.Join(events, "\n\nevent: x\ndata: ") + "\n\n"
	}
	lines := func(objects ...string) string { return strings.Join(objects, "\n") + "\n" }
	for name, tt := range map[string]struct {
		body string
		want []string // the marked text of each finding
	}{
		"lines":         {lines(created, failing, failed), []string{`"No more."`}},
		"a stream":      {stream(created, failing, failed), []string{`"No more."`}},
		"failed alone":  {stream(created, failed), []string{`"No more."`}},
		"the event":     {stream(created, failing), []string{`"No more."`}},
		"two streams":   {lines(created, failing, failed, created, failing, failed), []string{`"No more."`, `"No more."`}},
		"two responses": {lines(created, failing, created, failed), []string{`"No more."`, `"No more."`}},
		"flat":          {lines(created, `{"type":"error","message":"No."}`), []string{`"No."`}},
		"a string":      {`{"error":"No."}`, []string{`"No."`}},
		"no message":    {lines(created, `{"type":"error","error":{"n":1}}`), []string{`{"n":1}`}},
		"no member":     {stream(`{"type":"message_start","message":{"id":"m","content":[]}}`, `{"type":"error"}`), []string{`{"type":"error"}`}},
	} {
		var got []string
		for r := range ParseCapture("f", []byte(tt.body), Options{}) {
			for _, f := range r.Findings {
				if f.Code == diag.ServerError {
					got = append(got, tt.body[f.Span.Start:f.Span.End])
				} else {
					t.Errorf("%s: %s", name, f)
				}
			}
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
	}
}

// Calls of a server-side program whose result is in the response are already done and not executed
// again. Its loop may repeat a call many times.
func TestProgrammaticCalls(t *testing.T) {
	block := func(id, caller string) string {
		return `{"type":"tool_use","id":"` + id + `","name":"roll","input":{"n":1}` + caller + `},`
	}
	const program = `,"caller":{"type":"code_execution_20250825","tool_id":"srv_1"}`
	const result = `{"type":"code_execution_tool_result","tool_use_id":"srv_1","content":{"type":"code_execution_result"}},`
	body := func(blocks, reason string) string {
		return `{"type":"message","content":[` + blocks + `{"type":"text","text":"x"}],"stop_reason":"` + reason + `"}`
	}
	for _, tt := range []struct {
		name, body string
		runs       int
		want       []string
	}{
		{"the program waits", body(block("1", program)+block("2", program), "tool_use"), 2, []string{}},
		{"it has ended", body(block("1", program)+block("2", program)+result, "end_turn"), 0, []string{"1:65 info TC109 0"}},
		{"and the model calls, too", body(block("1", program)+result+block("2", `,"caller":{"type":"direct"}`), "tool_use"), 1, []string{"1:65 info TC109 0"}},
		{"the model alone", body(block("1", `,"caller":{"type":"direct"}`)+block("2", ""), "tool_use"), 2, []string{"1:140 warning TC401 1"}},
		{"streamed", `data: {"type":"message_start","message":{"id":"m","content":[]}}` + "\n\n" +
			`data: {"type":"content_block_start","index":0,"content_block":` + strings.TrimSuffix(block("1", program), ",") + "}\n\n" +
			`data: {"type":"content_block_start","index":1,"content_block":` + strings.TrimSuffix(result, ",") + "}\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n", 0, []string{"3:98 info TC109 0"}},
	} {
		r := response("f", []byte(tt.body), Options{})
		if d := cmp.Diff(tt.want, brief(r.Findings)); d != "" {
			t.Errorf("%s: findings (-want +got)\n%s", tt.name, d)
		}
		if runs := len(r.executableCalls()); runs != tt.runs {
			t.Errorf("%s: %d calls are run, want %d", tt.name, runs, tt.runs)
		}
	}
}
