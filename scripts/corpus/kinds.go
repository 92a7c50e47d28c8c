package main

import (
	"encoding/json"
	"strings"

	"oneshot/pkg/chat"
)

// inapplicableKinds are the kinds of rows, and labels, that are about
// something that oneshot does not do, with the reason.
var inapplicableKinds = map[string]string{
	"closeTag":                         "makes a closing tag of an opening one for a prompt: nothing is read",
	"splitAtCodeblocksAndNewLines":     "cuts a text at fences and line ends, a step inside another parser",
	"getStringArg":                     "asks for one argument of a call that has been read; here a schema says what arguments must be",
	"getOptionalStringArg":             "asks for one argument of a call that has been read; here a schema says what arguments must be",
	"getBooleanArg":                    "asks for one argument of a call that has been read; here a schema says what arguments must be",
	"getNumberArg":                     "asks for one argument of a call that has been read; here a schema says what arguments must be",
	"swe_agent:ActionParser":           "the whole reply is one shell command: there are no calls",
	"swe_agent:Identity":               "the whole reply is the action: there are no calls",
	"swe_agent:ThoughtActionParser":    "the last fence holds a shell command: there are no calls",
	"swe_agent:XMLThoughtActionParser": "the <command> tags hold a shell command: there are no calls",
	"partial-json":                     "completes JSON that was cut off (partial_json_parser, vercel_fixjson, langchainjs_json): here a cut call is reported and never completed",
	"extract-json":                     "cuts JSON out of a text (instructor): here only calls are taken out of text",
	"swe_agent:JsonParser":             "the call is a member of an object that says more; a call nested in another object is never one here",
}

// inapplicable returns why a row says nothing about oneshot.
func inapplicable(r *row) (why string, ok bool) {
	if r.Dialect == "swe_agent:FunctionCallingParser" && r.Error != nil && !strings.Contains(textOf(r.Error), "not valid JSON") {
		return "the program wants exactly one call, of its own commands: a rule of a run, not of reading", true
	}
	switch r.Kind {
	case "json-repair":
		return notRepaired(r)
	}
	if why, ok := inapplicableKinds[r.Dialect]; ok {
		return why, true
	}
	why, ok = inapplicableKinds[r.Kind]
	return why, ok
}

// notRepaired returns why a row about repairing holds nothing to repair.
func notRepaired(r *row) (why string, ok bool) {
	failure := textOf(r.Error)
	switch {
	case r.Schema != nil:
		return "a schema decides what the value is: here a schema only checks it", true
	case strings.Contains(failure, "cannot be used together"), strings.Contains(failure, "requires schema"):
		return "the arguments of the tested function contradict each other", true
	case r.Input == "" && r.Value != nil:
		return "the text is in a file that the row does not have", true
	case r.Value == nil && r.JSON == nil && r.Error == nil:
		return "nothing is expected", true
	case strings.Contains(failure, "nested too deep") || strings.Contains(failure, "recursion"):
		return "the schema that is refused is not in the row", true
	}
	return "", false
}

// checkCallStart holds a text that begins like a call against where the reference
// sees one: what oneshot takes for a call is no content.
func checkCallStart(r *row) outcome {
	var says struct {
		Inside bool `json:"isInToolCall"`
	}
	if err := json.Unmarshal(r.Value, &says); err != nil {
		return fail(r, "row", err.Error())
	}
	s := setting{dialect: r.dialectName()}
	if !known(s.dialect) {
		return fail(r, faultDialect, "there is no dialect "+quote(s.dialect))
	}
	g := read(r.Input, s)
	content := ""
	if !says.Inside {
		content = r.Input
	}
	w := want{content: &content, anyCalls: true}
	o := outcome{row: r, faults: w.faults(g, nil), facets: w.facets(g), codes: codesOf(g.findings), setting: describeSetting(s), state: g.states(), facts: g.says()}
	o.law = lawOf(r.ID, r.Input, nil, s, g)
	return o.settle()
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
		return fail(r, "row", "no arguments of the tested function")
	}
	text := args[0].Function.Arguments
	w := want{calls: []wantCall{{Name: "f", Arguments: r.Value}}}
	if sameJSON(r.Value, json.RawMessage("{}")) && !sameJSON(r.Value, json.RawMessage(text)) && strings.TrimSpace(text) != "" {
		w.calls[0].Arguments = json.RawMessage(`""`)
	}
	return nativeOutcome(r, w, chat.Call{Name: "f", Text: text})
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
	return nativeOutcome(r, w, calls...)
}

// nativeOutcome finishes native calls and holds them against what is wanted.
func nativeOutcome(r *row, w want, calls ...chat.Call) outcome {
	var g reading
	for _, c := range calls {
		done, findings := finish(c)
		g.calls = append(g.calls, done)
		g.findings = append(g.findings, findings...)
	}
	o := outcome{row: r, faults: w.faults(g, nil), facets: w.facets(g), codes: codesOf(g.findings), setting: "native calls", state: g.states(), facts: g.says()}
	return o.settle()
}
