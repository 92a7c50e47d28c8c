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

// expectedContent returns the expected content; null is none.
func (r *row) expectedContent() string { return textOf(r.Content) }

// expectedReasoning returns the expected reasoning; null is none.
func (r *row) expectedReasoning() string { return textOf(r.Reasoning) }

func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// An expectation is the expected result of a reading. A nil member is not compared.
type expectation struct {
	content, reasoning *string
	calls              []expectedCall
	anyCalls           bool   // the calls are unknown
	over               *bool  // whether reasoning has ended at the end of the text
	failure            string // why the reference rejected the text
	none               bool   // the reference found no call
}

// newExpectation returns the expectation of a row. Blanks at the ends of content and
// reasoning are ignored on both sides: references differ in the line ends that a
// template puts between reasoning, text and calls; some trim one side, some both, and
// some differ between whole texts and pieces. The report counts the rows where that
// matters.
func newExpectation(r *row, v view) expectation {
	if r.Error != nil {
		return expectation{failure: cmp.Or(textOf(r.Error), "an error"), anyCalls: true}
	}
	w := expectation{calls: slices.Concat(r.Calls, r.Partial), over: r.Options.ReasoningEnds}
	w.anyCalls = r.Calls == nil && r.Partial == nil
	w.none = len(w.calls) == 0
	for i := range w.calls {
		w.calls[i].sent = r.Mode == "stream"
	}
	content, reasoning := r.expectedContent(), r.expectedReasoning()
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
	if r.isReasoningEndTest() {
		w.content, w.reasoning = nil, nil
	} else {
		w.over = nil
	}
	return w
}

// isReasoningEndTest reports whether a row of a reasoning parser only expects
// whether reasoning has ended.
func (r *row) isReasoningEndTest() bool {
	return r.Options.ReasoningEnds != nil && string(r.Content) == "null" && string(r.Reasoning) == "null"
}

// A mismatch names a part of a reading that differs from the expectation.
type mismatch string

const (
	faultCalls     mismatch = "calls"
	faultContent   mismatch = "content"
	faultReasoning mismatch = "reasoning"
	faultError     mismatch = "error"
	faultDialect   mismatch = "dialect"
	faultEnd       mismatch = "end of reasoning"
)

// mismatches returns the parts of a reading that differ from the expectation.
func (w expectation) mismatches(g reading, tools []toolDef) []mismatch {
	if w.failure != "" {
		if g.hasExecutableCall(tools) || !g.hasErrors(tools) {
			return []mismatch{faultError}
		}
		return nil
	}
	var found []mismatch
	reported := w.hasOnlyNonExecutableCalls(g, tools)
	if !w.anyCalls && !hasMatchingCalls(w.calls, g.calls) && (!reported || len(executableCalls(g.calls)) > 0) {
		found = append(found, faultCalls)
	}
	if w.content != nil && !isSameTrimmedText(*w.content, g.content) && !reported {
		found = append(found, faultContent)
	}
	if w.reasoning != nil && !isSameTrimmedText(*w.reasoning, g.reasoning) {
		found = append(found, faultReasoning)
	}
	return found
}

