package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
)

// content returns the expected content; null is none.
func (r *row) content() string { return textOf(r.Content) }

// reasoning returns the expected reasoning; null is none.
func (r *row) reasoning() string { return textOf(r.Reasoning) }

func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// A want is what a reading is held against. A nil facet is not compared.
type want struct {
	content, reasoning *string
	calls              []wantCall
	anyCalls           bool   // nothing is known of calls
	over               *bool  // whether reasoning has ended at the end of the text
	failure            string // what the reference refused the text for
	none               bool   // the reference found no call
}

// newWant returns what a row expects of a reading.
//
// Blanks at the ends of content and reasoning are left out on both sides. Every
// reference has its own opinion of the line ends that a template puts between
// reasoning, text and calls; some trim one side, some both, and some differ
// between whole and in pieces. The report counts the rows where that matters.
func newWant(r *row, v view) want {
	if r.Error != nil {
		return want{failure: cmp.Or(textOf(r.Error), "an error"), anyCalls: true}
	}
	w := want{calls: slices.Concat(r.Calls, r.Partial), over: r.Options.ReasoningEnds}
	w.anyCalls = r.Calls == nil && r.Partial == nil
	w.none = len(w.calls) == 0
	for i := range w.calls {
		w.calls[i].sent = r.Mode == "stream"
	}
	content, reasoning := r.content(), r.reasoning()
	switch {
	case v == inContent:
		content, reasoning = cutReasoning(content)
		w.content = &content
		if w.anyCalls {
			w.reasoning = &reasoning
		}
		return w
	case v == marked:
		reasoning = strings.TrimPrefix(reasoning, "<think>")
	}
	if r.Content != nil {
		w.content = &content
	}
	if r.Reasoning != nil && v != hidden {
		w.reasoning = &reasoning
	}
	if r.hasOnlyEnd() {
		w.content, w.reasoning = nil, nil
	} else {
		w.over = nil
	}
	return w
}

// hasOnlyEnd reports whether a row of a reasoning parser says nothing but whether
// reasoning has ended.
func (r *row) hasOnlyEnd() bool {
	return r.Options.ReasoningEnds != nil && string(r.Content) == "null" && string(r.Reasoning) == "null"
}

// A fault is a facet in which a reading is not what is wanted.
type fault string

const (
	faultCalls     fault = "calls"
	faultContent   fault = "content"
	faultReasoning fault = "reasoning"
	faultError     fault = "error"
	faultDialect   fault = "dialect"
	faultEnd       fault = "end of reasoning"
)

// faults returns the facets in which a reading is not what is wanted.
func (w want) faults(g reading, tools []toolDef) []fault {
	if w.failure != "" {
		if g.hasExecutableCall(tools) || !g.hasErrors(tools) {
			return []fault{faultError}
		}
		return nil
	}
	var found []fault
	reported := w.isReported(g, tools)
	if !w.anyCalls && !sameCalls(w.calls, g.calls) && (!reported || len(executable(g.calls)) > 0) {
		found = append(found, faultCalls)
	}
	if w.content != nil && !sameText(*w.content, g.content) && !reported {
		found = append(found, faultContent)
	}
	if w.reasoning != nil && !sameText(*w.reasoning, g.reasoning) {
		found = append(found, faultReasoning)
	}
	return found
}

