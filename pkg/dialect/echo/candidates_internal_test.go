package echo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// echoesInAny is [SeenText.IsEcho] without the index: it looks at all texts.
func echoesInAny(h *SeenText, u Candidate) bool {
	e, key := newEcho(u), callKey(u.Name, u.RawArgs)
	e.userText = h.userText
	var before []byte
	for _, t := range h.texts {
		if key != "" && t.resultOf == key {
			continue
		}
		if e.isEchoOf(t) || e.isSplitAcross(before, t) {
			return true
		}
		before = joinedTail(before, t.text)
	}
	return false
}

// D4: searching only the texts from the index changes no verdict.
func TestIndexFindsEveryEcho(t *testing.T) {
	pieces := []string{
		"drop_file", "read", "drop", "file", " ", `"`, "(", ")", `{"path":"`, `"}`, "secret.txt", "notes/a.md", "path", ":", "42", "\\u0064rop_file",
		`{\"path\": \"secret.txt\"}`, "%73ecret.txt", "&quot;", strings.Repeat("filler ", 40), strings.Repeat("x ", 1500), `""`, "'", "***", "\n",
	}
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
	})
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		h := &SeenText{}
		calls := []Candidate{
			{Name: "drop_file", RawArgs: json.RawMessage(`{"path":"secret.txt"}`), Text: `drop_file({"path":"secret.txt"})`},
			{Name: "read", RawArgs: json.RawMessage(`{"path":"notes/a.md","n":42}`), Text: `read("notes/a.md")`, ReadOnly: true},
			{Name: "drop_file", RawArgs: json.RawMessage(`{"path":"notes/a.md","from":"secret.txt"}`), Required: []string{"path"}},
			{Name: "drop_file", RawArgs: json.RawMessage(`{"path":"***"}`), Required: []string{}},
			{Name: "read", RawArgs: json.RawMessage(`[42,"secret.txt"]`), Text: "read(42)"},
			{Name: "drop.file", RawArgs: json.RawMessage(`{"path":"se%63ret.txt"}`)},
		}
		if rapid.Bool().Draw(t, "vouched") {
			h.AddUserText(text.Draw(t, "user"))
		}
		for _, told := range rapid.SliceOfN(text, 1, 6).Draw(t, "texts") {
			of := rapid.SampledFrom(calls).Draw(t, "of")
			h.AddResult(of.Name, of.RawArgs, []byte(told))
		}
		for _, u := range calls {
			got, want := h.IsEcho(u), echoesInAny(h, u)
			if got != want {
				t.Fatalf("%+v: %v, want %v", u, got, want)
			}
			if want {
				found++
			}
		}
	})
	if found == 0 {
		t.Error("no call was an echo")
	}
}

// D4: a call is compared only with results that contain its words.
func TestEchoSearchTouchesCandidatesOnly(t *testing.T) {
	h := &SeenText{}
	const results = 2000
	for i := range results {
		u := Candidate{Name: "vault_search", RawArgs: json.RawMessage(fmt.Sprintf(`{"query":"apples %d"}`, i)), Text: fmt.Sprintf(`vault_search({"query":"apples %d"})`, i)}
		if h.IsEcho(u) {
			t.Fatalf("call %d is an echo", i)
		}
		h.AddResult(u.Name, u.RawArgs, fmt.Appendf(nil, `{"ok":true,"data":[{"path":"notes/%d.md","line":"Pears are in the cellar."}]}`, i))
	}
	if i := slices.IndexFunc(h.texts, func(t *indexedText) bool { return t.words.text != nil || t.joined != nil }); i >= 0 {
		t.Errorf("the result %d was searched", i)
	}
	entries := 0
	for _, run := range h.index {
		entries += len(run)
	}
	if len(h.index) > 12 || entries > 30*results {
		t.Errorf("the index has %d entries in %d runs", entries, len(h.index))
	}
}
