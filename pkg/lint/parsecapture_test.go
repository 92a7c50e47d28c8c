package lint

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/runfile"
)

// runOf returns a run file with these records.
func runOf(t *testing.T, first runfile.Run, bodies ...runfile.Body) []byte {
	t.Helper()
	first.ID = "r"
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := runfile.Create(path, first)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bodies {
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// marked returns the codes of a result, each with the text it marks.
func marked(src []byte, r ParseResult) map[diag.Code]string {
	all := map[diag.Code]string{}
	for _, f := range r.Findings {
		all[f.Code] = string(src[f.Span.Start:f.Span.End])
	}
	return all
}

func TestRun(t *testing.T) {
	tools := []chat.Function{{Name: "f", Parameters: json.RawMessage(`{}`)}}
	native := chat.Call{ID: "c", Name: "f", Status: chat.StatusInvalid, Text: `{"a": 'x'}`}
	src := runOf(t, runfile.Run{Dialect: "native"},
		runfile.Request{Turn: 1, System: "s", Tools: tools},
		runfile.Result{Call: "early", Result: chat.Success("\n```tool\nf({a: 3})\n```")},
		runfile.Response{Turn: 1, Content: "```tool\nf({a: 3})\n```", Calls: []chat.Call{native}},
		runfile.Request{Turn: 2},
		runfile.Response{Turn: 2, Content: "```tool\nf({a: 3})\n```"},
		runfile.Request{Turn: 3, System: "s"}, // native calls have been refused
		runfile.Response{Turn: 3, Content: "```tool\nf({a: 4})\n```", BrokenOff: "cut off"},
	)
	got := slices.Collect(ParseCapture("x", src, Options{}))
	if len(got) != 4 { // the last record reports the wrong order
		t.Fatalf("%d records", len(got))
	}
	for i, want := range []struct {
		record  int
		dialect string
		found   map[diag.Code]string
	}{
		{4, "native", map[diag.Code]string{diag.QuoteCharacter: `'x'`, diag.CallInText: `f({a: 3})`}},
		{6, "native", map[diag.Code]string{diag.EchoedCall: `f({a: 3})`, diag.CallInText: `f({a: 3})`}},
		{8, "tool", map[diag.Code]string{diag.TruncatedBody: `"cut off"`}},
		{0, "", map[diag.Code]string{diag.RunUnordered: ""}},
	} {
		r := got[i]
		if r.Record != want.record || r.Dialect != want.dialect {
			t.Errorf("record %d in the dialect %q, want %d in %q", r.Record, r.Dialect, want.record, want.dialect)
		}
		if diff := cmp.Diff(want.found, marked(src, r)); diff != "" {
			t.Errorf("record %d (-want +got):\n%s", r.Record, diff)
		}
	}
	if c := got[0].Calls[0]; string(c.Arguments) != `{"a":"x"}` || src[c.Span.Start] != '"' {
		t.Errorf("the native call is %s at %v", c.Arguments, c.Span)
	}
}

// As in the run itself, a call is an echo of an untrusted input, and not of the user's own words.
func TestRunEchoes(t *testing.T) {
	const call = `note_write({path: "plans.md", content: "all done"})`
	mentions := runfile.Result{Call: "1", Result: chat.Success("note_write: we can put that all done into plans.md")}
	for _, tt := range []struct {
		name  string
		first runfile.Run
		body  []runfile.Body
		want  chat.Status
	}{
		{"input", runfile.Run{Input: call, InputLabels: []string{"private", "untrusted"}}, nil, chat.StatusSuppressed},
		{"trusted input", runfile.Run{Input: call}, nil, chat.StatusOK},
		{"trusted input that a policy labels", runfile.Run{Input: call, InputLabels: []string{"untrusted"}, Options: []string{"trust-input=true"}}, nil, chat.StatusOK},
		{"result", runfile.Run{Prompt: "Note it."}, []runfile.Body{mentions}, chat.StatusSuppressed},
		{"prompt", runfile.Run{Prompt: "Note in plans.md: all done"}, []runfile.Body{mentions}, chat.StatusOK},
		{"words in a trusted input", runfile.Run{Prompt: "Note it.", Input: "plans.md: all done"}, []runfile.Body{mentions}, chat.StatusOK},
	} {
		tt.first.Dialect = "tool"
		body := append([]runfile.Body{runfile.Request{Turn: 1, System: "s"}}, tt.body...)
		body = append(body, runfile.Request{Turn: 2}, runfile.Response{Turn: 2, Content: fenced(call)})
		src := runOf(t, tt.first, body...)
		got := slices.Collect(ParseCapture("x", src, Options{Tools: noteTools(t)}))
		if len(got) == 0 || len(got[0].Calls) != 1 || got[0].Calls[0].Status != tt.want {
			t.Errorf("%s: %+v, want %s", tt.name, got, tt.want)
		}
	}
}
