package dialect

import (
	"slices"
	"strings"
	"testing"

	"oneshot/pkg/diag"
)

// junk are texts between markers of calls that are not a call in any dialect.
var junk = []string{
	"nothing here", "\nnothing here\n", "\nnote(text)\n", " note(text) ", "<note><text>hi</text></note>",
	"\n<note>\n<text>hi</text>\n</note>\n", `{"nme": "x"}`, "note: hi", "\ntext: hi\n",
}

// pairs are the matching opening and closing markers of a dialect: those written around a call, and all tags
// with their closing tags.
func pairs(d *Dialect) [][2]string {
	var all [][2]string
	ends := slices.Clone(d.framing.closers)
	for _, m := range d.framing.markers {
		if m.role == listClose {
			ends = append(ends, m.text)
		}
	}
	for _, m := range d.framing.markers {
		if !(markerUse{marker: &m}).opensOnlyCalls() {
			continue
		}
		for _, end := range ends {
			written := strings.Contains(d.framing.affixes[0], m.text) && strings.Contains(d.framing.affixes[1], end)
			if pair := [2]string{m.text, end}; !slices.Contains(all, pair) && (written || strings.Replace(end, "</", "<", 1) == m.text) {
				all = append(all, pair)
			}
		}
	}
	return all
}

// TestLostCallsAreReported checks that the text between an opening and a closing marker of calls is a call, or
// a finding above info.
func TestLostCallsAreReported(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		for _, pair := range pairs(d) {
			for _, inside := range junk {
				checkLost(t, d, pair[0]+inside+pair[1])
				checkLost(t, d, "I will look.\n"+pair[0]+inside+pair[1]+"\nDone.")
			}
		}
		for _, f := range d.framing.fences {
			for _, inside := range junk[:6] {
				if f.certain {
					checkLost(t, d, "```"+f.info+"\n"+strings.TrimSpace(inside)+"\n```\n")
				}
			}
		}
	})
}

// TestProseInFrame checks that prose in place of a call after an opening marker raises exactly one finding, with
// and without a closing marker.
func TestProseInFrame(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		for _, pair := range pairs(d) {
			for _, inside := range []string{"nothing here", "\nnothing here\n", " nothing here "} {
				for _, text := range []string{pair[0] + inside + pair[1], pair[0] + inside} {
					if r := Scan(text, Options{Dialect: *d}); len(r.Calls) > 0 || len(r.Findings) != 1 {
						t.Errorf("%q: calls %v, findings %v", text, r.Calls, r.Findings)
					}
				}
			}
		}
	})
}

func checkLost(t *testing.T, d *Dialect, text string) {
	t.Helper()
	for _, m := range modes(d) {
		if m.Reasoning != ReasoningAuto {
			continue
		}
		calls, worst := 0, diag.Info
		for _, e := range m.events(text) {
			switch {
			case e.Call != nil:
				calls++
			case e.Finding != nil && e.Finding.Severity.Rank() > worst.Rank():
				worst = e.Finding.Severity
			}
		}
		if calls == 0 && worst == diag.Info {
			t.Errorf("%v: nothing is said about %q", m, text)
		}
		m.checkSplits(t, text)
	}
}

