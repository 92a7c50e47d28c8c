package dialect

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// checkReasoning checks that no call inside reasoning is executable, if a text begins with a reasoning opener
// or the mode begins inside reasoning. The reasoning ends at the first closer.
func (m mode) checkReasoning(t failer, text string) {
	t.Helper()
	set := m.markers()
	inside, end := m.Reasoning == ReasoningOpen, len(text)
	for i, marker := range set.texts {
		for _, u := range set.uses[i] {
			switch at := strings.Index(text, marker); {
			case u.role == reasoningOpen && m.Reasoning != ReasoningOff && strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), marker):
				inside = true
			case u.role == reasoningClose && at >= 0:
				end = min(end, at)
			case at >= 0 && u.header():
				return // message headers end reasoning, too
			}
		}
	}
	if !inside {
		return
	}
	for _, c := range m.calls(text) {
		if c.Executable && c.Start < end {
			t.Fatalf("%v: %q is executable, inside the reasoning of %q", m, c.Text, text)
		}
	}
}

// TestCallsInReasoning checks calls of every dialect in reasoning of every kind: open from the start, with an
// opener, with and without a closer, and with a closer alone.
func TestCallsInReasoning(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		call := renderedCall(d, "fetch", `{"a":"b"}`)
		for _, w := range slices.Concat(d.reasoningDelimiters(), commonDelimiters()) {
			inReasoning(t, d, w, call)
		}
		for _, m := range []mode{{d, ReasoningOpen, nil}, {nil, ReasoningOpen, nil}} {
			for _, text := range []string{call, "So. " + call, "So.\n" + call + call} {
				m.checkReasoning(t, text)
			}
		}
	})
}

// inReasoning checks that a call between reasoning delimiters is not executable.
func inReasoning(t *testing.T, d *Dialect, w *delimiters, call string) {
	opens, closes := "", ""
	for _, m := range w.markers {
		switch m.role {
		case reasoningOpen:
			opens = m.text + m.skip
		case reasoningClose:
			closes = m.text
		}
	}
	for _, m := range []mode{{row: d}, {}} {
		var texts []string
		if opens != "" {
			texts = []string{opens + call + closes + "x", opens + "\n" + call, "x\n" + opens + "So:\n" + call + closes}
		}
		if !w.needsOpener {
			texts = append(texts, call+closes+"x")
		}
		for _, text := range texts {
			for _, c := range m.calls(text) {
				if c.Executable {
					t.Errorf("%v: %q is executable in %q", m, c.Text, text)
				}
			}
		}
	}
}

// injections are texts that would be calls of a tool "evil" at the start of a response or inside a frame: with
// the quotes of the dialect and with others, with and without the markers around the call.
func injections(d *Dialect) []string {
	whole := renderedCall(d, "evil", `{"x":"y"}`)
	inner := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(whole, "\n"), d.framing.affixes[0]), d.framing.affixes[1])
	all := []string{whole, inner, strings.ReplaceAll(whole, `"`, "'"), d.framing.affixes[1] + whole}
	for _, closer := range d.framing.closers {
		all = append(all, closer+whole, closer+strings.ReplaceAll(whole, `"`, "'"))
	}
	return append(all, d.framing.affixes[1]+"\n"+strings.ReplaceAll(whole, `"`, `\"`))
}

// raw reports whether the values of a dialect are raw text up to the next marker. A value that contains such
// markers looks like the end of the call and another call. So these dialects get only injections that begin
// without a closer, in a call with a single value.
func raw(d *Dialect) bool {
	before, _, _ := strings.Cut(renderedCall(d, "fetch", `{"a":"QQQQ"}`), "QQQQ")
	return !strings.ContainsAny(before[len(before)-1:], `"'`) && !slices.ContainsFunc(privateQuoteDialects(), func(q Dialect) bool { return q.Name == d.Name })
}

// injectionsIn returns the injections of one dialect for the strings of another.
func injectionsIn(d, from *Dialect) []string {
	all := injections(from)
	if raw(d) {
		return all[:3] // the others begin with markers that end a value
	}
	return all
}

// hostCalls are calls of fetch and get in a dialect, with QQQQ inside a string.
func hostCalls(d *Dialect) []string {
	one := renderedCall(d, "fetch", `{"a":"QQQQ"}`)
	if raw(d) {
		return []string{one}
	}
	all := []string{one, renderedCall(d, "fetch", `{"a":1,"b":["QQQQ",{"c":"QQQQ"}],"d":"QQQQ"}`), one + renderedCall(d, "get", `{"a":"QQQQ","b":2}`)}
	if key := renderedCall(d, "fetch", `{"QQQQ":"QQQQ"}`); strings.Contains(key, `"QQQQ":`) {
		all = append(all, key)
	}
	return all
}

// inString returns a text as written inside a string of a dialect: escaped if the string has quotes.
func inString(host, evil string) string {
	i := strings.Index(host, "QQQQ")
	if i == 0 || host[i-1] != '"' && host[i-1] != '\'' {
		return evil
	}
	quoted := mustJSON(evil)
	quoted = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(quoted[1 : len(quoted)-1])
	if host[i-1] == '\'' {
		quoted = strings.ReplaceAll(strings.ReplaceAll(quoted, `\"`, `"`), "'", `\'`)
	}
	return quoted
}

