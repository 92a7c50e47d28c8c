package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"oneshot/pkg/diag"
)

// finding returns an error at the first occurrence of mark in text.
func finding(t *testing.T, text, mark string) diag.Finding {
	t.Helper()
	at := strings.Index(text, mark)
	if at < 0 {
		t.Fatalf("%q does not stand in the text", mark)
	}
	f := diag.New(diag.RunTorn, diag.Bytes(at, at+len(mark)), "is torn")
	f.File, f.Severity = "f", diag.Error
	f.Span = diag.NewLines([]byte(text)).Locate(f.Span)
	return f
}

// printed returns the excerpt of one finding, without the headline.
func printed(t *testing.T, text string, f diag.Finding, style Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, []diag.Finding{f}, map[string]diag.Text{"f": {Bytes: []byte(text)}}, style); err != nil {
		t.Fatal(err)
	}
	_, excerpt, _ := strings.Cut(b.String(), "\n")
	return excerpt
}

// C2: the excerpt shows the line with invisible characters escaped and carets under the span.
func TestExcerpt(t *testing.T) {
	long := strings.Repeat("a", 80) + "{FAULT}" + strings.Repeat("b", 80)
	for _, tt := range []struct{ name, text, mark, want string }{
		{"middle line", "one\ntwo three\nfour", "three", "" +
			"    2 | two three\n" +
			"      |     ^^^^^\n"},
		{"at the end of the text", "abc", "", "" +
			"    1 | abc\n" +
			"      | ^\n"},
		{"byte order mark", "\ufeffabc", "b", "" +
			"    1 | abc\n" +
			"      |  ^\n"},
		{"tab before and inside", "\tx = \"a\tb\"", "\"a\tb\"", "" +
			"    1 |     x = \"a\\tb\"\n" +
			"      |         ^^^^^^\n"},
		{"line feed", "\"a\nb\"", "\n", "" +
			"    1 | \"a␊\n" +
			"      |   ^\n"},
		{"carriage return", "a\r\nb", "\r\n", "" +
			"    1 | a␍\n" +
			"      |  ^\n"},
		{"several lines", "f({\n  a: 1\n})", "f({\n  a: 1\n})", "" +
			"    1 | f({\n" +
			"      | ^^^\n"},
		{"wide characters", "日本 ok", "ok", "" +
			"    1 | 日本 ok\n" +
			"      |      ^^\n"},
		{"marked wide characters", "a日本", "日本", "" +
			"    1 | a日本\n" +
			"      |  ^^^^\n"},
		{"combining marks", "e\u0301x", "x", "" +
			"    1 | e\u0301x\n" +
			"      |  ^\n"},
		{"unseen characters", "a\u200bb\x1b[31mc", "\x1b", "" +
			"    1 | a\\u200bb\\u001b[31mc\n" +
			"      |         ^^^^^^\n"},
		{"invalid UTF-8", "a\xffb", "\xff", "" +
			"    1 | a\\xffb\n" +
			"      |  ^^^^\n"},
		{"beyond the first plane", "a\U000e0001b", "b", "" +
			"    1 | a\\U000e0001b\n" +
			"      |            ^\n"},
		{"long line", long, "{FAULT}", "" +
			"    1 | …" + strings.Repeat("a", 46) + "{FAULT}" + strings.Repeat("b", 47) + "…\n" +
			"      |  " + strings.Repeat(" ", 46) + "^^^^^^^\n"},
		{"long line, near its beginning", "{FAULT}" + long, "{FAULT}", "" +
			"    1 | {FAULT}" + strings.Repeat("a", 80) + "{FAULT}" + strings.Repeat("b", 6) + "…\n" +
			"      | ^^^^^^^\n"},
		{"long place", "x" + strings.Repeat("y", 200), strings.Repeat("y", 200), "" +
			"    1 | x" + strings.Repeat("y", 80) + "…\n" +
			"      |  " + strings.Repeat("^", 80) + "\n"},
		{"marks without a width have a bound", "x" + strings.Repeat("\u0301", 150) + "y", strings.Repeat("\u0301", 150), "" +
			"    1 | x" + strings.Repeat("\u0301", 100) + "…\n" +
			"      |  ^\n"},
		{"an escape that does not fit", "!" + strings.Repeat("a", 90) + "\U000e0001b", "!", "" +
			"    1 | !" + strings.Repeat("a", 90) + "…\n" +
			"      | ^\n"},
		{"the end of a long line", strings.Repeat("a", 120) + "\nb", "\n", "" +
			"    1 | …" + strings.Repeat("a", 99) + "␊\n" +
			"      |  " + strings.Repeat(" ", 99) + "^\n"},
		{"exactly as wide as the window", strings.Repeat("a", 99) + "!\nb", "!", "" +
			"    1 | " + strings.Repeat("a", 99) + "!\n" +
			"      | " + strings.Repeat(" ", 99) + "^\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, printed(t, tt.text, finding(t, tt.text, tt.mark), Style{})); d != "" {
				t.Error(d)
			}
		})
	}
}

