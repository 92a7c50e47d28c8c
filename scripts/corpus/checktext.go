package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
)

// checkText reads a text as what a model wrote, whole and in pieces, and holds
// the reading against what the reference made of it.
func checkText(r *row) outcome {
	rule := reasoningRule(r)
	s := setting{dialect: r.dialectName(), tools: r.Tools, start: rule.start}
	if !isDialect(s.dialect) {
		return failedOutcome(r, faultDialect, "there is no dialect "+quote(s.dialect))
	}
	text, w := r.wrappedText(), newWant(r, rule.view)
	whole := readText(text, s)
	o := w.compare(r, whole)
	if r.Open && len(o.faults) > 0 {
		if soFar := w.compare(r, readUnfinished(text, s)); len(soFar.faults) == 0 {
			o, o.early = soFar, true
		}
	}
	o.setting = describeSetting(s)
	if w.over != nil {
		inside := isInsideReasoning(text, s)
		o.facts += fmt.Sprintf("inside reasoning %t\n", inside)
		if *w.over == inside {
			o.faults = append(o.faults, faultEnd)
		}
	}
	o.law = cmp.Or(splitDifference(r.ID, text, r.chunks(), s, whole), splitDifferenceUnnamed(r.ID, text, s))
	o.found = detect(text, s, whole, w)
	return o.withVerdict()
}

// compare holds a reading of a text against what is wanted.
func (w want) compare(r *row, g reading) outcome {
	o := outcome{row: r, faults: w.faults(g, r.Tools), facets: w.facets(g), codes: codesOf(g.findings), state: g.callStates(), facts: g.contentLines()}
	if len(o.faults) == 0 {
		o.held, o.ends, o.early = w.isHeld(g), w.hasDifferentEnds(g), w.isEarly(g)
	}
	return o
}

// probe is what the state at the end of a text is asked with.
const probe = "0"

// headerEnd stands between a header of harmony and its message.
const headerEnd = "<|message|>"

// isInsideReasoning reports whether what follows a text would be no content. Where a
// header comes before every text, it is not known behind a message, and in a header.
func isInsideReasoning(text string, s setting) bool {
	if strings.LastIndex(text, headerEnd) < max(strings.LastIndex(text, "<|end|>"), strings.LastIndex(text, "<|start|>"), strings.LastIndex(text, "<|channel|>")) {
		return true
	}
	return len(readText(text+probe, s).content) <= len(readText(text, s).content)
}

// facets lays what is wanted beside what was read.
func (w want) facets(g reading) []facet {
	calls := facet{name: faultCalls}
	for _, c := range w.calls {
		calls.theirs = append(calls.theirs, c.String())
	}
	for _, c := range g.calls {
		calls.ours = append(calls.ours, describe(c))
	}
	all := []facet{calls, textFacet(faultContent, w.content, g.content), textFacet(faultReasoning, w.reasoning, g.reasoning)}
	if w.failure != "" {
		f := facet{name: faultError, theirs: []string{w.failure}}
		for _, found := range g.findings {
			if found.Severity == diag.Error {
				f.ours = append(f.ours, fmt.Sprintf("%s: %s", found.Code, found.Message))
			}
		}
		all = append(all, f)
	}
	if w.over != nil {
		all = append(all, facet{name: faultEnd, theirs: []string{strconv.FormatBool(*w.over)}})
	}
	return all
}

// textFacet lays two texts beside each other, unless both are blank.
func textFacet(name fault, theirs *string, ours string) facet {
	f := facet{name: name}
	if theirs == nil && strings.TrimSpace(ours) == "" || theirs != nil && strings.TrimSpace(*theirs+ours) == "" {
		return f
	}
	if theirs != nil {
		f.theirs = []string{quote(*theirs)}
	}
	f.ours = []string{quote(ours)}
	return f
}

// String returns a wanted call in one line.
func (w wantCall) String() string {
	line := w.Name + " " + string(w.Arguments)
	if text, unread := w.unparsed(); unread {
		line = w.Name + " and unread " + quote(text)
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
