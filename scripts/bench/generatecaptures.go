//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// The mix of captures, in percent of the records.
const (
	percentProse  = 45 // answers without a call
	percentCalls  = 35 // text with calls of some dialect
	percentBodies = 100 - percentProse - percentCalls
)

// A captureGenerator value writes JSON Lines as a proxy would log them: the request, and the
// response as a text or as the body of a server. The output depends only on the seed.
type captureGenerator struct {
	rand  *rand.Rand
	calls []string // responses that are right, in all dialects
}

// newCaptureGenerator returns captures with the valid cases of all dialects.
func newCaptureGenerator(seed uint64) (*captureGenerator, error) {
	files, err := filepath.Glob("testdata/dialect/*/valid-*.txtar")
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no cases in testdata/dialect: %w", err)
	}
	c := &captureGenerator{rand: rand.New(rand.NewPCG(seed, 0))}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			return nil, err
		}
		if archive.Files[0].Name == "input" {
			c.calls = append(c.calls, string(bytes.TrimSuffix(archive.Files[0].Data, []byte("\n"))))
		}
	}
	return c, nil
}

// write writes whole records, at most size bytes.
func (c *captureGenerator) write(w io.Writer, size int64) (written int64, err error) {
	out, line := bufio.NewWriterSize(w, 1<<20), new(bytes.Buffer)
	enc := json.NewEncoder(line)
	enc.SetEscapeHTML(false)
	for n := 1; ; n++ {
		if err := enc.Encode(c.newRecord(n)); err != nil {
			return written, err
		}
		if written+int64(line.Len()) > size {
			return written, out.Flush()
		}
		written += int64(line.Len())
		line.WriteTo(out) // Flush returns it again
	}
}

// A capture is one record.
type capture struct {
	ID       string `json:"id"`
	Prompt   string `json:"prompt"`
	Response any    `json:"response"`
}

func (c *captureGenerator) newRecord(n int) capture {
	r := capture{ID: "req-" + strconv.Itoa(n), Prompt: c.sentences(4 + c.rand.IntN(20))}
	switch kind := c.rand.IntN(100); {
	case kind < percentProse:
		r.Response = c.newAnswer(3 + c.rand.IntN(8))
	case kind < percentProse+percentCalls:
		r.Response = strings.TrimSpace(c.sentences(c.rand.IntN(6)) + "\n\n" + pickRandom(c.rand, c.calls))
	default:
		r.Response = c.newBody()
	}
	return r
}

// pickRandom returns one of some values.
func pickRandom[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// words are the words of sentences, enough to resemble real text.
var words = strings.Fields(`the a of to in and is that for it with as on at this be are from or by not have one all
	which when there their we can more if will would about what so only its into time some could other than then
	file test build release version server request response error value list table column row index key cache
	memory thread queue worker report summary note page section example first second last next previous small
	large fast slow empty open closed read written checked removed added changed kept moved found missing before
	after between without within because while until where every each both either café naïve Zürich 12 2026 3.5`)

// sentences returns some sentences.
func (c *captureGenerator) sentences(count int) string {
	var b strings.Builder
	for range count {
		length := 6 + c.rand.IntN(14)
		for i := range length {
			word := pickRandom(c.rand, words)
			switch {
			case i == 0:
				word = strings.ToUpper(word[:1]) + word[1:]
			case c.rand.IntN(12) == 0:
				word += ","
			case c.rand.IntN(40) == 0:
				word = `"` + word + `"`
			case c.rand.IntN(60) == 0:
				word = "`" + word + "`"
			}
			b.WriteString(word)
			b.WriteString(map[bool]string{true: ". ", false: " "}[i == length-1])
		}
	}
	return strings.TrimSpace(b.String())
}

// newAnswer returns an answer of that many blocks: paragraphs, lists and some code.
func (c *captureGenerator) newAnswer(blocks int) string {
	all := make([]string, blocks)
	for i := range all {
		switch c.rand.IntN(10) {
		case 0, 1:
			all[i] = "* **" + pickRandom(c.rand, words) + "**: " + c.sentences(1) + "\n* " + c.sentences(1) + "\n* " + c.sentences(1)
		case 2:
			all[i] = "```go\nfor i := range " + pickRandom(c.rand, words) + "s {\n\tfmt.Println(i, \"" + c.sentences(1) + "\")\n}\n```"
		default:
			all[i] = c.sentences(2 + c.rand.IntN(4))
		}
	}
	return strings.Join(all, "\n\n")
}

// object is a JSON object.
type object = map[string]any

// newBody returns the body of a response of some server, with text, a call or both.
func (c *captureGenerator) newBody() object {
	text, args := c.sentences(c.rand.IntN(8)), object{"query": c.sentences(1), "limit": c.rand.IntN(50), "labels": []string{pickRandom(c.rand, words), pickRandom(c.rand, words)}}
	written, _ := json.Marshal(args) // strings and numbers always have a JSON form
	id := fmt.Sprintf("call_%08x", c.rand.Uint32())
	return slices.Clone([]object{{
		"id": "chatcmpl-" + id, "object": "chat.completion", "created": 1790000000, "model": "gpt", "choices": []object{{"index": 0, "finish_reason": "tool_calls", "message": object{
			"role": "assistant", "content": text, "tool_calls": []object{{"id": id, "type": "function", "function": object{"name": "search", "arguments": string(written)}}},
		}}}, "usage": object{"prompt_tokens": 812, "completion_tokens": 64, "total_tokens": 876},
	}, {
		"id": "msg_" + id, "type": "message", "role": "assistant", "model": "claude", "stop_reason": "tool_use", "stop_sequence": nil,
		"content": []object{{"type": "text", "text": text}, {"type": "tool_use", "id": id, "name": "search", "input": args}},
		"usage":   object{"input_tokens": 812, "output_tokens": 64},
	}, {
		"candidates":    []object{{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": []object{{"text": text}, {"functionCall": object{"name": "search", "args": args}}}}}},
		"usageMetadata": object{"promptTokenCount": 812, "candidatesTokenCount": 64, "totalTokenCount": 876},
	}, {
		"model": "qwen", "created_at": "2026-09-01T12:00:00Z", "done": true, "done_reason": "stop", "eval_count": 64, "prompt_eval_count": 812,
		"message": object{"role": "assistant", "content": text, "tool_calls": []object{{"function": object{"name": "search", "arguments": args}}}},
	}})[c.rand.IntN(4)]
}
