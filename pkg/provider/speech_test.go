package provider_test

import (
	"fmt"
	"strings"

	"oneshot/pkg/provider"
	"oneshot/pkg/provider/anthropic"
	"oneshot/pkg/provider/ollama"
	"oneshot/pkg/provider/openai"
	"oneshot/pkg/provider/responses"
	"oneshot/pkg/provider/wire"
)

// A speech is one response in the form of an API, in parts: the start before the first text, the
// texts "Hel" and "lo", and the end.
type speech struct {
	api                 *wire.Protocol
	path                string
	open, one, two, end string
	call                string // a call of net.f or net_f with {"n":1}, after the texts
	fault               string // an error of the server with the message "broken"
	whole               string // the response without streaming
}

// event returns an event of a stream.
func event(data string) string { return "data: " + data + "\n\n" }

// typed returns an event with a name, which is also its type.
func typed(name, members string) string {
	return fmt.Sprintf("event: %s\ndata: {\"type\":%q,%s}\n\n", name, name, members)
}

// speeches are the same response in every API.
var speeches = []speech{
	{
		api: &ollama.Protocol, path: "/api/chat", one: lineOne, two: lineTwo, end: lineDone,
		call:  `{"message":{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"name":"net.f","arguments":{"n":1}}}]},"done":false}` + "\n",
		fault: `{"error":"broken"}` + "\n",
		whole: `{"model":"parrot","message":{"role":"assistant","content":"Hello"},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":2}`,
	},
	{
		api: &openai.Protocol, path: "/v1/chat/completions",
		open: event(`{"id":"r","model":"parrot","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"error":null}`),
		one:  event(`{"id":"r","choices":[{"index":0,"delta":{"content":"Hel"}}]}`),
		two:  event(`{"id":"r","choices":[{"index":0,"delta":{"content":"lo"}}]}`),
		call: event(`{"id":"r","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"net_f","arguments":"{\"n\""}}]}}]}`) +
			event(`{"id":"r","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}`),
		end: event(`{"id":"r","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`) +
			event(`{"id":"r","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}`) + event("[DONE]"),
		fault: event(`{"error":{"message":"broken","code":500}}`),
		whole: `{"id":"r","model":"parrot","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`,
	},
	{
		api: &responses.Protocol, path: "/v1/responses",
		open: typed("response.created", `"response":{"id":"r","model":"parrot","status":"in_progress"}`) +
			typed("response.output_item.added", `"output_index":0,"item":{"type":"message","id":"m","role":"assistant","content":[]}`),
		one: typed("response.output_text.delta", `"output_index":0,"content_index":0,"item_id":"m","delta":"Hel"`),
		two: typed("response.output_text.delta", `"output_index":0,"content_index":0,"item_id":"m","delta":"lo"`),
		call: typed("response.output_item.added", `"output_index":1,"item":{"type":"function_call","id":"f","call_id":"c1","name":"net_f","arguments":""}`) +
			typed("response.function_call_arguments.delta", `"output_index":1,"item_id":"f","delta":"{\"n\":1}"`) +
			typed("response.function_call_arguments.done", `"output_index":1,"item_id":"f","arguments":"{\"n\":1}"`) +
			typed("response.output_item.done", `"output_index":1,"item":{"type":"function_call","id":"f","call_id":"c1","name":"net_f","arguments":"{\"n\":1}","status":"completed"}`),
		end:   typed("response.completed", `"response":{"id":"r","model":"parrot","status":"completed","usage":{"input_tokens":3,"output_tokens":2}}`),
		fault: typed("response.failed", `"response":{"id":"r","status":"failed","error":{"code":"server_error","message":"broken"}}`),
		whole: `{"id":"r","object":"response","model":"parrot","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}],"usage":{"input_tokens":3,"output_tokens":2}}`,
	},
	{
		api: &anthropic.Protocol, path: "/v1/messages",
		open: typed("message_start", `"message":{"id":"r","type":"message","role":"assistant","model":"parrot","content":[],"usage":{"input_tokens":3,"output_tokens":0}}`) +
			typed("content_block_start", `"index":0,"content_block":{"type":"text","text":""}`),
		one: typed("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":"Hel"}`),
		two: typed("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":"lo"}`),
		call: typed("content_block_stop", `"index":0`) +
			typed("content_block_start", `"index":1,"content_block":{"type":"tool_use","id":"c1","name":"net_f","input":{}}`) +
			typed("content_block_delta", `"index":1,"delta":{"type":"input_json_delta","partial_json":"{\"n\":1}"}`) +
			typed("content_block_stop", `"index":1`),
		end:   typed("message_delta", `"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}`) + typed("message_stop", `"x":0`),
		fault: typed("error", `"error":{"type":"api_error","message":"broken"}`),
		whole: `{"id":"r","type":"message","role":"assistant","model":"parrot","content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}`,
	},
}

// text returns the whole stream.
func (p speech) text() string { return p.open + p.one + p.two + p.end }

// events reports whether the stream is an event stream.
func (p speech) events() bool {
	return strings.HasPrefix(p.open, "data:") || strings.HasPrefix(p.open, "event:")
}

// config returns the configuration of a client of the API.
func (p speech) config() provider.Config {
	return provider.Config{Protocol: p.api, Name: "test/parrot"}
}
