package dialect

import (
	"bytes"
	"encoding/json"
	"flag"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

var update = flag.Bool("update", false, "rewrite want.json in the cases")

// A testCase is a file in testdata/dialect/NAME: a description, the section "input"
// (without the last line end) or "input.quoted" (a Go string), and "want.json". A case
// whose name begins with "valid-" is faultless.
type testCase struct {
	file    string
	archive *txtar.Archive
	input   string
}

func (c testCase) name() string { return strings.TrimSuffix(filepath.Base(c.file), ".txtar") }

func (c testCase) section(name string) *txtar.File {
	for i := range c.archive.Files {
		if c.archive.Files[i].Name == name {
			return &c.archive.Files[i]
		}
	}
	return nil
}

// allCases iterates over the cases of all dialects.
func allCases(t testing.TB) iter.Seq2[Dialect, testCase] {
	return func(yield func(Dialect, testCase) bool) {
		for _, d := range Dialects() {
			for _, c := range cases(t, d) {
				if !yield(d, c) {
					return
				}
			}
		}
	}
}

// cases loads the cases of a dialect; there must be some.
func cases(t testing.TB, d Dialect) []testCase {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "dialect", d.Name, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases for dialect %s in testdata/dialect (%v)", d.Name, err)
	}
	all := make([]testCase, len(files))
	for i, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = testCase{file: file, archive: a}
		all[i].input = readInput(t, all[i])
	}
	return all
}

func readInput(t testing.TB, c testCase) string {
	if f := c.section("input"); f != nil {
		return strings.TrimSuffix(string(f.Data), "\n")
	}
	f := c.section("input.quoted")
	if f == nil {
		t.Fatalf("%s has no input", c.file)
	}
	input, err := strconv.Unquote(strings.TrimSpace(string(f.Data)))
	if err != nil {
		t.Fatalf("%s: %v", c.file, err)
	}
	return input
}

// A want is the expected result of a case, as in its want.json.
type want struct {
	Content   string        `json:"content"`
	Reasoning string        `json:"reasoning,omitempty"`
	Calls     []wantCall    `json:"calls,omitempty"`
	Findings  []wantFinding `json:"findings,omitempty"`
}

type wantCall struct {
	Name         string          `json:"name"`
	Arguments    json.RawMessage `json:"arguments,omitempty"`
	Positional   bool            `json:"positional"`
	Status       chat.Status     `json:"status"`
	Executable   bool            `json:"executable"`
	ValueChanged bool            `json:"value_changed,omitempty"`
	Span         [2]int          `json:"span"`
}

type wantFinding struct {
	Text  string     `json:"text"`
	Span  [2]int     `json:"span"`
	Call  *int       `json:"call,omitempty"`
	Path  string     `json:"path,omitempty"`
	Fixes []diag.Fix `json:"fixes,omitempty"`
}

func wanted(r ScanResult) want {
	w := want{Content: r.Content, Reasoning: r.Reasoning}
	for _, c := range r.Calls {
		w.Calls = append(w.Calls, wantCall{
			c.Name, c.Arguments, c.Positional, c.Status, c.Executable, c.ValueChanged, [2]int{c.Start, c.End},
		})
	}
	for _, f := range r.Findings {
		w.Findings = append(w.Findings, wantFinding{f.String(), [2]int{f.Span.Start, f.Span.End}, f.Call, f.Path, f.Fixes})
	}
	return w
}

// encode formats a want for people: one line per call and finding.
func (w want) encode(t *testing.T) []byte {
	var b bytes.Buffer
	b.WriteString("{\n")
	line := func(indent string, v any, end string) {
		var one bytes.Buffer
		enc := json.NewEncoder(&one)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		b.WriteString(indent + strings.TrimRight(one.String(), "\n") + end + "\n")
	}
	line(` "content": `, w.Content, ",")
	if w.Reasoning != "" {
		line(` "reasoning": `, w.Reasoning, ",")
	}
	list(&b, "calls", w.Calls, line, ",")
	list(&b, "findings", w.Findings, line, "")
	b.WriteString("}\n")
	return b.Bytes()
}

