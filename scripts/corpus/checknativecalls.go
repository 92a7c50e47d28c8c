package main

import (
	"encoding/json"
	"strings"

	"oneshot/pkg/chat"
)

// checkInsideCall compares where a text begins a call with the reference: text
// that oneshot reads as a call must not be content.
func checkInsideCall(r *row) outcome {
	var says struct {
		Inside bool `json:"isInToolCall"`
	}
	if err := json.Unmarshal(r.Value, &says); err != nil {
		return failedOutcome(r, "row", err.Error())
	}
	s := setting{dialect: r.dialectName()}
	if !isDialect(s.dialect) {
		return failedOutcome(r, faultDialect, "there is no dialect "+goLiteral(s.dialect))
	}
	g := readText(r.Input, s)
	content := ""
	if !says.Inside {
		content = r.Input
	}
	w := expectation{content: &content, anyCalls: true}
	o := outcome{row: r, faults: w.mismatches(g, nil), facets: w.comparedParts(g), codes: codesOf(g.findings), setting: describeSetting(s), state: g.callStates(), facts: g.describeCallsAndText()}
	o.law = splitDifference(r.ID, r.Input, nil, s, g)
	return o.withVerdict()
}

// checkArguments compares the parsed arguments of a native call with the
// reference. The reference returns {} for text that it cannot parse: such a
// call must not be executable here.
func checkArguments(r *row) outcome {
	type call struct {
		Function struct {
			Arguments string `json:"arguments"`
		} `json:"function"`
	}
	var args []call
	if err := json.Unmarshal(r.Args, &args); err != nil || len(args) == 0 {
		return failedOutcome(r, "row", "no arguments of the tested function")
	}
	text := args[0].Function.Arguments
	w := expectation{calls: []expectedCall{{Name: "f", Arguments: r.Value}}}
	if isSameJSON(r.Value, json.RawMessage("{}")) && !isSameJSON(r.Value, json.RawMessage(text)) && strings.TrimSpace(text) != "" {
		w.calls[0].Arguments = json.RawMessage(`""`)
	}
	return compareNative(r, w, chat.Call{Name: "f", Text: text})
}

// checkNativeCalls compares the native calls of a message with the command that
// the reference derives from them: its first word is the name of the tool.
func checkNativeCalls(r *row) outcome {
	w := expectation{calls: []expectedCall{}}
	if r.Error != nil {
		w = expectation{failure: textOf(r.Error), anyCalls: true}
	}
	var calls []chat.Call
	for _, c := range r.Response.Calls {
		calls = append(calls, chat.Call{Name: c.Function.Name, Text: c.Function.Arguments})
		if r.Error == nil {
			w.calls = append(w.calls, expectedCall{Name: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments)})
		}
	}
	return compareNative(r, w, calls...)
}

// compareNative finishes native calls and compares them with the expected ones.
func compareNative(r *row, w expectation, calls ...chat.Call) outcome {
	var g reading
	for _, c := range calls {
		done, findings := finishNative(c)
		g.calls = append(g.calls, done)
		g.findings = append(g.findings, findings...)
	}
	o := outcome{row: r, faults: w.mismatches(g, nil), facets: w.comparedParts(g), codes: codesOf(g.findings), setting: "native calls", state: g.callStates(), facts: g.describeCallsAndText()}
	return o.withVerdict()
}
