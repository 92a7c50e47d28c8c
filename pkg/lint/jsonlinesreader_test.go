package lint

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"oneshot/pkg/diag"
)

func oneChunk(text string) Chunk { return Chunk{Text: diag.Text{Bytes: []byte(text)}} }

// A text gives the same result as the string of a record, with spans of the escaped text in the
// file.
func TestTextInRecord(t *testing.T) {
	records := NewRecordReader(FieldPaths{Response: "log.0.text"}, Options{})
	for file, text := range texts(t) {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		src := "{}\r\n\n" + `{"id": 1, "log": [{"text": ` + string(quoted) + `}]}` + "\n{}"
		plain, got := response("x", []byte(text), Options{}), slices.Collect(records.Read("x", oneChunk(src)))
		if len(got) != 3 || got[1].Record != 3 {
			t.Fatalf("%s: %d records", file, len(got))
		}
		r := got[1]
		alike := cmp.Options{cmpopts.IgnoreFields(Call{}, "Span"), cmpopts.IgnoreUnexported(Call{})}
		if diff := cmp.Diff(plain.Calls, r.Calls, alike); diff != "" || plain.Content != r.Content || plain.Reasoning != r.Reasoning || plain.Why != r.Why {
			t.Errorf("%s: calls (-text +record)\n%s", file, diff)
		}
		for i, c := range plain.Calls {
			checkPlace(t, file, text, src, c.Span, r.Calls[i].Span)
			for j, other := range c.Alternatives {
				checkPlace(t, file, text, src, other.Span, r.Calls[i].Alternatives[j].Span)
			}
		}
		if len(plain.Findings) != len(r.Findings) {
			t.Errorf("%s: %d findings, and in a record %d", file, len(plain.Findings), len(r.Findings))
			continue
		}
		for i, f := range plain.Findings {
			g := r.Findings[i]
			if g.Code != f.Code || g.Severity != f.Severity || g.Path != f.Path || f.Code != diag.DuplicateCall && !strings.HasPrefix(g.Layer, "log[0].text") {
				t.Errorf("%s: %v, and in a record %v", file, f, g)
			}
			checkPlace(t, file, text, src, f.Span, g.Span)
			for j, x := range f.Fixes {
				var record struct{ Log []struct{ Text string } }
				_, line, _ := strings.Cut(edited(src, g.Fixes[j].Edits), "\n\n")
				if err := json.NewDecoder(strings.NewReader(line)).Decode(&record); err != nil || record.Log[0].Text != edited(text, x.Edits) {
					t.Errorf("%s: %q makes %q, and in a record %q (%v)", file, x.Title, edited(text, x.Edits), line, err)
				}
			}
		}
	}
}

// checkPlace checks that a span in the file has the same content as one in the text.
func checkPlace(t *testing.T, file, text, src string, inner, outer diag.Span) {
	t.Helper()
	if want := diag.NewLines([]byte(src)).Locate(diag.Bytes(outer.Start, outer.End)); outer != want {
		t.Errorf("%s: the place is %v, and should be %v", file, outer, want)
	}
	if got := innerText(t, src[outer.Start:outer.End]); got != text[inner.Start:inner.End] {
		t.Errorf("%s: %q is marked, and in a record %q", file, text[inner.Start:inner.End], got)
	}
}

// innerText decodes a part of a JSON string.
func innerText(t *testing.T, part string) string {
	t.Helper()
	var text string
	if err := json.Unmarshal([]byte(`"`+part+`"`), &text); err != nil {
		t.Fatalf("%q is no part of a string: %v", part, err)
	}
	return text
}

// A line over the limit is truncated and not read.
func TestLargeRecord(t *testing.T) {
	lines := oneChunk(`{"response": "the beginn`)
	lines.Truncated = true
	var found []diag.Code
	for r := range NewRecordReader(FieldPaths{Response: "response"}, Options{}).Read("x", lines) {
		for _, f := range r.Findings {
			found = append(found, f.Code)
		}
	}
	if want := []diag.Code{diag.LargeRecord}; !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

// Definitions are cached once, even if several records need them at the same time.
func TestToolsetsAreBounded(t *testing.T) {
	sets := newToolsetCache()
	for i := range 4 * maxCachedToolsets {
		sets.store(strconv.Itoa(i/2), toolset{})
		if kept := min(i/2+1, maxCachedToolsets); len(sets.sets) != kept || len(sets.order) != kept {
			t.Fatalf("of %d definitions %d are kept, under %d texts", i/2+1, len(sets.sets), len(sets.order))
		}
	}
}
