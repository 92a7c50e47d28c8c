package diag

import (
	"encoding/json"
	"flag"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var _ = flag.Set("rapid.seed", "1") // the same draws in each run: CONTRIBUTING.md

func TestSeverity(t *testing.T) {
	order := []Severity{"", Hint, Info, Warning, Error}
	for i, s := range order[1:] {
		if below := order[i]; s.Rank() < below.Rank() || s.Rank() == below.Rank() && below != "" {
			t.Errorf("%q is not above %q", s, below)
		}
	}
	for _, c := range []struct {
		severities []Severity
		worst      Severity
	}{
		{nil, ""},
		{[]Severity{Hint}, Hint},
		{[]Severity{Hint, Warning, Info}, Warning},
		{[]Severity{Info, Error, Warning}, Error},
	} {
		var findings []Finding
		for _, s := range c.severities {
			findings = append(findings, Finding{Severity: s})
		}
		if got := Worst(findings); got != c.worst || HasErrors(findings) != (c.worst == Error) {
			t.Errorf("the worst of %q is %q, errors %v", c.severities, got, HasErrors(findings))
		}
	}
}

func TestNew(t *testing.T) {
	f := New(MissingArg, Bytes(3, 5), "%s is missing, 100%%", "path")
	want := Finding{Code: MissingArg, Severity: Error, Message: "path is missing, 100%", Span: Span{Start: 3, End: 5}}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := New("XX999", Span{}, "x").Severity; got != Error {
		t.Errorf("an unknown code has severity %q", got)
	}
}

func TestString(t *testing.T) {
	slug := MissingArg.Rule().Slug
	f := New(MissingArg, Span{}, "x is missing")
	for want, with := range map[string]Finding{
		"error TC302 " + slug + ": x is missing":         f,
		"a.yaml: error TC302 " + slug + ": x is missing": {Code: f.Code, Severity: f.Severity, Message: f.Message, File: "a.yaml"},
		"2:7: error TC302 " + slug + ": x is missing":    {Code: f.Code, Severity: f.Severity, Message: f.Message, Span: At(2, 7)},
		"a.yaml:2:7: error TC302 " + slug + ": x is missing": {
			Code: f.Code, Severity: f.Severity, Message: f.Message, File: "a.yaml", Span: At(2, 7),
		},
	} {
		if got := with.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Findings are sorted by file, position, code and message; equal ones keep their order.
func TestSort(t *testing.T) {
	want := []Finding{
		{File: "a", Span: Bytes(0, 1), Code: "TC100", Message: "x"},
		{File: "a", Span: Bytes(4, 5), Code: "TC100", Message: "b"},
		{File: "a", Span: Bytes(4, 5), Code: "TC200", Message: "a"},
		{File: "a", Span: Bytes(4, 5), Code: "TC200", Message: "b", Path: "/first"},
		{File: "a", Span: Bytes(4, 5), Code: "TC200", Message: "b", Path: "/second"},
		{File: "b", Span: At(1, 9), Code: "TC100"},
		{File: "b", Span: At(2, 1), Code: "TC100"},
		{File: "b", Span: At(10, 1), Code: "TC100"},
	}
	rapid.Check(t, func(t *rapid.T) {
		got := slices.Clone(want)
		for i := range got { // any order, except that equal findings keep theirs
			j := rapid.IntRange(0, len(got)-1).Draw(t, "with")
			if got[i].Path == "" && got[j].Path == "" {
				got[i], got[j] = got[j], got[i]
			}
		}
		Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// A finding without a span, fix or call omits these members.
func TestFindingJSON(t *testing.T) {
	call := 0
	for want, f := range map[string]Finding{
		`{"code":"TC302","severity":"error","message":"x"}`: {Code: MissingArg, Severity: Error, Message: "x"},
		`{"code":"TC302","severity":"error","message":"x","span":{"start":1,"end":2,"line":0,"column":0,"end_line":0,"end_column":0},"call":0,` +
			`"fixes":[{"title":"t","kind":"safe","edits":[{"start":1,"end":2,"new":""}]}]}`: {
			Code: MissingArg, Severity: Error, Message: "x", Span: Bytes(1, 2), Call: &call,
			Fixes: []Fix{{Title: "t", Kind: Safe, Edits: []Edit{{Start: 1, End: 2}}}},
		},
	} {
		if got, err := json.Marshal(f); err != nil || string(got) != want {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
	}
}
