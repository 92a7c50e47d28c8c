package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"text/template"
)

const testReplies = `-- missing --
Nothing is scripted.
-- greet.1 --
Hello from the scripted model, whose words are known.
-- greet.2 --
Bye.
-- same.1 --
Bye.
-- spam.1 loop --
spam and eggs and more spam
-- empty.1 --
`

func testVocabulary(t *testing.T) *Vocabulary {
	t.Helper()
	replies, err := ParseReplies(testReplies)
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewVocabulary(replies)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// say follows the matrix as a server does: from each token to the one with the highest preference.
func say(v *Vocabulary, token, limit int) (text string, ended bool) {
	row := make([]float32, len(v.Tokens))
	for range limit {
		best, liked := 0, float32(math.Inf(-1))
		for next := range v.Tokens {
			v.fillPreferences(next, row)
			if row[token] > liked {
				best, liked = next, row[token]
			}
		}
		if best == v.End {
			return text, true
		}
		token = best
		text += v.Tokens[token].Text
	}
	return text, false
}

func TestModelSaysItsReplies(t *testing.T) {
	v := testVocabulary(t)
	tests := []struct {
		entry, want string
		ended       bool
	}{
		{entryText("greet.1"), "Hello from the scripted model, whose words are known.", true},
		{entryText("greet.2"), "Bye.", true},
		{entryText("same.1"), "Bye.", true},
		{entryText("empty.1"), "", true},
		{entryText("spam.1"), strings.Repeat("spam and eggs and more spam", 2), false},
		{">", "Nothing is scripted.", true},
	}
	for _, test := range tests {
		id, ok := v.ids[test.entry]
		if !ok {
			t.Errorf("no token %s", test.entry)
			continue
		}
		got, ended := say(v, id, 8)
		if want := bytePairText(test.want); !strings.HasPrefix(got, want) || ended != test.ended || ended && got != want {
			t.Errorf("%s: said %q, ended %v; want %q, %v", test.entry, got, ended, want, test.ended)
		}
	}
}

func TestVocabularyIsUnique(t *testing.T) {
	v := testVocabulary(t)
	if len(v.ids) != len(v.Tokens) || len(v.Tokens)%rowAlignment != 0 {
		t.Errorf("%d texts, %d tokens: want as many of each, divisible by %d", len(v.ids), len(v.Tokens), rowAlignment)
	}
}

func TestSpellingIsReversible(t *testing.T) {
	seen := map[string]int{}
	for b := range singleBytes {
		s := bytePairText(string([]byte{byte(b)}))
		if first, dup := seen[s]; dup {
			t.Errorf("bytes %#x and %#x are both spelled %q", first, b, s)
		}
		seen[s] = b
	}
	if got := bytePairText(" é\n"); got != "ĠÃ©Ċ" {
		t.Errorf("got %q", got)
	}
}

func TestTemplatePicksTheReply(t *testing.T) {
	user := message{Role: "user", Content: "Find it.\nscript: greet\nThanks"}
	tests := []struct {
		name     string
		messages []message
		want     string
	}{
		{"first turn", []message{{Role: "system", Content: "script: no"}, user}, "<|greet.1|>"},
		{"third turn", []message{user, {Role: "assistant", Content: "a"}, {Role: "user", Content: "results"}, {Role: "assistant", Content: ""}, {Role: "user", Content: "more"}}, "<|greet.3|>"},
		{"inside JSON", []message{{Role: "user", Content: `{"text":"script: a-1.b\n"}`}}, "<|a-1.b.1|>"},
		{"the last one counts", []message{user, {Role: "user", Content: "script: other"}}, "<|other.1|>"},
		{"none", []message{{Role: "user", Content: "scripts: x"}}, "<|default.1|>"},
		{"at the very end", []message{{Role: "user", Content: "script: "}}, "<|default.1|>"},
	}
	for _, tools := range []bool{false, true} {
		for _, test := range tests {
			t.Run(fmt.Sprint(test.name, ", tools ", tools), func(t *testing.T) {
				if got := lastLine(t, tools, map[string]any{"Messages": test.messages}); got != test.want {
					t.Errorf("the prompt ends with %s; want %s", got, test.want)
				}
			})
		}
	}
}

// lastLine renders a template as a server reads it from the Modelfile.
func lastLine(t *testing.T, tools bool, conversation map[string]any) string {
	t.Helper()
	source := strings.Split(Modelfile("m.gguf", 1, tools), `"""`)[1]
	var out bytes.Buffer
	if err := template.Must(template.New("").Parse(source)).Execute(&out, conversation); err != nil {
		t.Fatal(err)
	}
	return out.String()[strings.LastIndexByte(out.String(), '\n')+1:]
}

// A message is a message of a conversation in the form that Ollama passes to a template.
type message struct {
	Role, Content        string
	ToolCalls            []toolCall
	ToolName, ToolCallID string
}

type toolCall struct {
	ID       string
	Function struct {
		Name      string
		Arguments map[string]any
	}
}

func calling(id, name string, arguments map[string]any) message {
	c := toolCall{ID: id}
	c.Function.Name, c.Function.Arguments = name, arguments
	return message{Role: "assistant", ToolCalls: []toolCall{c}}
}

func TestTemplateCountsCallsAndResults(t *testing.T) {
	user := message{Role: "user", Content: "script: look\n"}
	call := calling("c1", "search", map[string]any{"query": "x"})
	result := func(id, name string) message {
		return message{Role: "tool", Content: "{}", ToolCallID: id, ToolName: name}
	}
	for _, test := range []struct {
		name     string
		messages []message
		want     string
	}{
		{"no call", []message{user}, "<|look.1|>"},
		{"a call and its result", []message{user, call, result("c1", "search")}, "<|look.2-1-1|>"},
		{"a result without a name", []message{user, call, result("c1", "")}, "<|look.2-1-1|>"},
		{"a result with another name", []message{user, call, result("c1", "read")}, "<|look.2-1-0|>"},
		{"a result without an ID", []message{user, call, result("", "search")}, "<|look.2-1-0|>"},
		{"a result of another call", []message{user, call, result("c2", "search")}, "<|look.2-1-0|>"},
		{"a call without arguments", []message{user, calling("c1", "search", nil), result("c1", "search")}, "<|look.2-0-1|>"},
		{"a call that was lost", []message{user, {Role: "assistant"}, result("c1", "search")}, "<|look.2|>"},
		{"two", []message{user, call, calling("c2", "search", map[string]any{"query": "y"}), result("c1", ""), result("c2", "")}, "<|look.3-2-2|>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := lastLine(t, true, map[string]any{"Messages": test.messages, "Tools": "[]"}); got != test.want {
				t.Errorf("the prompt ends with %s; want %s", got, test.want)
			}
		})
	}
}