// On a terminal the excerpt is as wide as that, and the carets are below the marked text.
func TestExcerptOnTerminal(t *testing.T) {
	unit := "日本e\u0301" // five columns
	text := `a({text: "` + strings.Repeat(unit, 30) + `", flag: True, more: "` + strings.Repeat("x", 120) + `"})`
	for _, tt := range []struct {
		columns       int
		before, after string
		carets        int // the column of the first
	}{
		{10, `, flag: `, `, more: `, 17}, // too narrow
		{40, "本e\u0301\", flag: ", `, more: "xxxxx`, 21},
		{80, "本e\u0301" + strings.Repeat(unit, 4) + `", flag: `, `, more: "` + strings.Repeat("x", 25), 41},
		{120, "本e\u0301" + strings.Repeat(unit, 8) + `", flag: `, `, more: "` + strings.Repeat("x", 45), 61},
	} {
		want := "    1 | …" + tt.before + "True" + tt.after + "…\n" +
			"      | " + strings.Repeat(" ", tt.carets-len("      | ")) + "^^^^\n"
		if d := cmp.Diff(want, printed(t, text, finding(t, text, "True"), Style{Columns: tt.columns})); d != "" {
			t.Errorf("%d columns: %s", tt.columns, d)
		}
	}
}

// A finding with only a line and a column, such as one about YAML, has no offsets.
func TestExcerptByColumn(t *testing.T) {
	f := diag.New(diag.RunTorn, diag.Span{Line: 2, Column: 3, EndLine: 2, EndColumn: 5}, "is torn")
	f.File = "f"
	want := "    2 | é éxyz\n" +
		"      |   ^^\n"
	if d := cmp.Diff(want, printed(t, "one\né éxyz\n", f, Style{})); d != "" {
		t.Error(d)
	}
	f.Span = diag.At(3, 9)
	if d := cmp.Diff("    3 |\n      | ^\n", printed(t, "one\ntwo\n", f, Style{})); d != "" {
		t.Error("past the end of the text:", d)
	}
}