// hasOnlyNonExecutableCalls reports whether a reading finds calls where the reference
// finds text, none of which would be executed. That is equivalent if the
// content is the reference's without the calls and their markers.
func (w expectation) hasOnlyNonExecutableCalls(g reading, tools []toolDef) bool {
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

// hasDifferentEdgeBlanks reports whether texts that are the same when trimmed differ
// in the blanks at their ends.
func (w expectation) hasDifferentEdgeBlanks(g reading) bool {
	differ := func(theirs *string, ours string) bool {
		return theirs != nil && *theirs != ours && isSameTrimmedText(*theirs, ours)
	}
	return differ(w.content, g.content) || differ(w.reasoning, g.reasoning)
}

// isSameTrimmedText compares two texts without the blanks at their ends.
func isSameTrimmedText(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// hasErrors reports whether a reading has an error: a finding, or a call that
// fits no tool of the request.
func (g reading) hasErrors(tools []toolDef) bool {
	return len(g.findings) > 0 || slices.ContainsFunc(g.calls, func(c chat.Call) bool { return !c.Executable || !isBindable(c, tools) })
}

// hasExecutableCall reports whether a call of a reading would be executed.
func (g reading) hasExecutableCall(tools []toolDef) bool {
	return slices.ContainsFunc(g.calls, func(c chat.Call) bool { return c.Executable && isBindable(c, tools) })
}

func isError(f diag.Finding) bool { return f.Severity == diag.Error }

// isBindable reports whether a call could be bound to one of the tools: it has
// its name and its arguments fit. Without tools every call could.
func isBindable(c chat.Call, tools []toolDef) bool {
	if len(tools) == 0 {
		return true
	}
	i := slices.IndexFunc(tools, func(t toolDef) bool { return t.Name == c.Name })
	arguments := namedArguments(c)
	return i >= 0 && (tools[i].Parameters == nil || !bytes.HasPrefix(arguments, []byte("{")) || fitsSchema(arguments, tools[i].Parameters))
}

// fitsSchema reports whether arguments fit a schema. Anything fits a schema
// that does not compile.
func fitsSchema(arguments, parameters json.RawMessage) bool {
	s, bad := schema.Compile("parameters", parameters)
	return s == nil && len(bad) > 0 || s != nil && len(s.Check(arguments)) == 0
}

// hasMatchingCalls reports whether calls correspond to the expected ones. A
// call that is not executable may have no counterpart: oneshot reports one that
// is unreadable or truncated, which most references drop, and one inside
// reasoning, which some return. A call that the reference could not parse may
// be missing here, and must not be executable.
func hasMatchingCalls(wanted []expectedCall, got []chat.Call) bool {
	reach := make([]bool, len(got)+1) // reach[j]: the expected calls so far match got[:j]
	reach[0] = true
	for j, c := range got {
		reach[j+1] = reach[j] && canBeExtra(c)
	}
	for _, w := range wanted {
		next := make([]bool, len(got)+1)
		_, unread := w.unparsedArguments()
		next[0] = reach[0] && unread
		for j, c := range got {
			next[j+1] = reach[j] && w.matches(c) || reach[j+1] && unread || next[j] && canBeExtra(c)
		}
		reach = next
	}
	return reach[len(got)]
}

// canBeExtra reports whether a call may have no counterpart. An executable one
// never may, whatever its name is.
func canBeExtra(c chat.Call) bool {
	return !c.Executable && (c.Status == chat.StatusInvalid || c.Status == chat.StatusTruncated || c.Status == chat.StatusSuppressed)
}

// matches reports whether a call is the expected one. IDs are compared if one
// is expected.
func (w expectedCall) matches(c chat.Call) bool {
	if w.ID != "" && w.ID != c.ID {
		return false
	}
	if w.Subset != nil {
		return (w.Name == "" || w.Name == c.Name) && hasJSONMembers(namedArguments(c), w.Subset)
	}
	if text, unread := w.unparsedArguments(); unread {
		return w.Name == c.Name && (!c.Executable || w.sent && isJSONPrefix(c.Arguments, text))
	}
	if w.Custom {
		w.Arguments = slices.Concat(json.RawMessage(`{"input":`), w.Arguments, json.RawMessage("}"))
	}
	return w.Name == c.Name && w.hasArguments(c)
}

// isJSONPrefix reports whether a text is a proper prefix of a JSON value,
// ignoring blanks between tokens, as a stream may have sent it.
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

// hasArguments reports whether a call has the expected arguments, by name or by
// position. A call with both has no form before its definition is known.
func (w expectedCall) hasArguments(c chat.Call) bool {
	if w.Positional == nil {
		return isSameJSON(namedArguments(c), w.Arguments)
	}
	list, err := json.Marshal(w.Positional)
	return err == nil && c.Positional && isSameJSON(c.Arguments, list) && isSameJSON(w.Arguments, json.RawMessage("{}"))
}

// namedArguments returns the arguments of a call by name if that needs no
// definition: no arguments, or one object of all of them.
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

// hasNonExecutableCall reports whether an expected call was found but would not be
// executed, or a call without a counterpart was found that would not be
// executed: the reading is the same, and oneshot is more careful.
func (w expectation) hasNonExecutableCall(g reading) bool {
	if w.content != nil && w.none && len(g.calls) > 0 {
		return true
	}
	for _, c := range g.calls {
		if !c.Executable && slices.ContainsFunc(w.calls, func(x expectedCall) bool { _, unread := x.unparsedArguments(); return !unread && x.matches(c) }) {
			return true
		}
	}
	return false
}

// isAheadOfReference reports whether a reading has all arguments of a call of
// which the stream of the reference had sent only the beginning.
func (w expectation) isAheadOfReference(g reading) bool {
	return slices.ContainsFunc(w.calls, func(x expectedCall) bool {
		text, unread := x.unparsedArguments()
		return unread && x.sent && slices.ContainsFunc(g.calls, func(c chat.Call) bool { return c.Executable && c.Name == x.Name && isJSONPrefix(c.Arguments, text) })
	})
}

// describeCall returns a call in one line.
func describeCall(c chat.Call) string {
	args := string(c.Arguments)
	if c.Arguments == nil {
		args = "no arguments, text " + goLiteral(c.Text)
	}
	line := fmt.Sprintf("%s %s", c.Name, args)
	if c.ID != "" {
		line = c.ID + ": " + line
	}
	return line + "  (" + describeCallState(c) + ")"
}

// describeCallState returns the state of a call in a few words.
func describeCallState(c chat.Call) string {
	words := string(c.Status)
	if c.Executable {
		words += ", executable"
	}
	if c.ValueChanged {
		words += ", value changed"
	}
	return words
}

// callStates returns the state of each call of a reading.
func (g reading) callStates() string {
	if len(g.calls) == 0 {
		return "no call"
	}
	var all []string
	for _, c := range g.calls {
		all = append(all, describeCallState(c))
	}
	return strings.Join(all, "; ")
}

// describeCallsAndText returns calls, content and reasoning, one per line.
func (g reading) describeCallsAndText() string {
	var b strings.Builder
	for _, c := range g.calls {
		fmt.Fprintf(&b, "call %s\n", describeCall(c))
	}
	fmt.Fprintf(&b, "content %q\nreasoning %q\n", g.content, g.reasoning)
	return b.String()
}
