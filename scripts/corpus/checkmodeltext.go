package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
)

// checkModelText reads a text as a response of a model, whole and in pieces, and
// compares the reading with the reference's.
func checkModelText(r *row) outcome {
	rule := reasoningRule(r)
	s := setting{dialect: r.dialectName(), tools: r.Tools, start: rule.start}
	if !isDialect(s.dialect) {
		return failedOutcome(r, faultDialect, "there is no dialect "+goLiteral(s.dialect))
	}
	text, w := r.wrappedText(), newExpectation(r, rule.view)
	whole := readText(text, s)
	o := w.compare(r, whole)
	if r.Open && len(o.faults) > 0 {
		if soFar := w.compare(r, readUnfinished(text, s)); len(soFar.faults) == 0 {
			o, o.early = soFar, true
		}
	}
	o.setting = describeSetting(s)
	if w.over != nil {
		inside := isReasoningOpenAfter(text, s)
		o.facts += fmt.Sprintf("inside reasoning %t\n", inside)
		if *w.over == inside {
			o.faults = append(o.faults, faultEnd)
		}
	}
	o.law = cmp.Or(splitDifference(r.ID, text, r.chunks(), s, whole), splitDifferenceUnnamed(r.ID, text, s))
	o.found = detectDialect(text, s, whole, w)
	return o.withVerdict()
}

// compare compares a reading of a text with the expectation.
func (w expectation) compare(r *row, g reading) outcome {
	o := outcome{row: r, faults: w.mismatches(g, r.Tools), facets: w.comparedParts(g), codes: codesOf(g.findings), state: g.callStates(), facts: g.describeCallsAndText()}
	if len(o.faults) == 0 {
		o.held, o.ends, o.early = w.hasNonExecutableCall(g), w.hasDifferentEdgeBlanks(g), w.isAheadOfReference(g)
	}
	return o
}

// probe is appended to a text to find the state at its end.
const probe = "0"

// headerEnd separates a header of harmony from its message.
const headerEnd = "<|message|>"

// isReasoningOpenAfter reports whether text after this one would not be
// content. Where a header precedes every text this is unknown after a message
// and in a header.
func isReasoningOpenAfter(text string, s setting) bool {
	if strings.LastIndex(text, headerEnd) < max(strings.LastIndex(text, "<|end|>"), strings.LastIndex(text, "<|start|>"), strings.LastIndex(text, "<|channel|>")) {
		return true
	}
	return len(readText(text+probe, s).content) <= len(readText(text, s).content)
}

// comparedParts returns the expected and the actual parts, side by side.
func (w expectation) comparedParts(g reading) []comparedPart {
	calls := comparedPart{name: faultCalls}
	for _, c := range w.calls {
		calls.theirs = append(calls.theirs, c.String())
	}
	for _, c := range g.calls {
		calls.ours = append(calls.ours, describeCall(c))
	}
	all := []comparedPart{calls, comparedText(faultContent, w.content, g.content), comparedText(faultReasoning, w.reasoning, g.reasoning)}
	if w.failure != "" {
		f := comparedPart{name: faultError, theirs: []string{w.failure}}
		for _, found := range g.findings {
			if found.Severity == diag.Error {
				f.ours = append(f.ours, fmt.Sprintf("%s: %s", found.Code, found.Message))
			}
		}
		all = append(all, f)
	}
	if w.over != nil {
		all = append(all, comparedPart{name: faultEnd, theirs: []string{strconv.FormatBool(*w.over)}})
	}
	return all
}

// comparedText returns two texts side by side, unless both are blank.
func comparedText(name mismatch, theirs *string, ours string) comparedPart {
	f := comparedPart{name: name}
	if theirs == nil && strings.TrimSpace(ours) == "" || theirs != nil && strings.TrimSpace(*theirs+ours) == "" {
		return f
	}
	if theirs != nil {
		f.theirs = []string{goLiteral(*theirs)}
	}
	f.ours = []string{goLiteral(ours)}
	return f
}

// String returns an expected call in one line.
func (w expectedCall) String() string {
	line := w.Name + " " + string(w.Arguments)
	if text, unread := w.unparsedArguments(); unread {
		line = w.Name + " and unread " + goLiteral(text)
	}
	if w.Subset != nil {
		line = cmp.Or(w.Name, "?") + " with " + string(w.Subset)
	}
	if w.ID != "" {
		line = w.ID + ": " + line
	}
	return line
}

// describeSetting returns how a text is read, in a few words.
func describeSetting(s setting) string {
	words := "read as " + cmp.Or(s.dialect, "auto") + ", reasoning " + startNames[s.start]
	if len(s.tools) > 0 {
		words += fmt.Sprintf(", %d tools", len(s.tools))
	}
	return words
}
