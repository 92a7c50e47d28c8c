package jsonrepair

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"oneshot/internal/testsize"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// laws checks the properties that every repair has.
func laws(t *testing.T, text string) {
	r := JSON(text)
	strict := isStrict(text)
	switch {
	case strict && (string(r.Value) != text || len(r.Edits) > 0 || r.Changed):
		t.Fatalf("%q is JSON, and is changed to %q", text, r.Value)
	case strict != json.Valid([]byte(text)) && utf8.ValidString(text) && r.Status != chat.StatusInvalid && nesting(text) < MaxDepth:
		t.Fatalf("%q: strict is %v", text, strict)
	case (r.Value == nil) != (r.Status == chat.StatusInvalid):
		t.Fatalf("%q has status %s and the value %s", text, r.Status, r.Value)
	case r.Changed && (r.Status == chat.StatusOK || r.Status == chat.StatusRepaired):
		t.Fatalf("%q has an unsafe edit, and status %s", text, r.Status)
	}
	if r.Value == nil {
		halfPair := strings.Contains(strings.ToLower(text), `\ud`)
		if x := newReader(text); !strict && !halfPair && x.readDocument() {
			t.Fatalf("the edits %v of %q do not lead to JSON", x.list, text)
		}
		return
	}
	if !isStrict(string(r.Value)) || !json.Valid(r.Value) || !utf8.Valid(r.Value) {
		t.Fatalf("%q is repaired to %q, which is no JSON", text, r.Value)
	}
	if got, _, err := diag.Apply(text, []diag.Fix{{Edits: r.Edits}}); err != nil || got != string(r.Value) {
		t.Fatalf("the edits of %q make %q, not %q: %v", text, got, r.Value, err)
	}
	end := 0
	for _, e := range r.Edits {
		if e.Start < end || e.End < e.Start || e.Start == e.End && e.New == "" {
			t.Fatalf("%q has the edits %v", text, r.Edits)
		}
		end = e.End
	}
}

func nesting(text string) int { return strings.Count(text, "[") + strings.Count(text, "{") }

// knots are texts whose edits once led to invalid JSON.
var knots = []string{
	`(""""`, `{0"0[`, `'""'[]`, `"":,00`, `"":":"0"`, `"":0{`, `{00[)000)[0`, `{00[[0)00][0`, `{0[][0`, "(00，\"0\"：", "0\xef\xbc,：", "/\xf50/", "```{00 ```{", `{}{0,`, `"\udD0D00D0`, `'""'=]`,
}

// FuzzJSON checks the laws of a repair.
func FuzzJSON(f *testing.F) {
	for _, c := range cases {
		f.Add(c.text)
	}
	for _, text := range slices.Concat(knots, []string{`{"a":[1.5e+3,"x\u00e9\n",true,null,{}]}`, `[[-0.1],"ü"]`, ` false `, `[}`, `"`}) {
		f.Add(text)
	}
	f.Fuzz(laws)
}

