package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

const (
	diffLines   = 8  // maximum lines shown per side
	diffContext = 60 // bytes shown before the first difference in a line
)

// diffRequests describes the differences between a recorded request and a new one. Of the messages it reports
// only the first difference, because later ones follow from it.
func diffRequests(was, now chat.Request) string {
	parts := []string{
		diffText("purpose", string(was.Purpose), string(now.Purpose)),
		diffText("system prompt", was.System, now.System),
		diffTools(was.Tools, now.Tools),
		diffMessages(was.Messages, now.Messages),
		diffText("format", formatText(was), formatText(now)),
	}
	names := maps.Clone(was.Params)
	if names == nil {
		names = make(map[string]json.RawMessage)
	}
	maps.Copy(names, now.Params)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		parts = append(parts, diffText("parameter "+name, wire.Compact(was.Params[name]), wire.Compact(now.Params[name])))
	}
	if diff := strings.Join(parts, ""); diff != "" {
		return strings.TrimSuffix(diff, "\n")
	}
	return "the recorded content is the same; only the whitespace of its JSON differs"
}

// formatText returns the format of a request.
func formatText(req chat.Request) string {
	if req.AnyJSON {
		return "any JSON"
	}
	return wire.Compact(req.Format)
}

// diffTools describes the first tool that differs.
func diffTools(was, now []chat.Function) string {
	for i := range max(len(was), len(now)) {
		switch {
		case i >= len(now):
			return fmt.Sprintf("tool %s is missing\n", was[i].Name)
		case i >= len(was):
			return fmt.Sprintf("tool %s is new\n", now[i].Name)
		}
		tool := func(f chat.Function) string { return f.Name + "\n" + f.Description + "\n" + wire.Compact(f.Parameters) }
		if diff := diffText(fmt.Sprintf("tool %d (%s)", i+1, now[i].Name), tool(was[i]), tool(now[i])); diff != "" {
			return diff
		}
	}
	return ""
}

// diffMessages describes the first message that differs.
func diffMessages(was, now []chat.Message) string {
	for i := range max(len(was), len(now)) {
		what := fmt.Sprintf("message %d", i+1)
		switch {
		case i >= len(now):
			return fmt.Sprintf("%s (%s) is missing:\n", what, was[i].Role) + prefixLines("- ", lines(was[i].Content))
		case i >= len(was):
			return fmt.Sprintf("%s (%s) is new:\n", what, now[i].Role) + prefixLines("+ ", lines(now[i].Content))
		}
		named := fmt.Sprintf("%s (%s)", what, now[i].Role)
		diff := diffText("role of "+what, string(was[i].Role), string(now[i].Role)) +
			diffText(named, was[i].Content, now[i].Content) +
			diffText("calls of "+named, callLines(was[i]), callLines(now[i])) +
			diffText("attachments of "+named, attachmentLines(was[i]), attachmentLines(now[i])) +
			diffText("native form of "+named, nativeLines(was[i]), nativeLines(now[i]))
		if diff != "" {
			return diff
		}
	}
	return ""
}

// callLines returns the calls of a message, or the call it answers, one per line.
func callLines(m chat.Message) string {
	var b strings.Builder
	for _, c := range m.Calls {
		fmt.Fprintf(&b, "%s %s %s\n", c.ID, c.Name, wire.Compact(c.Arguments))
	}
	if m.CallID != "" || m.Name != "" {
		fmt.Fprintf(&b, "to %s %s\n", m.CallID, m.Name)
	}
	return b.String()
}

// attachmentLines returns the attachments of a message, one per line.
func attachmentLines(m chat.Message) string {
	var b strings.Builder
	for _, a := range m.Attachments {
		fmt.Fprintf(&b, "%s %s %s\n", a.Name, a.Type, a.SHA256)
	}
	return b.String()
}

// nativeLines returns the native form of a message.
func nativeLines(m chat.Message) string {
	if m.Native == nil {
		return ""
	}
	return m.Native.API + " " + m.Native.Model + "\n" + wire.Compact(m.Native.Body)
}

// diffText shows the differing lines, prefixed with "-" as recorded and "+" as now. It returns "" for equal texts.
func diffText(what, was, now string) string {
	if was == now {
		return ""
	}
	a, b := lines(was), lines(now)
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	a, b = a[same:], b[same:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) > 0 && len(b) > 0 {
		a[0], b[0] = trimCommonPrefix(a[0], b[0])
	}
	return fmt.Sprintf("%s, line %d:\n", what, same+1) + prefixLines("- ", a) + prefixLines("+ ", b)
}

// trimCommonPrefix drops most of the common prefix of two lines, so that the difference of long lines is visible.
func trimCommonPrefix(a, b string) (string, string) {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	start := same - diffContext
	for start > 0 && !utf8.RuneStart(a[start]) {
		start--
	}
	if start <= 0 {
		return a, b
	}
	return "…" + a[start:], "…" + b[start:]
}

// lines splits a text into lines; an empty text has none.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// prefixLines writes up to diffLines lines with a prefix.
func prefixLines(sign string, lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		if i == diffLines {
			fmt.Fprintf(&b, "%s… %d more\n", sign, len(lines)-i)
			break
		}
		b.WriteString(sign + wire.Excerpt(line) + "\n")
	}
	return b.String()
}
