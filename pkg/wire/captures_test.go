package wire_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/wire"
)

// TestOllamaCaptures decodes exchanges with a real server and compares the
// readings with what a plain JSON decoder finds in the lines of the bodies.
func TestOllamaCaptures(t *testing.T) {
	shared := os.Getenv("ONESHOT_SHARED")
	if shared == "" {
		t.Skip("ONESHOT_SHARED does not name the folder with the captures")
	}
	files, err := filepath.Glob(filepath.Join(shared, "captures", "ollama", "*.meta.json"))
	if err != nil {
		t.Fatal(err)
	}
	decoded := 0
	for _, file := range files {
		if body, ok := chatCapture(t, file); ok {
			decoded++
			t.Run(strings.TrimSuffix(filepath.Base(file), ".meta.json"), func(t *testing.T) { checkCapture(t, body) })
		}
	}
	if decoded == 0 {
		t.Fatal("no capture of /api/chat")
	}
}

// chatCapture returns the body of a capture, if it is a successful exchange
// with /api/chat.
func chatCapture(t *testing.T, meta string) ([]byte, bool) {
	t.Helper()
	var about struct{ Path, Status string }
	raw, err := os.ReadFile(meta)
	if err == nil {
		err = json.Unmarshal(raw, &about)
	}
	if err != nil {
		t.Fatal(err)
	}
	if about.Path != "/api/chat" || !strings.HasPrefix(about.Status, "HTTP/1.1 200") {
		return nil, false
	}
	body, err := os.ReadFile(strings.TrimSuffix(meta, ".meta.json") + ".body")
	if err != nil {
		t.Fatal(err)
	}
	return body, true
}

// checkCapture compares two readings of a body.
func checkCapture(t *testing.T, body []byte) {
	type line struct {
		Message struct {
			Content, Thinking string
			ToolCalls         []json.RawMessage `json:"tool_calls"`
		}
		Done       bool
		DoneReason string `json:"done_reason"`
		EvalCount  int    `json:"eval_count"`
		Error      string
	}
	var want chat.Response
	var last line
	calls := 0
	for dec := json.NewDecoder(bytes.NewReader(body)); dec.More(); {
		last = line{}
		if err := dec.Decode(&last); err != nil {
			t.Fatal(err)
		}
		want.Content += last.Message.Content
		want.Reasoning += last.Message.Thinking
		calls += len(last.Message.ToolCalls)
	}
	got := read(t, maxBytes, singly(body)...)
	if got.Content != want.Content || got.Thought != want.Reasoning || len(got.Response.Calls) != calls {
		t.Errorf("read %q, %q and %d calls, want %q, %q and %d", got.Content, got.Thought, len(got.Response.Calls), want.Content, want.Reasoning, calls)
	}
	switch {
	case last.Error != "":
		if got.Err == nil || got.Err.Kind != wire.Server || got.Err.Message != last.Error {
			t.Errorf("error %v, want %q", got.Err, last.Error)
		}
	case !last.Done:
		if got.Err == nil || got.Err.Kind != wire.Cut {
			t.Errorf("error %v, want a cut", got.Err)
		}
	case got.Err != nil || got.Response.Usage.OutputTokens != last.EvalCount || got.Response.Stop != stops[last.DoneReason]:
		t.Errorf("stop %q, usage %v, error %v; the last line is %+v", got.Response.Stop, got.Response.Usage, got.Err, last)
	}
}

var stops = map[string]chat.Stop{"stop": chat.StopEnd, "length": chat.StopLength, "load": chat.StopOther, "unload": chat.StopOther}
