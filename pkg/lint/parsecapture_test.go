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

// runOf returns a run file in a dialect.
func runOf(t *testing.T, dialect string, bodies ...runfile.Body) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := runfile.Create(path, runfile.Run{ID: "r", Dialect: dialect})
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
	src := runOf(t, "native",
		runfile.Request{Turn: 1, System: "s", Tools: tools},
		runfile.Result{Call: "early", Result: chat.Success("\n```tool\nf({a: 3})\n```")},
		runfile.Response{Turn: 1, Content: "```tool\nf({a: 3})\n```", Calls: []chat.Call{native}},
		runfile.Request{Turn: 2},
		runfile.Response{Turn: 2, Content: "```tool\nf({a: 3})\n```"},
		runfile.Request{Turn: 3, System: "s"}, // native calls have been refused
		runfile.Response{Turn: 3, Content: "```tool\nf({a: 4})\n```", BrokenOff: "cut off"},
	)
	got := slices.Collect(ParseCapture("x", src, Options{}))
	if len(got) != 4 { // and what is wrong with the order
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
