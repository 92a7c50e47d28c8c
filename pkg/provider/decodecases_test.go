package provider_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

var update = flag.Bool("update", false, "rewrite want.json in the cases")

// A testCase is a file in the testdata of a protocol: a description, the body in one of three sections, and
// "want.json". The section "body" is the body without its last line end, "body.quoted" is the
// body as a Go string, and "events" has the data of an event in each line.
type testCase struct {
	file    string
	archive *txtar.Archive
	body    []byte
	data    []string // of the events, if the case is written so
}

// cases loads the cases of a format; there must be some.
func cases(t testing.TB, format string) []testCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(format, "testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases for %s (%v)", format, err)
	}
	all := make([]testCase, len(files))
	for i, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil || len(a.Files) != 2 || len(a.Comment) == 0 || a.Files[1].Name != "want.json" {
			t.Fatalf("%s is no case: %v", file, err)
		}
		all[i] = testCase{file: file, archive: a}
		all[i].readBody(t, string(bytes.TrimSuffix(a.Files[0].Data, []byte("\n"))))
	}
	return all
}

// readBody reads the section with the body.
func (c *testCase) readBody(t testing.TB, text string) {
	switch section := c.archive.Files[0].Name; section {
	case "body":
		c.body = []byte(text)
	case "body.quoted":
		body, err := strconv.Unquote(text)
		if err != nil {
			t.Fatalf("%s: %v", c.file, err)
		}
		c.body = []byte(body)
	case "events":
		c.data = strings.Split(text, "\n")
		c.body = stream("data: ", "\n", "\n", c.data)
	default:
		t.Fatalf("%s: section %s", c.file, section)
	}
}

// stream writes events with a prefix for each line and the given line and event ends.
func stream(prefix, line, event string, data []string) []byte {
	var b bytes.Buffer
	for _, d := range data {
		b.WriteString(prefix + d + line + event)
	}
	return b.Bytes()
}

// A want is the expected reading in the format of its file.
type want struct {
	Content   string          `json:"content,omitempty"`
	Reasoning string          `json:"reasoning,omitempty"`
	Calls     []chat.Call     `json:"calls,omitempty"`
	Native    json.RawMessage `json:"native,omitempty"`
	Stop      chat.Stop       `json:"stop,omitempty"`
	Usage     *chat.Usage     `json:"usage,omitempty"`
	Model     string          `json:"model,omitempty"`
	Error     string          `json:"error,omitempty"`
	Kind      wire.ErrorKind  `json:"kind,omitempty"`
	Codes     []string        `json:"codes,omitempty"`
	Messages  int             `json:"messages"`
}

func wanted(t testing.TB, format string, r reading) want {
	x := r.Response
	w := want{Content: x.Content, Reasoning: x.Reasoning, Calls: x.Calls, Stop: x.Stop, Model: x.Model, Messages: r.Messages}
	if x.Usage != (chat.Usage{}) {
		w.Usage = &x.Usage
	}
	if x.Native != nil {
		if x.Native.API != formats[format].API {
			t.Errorf("a message in the form of %s", x.Native.API)
		}
		w.Native = x.Native.Body
	}
	if r.Err != nil {
		w.Error, w.Kind, w.Codes = r.Err.Error(), r.Err.Kind, r.Err.Codes
	}
	return w
}

// encode writes a want for human readers: a line for each call.
func (w want) encode(t testing.TB) string {
	t.Helper()
	raw, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	order := []string{"content", "reasoning", "calls", "native", "stop", "usage", "model", "error", "kind", "codes", "messages"}
	for _, name := range slices.DeleteFunc(order, func(name string) bool { return members[name] == nil }) {
		text := string(members[name])
		if name == "calls" {
			text = strings.ReplaceAll(strings.ReplaceAll(text, `{"id"`, "\n  {\"id\""), `{"name"`, "\n  {\"name\"")
		}
		b.WriteString(",\n " + strconv.Quote(name) + ": " + text)
	}
	return "{" + strings.TrimPrefix(b.String(), ",") + "\n}\n"
}

func TestCases(t *testing.T) {
	for format, decoder := range formats {
		for _, c := range cases(t, format) {
			t.Run(strings.TrimSuffix(strings.Replace(c.file, "/testdata/", "/", 1), ".txtar"), func(t *testing.T) {
				got := read(t, decoder, maxBytes, c.body)
				text := wanted(t, format, got).encode(t)
				if expected := string(c.archive.Files[1].Data); !*update && text != expected {
					t.Errorf("-want +got\n%s", cmp.Diff(expected, text))
				}
				if *update {
					c.archive.Files[1].Data = []byte(text)
					if err := os.WriteFile(c.file, txtar.Format(c.archive), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if diff := difference(got, read(t, decoder, maxBytes, singly(c.body)...)); diff != "" {
					t.Errorf("byte by byte (-whole +bytes):\n%s", diff)
				}
			})
		}
	}
}

// The spelling of events does not matter: any line end, comments between them, other fields,
// missing final whitespace.
func TestSpellings(t *testing.T) {
	spellings := map[string]func(data []string) []byte{
		"CR LF":        func(d []string) []byte { return stream("data: ", "\r\n", "\r\n", d) },
		"CR":           func(d []string) []byte { return stream("data: ", "\r", "\r", d) },
		"no space":     func(d []string) []byte { return stream("data:", "\n", "\n", d) },
		"other fields": func(d []string) []byte { return stream("id: 7\nevent: x\nnote: {\ndata: ", "\nretry\n", "\n", d) },
		"a BOM":        func(d []string) []byte { return append([]byte("\ufeff"), stream("data: ", "\n", "\n", d)...) },
		"comments": func(d []string) []byte {
			return stream(strings.Repeat(": keep-alive\n\n:\n\n", 400)+"data: ", "\n", ":\n\n", d)
		},
		"no last end": func(d []string) []byte { return bytes.TrimRight(stream("data: ", "\n", "\n", d), "\n") },
		"no blanks":   func(d []string) []byte { return stream("data: ", "\n", "", d) },
	}
	about := cmp.Options{cmpopts.IgnoreFields(reading{}, "Size"), cmpopts.IgnoreFields(wire.Error{}, "Offset", "Message")}
	for format, decoder := range formats {
		for _, c := range cases(t, format) {
			if c.data == nil {
				continue
			}
			plain := read(t, decoder, maxBytes, c.body)
			for name, spell := range spellings {
				if diff := cmp.Diff(plain, read(t, decoder, maxBytes, spell(c.data)), about); diff != "" {
					t.Errorf("%s with %s (-plain +so):\n%s", c.file, name, diff)
				}
			}
		}
	}
}
