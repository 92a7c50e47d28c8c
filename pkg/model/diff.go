package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/wire"
)

const (
	diffLines   = 8  // how many lines of each side a difference shows
	diffContext = 60 // how many bytes a line shows before it differs
)

// diffRequests says what differs between a recorded request and one made now.
// Of the messages it tells the first that differs: those after it follow from
// it.
func diffRequests(was, now chat.Request) string {
	parts := []string{
		diffText("purpose", string(was.Purpose), string(now.Purpose)),
		diffText("system prompt", was.System, now.System),
		diffMessages(was.Messages, now.Messages),
		diffText("format", compact(was.Format), compact(now.Format)),
	}
	names := maps.Clone(was.Params)
	if names == nil {
		names = make(map[string]json.RawMessage)
	}
	maps.Copy(names, now.Params)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		parts = append(parts, diffText("parameter "+name, compact(was.Params[name]), compact(now.Params[name])))
	}
	if diff := strings.Join(parts, ""); diff != "" {
		return strings.TrimSuffix(diff, "\n")
	}
	return "what is on record is the same; it was sent with other spaces in its JSON"
}

// diffMessages says which message is the first that differs.
func diffMessages(was, now []chat.Message) string {
	for i := range max(len(was), len(now)) {
		what := fmt.Sprintf("message %d", i+1)
		switch {
		case i >= len(now):
			return fmt.Sprintf("%s (%s) is missing:\n", what, was[i].Role) + mark("- ", lines(was[i].Content))
		case i >= len(was):
			return fmt.Sprintf("%s (%s) is new:\n", what, now[i].Role) + mark("+ ", lines(now[i].Content))
		case !reflect.DeepEqual(was[i], now[i]):
			return diffText("role of "+what, string(was[i].Role), string(now[i].Role)) +
				diffText(fmt.Sprintf("%s (%s)", what, now[i].Role), was[i].Content, now[i].Content)
		}
	}
	return ""
}

// diffText shows the lines between the first and the last that differ, behind
// "-" as recorded and behind "+" as now. It returns "" for equal texts.
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
		a[0], b[0] = skipSame(a[0], b[0])
	}
	return fmt.Sprintf("%s, line %d:\n", what, same+1) + mark("- ", a) + mark("+ ", b)
}

// skipSame drops most of what two lines have in common at their beginnings, so
// that the difference of long lines is in sight.
func skipSame(a, b string) (string, string) {
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

// lines cuts a text into lines; an empty text has none.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// mark writes the first lines behind a sign.
func mark(sign string, lines []string) string {
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

// compact returns JSON without the space that a record does not keep.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return string(raw)
	}
	return b.String()
}