func TestHeaderRoundTrip(t *testing.T) {
	v := testVocabulary(t)
	var file bytes.Buffer
	n, err := NewModel(v, 512).WriteTo(&file)
	if err != nil || n != int64(file.Len()) {
		t.Fatalf("wrote %d of %d bytes: %v", n, file.Len(), err)
	}
	h := readHeader(t, file.Bytes())
	size := len(v.Tokens)
	for key, want := range map[string]any{
		"general.architecture":         "llama",
		"llama.context_length":         uint32(512),
		"llama.rope.freq_base":         float32(10000),
		"tokenizer.ggml.tokens":        size,
		"tokenizer.ggml.token_type":    size,
		"tokenizer.ggml.add_bos_token": false,
	} {
		if h.metadata[key] != want {
			t.Errorf("%s = %v; want %v", key, h.metadata[key], want)
		}
	}
	if got := h.tensors["output.weight"]; fmt.Sprint(got.dims) != fmt.Sprint([]uint64{uint64(size), uint64(size)}) {
		t.Errorf("output.weight has dimensions %v", got.dims)
	}
	last := h.tensors["output.weight"]
	if end := h.dataStart + int(last.offset) + 4*size*size; end != file.Len() {
		t.Errorf("the last tensor ends at %d of %d bytes", end, file.Len())
	}
	greet := h.dataStart + int(last.offset) + 4*(v.Next[v.ids[entryText("greet.1")]]*size+v.ids[entryText("greet.1")])
	if got := math.Float32frombits(binary.LittleEndian.Uint32(file.Bytes()[greet:])); got != scripted {
		t.Errorf("the weight of a scripted pair is %v", got)
	}
}

// A header is the part of a file before the data; the value of an array is its length.
type header struct {
	metadata  map[string]any
	tensors   map[string]tensorInfo
	dataStart int
}

type tensorInfo struct {
	dims   []uint64
	offset uint64
}

// A headerReader reads little-endian values off the start of a file.
type headerReader struct {
	t *testing.T
	b []byte
	i int
}

func (r *headerReader) u32() uint32 { r.i += 4; return binary.LittleEndian.Uint32(r.b[r.i-4:]) }
func (r *headerReader) u64() uint64 { r.i += 8; return binary.LittleEndian.Uint64(r.b[r.i-8:]) }
func (r *headerReader) text() string {
	n := int(r.u64())
	r.i += n
	return string(r.b[r.i-n : r.i])
}

func (r *headerReader) value(kind uint32) any {
	switch kind {
	case typeUint32, typeInt32:
		return r.u32()
	case typeFloat32:
		return math.Float32frombits(r.u32())
	case typeBool:
		r.i++
		return r.b[r.i-1] == 1
	case typeString:
		return r.text()
	case typeArray:
		elem, n := r.u32(), int(r.u64())
		for range n {
			r.value(elem)
		}
		return n
	}
	r.t.Fatalf("value type %d at %d", kind, r.i)
	return nil
}

func readHeader(t *testing.T, b []byte) header {
	t.Helper()
	r := &headerReader{t: t, b: b, i: 4}
	if version := r.u32(); string(b[:4]) != "GGUF" || version != 3 {
		t.Fatalf("magic %q, version %d", b[:4], version)
	}
	h := header{metadata: map[string]any{}, tensors: map[string]tensorInfo{}}
	tensors, entries := r.u64(), r.u64()
	for range entries {
		key := r.text()
		h.metadata[key] = r.value(r.u32())
	}
	for range tensors {
		name := r.text()
		info := tensorInfo{dims: make([]uint64, r.u32())}
		for i := range info.dims {
			info.dims[i] = r.u64()
		}
		r.u32() // the type of its numbers
		info.offset = r.u64()
		h.tensors[name] = info
	}
	h.dataStart = alignUp(r.i)
	return h
}