func list[T any](b *bytes.Buffer, name string, items []T, line func(string, any, string), end string) {
	b.WriteString(" \"" + name + "\": [\n")
	for i, item := range items {
		comma := ","
		if i == len(items)-1 {
			comma = ""
		}
		line("  ", item, comma)
	}
	b.WriteString(" ]" + end + "\n")
}

// T5, T6, M3: TestCases checks that each case reads as its want.json.
func TestCases(t *testing.T) {
	for d, c := range allCases(t) {
		t.Run(d.Name+"/"+c.name(), func(t *testing.T) {
			got := wanted(Scan(c.input, Options{Dialect: d})).encode(t)
			file := c.section("want.json")
			if *update && file == nil {
				c.archive.Files = append(c.archive.Files, txtar.File{Name: "want.json"})
				file = c.section("want.json")
			}
			if file == nil {
				t.Fatal("no want.json: -update writes it")
			}
			if *update {
				file.Data = got
				if err := os.WriteFile(c.file, txtar.Format(c.archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(file.Data), string(got)); diff != "" {
				t.Errorf("reading of\n%s\n(-want +got)\n%s", c.input, diff)
			}
		})
	}
}

// TestValidCases checks that valid cases have only executable calls and no finding
// above info.
func TestValidCases(t *testing.T) {
	valid := 0
	for d, c := range allCases(t) {
		if !strings.HasPrefix(c.name(), "valid-") {
			continue
		}
		valid++
		r := Scan(c.input, Options{Dialect: d})
		for _, f := range r.Findings {
			if f.Severity.Rank() > diag.Info.Rank() {
				t.Errorf("%s: %v", c.name(), f)
			}
		}
		for _, call := range r.Calls {
			if call.Status != chat.StatusOK || !call.Executable || !json.Valid(call.Arguments) {
				t.Errorf("%s: call %s is %s: %s", c.name(), call.Name, call.Status, call.Arguments)
			}
		}
	}
	if valid == 0 {
		t.Error("no case is valid")
	}
}

// TestNoInjectedCalls checks that no quoted call of the cases is executable.
func TestNoInjectedCalls(t *testing.T) {
	quoted := 0
	for d, c := range allCases(t) {
		quoted += strings.Count(c.input, "evil")
		for _, call := range Scan(c.input, Options{Dialect: d}).Calls {
			if strings.HasPrefix(call.Name, "evil") && call.Executable {
				t.Errorf("%s: %q is a call", c.name(), call.Text)
			}
		}
	}
	if quoted == 0 {
		t.Error("no case quotes a call")
	}
}

// TestSafeFixes checks that a text has no more safe fixes once they are applied, and
// still has the same calls.
func TestSafeFixes(t *testing.T) {
	fixed := 0
	for d, c := range allCases(t) {
		before := Scan(c.input, Options{Dialect: d})
		text := applySafe(t, c.input, before.Findings)
		if text == c.input {
			continue
		}
		fixed++
		after := Scan(text, Options{Dialect: d})
		for _, f := range after.Findings {
			if slices.ContainsFunc(f.Fixes, func(f diag.Fix) bool { return f.Kind == diag.Safe }) {
				t.Errorf("%s: after its fix: %v\n%s", c.name(), f, text)
			}
		}
		if diff := cmp.Diff(meanings(before.Calls), meanings(after.Calls)); diff != "" {
			t.Errorf("%s: the fixes change calls (-before +after)\n%s\n%s", c.name(), diff, text)
		}
	}
	if fixed == 0 {
		t.Error("no case has a safe fix")
	}
}

// meanings returns the name and the arguments of each call. Named arguments and a
// single positional object are the same.
func meanings(calls []chat.Call) []string {
	var all []string
	for _, c := range calls {
		args := string(c.Arguments)
		if c.Positional && strings.HasPrefix(args, "[{") {
			args = strings.TrimSuffix(strings.TrimPrefix(args, "["), "]")
		}
		all = append(all, c.Name+" "+args)
	}
	return all
}

// applySafe applies all safe fixes, which must not overlap.
func applySafe(t failer, text string, findings []diag.Finding) string {
	fixes := diag.SafeFixes(findings)
	fixed, made, err := diag.Apply(text, fixes)
	if err != nil || made < len(fixes) {
		t.Fatalf("%d of %d fixes are made in %q: %v", made, len(fixes), text, err)
	}
	return fixed
}
