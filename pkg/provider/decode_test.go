package provider_test

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

const maxBytes = 1 << 20

// formats are the protocols by the names of the folders with their cases.
var formats = func() map[string]*wire.Protocol {
	all := map[string]*wire.Protocol{}
	for _, p := range provider.Protocols() {
		name := path.Base(runtime.FuncForPC(reflect.ValueOf(p.NewReader).Pointer()).Name())
		folder, _, _ := strings.Cut(name, ".")
		all[folder] = p
	}
	return all
}()

// A reading is the complete result of a decoder.
type reading struct {
	Response chat.Response
	Messages int
	Size     int
	Err      *wire.Error
}

// read decodes a body in pieces and checks the invariants of a Decoder.
func read(t testing.TB, decoder *wire.Protocol, maxBytes int64, pieces ...[]byte) reading {
	t.Helper()
	d := decoder.NewDecoder(maxBytes)
	var content, thought strings.Builder
	var calls []chat.Call
	emit := func(x chat.Delta) {
		if x.Content == "" && x.Reasoning == "" && x.Call == nil {
			t.Error("an empty delta")
		}
		content.WriteString(x.Content)
		thought.WriteString(x.Reasoning)
		if x.Call != nil {
			calls = append(calls, *x.Call)
		}
	}
	var writeErr error
	for _, p := range pieces {
		writeErr = d.Write(p, emit)
	}
	resp, err := d.Close()
	if writeErr != nil && writeErr != err {
		t.Errorf("Write says %v, Close says %v", writeErr, err)
	}
	if (err == nil) != d.Done() {
		t.Errorf("Done is %v with error %v", d.Done(), err)
	}
	r := reading{Response: resp, Messages: d.MessageCount(), Size: d.Size()}
	if err != nil && !errors.As(err, &r.Err) {
		t.Fatalf("error of type %T", err)
	}
	if resp.Content != content.String() || resp.Reasoning != thought.String() {
		t.Errorf("deltas make %q and %q, the response has %q and %q", content.String(), thought.String(), resp.Content, resp.Reasoning)
	}
	if !reflect.DeepEqual(resp.Calls, calls) {
		t.Errorf("calls (-response +deltas):\n%s", cmp.Diff(resp.Calls, calls))
	}
	if all := len(bytes.Join(pieces, nil)); d.Size() > all || int64(d.Size()) > maxBytes {
		t.Errorf("%d bytes of %d and at most %d", d.Size(), all, maxBytes)
	}
	checkCalls(t, resp)
	return r
}

// checkCalls checks the properties of every native call.
func checkCalls(t testing.TB, resp chat.Response) {
	t.Helper()
	for _, c := range resp.Calls {
		if whole := c.Arguments != nil; whole != c.Executable || whole != (c.Status == chat.StatusOK) || whole && c.Text != "" {
			t.Errorf("call %+v", c)
		}
		if c.Arguments != nil && (c.Arguments[0] != '{' || !valid(c.Arguments)) {
			t.Errorf("arguments %q", c.Arguments)
		}
	}
	if n := resp.Native; n != nil && (n.Model != "" || !valid(n.Body) || nativeCalls(n) != len(resp.Calls)) {
		t.Errorf("native message %s with %d calls: %q", n.API, len(resp.Calls), n.Body)
	}
}

// nativeCalls counts the calls in a native message.
func nativeCalls(n *chat.Native) int {
	v := gjson.ParseBytes(n.Body)
	calls := 0
	for _, item := range v.Array() { // an object is its only item
		switch item.Get("type").Str {
		case "tool_use", "function_call", "custom_tool_call":
			calls++
		}
		calls += len(item.Get("tool_calls").Array())
		if !item.Get("tool_calls").Exists() && item.Get("function_call.name").Str != "" {
			calls++
		}
	}
	return calls
}

func valid(raw []byte) bool { return jsontext.Value(raw).IsValid() }

// singly splits a body into single bytes.
func singly(body []byte) [][]byte { return chunks(body, 1) }

// chunks splits a body into pieces of n bytes.
func chunks(b []byte, n int) [][]byte {
	var pieces [][]byte
	for len(b) > 0 {
		n = min(n, len(b))
		pieces, b = append(pieces, b[:n]), b[n:]
	}
	return pieces
}

// A line may be as long as the whole body.
func TestSizeLimit(t *testing.T) {
	size := 256 * growthSize
	text := strings.Repeat("x", size)
	for format, form := range map[string]string{
		"ollama":    `{"message":{"content":"%s"},"done":true,"done_reason":"stop"}`,
		"openai":    `data: {"choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":"stop"}]}`,
		"anthropic": `{"type":"message","content":[{"type":"text","text":"%s"}],"stop_reason":"end_turn"}`,
	} {
		b := fmt.Appendf(nil, form, text)
		limit := int64(len(b))
		if got := read(t, formats[format], limit, chunks(b, 32<<10)...); got.Err != nil || len(got.Response.Content) != size {
			t.Errorf("%s: %d bytes of content, error %v", format, len(got.Response.Content), got.Err)
		}
		if got := read(t, formats[format], limit-1, chunks(b, 32<<10)...); got.Err == nil || got.Err.Kind != wire.TooLarge || got.Err.Offset != limit-1 {
			t.Errorf("%s: one byte too many: %v", format, got.Err)
		}
		if got := read(t, formats[format], 0, b); got.Err == nil || got.Err.Kind != wire.TooLarge {
			t.Errorf("%s: no byte allowed: %v", format, got.Err)
		}
	}
}

