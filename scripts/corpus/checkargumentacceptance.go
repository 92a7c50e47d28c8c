package main

import (
	"fmt"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/schema"
)

// checkAcceptance reads the arguments of a call of the tool "f" and checks whether
// they are accepted: one executable call, no error, and arguments that fit the
// schema. The reference is a strict grammar: text that it rejects may be repaired
// here, as the status of the call then shows.
func checkAcceptance(r *row) outcome {
	tools := []toolDef{{Name: "f", Parameters: r.Schema}}
	s := setting{dialect: r.dialectName(), tools: tools}
	if r.Accepted == nil || !isDialect(s.dialect) {
		return failedOutcome(r, faultDialect, "there is no dialect "+goLiteral(s.dialect))
	}
	text := r.wrappedText()
	g := readText(text, s)
	accepted, why := hasOneValidCall(g, r.Schema)
	o := outcome{row: r, codes: codesOf(g.findings), setting: describeSetting(s)}
	o.repaired = accepted && !*r.Accepted && g.calls[0].Status == chat.StatusRepaired
	if accepted != *r.Accepted && !o.repaired {
		o.faults = []mismatch{"acceptance"}
	}
	calls := comparedPart{name: faultCalls}
	for _, c := range g.calls {
		calls.ours = append(calls.ours, describeCall(c))
	}
	o.facets = []comparedPart{
		{name: "schema", theirs: []string{string(r.Schema)}},
		{name: "acceptance", theirs: []string{acceptedWord(*r.Accepted)}, ours: []string{acceptedWord(accepted) + why}},
		calls,
		comparedText(faultContent, nil, g.content),
	}
	o.state, o.facts = acceptedWord(accepted), g.describeCallsAndText()
	o.law = splitDifference(r.ID, text, nil, s, g)
	return o.withVerdict()
}

func acceptedWord(accepted bool) string {
	if accepted {
		return "accepted"
	}
	return "refused"
}

// hasOneValidCall reports whether a reading is one executable call whose arguments
// fit a schema, and why not.
func hasOneValidCall(g reading, parameters []byte) (ok bool, why string) {
	if i := slices.IndexFunc(g.findings, isError); i >= 0 {
		return false, fmt.Sprintf(": %s %s", g.findings[i].Code, g.findings[i].Message)
	}
	if len(g.calls) != 1 || !g.calls[0].Executable {
		return false, fmt.Sprintf(": %d calls", len(g.calls))
	}
	compiled, bad := schema.Compile("schema", parameters)
	if compiled == nil {
		return false, fmt.Sprintf(": the schema: %s", bad[0].Message)
	}
	if bad := compiled.Check(g.calls[0].Arguments); len(bad) > 0 {
		return false, ": " + bad[0].Message
	}
	return true, ""
}
