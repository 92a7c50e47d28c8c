package lint

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
)

var _ = flag.Set("rapid.seed", "1") // the same draws in each run: CONTRIBUTING.md

// caseInputs returns the texts of all cases in testdata/dialect, by file.
func caseInputs(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/dialect/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases (%v)", err)
	}
	inputs := map[string]string{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range archive.Files {
			switch section.Name {
			case "input":
				inputs[file] = strings.TrimSuffix(string(section.Data), "\n")
			case "input.quoted":
				if inputs[file], err = strconv.Unquote(strings.TrimSpace(string(section.Data))); err != nil {
					t.Fatal(file, err)
				}
			}
		}
	}
	return inputs
}

// checkFix checks the law of fixes: the executable calls stay the same, and no fix remains.
func checkFix(t interface {
	Helper()
	Errorf(string, ...any)
}, text string, o Options,
) Fixed[ParseResult] {
	t.Helper()
	before, fixed := response("f", []byte(text), o), fixOf("f", []byte(text), o)
	if fixed.Unfinished != "" {
		t.Errorf("%q is made %q, and %s", text, fixed.Text, fixed.Unfinished)
	}
	ignore := cmpopts.IgnoreFields(Call{}, "Span", "Status", "Repairs", "ValueChanged", "positionalPaths")
	spaced := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Arguments" }, cmp.Comparer(func(a, b json.RawMessage) bool {
		return (&Call{Arguments: a}).normalizedArguments() == (&Call{Arguments: b}).normalizedArguments()
	}))
	if d := cmp.Diff(before.executableCalls(), fixed.Result.executableCalls(), ignore, spaced, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("the fixes of %q make %q (-before +after)\n%s", text, fixed.Text, d)
	}
	if again := fixOf("f", fixed.Text, o); !bytes.Equal(again.Text, fixed.Text) {
		t.Errorf("%q is made %q, and then %q", text, fixed.Text, again.Text)
	}
	return fixed
}

// C2: the law of fixes holds for every case, with its dialect named or detected.
func TestFixCases(t *testing.T) {
	made := 0
	for file, text := range caseInputs(t) {
		t.Run(file, func(t *testing.T) {
			d, ok := dialect.Lookup(filepath.Base(filepath.Dir(file)))
			if !ok {
				t.Fatal("no such dialect")
			}
			checkFix(t, text, Options{})
			made += checkFix(t, text, Options{Dialect: d}).Applied
		})
	}
	if made == 0 {
		t.Error("nothing was fixed")
	}
}

// A text that needs more than ten passes is fixed in part, with a message. A hundred findings of
// one call are kept.
func TestFixGivesUp(t *testing.T) {
	src := fenced("a([" + strings.Repeat("True,", 1200) + "])")
	fixed := fixOf("f", []byte(src), Options{})
	if fixed.Unfinished != "fixes remain after 10 passes" || fixed.Applied != 1000 || bytes.Count(fixed.Text, []byte("True")) != 200 {
		t.Errorf("%d fixes, %q", fixed.Applied, fixed.Unfinished)
	}
	if again := fixOf("f", fixed.Text, Options{}); again.Unfinished != "" || again.Applied != 200 {
		t.Errorf("again: %d fixes, %q", again.Applied, again.Unfinished)
	}
}

// TestFixAny checks the law for cases that are truncated, nested, and read in their own, another or
// the detected dialect.
func TestFixAny(t *testing.T) {
	inputs := caseInputs(t)
	files := slices.Sorted(maps.Keys(inputs))
	cut := rapid.Custom(func(t *rapid.T) string {
		text := inputs[rapid.SampledFrom(files).Draw(t, "file")]
		start := rapid.IntRange(0, len(text)).Draw(t, "start")
		return text[start:rapid.IntRange(start, len(text)).Draw(t, "end")]
	})
	rapid.Check(t, func(t *rapid.T) {
		file := rapid.SampledFrom(files).Draw(t, "file")
		at := rapid.IntRange(0, len(inputs[file])).Draw(t, "at")
		text := inputs[file][:at] + cut.Draw(t, "cut") + inputs[file][at:] + cut.Draw(t, "behind")
		names := []string{filepath.Base(filepath.Dir(file)), "", rapid.SampledFrom(dialect.Dialects()).Draw(t, "other").Name}
		d, _ := dialect.Lookup(rapid.SampledFrom(names).Draw(t, "dialect"))
		checkFix(t, text, Options{Dialect: d})
	})
}

