package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"oneshot/pkg/chat"
	"oneshot/pkg/wire"
)

const maxBytes = 1 << 20

// A reading is what a decoder says of a body.
type reading struct {
	Response         chat.Response
	Content, Thought string // of all deltas
	Err              *wire.Error
}

// read decodes a body that arrives in pieces.
func read(t testing.TB, maxBytes int64, pieces ...[]byte) reading {
	t.Helper()
	var r reading
	d := wire.NewOllama(maxBytes)
	emit := func(x chat.Delta) {
		if x.Content == "" && x.Reasoning == "" {
			t.Error("an empty delta")
		}
		r.Content += x.Content
		r.Thought += x.Reasoning
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
	r.Response = resp
	if err != nil && !errors.As(err, &r.Err) {
		t.Fatalf("error of type %T", err)
	}
	if resp.Content != r.Content || resp.Reasoning != r.Thought {
		t.Errorf("deltas make %q and %q, the response has %q and %q", r.Content, r.Thought, resp.Content, resp.Reasoning)
	}
	return r
}

// singly cuts a body into single bytes.
func singly(body []byte) [][]byte {
	var pieces [][]byte
	for i := range body {
		pieces = append(pieces, body[i:i+1])
	}
	return pieces
}

var bodies = []struct {
	file string
	want chat.Response
	kind wire.ErrorKind
	says string // part of the error's text
}{
	{file: "stream.ndjson", want: chat.Response{Content: "The answer is “42” 🦜\n", Stop: chat.StopEnd, Usage: chat.Usage{InputTokens: 25, OutputTokens: 4}, Model: "parrot:1b"}},
	{file: "whole.json", want: chat.Response{Content: "Half a sen", Stop: chat.StopLength, Usage: chat.Usage{InputTokens: 11, OutputTokens: 3}, Model: "parrot:1b"}},
	{file: "pretty.json", want: chat.Response{Content: `braces { [ in "text" \`, Stop: chat.StopEnd, Usage: chat.Usage{OutputTokens: 9}, Model: "parrot:1b"}},
	{file: "thinking.ndjson", want: chat.Response{Content: "Seven", Reasoning: "Let me see.\n", Stop: chat.StopEnd, Usage: chat.Usage{InputTokens: 7, OutputTokens: 5}, Model: "owl:3b"}},
	{file: "load.json", want: chat.Response{Stop: chat.StopOther, Model: "parrot:1b"}},
	{file: "calls.ndjson", want: chat.Response{Stop: chat.StopEnd, Usage: chat.Usage{InputTokens: 7, OutputTokens: 5}, Model: "parrot:1b", Calls: []chat.Call{
		{ID: "call_1", Name: "lookup", Arguments: json.RawMessage(`{"z":12345678901234567890,"a": 1.50}`), Status: chat.StatusOK, Executable: true},
		{Name: "noargs", Arguments: json.RawMessage(`{}`), Status: chat.StatusOK, Executable: true},
		{ID: "call_3", Name: "odd", Text: `"{\"a\":1}"`, Status: chat.StatusInvalid},
	}}},
	{file: "cut_between.ndjson", want: chat.Response{Content: "The answer is “42” 🦜\n", Model: "parrot:1b"}, kind: wire.Cut, says: "cut off after 412 bytes"},
	{file: "cut_inside.ndjson", want: chat.Response{Content: "The answer is “42” 🦜", Model: "parrot:1b"}, kind: wire.Cut, says: "cut off after 380 bytes"},
	{file: "server_midstream.ndjson", want: chat.Response{Content: "The answer is “42” 🦜", Model: "parrot:1b"}, kind: wire.Server, says: "the model runner has stopped"},
	{file: "server_object.json", kind: wire.Server, says: "no memory left [oom]"},
	{file: "garbled_string.ndjson", want: chat.Response{Content: "The answer", Model: "parrot:1b"}, kind: wire.Garbled, says: "byte 188: a line ends inside a string"},
	{file: "garbled_bracket.ndjson", want: chat.Response{Content: "The answer", Model: "parrot:1b"}, kind: wire.Garbled, says: "byte 308"},
	{file: "garbled_html.txt", kind: wire.Garbled, says: "byte 0: a JSON object should start here"},
	{file: "garbled_type.json", kind: wire.Garbled, says: "byte 42"},
	{file: "garbled_duplicate.json", kind: wire.Garbled, says: "duplicate"},
	{file: "empty.ndjson", kind: wire.Empty, says: "response is empty"},
}

// body reads a test body.
func body(t testing.TB, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "ollama", file))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOllamaBodies(t *testing.T) {
	for _, tt := range bodies {
		t.Run(tt.file, func(t *testing.T) {
			b := body(t, tt.file)
			got := read(t, maxBytes, b)
			if diff := cmp.Diff(tt.want, got.Response, cmpopts.IgnoreFields(chat.Response{}, "Raw")); diff != "" {
				t.Errorf("response (-want +got):\n%s", diff)
			}
			switch {
			case tt.kind == "" && got.Err != nil:
				t.Errorf("error %v", got.Err)
			case tt.kind != "" && (got.Err == nil || got.Err.Kind != tt.kind || !strings.Contains(got.Err.Error(), tt.says)):
				t.Errorf("error %v, want one of kind %s with %q", got.Err, tt.kind, tt.says)
			}
			if !bytes.HasPrefix(b, got.Response.Raw) {
				t.Errorf("raw body is %q", got.Response.Raw)
			}
			if diff := cmp.Diff(got, read(t, maxBytes, singly(b)...)); diff != "" {
				t.Errorf("byte by byte (-whole +bytes):\n%s", diff)
			}
		})
	}
}

func TestOllamaBodiesAreAllListed(t *testing.T) {
	files, err := filepath.Glob("testdata/ollama/*")
	if err != nil || len(files) != len(bodies) {
		t.Errorf("%d files, %d listed, error %v", len(files), len(bodies), err)
	}
}

func TestOllamaRawEndsWithTheLastObject(t *testing.T) {
	b := body(t, "whole.json")
	got := read(t, maxBytes, append(bytes.Clone(b), "\n{\"error\":\"too late\"}"...))
	if !bytes.Equal(got.Response.Raw, b) || got.Err != nil {
		t.Errorf("raw body %q, error %v", got.Response.Raw, got.Err)
	}
}

// One line may be as long as the whole body may be.
func TestOllamaSizeLimit(t *testing.T) {
	b := []byte(`{"message":{"content":"` + strings.Repeat("x", 64<<20) + `"},"done":true,"done_reason":"stop"}`)
	if got := read(t, int64(len(b)), chunks(b, 32<<10)...); got.Err != nil || len(got.Content) != 64<<20 {
		t.Errorf("%d bytes of content, error %v", len(got.Content), got.Err)
	}
	got := read(t, int64(len(b))-1, chunks(b, 32<<10)...)
	if got.Err == nil || got.Err.Kind != wire.Large || got.Err.Offset != int64(len(b))-1 {
		t.Errorf("one byte too many: %v", got.Err)
	}
	if got := read(t, 0, []byte("{")); got.Err == nil || got.Err.Kind != wire.Large {
		t.Errorf("no byte allowed: %v", got.Err)
	}
}

// chunks cuts a body into pieces of n bytes.
func chunks(b []byte, n int) [][]byte {
	var pieces [][]byte
	for len(b) > 0 {
		n = min(n, len(b))
		pieces, b = append(pieces, b[:n]), b[n:]
	}
	return pieces
}

func TestOllamaDepth(t *testing.T) {
	b := []byte(`{"x":` + strings.Repeat("[", 1<<20))
	if got := read(t, 2<<20, b); got.Err == nil || got.Err.Kind != wire.Garbled {
		t.Errorf("a million brackets: %v", got.Err)
	}
}

func TestOllamaWithoutEmit(t *testing.T) {
	d := wire.NewOllama(maxBytes)
	if err := d.Write(body(t, "stream.ndjson"), nil); err != nil || !d.Done() {
		t.Errorf("done %v, error %v", d.Done(), err)
	}
}

// The law: however a body is cut, its reading is the same.
func FuzzOllamaSplits(f *testing.F) {
	for _, b := range bodies {
		f.Add(body(f, b.file), uint(7), uint(200))
	}
	f.Fuzz(func(t *testing.T, b []byte, i, j uint) {
		const limit = 4096
		whole := read(t, limit, b)
		n := uint(len(b) + 1)
		i, j = min(i%n, j%n), max(i%n, j%n)
		for _, pieces := range [][][]byte{{b[:i], b[i:j], nil, b[j:]}, singly(b)} {
			if diff := cmp.Diff(whole, read(t, limit, pieces...)); diff != "" {
				t.Errorf("(-whole +pieces):\n%s", diff)
			}
		}
	})
}

func BenchmarkOllamaStream(b *testing.B) {
	line := bytes.SplitAfter(body(b, "stream.ndjson"), []byte("\n"))[0]
	stream := append(bytes.Repeat(line, 1000), body(b, "stream.ndjson")...)
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		d := wire.NewOllama(1 << 30)
		if err := d.Write(stream, nil); err != nil {
			b.Fatal(err)
		}
	}
}
