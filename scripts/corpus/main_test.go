package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const own, ownList = "testdata/own", "testdata/differences.jsonl"

// examineOwn checks the rows of testdata.
func examineOwn(t *testing.T, q request) *report {
	t.Helper()
	rows, err := loadRows(own)
	if err != nil {
		t.Fatal(err)
	}
	list, err := loadDifferences(ownList)
	if err != nil {
		t.Fatal(err)
	}
	return checkRows(q, rows, list)
}

func TestVerdicts(t *testing.T) {
	want := map[string]string{
		"equal":                 "equal",
		"equal in pieces":       "equal",
		"wrong name":            "failed calls",
		"wrong number":          "failed calls",
		"wrong content":         "failed content",
		"call not wanted":       "failed calls",
		"call missing":          "failed calls",
		"on purpose":            "different content",
		"in a third way":        "failed content",
		"by position":           "equal",
		"wrong position":        "failed calls",
		"not ended":             "equal",
		"error":                 "equal",
		"no error":              "failed error",
		"error of the schema":   "equal",
		"no such tool":          "failed calls",
		"unread":                "equal",
		"unread but here":       "failed calls",
		"part":                  "equal",
		"wrong part":            "failed calls",
		"no dialect":            "failed dialect",
		"not about calls":       "not applicable",
		"unknown kind":          "failed kind",
		"arguments":             "equal",
		"cut arguments":         "equal",
		"wrong arguments":       "failed calls",
		"native":                "equal",
		"native error":          "equal",
		"body":                  "equal",
		"wrong id in body":      "failed calls",
		"body cut off":          "failed error",
		"repaired":              "equal",
		"wrong repaired":        "failed value",
		"repaired to nothing":   "equal",
		"no strict JSON":        "equal",
		"wrong: strict JSON":    "failed value",
		"no text to repair":     "not applicable",
		"completed":             "not applicable",
		"extracted":             "not applicable",
		"begins a call":         "equal",
		"wrong: begins no call": "failed content",
		"accepted":              "equal",
		"wrong: accepted":       "failed acceptance",
		"refused and repaired":  "equal",
		"wrong: refused":        "failed acceptance",
	}
	rep := examineOwn(t, request{})
	got := map[string]string{}
	for _, o := range rep.outcomes {
		words := o.verdict.String()
		for _, f := range o.faults {
			words += " " + string(f)
		}
		got[o.ID] = words
		if o.law != "" {
			t.Errorf("%s: %s", o.ID, o.law)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	back := map[string]bool{}
	for _, x := range rep.rounds {
		back[x.dialect] = x.ok
	}
	if !back["tool"] || !back["toolcalls"] || len(back) != len(dialectNames()) {
		t.Errorf("calls that come back, by dialect: %v", back)
	}
	if diff := cmp.Diff([]stale{{"equal", "it is read as the reference reads it"}, {"in a third way", "it is not read as the list says"}, {"nowhere", "there is no such row"}}, rep.stale, cmp.AllowUnexported(stale{})); diff != "" {
		t.Errorf("stale entries (-want +got)\n%s", diff)
	}
}

func TestFilters(t *testing.T) {
	tests := []struct {
		q            request
		rows, seeds  int
		staleNowhere bool
	}{
		{request{}, 45, 1, true},
		{request{sources: []string{"others"}}, 22, 0, false},
		{request{sources: []string{"seeds"}}, 0, 1, false},
		{request{labels: []string{"native_openai_chat"}}, 3, 0, false},
		{request{id: "wrong"}, 12, 0, false},
	}
	for _, test := range tests {
		rep := examineOwn(t, test.q)
		nowhere := false
		for _, s := range rep.stale {
			nowhere = nowhere || s.id == "nowhere"
		}
		seeds := map[string]bool{}
		for _, x := range rep.rounds {
			seeds[x.id] = true
		}
		if len(rep.outcomes) != test.rows || len(seeds) != test.seeds || nowhere != test.staleNowhere {
			t.Errorf("%+v: %d rows, %d seeds, unknown id reported: %t", test.q, len(rep.outcomes), len(seeds), nowhere)
		}
	}
}

func TestRun(t *testing.T) {
	empty := t.TempDir()
	broken := filepath.Join(t.TempDir(), "list.jsonl")
	if err := os.WriteFile(broken, []byte(`{"id":"a","theirs":"x","ours":"y","reads":"z"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args string
		code int
		out  []string // texts on stdout, or on stderr if the code is 2
	}{
		{"failures", "-corpus " + own, 1, []string{"texts ", "goal rows", "not met", "closing tag", "nothing that was said is lost"}},
		{"a line for each dialect", "-corpus " + own, 1, []string{"\ncalls in responses, by dialect ", "\ncalls in responses, by source ", "\ntoolcalls "}},
		{"all round trips", "-corpus " + own + " -full", 1, []string{"\nxlam  "}},
		{"goals met", "-corpus " + own + " -fail-over 100 -different-over 100", 0, []string{"met."}},
		{"stale", "-corpus " + own + " -fail-over 100 -different-over 100 -strict", 1, nil},
		{"too many differences", "-corpus " + own + " -fail-over 100 -different-over 1", 1, nil},
		{"shown", "-corpus " + own + " -v -source texts", 1, []string{
			"FAILED  wrong name", "read as tool, reasoning auto", "- light {\"level\": 7}", "+ lamp [{\"level\":7}]  (ok, executable)", "- `Later.`", "there is no dialect `smoke_signals`",
		}},
		{"no folder", "-corpus testdata/absent", 2, []string{"testdata/absent"}},
		{"no files", "-corpus " + empty, 2, []string{"no *.jsonl"}},
		{"no name", "", 2, []string{"-corpus must name"}},
		{"no flag", "-what", 2, []string{"-what"}},
		{"an argument", "-corpus " + own + " more", 2, []string{`"more"`}},
		{"a list without reasons", "-corpus " + own + " -differences " + broken, 2, []string{"must all be there"}},
	}
	for _, test := range tests {
		args := strings.Fields(test.args)
		if !strings.Contains(test.args, "-differences") {
			args = append([]string{"-differences", ownList}, args...)
		}
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != test.code {
			t.Errorf("%s: exit %d, want %d", test.name, code, test.code)
		}
		said := stdout.String()
		if test.code == 2 {
			said = stderr.String()
		}
		for _, part := range test.out {
			if !strings.Contains(said, part) {
				t.Errorf("%s: no %q in\n%s", test.name, part, said)
			}
		}
	}
}

// TestUpdate checks that -update replaces the readings in the list by the current ones.
func TestUpdate(t *testing.T) {
	list := filepath.Join(t.TempDir(), "list.jsonl")
	old, err := os.ReadFile(ownList)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(list, old, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	run([]string{"-corpus", own, "-differences", list, "-update"}, &out, &out)
	now, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	if want := bytes.Replace(old, []byte("ok, executable | 000000000000"), []byte("ok, executable | 69954392ab48"), 1); !bytes.Equal(now, want) {
		t.Errorf("(-want +got)\n%s", cmp.Diff(string(want), string(now)))
	}
}

func TestDeadline(t *testing.T) {
	never := make(chan string)
	defer close(never)
	if got := withTimeout(time.Millisecond, func() string { return <-never }, func() string { return "late" }); got != "late" {
		t.Errorf("%s", got)
	}
	if o := checkWithTimeout(&row{ID: "slow", Kind: "closeTag"}, 0); !o.isInexcusable() && o.verdict != notApplicable {
		t.Errorf("%+v", o)
	}
}

func TestListOfTheProject(t *testing.T) {
	if _, err := loadDifferences("../../testdata/corpus/differences.jsonl"); err != nil {
		t.Error(err)
	}
}

func TestLongTextsAreCut(t *testing.T) {
	var whole, short bytes.Buffer
	o := failedOutcome(&row{ID: "long", Dialect: "tool", Input: strings.Repeat("x", 5*excerpt)}, faultContent, "y")
	o.print(&whole, true)
	o.print(&short, false)
	if whole.Len() < 5*excerpt || short.Len() > 2*excerpt || !strings.Contains(short.String(), "…2802 bytes…") {
		t.Errorf("%d bytes whole, %d in short:\n%s", whole.Len(), short.Len(), short.String())
	}
}