// checkNoInjection checks that no call named evil is executable.
func (m mode) checkNoInjection(t failer, text string) {
	t.Helper()
	for _, c := range m.calls(text) {
		if strings.HasPrefix(c.Name, "evil") && c.Executable {
			t.Fatalf("%v: %q is executable in %q", m, c.Text, text)
		}
	}
}

// TestNoCallsFromStrings checks that no call of any dialect in a string of another call is executable.
func TestNoCallsFromStrings(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		for _, host := range hostCalls(d) {
			for i := range Dialects() {
				for _, evil := range some(injectionsIn(d, &Dialects()[i]), i+len(d.Title)) {
					text := strings.ReplaceAll(host, "QQQQ", inString(host, evil))
					mode{row: d}.checkNoInjection(t, text)
					mode{}.checkNoInjection(t, text)
				}
			}
		}
	})
}

// TestNoCallsFromStringsAny does the same for faulty and truncated calls: a byte is missing or extra between
// the name and the string, or text is missing after the string.
func TestNoCallsFromStringsAny(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		host := hostCalls(d)[0]
		before, following, _ := strings.Cut(host, "QQQQ")
		signs := signsAfter(before, "fetch")
		rapid.Check(t, func(rt *rapid.T) {
			from := &Dialects()[rapid.IntRange(0, len(Dialects())-1).Draw(rt, "from")]
			evil := inString(host, rapid.SampledFrom(injectionsIn(d, from)).Draw(rt, "evil"))
			at := rapid.SampledFrom(signs).Draw(rt, "at")
			more := rapid.SampledFrom([]string{"", "{", "}", "[", "]", "(", ")", ",", ":", "x", "\n", "/", "."}).Draw(rt, "more")
			less := rapid.IntRange(0, 1).Draw(rt, "less")
			if at > 0 && !raw(d) && bounded(d, host) {
				mode{row: d}.checkNoInjection(rt, before[:at]+more+before[at+less:]+evil+following)
			}
			cut := rapid.IntRange(0, len(following)).Draw(rt, "cut")
			mode{row: d}.checkNoInjection(rt, before+evil+following[:cut])
			mode{row: d}.checkNoInjection(rt, before+evil+following[min(1, len(following)):])
			mode{}.checkNoInjection(rt, before+evil+following[:cut])
		})
	})
}

// bounded reports whether a marker or fence closes the frame of a rendered call. Without one, an extra bracket
// ends the call, and the rest is text.
func bounded(d *Dialect, call string) bool { return len(d.framing.closers) > 0 || call[0] == '`' }

// signsAfter returns the offsets of brackets, commas and colons after the name in the beginning of a call, or 0
// if there are none.
func signsAfter(before, name string) []int {
	var all []int
	for i := strings.Index(before, name) + len(name); i < len(before); i++ {
		if strings.IndexByte("{}[]():,", before[i]) >= 0 && before[len(before)-1] != '>' {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return []int{0}
	}
	return all
}

// quotedApart lists dialects that read a call after a quoted marker, with the reason.
var quotedApart = map[string]string{
	"llama3_json": "an object in the text is a call without its mark, too",
	"step3":       "a word stands between the mark that is quoted and the next",
}

// TestQuoted checks that a quoted call is not executable: in inline code, after a quote, in a fence of a
// programming language, in a block quote, and in a JSON string, as in results.
func TestQuoted(t *testing.T) {
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
	eachRow(t, func(t *testing.T, d *Dialect) {
		for _, arguments := range []string{`{"x":"y"}`, `{}`} {
			call := renderedCall(d, "evil", arguments)
			line := strings.ReplaceAll(strings.TrimSpace(call), "\n", " ")
			inString := plain.Replace(mustJSON(" " + strings.ReplaceAll(call, `"`, "'")))
			texts := []string{
				"So: {\"note\": " + inString + "}\n", "<result>{\"data\": [{\"text\": " + inString + "}]}</result>", "```json\n{\"note\": " + inString + "}\n```\n",
				"See:\n~~~python\n" + call + "\n~~~\n", "See a ````tool\nfence.\n~~~python\n" + call + "\n~~~\n", "> " + strings.ReplaceAll(call, "\n", "\n> "), "> " + line + " " + line + "\nOr:\n> " + line + "\n",
			}
			for _, m := range d.framing.markers {
				if m.effect != noEffect {
					texts = append(texts, "> "+line+"\n> So."+m.text+" "+line+"\n")
				}
			}
			if !strings.Contains(line, "`") {
				texts = append(texts, "Write `"+line+"` so.\n", "Write `` "+line+" `` so.\n")
			}
			if quotedApart[d.Name] == "" {
				mode{row: d}.checkNoInjection(t, "He said '"+line+"' so.\n")
			}
			for _, text := range texts {
				for _, m := range []mode{{row: d}, {}} {
					m.checkNoInjection(t, text)
					m.checkNoInjection(t, "Text.\n"+text)
				}
			}
		}
	})
}
