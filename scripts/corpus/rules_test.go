package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func raw(text string) json.RawMessage {
	b, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	return b
}

func TestRules(t *testing.T) {
	on, off := true, false
	tests := []struct {
		name  string
		row   row
		start start
		view  view
	}{
		{"nothing is known", row{Parser: "any"}, startAuto, asWritten},
		{"begins inside", row{Parser: "CohereParser"}, startOpen, asWritten},
		{"begins inside, but goes on with an answer", row{Parser: "Olmo3ThinkParser", Prefill: &prefill{"assistant", "It is"}}, startAuto, asWritten},
		{"begins inside, but the request switches it off", row{Parser: "CohereParser", Think: &off}, startAuto, asWritten},
		{"goes on with an empty answer", row{Parser: "Olmo3ThinkParser", Prefill: &prefill{"assistant", ""}}, startOpen, asWritten},
		{"the request switches it on", row{Parser: "Qwen3Parser", Think: &on}, startOpen, asWritten},
		{"the request switches it off", row{Parser: "Qwen3Parser", Think: &off}, startAuto, asWritten},
		{"marks are text", row{Parser: "Qwen3Parser", Think: &off, Input: "a</think>b"}, startOff, asWritten},
		{"marks are text for a tool parser", row{source: "xinference", Input: "<mm:think>a"}, startOff, asWritten},
		{"marks that a reasoning parser leaves", row{source: "reasoning", Dialect: "reasoning:glm4_moe", Input: "<think>a", Content: raw("<think>a")}, startAuto, asWritten},
		{"reasoning that is thrown away", row{Parser: "LagunaParser", Content: raw("b")}, startAuto, hidden},
		{"reasoning that was asked for", row{Parser: "LagunaParser", Think: &on, Reasoning: raw("a")}, startOpen, asWritten},
		{"reasoning in the content", row{Parser: "MinimaxToolParser"}, startAuto, inContent},
		{"an opening mark in the reasoning", row{Parser: "glm-4.7", Reasoning: raw("<think>a")}, startOpen, marked},
		{"a switch in the name of the test", row{ID: "x::test_enable_thinking_true:1", Input: "a"}, startOpen, asWritten},
		{"the same, off", row{ID: "x::THINKING_DISABLED", Input: "a</think>b"}, startOff, asWritten},
	}
	for _, test := range tests {
		got := reasoningRule(&test.row)
		if got.start != test.start || got.view != test.view {
			t.Errorf("%s: %s, view %d, because %s", test.name, startNames[got.start], got.view, got.why)
		}
	}
}

func TestCutReasoning(t *testing.T) {
	for text, want := range map[string][2]string{
		"a":                                   {"a", ""},
		"a<think>b</think>c<think>d</think>e": {"ace", "bd"},
		"<think>b":                            {"", "b"},
	} {
		if content, reasoning := cutReasoning(text); content != want[0] || reasoning != want[1] {
			t.Errorf("%s: %q and %q", text, content, reasoning)
		}
	}
}

func TestEnvelopes(t *testing.T) {
	for label, e := range envelopes {
		name, kind, _ := strings.Cut(label, "#")
		if name == "" || kind != "inner" && kind != "params" {
			t.Errorf("label %s", label)
		}
		once := e.wrap("payload")
		if !strings.Contains(once, "payload") || once == "payload" || e.wrap(once) != once {
			t.Errorf("%s: %s, twice %s", label, once, e.wrap(once))
		}
	}
}

func TestDialectName(t *testing.T) {
	for _, test := range []struct {
		row  row
		want string
	}{
		{row{Dialect: "hermes"}, "hermes"},
		{row{Dialect: "hermes#inner"}, "hermes"},
		{row{Dialect: "reasoning:qwen3"}, "hermes"},
		{row{Dialect: "ollama_generic_json", ToolTag: "[TOOL_CALLS] ["}, "mistral"},
	} {
		if got := test.row.dialectName(); got != test.want {
			t.Errorf("%s: %s, want %s", test.row.Dialect, got, test.want)
		}
	}
}

func TestSchemaWords(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"dict","properties":{"type":{"type":"float"}}}`: `{"properties":{"type":{"type":"number"}},"type":"object"}`,
		`{"type":"any","maximum":12345678901234567890}`:          `{"maximum":12345678901234567890}`,
		`{"anyOf":[{"type":"tuple"},{"type":"integer"}]}`:        `{"anyOf":[{"type":"array"},{"type":"integer"}]}`,
		`null`: ``,
	} {
		if got := string(translateTypes(json.RawMessage(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestLawIsBroken(t *testing.T) {
	text := "Now.\n"
	s := setting{dialect: "tool"}
	whole := readText(text, s)
	if got := splitDifference("id", text, []string{"No", "w.\n"}, s, whole); got != "" {
		t.Errorf("a law that holds: %s", got)
	}
	whole.content = "Then.\n"
	if got := splitDifference("id", text, nil, s, whole); !strings.Contains(got, "byte by byte") || !strings.Contains(got, `whole:  content "Then.\n"`) {
		t.Errorf("a law that is broken: %q", got)
	}
}

func TestPanicFailsTheRow(t *testing.T) {
	o := checkRecoveringPanic(nil)
	if o.verdict != failed || len(o.faults) != 1 || o.faults[0] != "panic" {
		t.Errorf("%+v", o)
	}
}

// TestRulesAreUsed checks the tables against the corpus, if it is available: each
// rule and each label is needed by at least one row.
func TestRulesAreUsed(t *testing.T) {
	folder := os.Getenv("ONESHOT_SHARED")
	if folder == "" {
		t.Log("ONESHOT_SHARED does not name the folder with the corpus: no table was held against it")
		return
	}
	rows, err := loadRows(filepath.Join(folder, "corpus"))
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string]int{}
	for _, r := range rows {
		uses[r.Dialect]++
		uses[r.Kind]++
		uses[r.Parser]++
		uses[r.source]++
		uses[r.ToolTag]++
		uses[r.source+" "+r.Dialect]++
		if _, none := inapplicableReason(r); !none && r.Kind == "" {
			uses[reasoningRule(r).why]++
		}
	}
	for _, x := range rules {
		t.Logf("%5d  %s", uses[x.why], x.why)
	}
	names := slices.Concat(
		slices.Collect(maps.Keys(envelopes)), slices.Collect(maps.Keys(dialects)), slices.Collect(maps.Keys(templates)),
		slices.Collect(maps.Keys(inapplicableKinds)), slices.Collect(maps.Keys(beginsOpen)), slices.Collect(maps.Keys(beginsOpenWhenOn)),
		slices.Collect(maps.Keys(readsReasoning)), slices.Collect(maps.Keys(hides)), slices.Collect(maps.Keys(hidesWhenOff)))
	for _, x := range rules {
		names = append(names, x.why)
	}
	for _, name := range names {
		if uses[name] == 0 {
			t.Errorf("%s: no row needs it", name)
		}
	}
}

// TestInsideReasoning checks that the end of a harmony message, and an unfinished
// header, count as open reasoning: the channel of the next text is unknown.
func TestInsideReasoning(t *testing.T) {
	s := setting{dialect: "harmony"}
	for text, inside := range map[string]bool{
		"<|channel|>analysis<|message|>So":                     true,
		"<|channel|>analysis<|message|>So<|end|>":              true,
		"<|channel|>analysis<|message|>So<|end|><|channel|>fi": true,
		"<|channel|>final<|message|>":                          false,
		"<|channel|>final<|message|>Yes":                       false,
	} {
		if got := isReasoningOpenAfter(text, s); got != inside {
			t.Errorf("%s: %t", text, got)
		}
	}
}
