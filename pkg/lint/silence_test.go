package lint

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
)

// Decision 25: a named dialect, and detection, list every call of any dialect or report a finding.
// Without definitions this holds for dialects with markers.
func TestNotSilent(t *testing.T) {
	tools := dialect.Toolset{}
	examples := map[string][]string{}
	for _, d := range dialect.Dialects() {
		for _, c := range dialect.Scan(d.Example, dialect.Options{Dialect: d}).Calls {
			tools[c.Name] = nil
			if rendered, ok := d.Render(c, nil); ok {
				examples[d.Name] = []string{d.Example, rendered}
			}
		}
		if len(examples[d.Name]) == 0 {
			t.Fatal(d.Name, "has no example")
		}
	}
	for _, named := range append([]dialect.Dialect{{}}, dialect.Dialects()...) {
		for _, other := range dialect.Dialects() {
			for _, example := range examples[other.Name] {
				for _, text := range []string{example, "I shall look that up.\n\n" + example} {
					notSilent(t, Options{Dialect: named, shapes: tools}, other, text)
					if other.HasMarkers() {
						notSilent(t, Options{Dialect: named}, other, text)
					}
				}
			}
		}
	}
}

// Markers of another dialect without a call between them are reported, too.
func TestNotSilentMarks(t *testing.T) {
	d, _ := dialect.Lookup("harmony")
	r := Options{Dialect: d}.readText([]byte("I pack.\n<tool_call>to=tent\n{\"size\": 2}\n</tool_call>"))
	if len(r.calls) > 0 || len(r.findings) != 1 || r.findings[0].Code != diag.NotACall || r.findings[0].Span.Start < 8 {
		t.Errorf("calls %v, findings %v", r.calls, r.findings)
	}
}

// A list of Python calls is found anywhere after text; an index or a list of values in prose is not
// reported.
func TestPythonAfterText(t *testing.T) {
	tools := dialect.Toolset{"tide": nil, "map.pin": nil}
	for text, want := range map[string]int{
		"I look.\n[tide(port='Bodø')]":           1,
		"I look: [tide(port='Bodø')] and wait.":  1,
		"Now [map.pin(), tide(port='Bodø')]":     1,
		"Read table [tide(port)] or a[tide()].":  0,
		"See [tide], [tide(s)] and [other(a=1)]": 0,
	} {
		if r := (Options{shapes: tools}).readText([]byte(text)); len(r.calls) > 0 || len(r.findings) != want {
			t.Errorf("%q: calls %v, findings %v", text, r.calls, r.findings)
		}
	}
}

// After a list that was read, another one is reported as well, in the dialects of such lists.
func TestPythonAfterCalls(t *testing.T) {
	tools := dialect.Toolset{"tide": nil, "wind": nil}
	for text, want := range map[string]int{
		"[tide(port='Bodø')]\nThen:\n[tide(port='Moss')]":                     1,
		"[tide(port='Bodø')]\nThen: [wind(), tide(port='Moss')] and wait.\n":  1,
		"[tide(port='Bodø'),\n wind()]\nI wait for a[tide()].":                0,
		"<think>\nMaybe\n[tide(port='Vardø')]\n</think>\n[tide(port='Bodø')]": 0,
		"<think>\n[wind()]\n</think>\n[tide(port='Bodø')]\nand\n[wind()]":     1,
	} {
		for _, name := range []string{"", "pythonic", "llama4_pythonic"} {
			o := Options{shapes: tools}
			if name != "" {
				o.Dialect, _ = dialect.Lookup(name)
			}
			r := o.readText([]byte(text))
			codes := slices.DeleteFunc(slices.Clone(r.findings), func(f diag.Finding) bool { return f.Code != diag.SurroundingText })
			if len(r.calls) == 0 || len(codes) != want {
				t.Errorf("%s: %q: calls %v, findings %v", name, text, r.calls, r.findings)
			}
		}
	}
}

func notSilent(t *testing.T, o Options, other dialect.Dialect, text string) {
	t.Helper()
	r := o.readText([]byte(text))
	if len(r.calls) == 0 && len(r.findings) == 0 {
		t.Errorf("dialect %q, %d tools: silent about a call of %s: %q", o.Dialect.Name, len(o.shapes), other.Name, text)
	}
	for _, f := range r.findings {
		if f.Call != nil && *f.Call >= len(r.calls) {
			t.Errorf("%s is about a call that is not listed: %q", f, text)
		}
	}
}

// The counterpart of [TestNotSilent]: 20 MB of code, prose and JSON without calls, mostly Go's
// standard library, raise at most one finding per MB.
func TestNoNoise(t *testing.T) {
	tools := dialect.Toolset{"append": nil, "len": nil, "read": nil, "get": nil, "string": nil, "New": nil, "search": nil}
	named := []Options{{}, {shapes: tools}}
	for _, name := range []string{"hermes", "pythonic"} {
		d, _ := dialect.Lookup(name)
		named = append(named, Options{Dialect: d, shapes: tools})
	}
	var files [][]byte
	size := 0
	add := func(root string, suffixes ...string) {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() && entry.Name() == "testdata" && root != "../../testdata" {
				return fs.SkipDir
			}
			for _, suffix := range suffixes {
				if strings.HasSuffix(path, suffix) && size < 20<<20 {
					src, err := os.ReadFile(path)
					if err != nil {
						return err
					}
					files, size = append(files, src), size+len(src)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	add("../schema", ".json", ".md")
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("there is no go command: ", err)
	}
	add(filepath.Join(strings.TrimSpace(string(goroot)), "src"), ".go", ".md", ".json", ".txt")
	if size < 15<<20 {
		t.Skipf("there are only %d bytes of Go's standard library here", size)
	}
	most := size >> 20
	for _, o := range named {
		var found []string
		for _, src := range files {
			for _, f := range o.readText(src).findings {
				found = append(found, f.String()+": "+string(src[f.Span.Start:min(f.Span.End, f.Span.Start+80)]))
			}
		}
		if len(found) > most {
			t.Errorf("dialect %q: %d findings in %d MB:\n%s", o.Dialect.Name, len(found), most, strings.Join(found, "\n"))
		}
		t.Logf("dialect %q, %d tools: %d findings in %d MB", o.Dialect.Name, len(o.shapes), len(found), most)
	}
}