// TestMentionedMarkers checks that markers in a sentence raise no finding above info, and that a call in an
// unknown form does if its tool is known.
func TestMentionedMarkers(t *testing.T) {
	tools := Toolset{"note": shapeOfSchema([]byte(`{"type":"object","properties":{"text":{"type":"string"}}}`))}
	for _, c := range []struct {
		text  string
		tools Toolset
		want  diag.Severity
	}{
		{"Use <tool_call> tags, closed by </tool_call>.", nil, diag.Info},
		{"Use <tool_call> tags (closed by </tool_call>) for it.", nil, diag.Info},
		{"<tool_call> and </tool_call> are the markers.", nil, diag.Info},
		{"Write <tool_call>...</tool_call>.", nil, diag.Info},
		{"- <tool_call>: begins it\n- </tool_call>: ends it", nil, diag.Info},
		{"Write `<tool_call>\nnote(text)\n</tool_call>`.", nil, diag.Info},
		{"Write \"<tool_call>note(text)</tool_call>\".", nil, diag.Info},
		{"The marker is <minimax:tool_call> and ends with </minimax:tool_call>.", nil, diag.Info},
		{"```go\nx := \"a\"\n<tool_call>note(text)</tool_call>\n```\n", nil, diag.Info},
		{"<think><tool_call>note(text)</tool_call></think>Done.", nil, diag.Info},
		{"So: <tool_call> note(text) </tool_call>", nil, diag.Warning},
		{"So: <tool_call> note it </tool_call>", nil, diag.Info},
		{"So: <tool_call> note it </tool_call>", tools, diag.Error},
		{"<tool_call><note><text>hi</text></note></tool_call>", nil, diag.Warning},
		{"<tool_call><note><text>hi</text></note></tool_call>", tools, diag.Error},
		{"<tool_call>\n<other>\n<text>hi</text>\n</other>\n</tool_call>", tools, diag.Warning},
		{"So:\n<note>\n<text>hi</text>\n</note>", nil, diag.Info},
		{"So:\n<note>\n<text>hi</text>\n</note>", tools, diag.Warning},
		{"So: <note>{\"text\": \"hi\"}</note>", tools, diag.Warning},
		{"So: <note>hi</note>, <note><b>hi</b></note>, `<note><text>hi</text></note>`", tools, diag.Info},
	} {
		m := mode{tools: c.tools}
		worst := diag.Info
		for _, e := range m.events(c.text) {
			if e.Call != nil {
				t.Errorf("%q has the call %q", c.text, e.Call.Text)
			}
			if e.Finding != nil && e.Finding.Severity.Rank() > worst.Rank() {
				worst = e.Finding.Severity
			}
		}
		if worst != c.want {
			t.Errorf("%q: %s, want %s", c.text, worst, c.want)
		}
		m.checkSplits(t, c.text)
	}
}

// TestLostObjectsAreReported checks that an object without a marker that is a call of a known tool except for
// another member is reported, also after a call. A tool definition is not.
func TestLostObjectsAreReported(t *testing.T) {
	tools := Toolset{"look": nil}
	for text, want := range map[string]string{
		`{"name": "look", "arguments": {"a": 1}, "reason": "x"}`:              `unknown or repeated member "reason"`,
		`{"name": "look", "params": {"a": 1}}`:                                `unknown or repeated member "params"`,
		`{"reason": "x", "name": "look", "parameters": "{\"a\": 1}"}`:         `unknown or repeated member "reason"`,
		`{"name": "other", "arguments": {"a": 1}, "reason": "x"}`:             "",
		`{"name": "look", "description": "Looks.", "parameters": {"a": {}}}`:  "",
		`{"name": "look", "inputSchema": {"type": "object"}}`:                 "",
		`{"name": "look", "calls": 2, "errors": 0}`:                           "",
		`{"name": "look", "description": "Looks.", "arguments": {"a": true}}`: `unknown or repeated member "description"`,
	} {
		for _, name := range []string{"", "llama3_json", "json_generic"} {
			first := `{"name": "look", "parameters": {"a": 0}}` + "\n"
			if name == "json_generic" {
				first = `{"name": "look", "arguments": {"a": 0}}` + "\n"
			}
			o := Options{Tools: tools}
			if name != "" {
				o.Dialect, _ = Lookup(name)
			}
			for calls, before := range []string{"", first} {
				r := Scan(before+text, o)
				var got []string
				for _, f := range r.Findings {
					got = append(got, f.Message)
				}
				message := strings.Join(got, "; ")
				if len(r.Calls) != calls || (message != "") != (want != "") || !strings.HasSuffix(message, want) {
					t.Errorf("%q: %q: %d calls, findings %q, want %q", name, before+text, len(r.Calls), message, want)
				}
			}
		}
	}
}
