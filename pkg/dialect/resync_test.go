package dialect

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// unreadBehind lists the dialects in which a call after a broken one can be lost, the
// maximum number of removed characters that lose one, and the reason. Each loss has a
// finding, except in dialects that read JSON or a list without a marker only at the
// start of a response.
var unreadBehind = map[string]struct {
	most int
	why  string
}{
	"apertus":          {2, "the name of a tool is a key: a lost quote behind the arguments leaves no call to cut"},
	"tool":             {6, "a line with two backticks is code in a sentence, and its closing fence opens another"},
	"gemini_tool_code": {6, "a line with two backticks is code in a sentence, and its closing fence opens another"},
	"json_generic":     {20, "there are no markers: JSON that cannot be read is passed over as text"},
	"toolcalls":        {40, "there are no markers: JSON that cannot be read is passed over as text"},
	"xlam":             {22, "there are no markers: JSON that cannot be read is passed over as text"},
	"pythonic":         {4, "there are no markers, and the list must begin the response"},
	"gigachat3":        {4, "a word begins a call, and an open brace goes on over lines"},
	"llama4_pythonic":  {2, "an open bracket of Python goes on, and the list is the frame"},
	"phi4mini":         {2, "a word begins a call, and an open list goes on over lines"},
}

// TestReadsOn checks that removing a character from one call loses no other call, for a
// text in one piece or in several.
func TestReadsOn(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		parts, tools := threeCalls(t, d)
		whole, lost := strings.Join(parts, "\n"), 0
		if got := Scan(whole, Options{Dialect: *d, Tools: tools}); len(got.Calls) != 3 {
			t.Fatalf("%d calls in %q", len(got.Calls), whole)
		}
		for i := range len(parts[0]) + len(parts[1]) {
			if strings.IndexByte("\"'`[]{}()<>|", whole[i]) < 0 {
				continue
			}
			broken := 0
			if i > len(parts[0]) {
				broken = 1
			}
			text := whole[:i] + whole[i+1:]
			if i%4 == 0 { // a sample, because there are many
				mode{row: d, tools: tools}.checkSplits(t, text)
			}
			if losesCall(t, d, tools, text, broken) {
				lost++
			}
		}
		if most := unreadBehind[d.Name].most; lost > most {
			t.Errorf("%d of the characters taken cost another call, want at most %d", lost, most)
		}
	})
}

// threeCalls returns three calls in a dialect, and their tools.
func threeCalls(t *testing.T, d *Dialect) (parts []string, tools Toolset) {
	tools = Toolset{}
	for i, name := range []string{"alpha", "beta", "gamma"} {
		call := Scan(d.Example, Options{Dialect: *d}).Calls[0]
		call.Name, call.ID, call.Arguments = name, fmt.Sprintf("functions.%s:%d", name, i), fmt.Appendf(nil, `{"city":"Oslo%d"}`, i)
		part, ok := d.Render(call, nil)
		if !ok {
			t.Fatal("cannot be rendered")
		}
		parts, tools[name] = append(parts, part), nil
	}
	return parts, tools
}

// losesCall reports whether a call other than the broken one is not listed. The loss
// must have a finding.
func losesCall(t *testing.T, d *Dialect, tools Toolset, text string, broken int) bool {
	r := Scan(text, Options{Dialect: *d, Tools: tools})
	var names []string
	for _, c := range r.Calls {
		names = append(names, c.Name)
	}
	for i, name := range []string{"alpha", "beta", "gamma"} {
		if i != broken && !slices.Contains(names, name) {
			if markless := d.Name == "pythonic" || d.Name == "json_generic"; len(r.Findings) == 0 && !markless {
				t.Errorf("nothing is said about %s in %q", name, text)
			}
			return true
		}
	}
	return false
}

// TestResumesAfterPartialMarker checks that a marker that begins before the place where
// reading resumes does not count.
func TestResumesAfterPartialMarker(t *testing.T) {
	text := ">>>alpha\n{\"city:\"Oslo\"}\n\n><|eot_id|>>>gamma\n{\"city\":\"Oslo\"}\n"
	r := Scan(text, Options{Dialect: find(t, "functionary_v32")})
	if len(r.Calls) == 0 || r.Calls[0].Executable || len(r.Findings) == 0 {
		t.Errorf("calls %v, findings %v", r.Calls, r.Findings)
	}
}

// TestMarkersInStrings checks that markers in a string of a complete call are data, even if the
// call's closing marker is missing.
func TestMarkersInStrings(t *testing.T) {
	for _, c := range []struct{ dialect, text string }{
		{"hermes", "<tool_call>\n{\"name\":\"write\",\"arguments\":{\"text\":\"</tool_call><tool_call>{}\"}}\n</tool_call>"},
		{"hermes", "<tool_call>\n{\"name\":\"write\",\"arguments\":{\"text\":\"</tool_call><tool_call>{}\"}}\n"},
		{"harmony", "<|channel|>commentary to=functions.write<|message|>{\"text\":\"<|call|><|start|>\"}<|call|>"},
		{"harmony", "<|channel|>commentary to=functions.write<|message|>{\"text\":\"<|call|><|start|>\"}"},
	} {
		d := find(t, c.dialect)
		r := Scan(c.text, Options{Dialect: d})
		if len(r.Calls) != 1 || !r.Calls[0].Executable || !strings.Contains(c.text, string(r.Calls[0].Arguments)) {
			t.Errorf("%s: %q is read as %v", c.dialect, c.text, r.Calls)
		}
	}
}
