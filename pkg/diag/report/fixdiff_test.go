package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag"
)

func TestSuggest(t *testing.T) {
	unsafe := func(title string, edits ...diag.Edit) diag.Fix {
		return diag.Fix{Title: title, Kind: diag.Unsafe, Edits: edits}
	}
	long := strings.Repeat("x", 60)
	for _, tt := range []struct {
		name, text string
		fixes      []diag.Fix
		want       string
	}{
		{"safe", "a", []diag.Fix{{Title: "t", Kind: diag.Safe, Edits: []diag.Edit{{Start: 0, End: 1}}}}, ""},
		{"replaced", "f({a: 010})", []diag.Fix{unsafe("t", diag.Edit{Start: 6, End: 9, New: "8"})}, "  suggestion: t: f({a: 010}) -> f({a: 8})\n"},
		{"inserted", "f([1, 2)", []diag.Fix{unsafe("t", diag.Edit{Start: 7, End: 7, New: "]"})}, "  suggestion: t: f([1, 2) -> f([1, 2])\n"},
		{"removed", "</tool>", []diag.Fix{unsafe("t", diag.Edit{Start: 0, End: 7})}, "  suggestion: t: </tool> -> nothing\n"},
		{"written into nothing", "", []diag.Fix{unsafe("t", diag.Edit{New: "x"})}, "  suggestion: t: nothing -> x\n"},
		{"several edits", "say 'it'", []diag.Fix{unsafe("t", diag.Edit{Start: 4, End: 5, New: "\""}, diag.Edit{Start: 7, End: 8, New: "\""})},
			"  suggestion: t: say 'it' -> say \"it\"\n"},
		{"one line around it", "one\ntwo\nsix", []diag.Fix{unsafe("t", diag.Edit{Start: 4, End: 5, New: "T"})}, "  suggestion: t: two -> Two\n"},
		{"what is alike is left out", long + "a", []diag.Fix{unsafe("t", diag.Edit{Start: 0, End: 61, New: long + "b"})},
			"  suggestion: t: xxxxxxxxxxxxa -> xxxxxxxxxxxxb\n"},
		{"alike up to half a character", "aé", []diag.Fix{unsafe("t", diag.Edit{Start: 0, End: 3, New: "aè"})}, "  suggestion: t: aé -> aè\n"},
		{"long", "ab", []diag.Fix{unsafe("t", diag.Edit{Start: 1, End: 1, New: long})}, "  suggestion: t: ab -> a" + long[:39] + "…\n"},
		{"unseen characters", "a\x1bb\xff\nc", []diag.Fix{unsafe("t\n", diag.Edit{Start: 1, End: 2, New: "\n"})},
			"  suggestion: t␊: a\\u001bb\\xff -> a␊b\\xff\n"},
		{"nothing to show", "a", []diag.Fix{unsafe("t"), unsafe("u", diag.Edit{Start: 0, End: 1, New: "a"})}, "  suggestion: t\n  suggestion: u\n"},
		{"outside of the text", "a", []diag.Fix{unsafe("t", diag.Edit{Start: -1}), unsafe("u", diag.Edit{Start: 1, End: 3}), unsafe("v", diag.Edit{Start: 9, End: 9})},
			"  suggestion: t\n  suggestion: u\n  suggestion: v\n"},
		{"shown only", "a", []diag.Fix{{Title: "t", Kind: diag.Display}}, "  suggestion: t\n"},
		{"several ways", "a", []diag.Fix{unsafe("t"), {Kind: diag.Safe}, unsafe("u"), unsafe("v"), unsafe("w")}, "  suggestion: t\n  suggestion: u\n  suggestion: v\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := appendSuggestions(nil, diag.Text{Bytes: []byte(tt.text)}, tt.fixes, Style{})
			if d := cmp.Diff(tt.want, string(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

// On a terminal both sides of the arrow fit into its line, unless it is very narrow.
func TestSuggestOnTerminal(t *testing.T) {
	text := []byte(strings.Repeat("x", 60))
	fix := []diag.Fix{{Title: "drop it", Kind: diag.Unsafe, Edits: []diag.Edit{{Start: 0, End: 60, New: strings.Repeat("y", 60)}}}}
	for columns, side := range map[int]int{20: minSideColumns, 60: 15, 80: 25, 200: sideColumns} {
		want := "  suggestion: drop it: " + strings.Repeat("x", side) + "… -> " + strings.Repeat("y", side) + "…\n"
		got := appendSuggestions(nil, diag.Text{Bytes: text}, fix, Style{Columns: columns})
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Errorf("%d columns: %s", columns, d)
		}
	}
}

// Fixes are previewed only if their text is available.
func TestTextSuggests(t *testing.T) {
	f := diag.New(diag.RunTorn, diag.At(1, 1), "x")
	f.File, f.Fixes = "f", []diag.Fix{{Title: "t", Kind: diag.Unsafe}}
	for name, want := range map[string]bool{"f": true, "g": false} {
		var b bytes.Buffer
		if err := Text(&b, []diag.Finding{f}, map[string]diag.Text{name: {}}, Style{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "  suggestion: t\n"); got != want {
			t.Errorf("with the text of %s: %q", name, b.String())
		}
	}
}

// The cost of a suggestion does not depend on how much of the text it changes.
func TestSuggestIsLinear(t *testing.T) {
	text := bytes.Repeat([]byte("x"), 8<<20)
	fix := []diag.Fix{{Kind: diag.Unsafe, Edits: []diag.Edit{{Start: 1, End: 2, New: string(text)}, {Start: 3, End: len(text)}}}}
	begin := time.Now()
	for range 5000 {
		appendSuggestions(nil, diag.Text{Bytes: text}, fix, Style{})
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("5000 suggestions in 8 MiB took %v", took)
	}
}
