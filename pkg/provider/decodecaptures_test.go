package provider_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// apis are the formats by the URL paths of their servers.
var apis = map[string]string{
	"/api/chat":            "ollama",
	"/v1/chat/completions": "openai",
	"/v1/responses":        "responses",
	"/v1/messages":         "anthropic",
}

// TestDecodeCaptures decodes exchanges with a real server and compares the readings with plain ones
// from gjson.
func TestDecodeCaptures(t *testing.T) {
	folder := shared(t)
	if folder == "" {
		return
	}
	files, err := filepath.Glob(filepath.Join(folder, "captures", "ollama", "*.meta.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures (%v)", err)
	}
	decoded, calls, refused := map[string]int{}, map[string]int{}, 0
	for _, file := range files {
		var about struct{ Path, Status string }
		raw, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(raw, &about)
		}
		body, bodyErr := os.ReadFile(strings.TrimSuffix(file, ".meta.json") + ".body")
		if err != nil || bodyErr != nil {
			t.Fatal(err, bodyErr)
		}
		format := apis[about.Path]
		switch {
		case format == "" || len(body) == 0:
		case !strings.Contains(about.Status, " 200 "):
			refused++
			checkRefusal(t, file, body)
		default:
			decoded[format]++
			calls[format] += checkCapture(t, file, format, body)
		}
	}
	t.Logf("bodies: %v, calls in them: %v, error bodies: %d", decoded, calls, refused)
}

// checkRefusal compares the text of an error body.
func checkRefusal(t *testing.T, file string, body []byte) {
	t.Helper()
	want := strings.TrimSpace(string(body))
	if e := gjson.GetBytes(body, "error"); e.IsObject() {
		want = e.Get("message").Str
	} else if e.Exists() {
		want = e.Str
	}
	if got := wire.ErrorText(body); want == "" || !strings.HasPrefix(got, want) {
		t.Errorf("%s: error text %q, want %q", file, got, want)
	}
}

// A plainReading is the compared part of a reading.
type plainReading struct {
	Content, Reasoning string
	Calls              []string
	Reason             string // in the server's words
	Output             int
	Error              string
}

// checkCapture compares two readings of a body, and returns the number of calls
// in it.
func checkCapture(t *testing.T, file, format string, body []byte) int {
	t.Helper()
	var want plainReading
	for _, line := range lines(body) {
		want.add(format, line)
	}
	r := read(t, formats[format], maxBytes, singly(body)...)
	got := plainReading{Content: r.Response.Content, Reasoning: r.Response.Reasoning, Reason: want.Reason, Output: r.Response.Usage.OutputTokens}
	for _, c := range r.Response.Calls {
		got.Calls = append(got.Calls, c.ID+" "+c.Name+" "+string(c.Arguments))
	}
	if r.Err != nil && r.Err.Kind == wire.ServerError {
		got.Error = r.Err.Message
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-plain +decoded):\n%s", file, diff)
	}
	cut := want.Reason == "" && want.Error == ""
	if cut != (r.Err != nil && r.Err.Kind == wire.Truncated) || r.Err == nil && r.Response.Stop != plainStops[want.Reason] {
		t.Errorf("%s: stop %q of %q, error %v", file, r.Response.Stop, want.Reason, r.Err)
	}
	return len(want.Calls)
}

// lines returns the objects of a body: its lines, or the data in them.
func lines(body []byte) []gjson.Result {
	var all []gjson.Result
	for line := range bytes.Lines(body) {
		if v := gjson.ParseBytes(bytes.TrimPrefix(line, []byte("data: "))); v.IsObject() {
			all = append(all, v)
		}
	}
	return all
}

var plainStops = map[string]chat.Stop{
	"stop": chat.StopEnd, "tool_calls": chat.StopEnd, "end_turn": chat.StopEnd, "completed": chat.StopEnd,
	"length": chat.StopLength, "load": chat.StopOther, "unload": chat.StopOther,
}

// add reads an object of the captured server, and supports no other forms.
func (p *plainReading) add(format string, v gjson.Result) {
	text := func(paths ...string) (all string) {
		for _, path := range paths {
			for _, x := range v.Get(path).Array() {
				all += x.String()
			}
		}
		return all
	}
	set := func(dst *string, paths ...string) {
		if s := text(paths...); s != "" {
			*dst = s
		}
	}
	switch format {
	case "ollama":
		p.Content += text("message.content")
		p.Reasoning += text("message.thinking")
		set(&p.Reason, "done_reason")
		set(&p.Error, "error")
		p.calls(v.Get("message.tool_calls"), "id", "function.name", "function.arguments")
		p.output(v, "eval_count")
	case "openai":
		p.Content += text("choices.#.delta.content", "choices.#.message.content")
		p.Reasoning += text("choices.#.delta.reasoning", "choices.#.message.reasoning")
		set(&p.Reason, "choices.#.finish_reason")
		p.calls(v.Get("choices.0.delta.tool_calls"), "id", "function.name", "function.arguments")
		p.calls(v.Get("choices.0.message.tool_calls"), "id", "function.name", "function.arguments")
		p.output(v, "usage.completion_tokens")
	case "responses":
		if v.Get("type").Str == "response.completed" {
			v = v.Get("response")
		}
		if v.Get("object").Str == "response" {
			p.Content += text(`output.#(type=="message")#.content.#.text|@flatten`)
			p.calls(v.Get(`output.#(type=="function_call")#`), "call_id", "name", "arguments")
			set(&p.Reason, "status")
			p.output(v, "usage.output_tokens")
		}
	case "anthropic":
		p.Content += text("content.#.text", "delta.text")
		set(&p.Reason, "stop_reason", "delta.stop_reason")
		p.output(v, "usage.output_tokens")
	}
}

// calls adds calls.
func (p *plainReading) calls(list gjson.Result, id, name, args string) {
	for _, c := range list.Array() {
		p.Calls = append(p.Calls, c.Get(id).Str+" "+c.Get(name).Str+" "+c.Get(args).String())
	}
}

// output records the number of tokens.
func (p *plainReading) output(v gjson.Result, path string) {
	if n, err := strconv.Atoi(v.Get(path).Raw); err == nil {
		p.Output = n
	}
}