// C2: the law also holds for text in a server's body.
func TestFixBodies(t *testing.T) {
	inWhole, inStream := 0, 0
	for file, text := range caseInputs(t) {
		t.Run(file, func(t *testing.T) {
			content, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "?"))
			if err != nil {
				t.Fatal(err)
			}
			inWhole += checkFix(t, `{"model":"m","message":{"role":"assistant","content":`+string(content)+`},"done":true,"done_reason":"stop"}`, Options{}).Applied
			half := strings.ToValidUTF8(text[:len(text)/2], "?")
			rest := strings.ToValidUTF8(text[len(text)/2:], "?")
			var stream strings.Builder
			for _, piece := range []string{half, rest} {
				content, _ := jsontext.AppendQuote(nil, piece)
				stream.WriteString(`data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":` + string(content) + "}}]}\n\n")
			}
			inStream += checkFix(t, stream.String()+"data: [DONE]\n\n", Options{}).Applied
		})
	}
	if inWhole == 0 || inStream == 0 {
		t.Errorf("%d fixes in whole bodies, %d in streams", inWhole, inStream)
	}
}

// The originals of the responses of a file are the bytes of the file.
func TestFixOriginals(t *testing.T) {
	body := `{"message":{"role":"assistant","content":"<tool_call>\n{\"name\": \"note\", \"arguments\": {\"text\": \"one\",}}\n</tool_call>"},"done":true,"done_reason":"stop"}` + "\n"
	for _, src := range []string{"", " \n", "No call.", "\ufeff" + fenced("f({a: True})"), "\n" + body + body, body + "\nand more"} {
		var originals []byte
		for fixed := range Fix("f", []byte(src), Options{}) {
			originals = append(originals, fixed.Original...)
		}
		if string(originals) != src {
			t.Errorf("%q, want %q", originals, src)
		}
	}
}

// C2: strict reading repairs nothing, in any case.
func TestStrictCases(t *testing.T) {
	repaired := 0
	for file, text := range caseInputs(t) {
		r := asText(file, []byte(text), Options{Strict: true})
		for _, f := range r.Findings {
			if f.Severity == diag.Warning {
				t.Errorf("%v", f)
			}
		}
		for i, c := range r.Calls {
			if c.Status != chat.StatusRepaired {
				continue
			}
			repaired++
			if c.Executable {
				t.Errorf("%s: call %d is repaired and executable", file, i)
			}
			if !slices.ContainsFunc(r.Findings, func(f diag.Finding) bool { return f.Call != nil && *f.Call == i && f.Severity == diag.Error }) {
				t.Errorf("%s: call %d is repaired, and nothing says what is wrong", file, i)
			}
		}
	}
	if repaired == 0 {
		t.Error("no call is repaired")
	}
}

// M3: the repairs of a call are its warnings, by position.
func TestRepairsByPlace(t *testing.T) {
	repairs := 0
	for file, text := range caseInputs(t) {
		r := asText(file, []byte(text), Options{})
		for i, c := range r.Calls {
			var places []int
			for _, f := range r.Findings {
				if f.Call != nil && *f.Call == i && slices.Contains(c.Repairs, f.Code) {
					places = append(places, slices.Index(c.Repairs, f.Code))
				}
			}
			repairs += len(c.Repairs)
			if !slices.IsSorted(places) {
				t.Errorf("%s: call %d has the repairs %v, and findings of them at %v", file, i, c.Repairs, places)
			}
		}
	}
	if repairs == 0 {
		t.Error("no repairs")
	}
}