// Unclosed brackets need neither stack nor much time.
func TestDepth(t *testing.T) {
	for _, open := range []string{"[", `{"a":`, `[{"a":`} {
		for format, decoder := range formats {
			b := []byte(`{"x":` + strings.Repeat(open, 1<<20/len(open)))
			if got := read(t, decoder, 2<<20, b); got.Err == nil || got.Err.Kind != wire.Malformed {
				t.Errorf("%s: a million bytes of %s: %v", format, open, got.Err)
			}
		}
	}
}

// Only the start of a page is read, for its title.
func TestLongPage(t *testing.T) {
	b := []byte("\n\n<html><title>Sign in</title>" + strings.Repeat("<p>x</p>", 1<<16))
	for format, decoder := range formats {
		whole, pieces := read(t, decoder, maxBytes, b), read(t, decoder, maxBytes, chunks(b, 100)...)
		if whole.Err == nil || whole.Err.Kind != wire.Malformed || !strings.Contains(whole.Err.Message, "Sign in") || whole.Size > 8<<10 {
			t.Errorf("%s: %d bytes of %v", format, whole.Size, whole.Err)
		}
		if diff := cmp.Diff(whole, pieces); diff != "" {
			t.Errorf("%s: (-whole +pieces):\n%s", format, diff)
		}
	}
}

func TestWithoutEmit(t *testing.T) {
	for format, decoder := range formats {
		for _, c := range cases(t, format) {
			d := decoder.NewDecoder(maxBytes)
			writeErr := d.Write(c.body, nil)
			resp, err := d.Close()
			want := read(t, decoder, maxBytes, c.body)
			if writeErr != nil && writeErr != err || (err == nil) != (want.Err == nil) || !cmp.Equal(resp, want.Response) {
				t.Errorf("%s: %v, %v", c.file, writeErr, err)
			}
		}
	}
}

// A call is emitted as soon as it is complete.
func TestCallsAreHandedOnEarly(t *testing.T) {
	chatCall := func(piece string) string { return `{"choices":[{"index":0,"delta":{"tool_calls":[` + piece + `]}}]}` }
	for _, tt := range []struct {
		name, format string
		data         []string
		want         []int // for each call the message that completes it, from 1
	}{
		{"at the last bracket", "openai", []string{
			chatCall(`{"index":0,"id":"x","function":{"name":"f","arguments":"{\"a\":"}}`),
			chatCall(`{"index":0,"function":{"arguments":"{}}"}}`),
			chatCall(`{"index":0,"function":{"arguments":" "}}`),
		}, []int{2}},
		{"an empty object when the next call has arguments", "openai", []string{
			chatCall(`{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}`),
			chatCall(`{"index":1,"id":"y","function":{"name":"g","arguments":""}}`),
			chatCall(`{"index":1,"function":{"arguments":"{\"b\""}}`),
			chatCall(`{"index":1,"function":{"arguments":":2}"}}`),
		}, []int{3, 4}},
		{"an empty object at the end", "openai", []string{
			chatCall(`{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}`),
			`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		}, []int{2}},
		{"in order", "openai", []string{
			chatCall(`{"index":0,"id":"x","function":{"name":"f","arguments":"{"}},{"index":1,"id":"y","function":{"name":"g","arguments":"{\"b\":2}"}}`),
			chatCall(`{"index":0,"function":{"arguments":"\"a\":1}"}}`),
		}, []int{2, 2}},
		{"at the end of the block", "anthropic", []string{
			`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"x","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`,
		}, []int{3}},
		{"when its arguments are done", "responses", []string{
			`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"x","name":"f"}}`,
			`{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"a\":1}"}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"x","name":"f","arguments":"{\"a\":1}"}}`,
		}, []int{2}},
		{"with its line", "ollama", []string{
			`{"message":{"tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":false}`,
		}, []int{1}},
	} {
		d := formats[tt.format].NewDecoder(maxBytes)
		var got []int
		for i, data := range tt.data {
			count := func(x chat.Delta) {
				if x.Call != nil {
					got = append(got, i+1)
				}
			}
			if err := d.Write([]byte("data: "+data), count); err != nil { // without the end of the line
				t.Fatal(err)
			}
			_ = d.Write([]byte("\n\n"), nil)
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: handed on with messages %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Nothing after the last message is read.
func TestNothingIsReadAfterTheEnd(t *testing.T) {
	for _, tt := range []struct{ format, body string }{
		{"ollama", `{"message":{"content":"Hi"},"done":true,"done_reason":"stop"}`},
		{"openai", "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n"},
		{"openai", `{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`},
		{"anthropic", `data: {"type":"message_stop"}`},
		{"responses", `data: {"type":"response.completed","response":{"status":"completed","output":[]}}`},
	} {
		got := read(t, formats[tt.format], maxBytes, []byte(tt.body+"\n{\"error\":\"too late\"}"), []byte("more"))
		if got.Err != nil || got.Size != len(tt.body) {
			t.Errorf("%s: %d bytes, error %v", tt.format, got.Size, got.Err)
		}
	}
}

// difference describes how two values differ. It is "" if they are deeply equal.
func difference[T any](want, got T, opts ...cmp.Option) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, opts...)
}
