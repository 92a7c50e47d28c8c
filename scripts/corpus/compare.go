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
	anyCalls           bool // nothing is known of calls
	ends               *bool
	failure            string // what the reference refused the text for
	// The reference found nothing in the text and returns it as content. Where
	// oneshot finds a call that it does not execute, that says as much.
	nothing bool
}

// wanted returns what a row expects of a reading.
//
// Blanks at the ends of content and reasoning are left out on both sides. Every
// reference has its own opinion of the line ends that a template puts between
// reasoning, text and calls; some trim one side, some both, and some differ
// between whole and in pieces. No user of a response can tell.
func wanted(r *row, v view) want {
	if r.Error != nil {
		return want{failure: cmp.Or(textOf(r.Error), "an error"), anyCalls: true}
	}
	w := want{calls: slices.Concat(r.Calls, r.Partial), ends: r.Options.ReasoningEnds}
	w.anyCalls = r.Calls == nil && r.Partial == nil
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
		w.nothing = len(r.Calls) == 0 && sameText(content, r.Input)
	}
	if r.Reasoning != nil && v != hidden {
		w.reasoning = &reasoning
	}
	if r.onlyEnds() {
		w.content, w.reasoning = nil, nil
	} else {
		w.ends = nil
	}
	return w
}

// onlyEnds reports whether a row of a reasoning parser says nothing but whether
// reasoning has ended.
func (r *row) onlyEnds() bool {
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
		if g.refuses(tools) {
			return nil
		}
		return []fault{faultError}
	}
	var found []fault
	if !w.anyCalls && !sameCalls(w.calls, g.calls, tools) {
		found = append(found, faultCalls)
	}
	if w.content != nil && !sameText(*w.content, g.content) && !(w.nothing && len(g.calls) > 0 && !g.acts(tools)) {
		found = append(found, faultContent)
	}
	if w.reasoning != nil && !sameText(*w.reasoning, g.reasoning) {
		found = append(found, faultReasoning)
	}
	return found
}

// sameText compares two texts but for blanks at their ends.
func sameText(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// refuses reports whether no call of a reading would be executed.
func (g reading) refuses(tools []toolDef) bool {
	return !g.acts(tools)
}

// acts reports whether a call of a reading would be executed.
func (g reading) acts(tools []toolDef) bool {
	return slices.ContainsFunc(g.calls, func(c chat.Call) bool { return c.Executable && permitted(c, tools) })
}

func isError(f diag.Finding) bool { return f.Severity == diag.Error }

// permitted reports whether a call would be bound to one of the tools: its name
// is one of theirs and its arguments fit. Without tools every call would.
func permitted(c chat.Call, tools []toolDef) bool {
	if len(tools) == 0 {
		return true
	}
	i := slices.IndexFunc(tools, func(t toolDef) bool { return t.Name == c.Name })
	arguments := named(c)
	return i >= 0 && (tools[i].Parameters == nil || !bytes.HasPrefix(arguments, []byte("{")) || fits(arguments, tools[i].Parameters))
}

// fits reports whether arguments fit a schema. One that cannot be compiled fits
// everything.
func fits(arguments, parameters json.RawMessage) bool {
	s, bad := schema.Compile("parameters", parameters)
	return s == nil && len(bad) > 0 || s != nil && len(s.Check(arguments)) == 0
}

// sameCalls reports whether calls can be laid beside each other.
//
// A call that oneshot does not execute may have no counterpart: one that cannot
// be read, is cut off or names no tool of the request is reported by oneshot
// and dropped by most references, and so is one inside reasoning, which some
// return. What the reference could not parse may be missing here, and must
// not be executable.
func sameCalls(wanted []wantCall, got []chat.Call, tools []toolDef) bool {
	reach := make([]bool, len(got)+1) // reach[j]: the wanted calls so far lie beside got[:j]
	reach[0] = true
	for j, c := range got {
		reach[j+1] = reach[j] && spare(c, tools)
	}
	for _, w := range wanted {
		next := make([]bool, len(got)+1)
		_, unread := w.unread()
		next[0] = reach[0] && unread
		for j, c := range got {
			next[j+1] = reach[j] && w.is(c) || reach[j+1] && unread || next[j] && spare(c, tools)
		}
		reach = next
	}
	return reach[len(got)]
}

// spare reports whether a call may have no counterpart.
func spare(c chat.Call, tools []toolDef) bool {
	switch c.Status {
	case chat.StatusInvalid, chat.StatusTruncated, chat.StatusSuppressed:
		return true
	}
	return len(tools) > 0 && !slices.ContainsFunc(tools, func(t toolDef) bool { return t.Name == c.Name })
}

// is reports whether a call is the wanted one. Ids count where one is wanted.
func (w wantCall) is(c chat.Call) bool {
	c.Arguments = named(c)
	if w.ID != "" && w.ID != c.ID {
		return false
	}
	if w.Subset != nil {
		return (w.Name == "" || w.Name == c.Name) && holdsJSON(c.Arguments, w.Subset)
	}
	if _, unread := w.unread(); unread {
		return w.Name == c.Name && !c.Executable
	}
	return w.Name == c.Name && sameJSON(c.Arguments, w.Arguments)
}

// named returns the arguments of a call by their names, where no definition is
// needed for that: no argument at all, and one object of all of them.
func named(c chat.Call) json.RawMessage {
	var list []json.RawMessage
	if !c.Positional || json.Unmarshal(c.Arguments, &list) != nil || len(list) > 1 {
		return c.Arguments
	}
	if len(list) == 0 {
		return json.RawMessage("{}")
	}
	return list[0]
}

// held reports whether a wanted call was found and would not be executed: the
// reading is the same, and oneshot is more careful.
func (w want) held(g reading) bool {
	for _, c := range g.calls {
		if !c.Executable && slices.ContainsFunc(w.calls, func(x wantCall) bool { _, unread := x.unread(); return !unread && x.is(c) }) {
			return true
		}
	}
	return false
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
	state := string(c.Status)
	if c.Executable {
		state += ", executable"
	}
	if c.ValueChanged {
		state += ", value changed"
	}
	return line + "  (" + state + ")"
}