// isReported reports whether a reading finds calls, none of which would be executed,
// in what the reference takes for text: that says as much, if the content is the
// reference's without the calls and their marks.
func (w want) isReported(g reading, tools []toolDef) bool {
	if !w.none || w.content == nil || len(g.calls) == 0 || g.hasExecutableCall(tools) {
		return false
	}
	rest := *w.content
	for _, c := range g.calls {
		before, after, found := strings.Cut(rest, c.Text)
		if !found {
			return false
		}
		rest = before + " " + after
	}
	for _, part := range strings.Fields(g.content) {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return true
}

// hasDifferentEnds reports whether the blanks at the ends of a text that is the same are not.
func (w want) hasDifferentEnds(g reading) bool {
	differ := func(theirs *string, ours string) bool {
		return theirs != nil && *theirs != ours && sameText(*theirs, ours)
	}
	return differ(w.content, g.content) || differ(w.reasoning, g.reasoning)
}

// sameText compares two texts but for blanks at their ends.
func sameText(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// hasErrors reports whether a reading says that something is wrong: with a
// finding, or with a call that no tool of the request can take.
func (g reading) hasErrors(tools []toolDef) bool {
	return len(g.findings) > 0 || slices.ContainsFunc(g.calls, func(c chat.Call) bool { return !c.Executable || !isPermitted(c, tools) })
}

// hasExecutableCall reports whether a call of a reading would be executed.
func (g reading) hasExecutableCall(tools []toolDef) bool {
	return slices.ContainsFunc(g.calls, func(c chat.Call) bool { return c.Executable && isPermitted(c, tools) })
}

func isError(f diag.Finding) bool { return f.Severity == diag.Error }

// isPermitted reports whether a call would be bound to one of the tools: its name
// is one of theirs and its arguments fit. Without tools every call would.
func isPermitted(c chat.Call, tools []toolDef) bool {
	if len(tools) == 0 {
		return true
	}
	i := slices.IndexFunc(tools, func(t toolDef) bool { return t.Name == c.Name })
	arguments := namedArguments(c)
	return i >= 0 && (tools[i].Parameters == nil || !bytes.HasPrefix(arguments, []byte("{")) || fitsSchema(arguments, tools[i].Parameters))
}

// fitsSchema reports whether arguments fit a schema. One that cannot be compiled fits
// everything.
func fitsSchema(arguments, parameters json.RawMessage) bool {
	s, bad := schema.Compile("parameters", parameters)
	return s == nil && len(bad) > 0 || s != nil && len(s.Check(arguments)) == 0
}

// sameCalls reports whether calls can be laid beside each other.
//
// A call that is not executable may have no counterpart: one that cannot be
// read or is cut off is reported by oneshot and dropped by most references, and
// so is one inside reasoning, which some return. What the reference could not
// parse may be missing here, and must not be executable.
func sameCalls(wanted []wantCall, got []chat.Call) bool {
	reach := make([]bool, len(got)+1) // reach[j]: the wanted calls so far lie beside got[:j]
	reach[0] = true
	for j, c := range got {
		reach[j+1] = reach[j] && canBeExtra(c)
	}
	for _, w := range wanted {
		next := make([]bool, len(got)+1)
		_, unread := w.unparsed()
		next[0] = reach[0] && unread
		for j, c := range got {
			next[j+1] = reach[j] && w.matches(c) || reach[j+1] && unread || next[j] && canBeExtra(c)
		}
		reach = next
	}
	return reach[len(got)]
}

// canBeExtra reports whether a call may have no counterpart. An executable one never
// may, whatever its name is.
func canBeExtra(c chat.Call) bool {
	return !c.Executable && (c.Status == chat.StatusInvalid || c.Status == chat.StatusTruncated || c.Status == chat.StatusSuppressed)
}

// matches reports whether a call is the wanted one. Ids count where one is wanted.
func (w wantCall) matches(c chat.Call) bool {
	if w.ID != "" && w.ID != c.ID {
		return false
	}
	if w.Subset != nil {
		return (w.Name == "" || w.Name == c.Name) && hasJSONMembers(namedArguments(c), w.Subset)
	}
	if text, unread := w.unparsed(); unread {
		return w.Name == c.Name && (!c.Executable || w.sent && isJSONPrefix(c.Arguments, text))
	}
	if w.Custom {
		w.Arguments = slices.Concat(json.RawMessage(`{"input":`), w.Arguments, json.RawMessage("}"))
	}
	return w.Name == c.Name && w.hasArguments(c)
}

// isJSONPrefix reports whether a text is the beginning of a JSON value, and not all of
// it, whatever blanks stand between its tokens: what a stream has sent of it.
func isJSONPrefix(value json.RawMessage, text string) bool {
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return false
	}
	rest, inString, escaped := compact.String(), false, false
	for i := range len(text) {
		switch c := text[i]; {
		case !inString && strings.IndexByte(" \t\r\n", c) >= 0:
			continue
		case rest == "" || rest[0] != c:
			return false
		case c == '"' && !escaped:
			inString = !inString
		}
		escaped = text[i] == '\\' && !escaped
		rest = rest[1:]
	}
	return rest != ""
}

// hasArguments reports whether a call has the wanted arguments, by name or by
// position. A call with both has no form before its definition is known.
func (w wantCall) hasArguments(c chat.Call) bool {
	if w.Positional == nil {
		return sameJSON(namedArguments(c), w.Arguments)
	}
	list, err := json.Marshal(w.Positional)
	return err == nil && c.Positional && sameJSON(c.Arguments, list) && sameJSON(w.Arguments, json.RawMessage("{}"))
}

// namedArguments returns the arguments of a call by their names, where no definition is
// needed for that: no argument at all, and one object of all of them.
func namedArguments(c chat.Call) json.RawMessage {
	var list []json.RawMessage
	if !c.Positional || json.Unmarshal(c.Arguments, &list) != nil || len(list) > 1 {
		return c.Arguments
	}
	if len(list) == 0 {
		return json.RawMessage("{}")
	}
	return list[0]
}

// isHeld reports whether a wanted call was found and would not be executed, or a call
// that would not be was found where the reference has none: the reading is the
// same, and oneshot is more careful.
func (w want) isHeld(g reading) bool {
	if w.content != nil && w.none && len(g.calls) > 0 {
		return true
	}
	for _, c := range g.calls {
		if !c.Executable && slices.ContainsFunc(w.calls, func(x wantCall) bool { _, unread := x.unparsed(); return !unread && x.matches(c) }) {
			return true
		}
	}
	return false
}

// isEarly reports whether a reading holds the arguments of a call of which the stream
// of the reference had sent only the beginning.
func (w want) isEarly(g reading) bool {
	return slices.ContainsFunc(w.calls, func(x wantCall) bool {
		text, unread := x.unparsed()
		return unread && x.sent && slices.ContainsFunc(g.calls, func(c chat.Call) bool { return c.Executable && c.Name == x.Name && isJSONPrefix(c.Arguments, text) })
	})
}

// describe returns a call in one line.
func describe(c chat.Call) string {
	args := string(c.Arguments)
	if c.Arguments == nil {
		args = "no arguments, text " + quote(c.Text)
	}
	line := fmt.Sprintf("%s %s", c.Name, args)
	if c.ID != "" {
		line = c.ID + ": " + line
	}
	return line + "  (" + callState(c) + ")"
}

// callState returns how a call stands.
func callState(c chat.Call) string {
	words := string(c.Status)
	if c.Executable {
		words += ", executable"
	}
	if c.ValueChanged {
		words += ", value changed"
	}
	return words
}

// callStates returns how each call of a reading stands.
func (g reading) callStates() string {
	if len(g.calls) == 0 {
		return "no call"
	}
	var all []string
	for _, c := range g.calls {
		all = append(all, callState(c))
	}
	return strings.Join(all, "; ")
}

// contentLines returns calls, content and reasoning, a fact a line.
func (g reading) contentLines() string {
	var b strings.Builder
	for _, c := range g.calls {
		fmt.Fprintf(&b, "call %s\n", describe(c))
	}
	fmt.Fprintf(&b, "content %q\nreasoning %q\n", g.content, g.reasoning)
	return b.String()
}