// hostile are texts that would take more than linear time if any part of them
// were scanned again and again.
var hostile = map[string]func(n int) string{
	"quotes":          repeat(`"`),
	"single quotes":   repeat(`'`),
	"quoted blanks":   repeat(`" `),
	"words in quotes": repeat(`"a `),
	"backslashes":     repeat(`\`),
	"escaped quotes":  repeat(`\"`),
	"brackets":        repeat(`[1],`),
	"closing":         repeat(`]}`),
	"open keys":       repeat(`{"a":`),
	"members":         prefixed("{", `"a":"b`),
	"unclosed items":  prefixed("[", `"a,`),
	"unclosed bare":   prefixed("[", `a(,`),
	"unclosed call":   prefixed("[", `a("b`),
	"near fences":     repeat("``\n`"),
	"fences":          repeat("```\n"),
	"json fences":     repeat("```json\n{"),
	"triple":          prefixed("[", `"""a`),
	"fenced values":   prefixed("{", "\"a\":```x"),
	"comments":        prefixed(`["a"`, `/*"a"`),
	"missing commas":  prefixed("[", `1 `),
	"missing comma":   prefixed("{", `a:1 `),
	"missing braces":  prefixed(`{"a":`, "true\tb:"),
	"hash comments":   prefixed("[", `#}`),
	"slashes":         prefixed(`["a"`, ` "/*`),
	"commas":          prefixed("[", `,`),
	"colons":          prefixed("{", `a:`),
	"prose":           repeat(`a {b `),
	"citations":       repeat(`see [1] `),
	"blanks":          prefixed(`{"a":"b" `, ` `),
	"plus":            prefixed(`["a"`, `+"a`),
	"dots":            prefixed("[", `...`),
	"equal keys":      prefixed("{", `"a":1,`),
	"parentheses":     prefixed("[", `(1),`),
	"spliced":         prefixed(`{"a":[1`, `],[1`),
	"sets":            prefixed("[", `{"a",`),
	"digits":          repeat(`1`),
	"underscores":     repeat(`1_`),
	"documents":       repeat("{}\n"),
	"commas in words": prefixed(`{"a":b`, `, c`),
	"many unclosed":   func(n int) string { return prefixed(`["a,`, `"b c,`)(n) + "]" },
	"inner quotes":    func(n int) string { return prefixed(`["a,`, `"b"c"d,`)(n) + "]" },
	"inner values":    func(n int) string { return prefixed(`{"a":"b`, `,c:"d"e"f`)(n) + "}" },
	"unclosed keys":   func(n int) string { return prefixed(`{"a,`, `"b c,`)(n) + "}" },
	"unclosed values": func(n int) string { return prefixed(`{"a":"b`, `,c:"d e `)(n) + "}" },
	"strays":          prefixed(`{"a":1`, ` b`),
}

func repeat(s string) func(int) string { return prefixed("", s) }

func prefixed(start, s string) func(int) string {
	return func(n int) string { return start + strings.Repeat(s, n/len(s)) }
}

// TestGrowth checks that the number of scanned bytes grows linearly with the
// text.
func TestGrowth(t *testing.T) {
	for name, text := range hostile {
		last := 0
		for _, n := range []int{16_000, 32_000} {
			s := text(n)
			if n <= testsize.Pick(32_000, 16_000) {
				laws(t, s)
			}
			r := newReader(s)
			r.readDocument()
			steps := r.steps + len(r.list)
			if last > 0 && float64(steps) > 2.05*float64(last)+4096 {
				t.Errorf("%s: %d steps for %d bytes, %d for half of them", name, steps, n, last)
			}
			last = steps
		}
	}
}

// TestBudget checks hostile texts with several endings, some of which exceed the
// budget.
func TestBudget(t *testing.T) {
	exceeded := 0
	for _, text := range hostile {
		for _, end := range []string{"", `"`, `'`, `,"`, `:"`, `{"`, "`", `"\\`, "```", `"""`} {
			s := text(testsize.Pick(8000, 4000)) + end
			laws(t, s)
			if r := newReader(s); !r.readDocument() && r.budget < 0 {
				exceeded++
			}
		}
	}
	if exceeded == 0 {
		t.Error("no text exceeds the budget")
	}
}

// TestLiteralAgrees checks that a text that literal reads with certainty has the
// same value here, except for leading zeros: literal drops them, and here they
// are kept in a string.
func TestLiteralAgrees(t *testing.T) {
	compared := 0
	for _, c := range cases {
		theirs := literal.ParseJSON(c.text)
		if theirs.Value == nil || theirs.ValueChanged || strings.Contains(c.text, "0") && hasCode(theirs.Findings, diag.NonstandardNumber) {
			continue
		}
		compared++
		if ours := JSON(c.text); !cmp.Equal(decoded(t, theirs.Value), decoded(t, ours.Value)) {
			t.Errorf("%q: literal reads %s, we read %s", c.text, theirs.Value, ours.Value)
		}
	}
	if compared < 5 {
		t.Errorf("only %d texts were compared", compared)
	}
}

// decoded decodes JSON and keeps the text of its numbers.
func decoded(t *testing.T, value json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", value, err)
	}
	return v
}

func hasCode(findings []diag.Finding, code diag.Code) bool {
	return slices.ContainsFunc(findings, func(f diag.Finding) bool { return f.Code == code })
}

func ExampleJSON() {
	r := JSON(`{name: 'Ada', tags: ["x", "y",], note: "say "hi" now"`)
	fmt.Println(string(r.Value), r.Status)
	// Output: {"name": "Ada", "tags": ["x", "y"], "note": "say \"hi\" now"} truncated
}
