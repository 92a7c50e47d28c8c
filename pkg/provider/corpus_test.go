package provider_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

// shared returns the folder with captures and corpora, or "" with a log message if it is not
// available.
func shared(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("ONESHOT_SHARED")
	if folder == "" {
		t.Log("ONESHOT_SHARED does not name the folder with captures: nothing was compared")
	}
	return folder
}

// A corpusRow is a captured body with the reading of another parser.
type corpusRow struct {
	ID, Dialect, Framing, Input string
	Content                     string       `json:"expected_content"`
	Reasoning                   string       `json:"expected_reasoning"`
	Calls                       []corpusCall `json:"expected_calls"`
}

// A corpusCall is a call. Its arguments are a value, or a string if they are not JSON.
type corpusCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Intended differences, with their reasons.
var onPurpose = map[string]struct {
	why       string
	kind      wire.ErrorKind
	reasoning string // its start
	content   string // if it differs, too
}{
	"amazon-bedrock/amazon-bedrock-reasoning.chunks.txt":       {why: "reasoningContent is reasoning", reasoning: "Let me count"},
	"amazon-bedrock/amazon-bedrock-reasoning.json":             {why: "reasoningContent is reasoning", reasoning: "Let me count"},
	"cohere/cohere-reasoning.chunks.txt":                       {why: "thinking is reasoning", reasoning: "The user is"},
	"cohere/cohere-reasoning.json":                             {why: "thinking is reasoning", reasoning: "Okay, so"},
	"mistral/mistral-reasoning.chunks.txt":                     {why: "content in parts holds text and thinking", reasoning: "The user is", content: "2 + 2 = 4"},
	"mistral/mistral-reasoning.json":                           {why: "thinking in content is reasoning", reasoning: "The user is"},
	"open-responses/responses/lmstudio-basic.1.json":           {why: "the content of a reasoning item is reasoning", reasoning: "reasoning content"},
	"anthropic/spliced-message-start.chunks.txt":               {why: "a message inside another is no response", kind: wire.Malformed},
	"openai/responses/openai-error.1.chunks.txt":               {why: "an error is no empty response", kind: wire.ServerError},
	"openai/responses/parallel-tool-call-wrapper.1.chunks.txt": {why: "the first event of the capture is no JSON: a bracket is missing", kind: wire.Malformed},
}

// A tally counts the rows of a dialect.
type tally struct{ rows, equal, onPurpose, failed int }

// TestCorpus compares the readings of captured bodies with those of other parsers.
func TestCorpus(t *testing.T) {
	folder := shared(t)
	if folder == "" {
		return
	}
	raw, err := os.ReadFile(filepath.Join(folder, "corpus", "native_vercel.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]*tally{}
	for line := range bytes.Lines(raw) {
		var row corpusRow
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		n := table[row.Dialect]
		if n == nil {
			n = &tally{}
			table[row.Dialect] = n
		}
		row.compare(t, n)
	}
	t.Logf("%-24s %5s %6s %11s %7s", "dialect", "rows", "equal", "on purpose", "failed")
	for _, name := range slices.Sorted(maps.Keys(table)) {
		n := table[name]
		t.Logf("%-24s %5d %6d %11d %7d", name, n.rows, n.equal, n.onPurpose, n.failed)
	}
}

// compare compares a row with its reading.
func (row *corpusRow) compare(t *testing.T, n *tally) {
	body := []byte(row.Input)
	if row.Framing == "jsonl-events" {
		body = stream("data: ", "\n", "\n", strings.Split(strings.TrimRight(row.Input, "\n"), "\n"))
	}
	id := strings.TrimPrefix(row.ID, "native_vercel:")
	all := readAll(t, provider.ProtocolNamed(row.Dialect), body)
	n.rows++
	diff := cmp.Diff(row.want(), got(all))
	special, different := onPurpose[id]
	last := all[len(all)-1]
	switch {
	case different && diff == "" && last.Err == nil:
		t.Errorf("%s is not read differently any more", id)
		n.failed++
	case different && special.kind != "" && last.Err != nil && last.Err.Kind == special.kind,
		different && special.kind == "" && last.Err == nil && row.isExcept(got(all), special.reasoning, special.content):
		n.onPurpose++
		t.Logf("%s: %s", id, special.why)
	case !different && last.Err == nil && (diff == "" || cmp.Equal(row.want(), got(all[len(all)-1:]))):
		n.equal++
	default:
		n.failed++
		t.Errorf("%s: error %v (-want +got):\n%s", id, last.Err, diff)
	}
}

// isExcept reports whether a reading equals the row's except for the reasoning and perhaps the
// content.
func (row *corpusRow) isExcept(g corpusReading, reasoning, content string) bool {
	w := row.want()
	w.Reasoning = g.Reasoning
	if content != "" {
		w.Content = content
	}
	return reasoning != "" && strings.HasPrefix(g.Reasoning, reasoning) && cmp.Equal(w, g)
}

// readAll reads the consecutive bodies in a capture of several turns. (The reference reads all
// of them as one, or only the last.)
func readAll(t *testing.T, decoder *wire.Protocol, body []byte) []reading {
	var all []reading
	for {
		r := read(t, decoder, 64<<20, body)
		if diff := difference(r, read(t, decoder, 64<<20, chunks(body, 13)...)); diff != "" {
			t.Errorf("in pieces (-whole +pieces):\n%s", diff)
		}
		all = append(all, r)
		body = bytes.TrimSpace(body[r.Size:])
		if len(body) == 0 || r.Err != nil {
			return all
		}
	}
}

// A corpusReading is the compared part of a reading.
type corpusReading struct {
	Content, Reasoning string
	Calls              []string
}

func (row *corpusRow) want() corpusReading {
	w := corpusReading{Content: row.Content, Reasoning: row.Reasoning}
	for _, c := range row.Calls {
		w.Calls = append(w.Calls, c.ID+" "+c.Name+" "+canonical(c.Arguments))
	}
	return w
}

func got(all []reading) corpusReading {
	var g corpusReading
	for _, r := range all {
		g.Content += r.Response.Content
		g.Reasoning += r.Response.Reasoning
		for _, c := range r.Response.Calls {
			args := customText(c.Arguments)
			if c.Arguments == nil {
				args = c.Text
			}
			if args == "" { // some dialects leave missing arguments empty
				args = "{}"
			}
			g.Calls = append(g.Calls, c.ID+" "+c.Name+" "+args)
		}
	}
	return g
}

// customText returns the text of a custom tool, which the corpus has as arguments and this
// package as the only argument, input; other arguments in canonical form.
func customText(args json.RawMessage) string {
	var object map[string]json.RawMessage
	var text string
	if json.Unmarshal(args, &object) != nil || len(object) != 1 || json.Unmarshal(object["input"], &text) != nil {
		return canonical(args)
	}
	return text
}

// canonical returns a value with sorted members and unchanged numbers, or the text of a string.
func canonical(raw json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(raw)
	}
	if text, ok := v.(string); ok {
		return text
	}
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}