func TestText(t *testing.T) {
	text := "name: a\nname: b\n"
	second := finding(t, text, "name: b")
	second.File, second.Hint, second.Severity = "tool.yaml", "drop\none", diag.Warning
	second.Message = "forged\nother.yaml:1:1: error\x1b[2J"
	bare := diag.New(diag.RunTorn, diag.Span{}, "no place")
	elsewhere := diag.New(diag.RunTorn, diag.At(3, 1), "no text")
	elsewhere.File = "gone.yaml"

	var b bytes.Buffer
	paint := func(s diag.Severity, text string) string { return "<" + string(s) + ":" + text + ">" }
	err := Text(&b, []diag.Finding{second, bare, elsewhere}, map[string]diag.Text{"tool.yaml": {Bytes: []byte(text)}}, Style{Paint: paint})
	if err != nil {
		t.Fatal(err)
	}
	want := `tool.yaml:2:1: <warning:warning> <:TR002 torn>: forged␊other.yaml:1:1: error\u001b[2J
    2 | name: b
      | <warning:^^^^^^^>
  <hint:hint:> drop␊one
<warning:warning> <:TR002 torn>: no place
gone.yaml:3:1: <warning:warning> <:TR002 torn>: no text
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

// The cost per finding does not depend on the length of the lines.
func TestTextIsLinear(t *testing.T) {
	text := bytes.Repeat([]byte("x"), 8<<20)
	findings := make([]diag.Finding, 5000)
	for i := range findings {
		at := len(text) - i
		findings[i] = diag.New(diag.RunTorn, diag.Span{Start: at, End: len(text), Line: 1, Column: at + 1, EndLine: 1, EndColumn: len(text) + 1}, "x")
	}
	begin := time.Now()
	if err := Text(new(bytes.Buffer), findings, map[string]diag.Text{"": {Bytes: text}}, Style{}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("5000 findings in one line of 8 MiB took %v", took)
	}
}

func TestSummary(t *testing.T) {
	of := func(severities ...diag.Severity) []diag.Finding {
		out := make([]diag.Finding, len(severities))
		for i, s := range severities {
			out[i].Severity = s
		}
		return out
	}
	for _, tt := range []struct {
		findings []diag.Finding
		want     string
	}{
		{nil, "no findings"},
		{of(diag.Warning), "1 warning"},
		{of(diag.Info, diag.Error, diag.Hint, diag.Error, diag.Info, diag.Hint), "2 errors, 2 info, 2 hints"},
	} {
		if got := Summary(diag.TallyOf(tt.findings)); got != tt.want {
			t.Errorf("Summary = %q, want %q", got, tt.want)
		}
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	err := JSON(&b, map[string]any{"message": "a < b & c", "raw": json.RawMessage("12345678901234567890")})
	if err != nil {
		t.Fatal(err)
	}
	if want := "{\n  \"message\": \"a < b & c\",\n  \"raw\": 12345678901234567890\n}\n"; b.String() != want {
		t.Errorf("JSON = %q, want %q", b.String(), want)
	}
}

// For any text and span, no control character is printed and the carets are within the window.
func TestTextAny(t *testing.T) {
	pieces := []string{
		"one", "\n", "\r", "\r\n", "\t", " ", "\ufeff", "\x1b[31m", "\x00", "\xff", "\xe2\x80", "\u202e", "\u2028", "\u009b", "日本", "e\u0301", "👍", strings.Repeat("y", 99),
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		start := rapid.IntRange(0, len(text)).Draw(t, "start")
		end := rapid.IntRange(start, len(text)).Draw(t, "end")
		finding := diag.New(diag.RunTorn, diag.NewLines([]byte(text)).Locate(diag.Bytes(start, end)), "%s", text)
		finding.File, finding.Hint = "f", text
		finding.Fixes = []diag.Fix{{Title: text, Kind: diag.Unsafe, Edits: []diag.Edit{{Start: start, End: end, New: text}, {Start: end, End: len(text)}}}}
		columns := rapid.SampledFrom([]int{0, 40, 80, 120}).Draw(t, "columns")
		var b bytes.Buffer
		if err := Text(&b, []diag.Finding{finding}, map[string]diag.Text{"f": {Bytes: []byte(text)}}, Style{Columns: columns}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		for _, line := range lines {
			if shown := EscapeLine(line); shown != line {
				t.Errorf("not safe to print: %q", line)
			}
		}
		if len(lines) > 2 {
			most := columns
			if columns == 0 {
				most = 8 + 1 + windowColumns + 1
			}
			for _, line := range lines[1:3] { // the excerpt and the carets
				if Columns(line) > most {
					t.Errorf("wider than %d columns: %q", most, line)
				}
			}
		}
	})
}
