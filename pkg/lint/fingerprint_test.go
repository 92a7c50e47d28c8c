package lint

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag"
)

// fingerprints returns the fingerprints of a file with that text.
func fingerprints(src string) *Fingerprinter {
	p := NewFingerprinter()
	p.SetText(diag.Text{Bytes: []byte(src)})
	return p
}

// prints returns the fingerprints of a response's findings, by position.
func prints(t *testing.T, file, src string) []string {
	t.Helper()
	r := asText(file, []byte(src), Options{Tools: greeting(t)})
	p := fingerprints(src)
	out := []string{}
	for _, f := range r.Findings {
		out = append(out, p.Entry(f, r.Calls).Fingerprint)
	}
	return out
}

// C2: a finding keeps its fingerprint wherever its call moves, and gets another one if anything
// about it changes.
func TestFingerprint(t *testing.T) {
	base := prints(t, "a/x", fenced(`greet({name: "Ada", times: "two"})`))
	if len(base) != 1 || len(base[0]) != 32 {
		t.Fatalf("fingerprints %q", base)
	}
	for _, tt := range []struct {
		name, file, src string
		same            bool
	}{
		{"moved", "a/x", "Words.\n\n" + fenced(`greet({name: "Bob"})`, `greet({name: "Ada", times: "two"})`), true},
		{"other blanks", "a/x", fenced("greet( {name:\"Ada\",\n  times : \"two\"} )"), true},
		{"other order", "a/x", fenced(`greet({times: "two", name: "Ada"})`), true},
		{"other line ends", "a/x", strings.ReplaceAll(fenced(`greet({name: "Ada", times: "two"})`), "\n", "\r\n"), true},
		{"other file", "b/x", fenced(`greet({name: "Ada", times: "two"})`), false},
		{"other value", "a/x", fenced(`greet({name: "Ada", times: "three"})`), false},
		{"other argument", "a/x", fenced(`greet({name: "Eve", times: "two"})`), false},
		{"other tool", "a/x", fenced(`grete({name: "Ada", times: "two"})`), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := prints(t, tt.file, tt.src)
			if len(got) != 1 || (got[0] == base[0]) != tt.same {
				t.Errorf("%q and %q, want the same: %v", base, got, tt.same)
			}
		})
	}
}

// Equal findings are numbered, so that an additional one is new.
func TestFingerprintCounts(t *testing.T) {
	two := prints(t, "x", fenced(`greet({nam: })`, `greet({nam: })`))
	three := prints(t, "x", fenced(`greet({nam: })`, `greet({nam: })`, `greet({nam:  })`))
	if len(two) != 2 || two[0] == two[1] || len(three) != 3 || three[2] == two[0] || three[2] == two[1] {
		t.Fatalf("%q and %q", two, three)
	}
	if d := cmp.Diff(two, three[:2]); d != "" {
		t.Error(d)
	}
}

// Two findings with the same code and call differ by their pointers.
func TestFingerprintPointer(t *testing.T) {
	src := fenced(`greet({name: 2, times: "x"})`)
	r, p := asText("x", []byte(src), Options{Tools: greeting(t)}), fingerprints(src)
	if len(r.Findings) != 2 {
		t.Fatalf("findings %v", r.Findings)
	}
	a, b := p.Entry(r.Findings[0], r.Calls), p.Entry(r.Findings[1], r.Calls)
	if a.Fingerprint == b.Fingerprint || a.Nth != 0 || b.Nth != 0 || a.Path == b.Path {
		t.Errorf("%+v and %+v", a, b)
	}
}

// A finding without a call is identified by the marked text and its line.
func TestFingerprintText(t *testing.T) {
	at := func(src, mark string) string {
		start := strings.Index(src, mark)
		span := diag.NewLines([]byte(src)).Locate(diag.Bytes(start, start+len(mark)))
		f := diag.New(diag.RunTorn, span, "x")
		return fingerprints(src).Entry(f, nil).Fingerprint
	}
	long := strings.Repeat("y", 500)
	base := at("one {two} three", "two")
	for _, tt := range []struct {
		name, src, mark string
		same            bool
	}{
		{"moved", "zero\none {two} three\nfour", "two", true},
		{"other blanks", "\tone  {two}\tthree \r\n", "two", true},
		{"other line", "one {two} four", "two", false},
		{"other mark", "one {two} three", "{two}", false},
		{"over two lines", "one {two} three\nfour", "two} three\nfour", false},
	} {
		if got := at(tt.src, tt.mark); (got == base) != tt.same {
			t.Errorf("%s: %s and %s, want the same: %v", tt.name, base, got, tt.same)
		}
	}
	if at("one {two}"+long+"a", "two") != at("one {two}"+long+"b", "two") {
		t.Error("text far away on a long line makes a difference")
	}
	byColumn := diag.New(diag.RunTorn, diag.Span{Line: 2, Column: 6, EndLine: 2, EndColumn: 9}, "x")
	if got := fingerprints("é\none {two} three").Entry(byColumn, nil).Fingerprint; got != base {
		t.Errorf("by line and column %s, by bytes %s", got, base)
	}
}

// The cost of a fingerprint does not depend on the length of the call or line.
func TestFingerprintIsLinear(t *testing.T) {
	args, err := json.Marshal(map[string]string{"a": strings.Repeat("x", 8<<20)})
	if err != nil {
		t.Fatal(err)
	}
	calls, index := []Call{{Name: "f", Arguments: args}}, 0
	p := fingerprints(string(args))
	begin := time.Now()
	for i := range 5000 {
		f := diag.New(diag.WrongType, diag.Span{Start: i, End: len(args), Line: 1, Column: i + 1}, "x")
		p.Entry(f, calls)
		f.Call = &index
		p.Entry(f, calls)
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("10000 fingerprints took %v", took)
	}
}

// FuzzBaseline checks that a written baseline can be read and matches its entries, and that invalid
// ones only cause errors.
func FuzzBaseline(f *testing.F) {
	f.Add(`{"fingerprint":"0123456789abcdef0123456789abcdef","code":"TC301","file":"x"}`, "x", "f")
	f.Add("\n\n{", "\xff", "\"")
	f.Fuzz(func(t *testing.T, text, file, call string) {
		if b, err := ReadBaseline("b", []byte(text)); err == nil {
			for _, f := range b.Unused(func(BaselineEntry) bool { return true }) {
				if f.Span.End > len(text) || f.Span.Line < 1 {
					t.Errorf("%s stands nowhere: %+v", f, f.Span)
				}
			}
		}
		index := 0
		found := diag.Finding{Code: diag.UnknownTool, File: file, Call: &index}
		e := NewFingerprinter().Entry(found, []Call{{Name: call, Arguments: json.RawMessage(`{}`)}})
		doc, n, err := FormatBaseline([]BaselineEntry{e, e})
		if err != nil || n != 1 {
			t.Fatalf("%d entries, %v", n, err)
		}
		b, err := ReadBaseline("b", doc)
		if err != nil || !b.Match(e) || len(b.Unused(func(BaselineEntry) bool { return true })) > 0 {
			t.Errorf("%v\n%s", err, doc)
		}
	})
}
