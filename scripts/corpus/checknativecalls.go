package main

import (
	"encoding/json"
	"strings"

	"oneshot/pkg/chat"
)

// checkCallStart holds a text that begins like a call against where the reference
// sees one: what oneshot takes for a call is no content.
func checkCallStart(r *row) outcome {
	var says struct {
		Inside bool `json:"isInToolCall"`
	}
	if err := json.Unmarshal(r.Value, &says); err != nil {
		return failedOutcome(r, "row", err.Error())
	}
	s := setting{dialect: r.dialectName()}
	if !isDialect(s.dialect) {
		return failedOutcome(r, faultDialect, "there is no dialect "+quote(s.dialect))
	}
	g := readText(r.Input, s)
	content := ""
	if !says.Inside {
		content = r.Input
	}
	w := want{content: &content, anyCalls: true}
	o := outcome{row: r, faults: w.faults(g, nil), facets: w.facets(g), codes: codesOf(g.findings), setting: describeSetting(s), state: g.callStates(), facts: g.contentLines()}
	o.law = splitDifference(r.ID, r.Input, nil, s, g)
	return o.withVerdict()
}

// checkArguments holds the text of a native call's arguments against what the
// reference makes of it. The reference returns {} for what it cannot parse: that
// must not be executable here.
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
	w := want{calls: []wantCall{{Name: "f", Arguments: r.Value}}}
	if sameJSON(r.Value, json.RawMessage("{}")) && !sameJSON(r.Value, json.RawMessage(text)) && strings.TrimSpace(text) != "" {
		w.calls[0].Arguments = json.RawMessage(`""`)
	}
	return compareNative(r, w, chat.Call{Name: "f", Text: text})
}

// checkNativeCalls holds the native calls of a message against the command that
// the reference makes of them: its first word is the name of the tool.
func checkNativeCalls(r *row) outcome {
	w := want{calls: []wantCall{}}
	if r.Error != nil {
		w = want{failure: textOf(r.Error), anyCalls: true}
	}
	var calls []chat.Call
	for _, c := range r.Response.Calls {
		calls = append(calls, chat.Call{Name: c.Function.Name, Text: c.Function.Arguments})
		if r.Error == nil {
			w.calls = append(w.calls, wantCall{Name: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments)})
		}
	}
	return compareNative(r, w, calls...)
}

// compareNative finishes native calls and holds them against what is wanted.
func compareNative(r *row, w want, calls ...chat.Call) outcome {
	var g reading
	for _, c := range calls {
		done, findings := finishNative(c)
		g.calls = append(g.calls, done)
		g.findings = append(g.findings, findings...)
	}
	o := outcome{row: r, faults: w.faults(g, nil), facets: w.facets(g), codes: codesOf(g.findings), setting: "native calls", state: g.callStates(), facts: g.contentLines()}
	return o.withVerdict()
}
