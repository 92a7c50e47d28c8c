//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// protocols are what the server speaks, and what a client of each is given as
// its address.
var protocols = []struct{ API, BaseURL string }{
	{"ollama", "{server}"}, {"chat", "{server}/v1"}, {"responses", "{server}/v1"}, {"messages", "{server}"},
}

// over returns the arguments of a run with a model over a protocol, which the
// model answers by a script.
func over(protocol int, model, dialect, script string, flags ...string) []string {
	p := protocols[protocol]
	args := append([]string{"run", "--api", p.API, "--base-url", p.BaseURL, "--model", model, "--dialect", dialect}, flags...)
	return append(args, "Where are the apples?\nscript: "+script+"\nAnswer in a sentence.")
}

// protocolCases are tried over every protocol.
func protocolCases() []Case {
	var cases []Case
	for i, p := range protocols {
		for _, c := range slices.Concat(nativeCases(i), otherCases(i)) {
			c.Name = p.API + "-" + c.Name
			cases = append(cases, c)
		}
	}
	return cases
}

// nativeCases are runs whose calls the server reads.
//
// The scripts of the model count the calls and the results that came back to it
// (see scripts/tinymodel), so an answer shows that both arrived as they should.
func nativeCases(protocol int) []Case {
	native := func(script string, flags ...string) []string {
		return over(protocol, callerName, "native", script, withNotes(flags...)...)
	}
	api := protocols[protocol].API
	cases := []Case{
		{Name: "native-whole-as-streamed", Exit: exitOK, Check: sameWhole(api, 2),
			Args: over(protocol, callerName, "native", "native-two", "--dry-run", "--tool", "vault_search", "--tool", "file_read", "--root", "{vault}")},
		{Name: "native-calls", Exit: exitOK, Args: native("native"), Check: all(
			answers(`{"answer": "Apples – Äpfel 🍏 – are kept in the cellar."}`),
			chats(3), recorded("call", 2, "vault_search", "file_read"), recorded("result", 2, "notes/apples.md", "kept in the cellar"),
			recorded("response", 3, `"native":{"api":"`+api+`"`), recorded("end", 1, `"exit":0`), runs("validate", runFile))},
		{Name: "native-two-in-a-reply", Exit: exitOK, Args: native("native-two"), Check: all(
			answers(`{"answer": "Pears are in the attic."}`), chats(3), recorded("result", 2, "in the attic", "File not found"))},
		{Name: "native-bad-arguments", Exit: exitOK, Args: native("native-bad"), Check: all(
			answers(`{"answer": "I called it wrongly."}`), chats(2), recorded("request", 2, "INVALID_ARGUMENTS"), recorded("result", 1))},
		{Name: "native-write-denied", Exit: exitDenied, Args: native("native-write", "--tool", "file_put", "--allow", "file_put", "--deny", "file_put"), Check: all(
			noFile("vault/out/list.md"), stderrHas("file_put"), chats(1))},
		{Name: "native-write-allowed", Exit: exitOK, Args: native("native-write", "--tool", "file_put", "--allow", "file_put"), Check: all(
			answers(`{"answer": "The list is written."}`), fileHolds("vault/out/list.md", "apples\npears\n"), recorded("intent", 1))},
		// Ollama swallows a reply with a call that it cannot read: all there is to
		// see is that nothing was said.
		{Name: "native-unknown-tool", Exit: exitModel, Args: native("native-unknown"), Check: all(chats(2), stderrHas("empty"), recorded("call", 0))},
		{Name: "native-cut-call", Exit: exitModel, Args: native("native-cut"), Check: all(chats(2), stderrHas("empty"), recorded("call", 0))},
		{Name: "native-call-over-the-limit", Exit: exitModel, Args: native("native-cut", "--param", "max_tokens=7"), Check: all(chats(2), recorded("call", 0))},
		{Name: "native-replay", Exit: exitOK, Before: recordRun(native("native")), Check: all(
			answers(`{"answer": "Apples – Äpfel 🍏 – are kept in the cellar."}`), chats(0)),
			Args: []string{"run", "--model", "replay:" + runFile, "--dialect", "native", "--tool", "vault_search", "--tool", "file_read", "--no-run-file", promptOf(native("native"))}},
	}
	for i := range cases {
		cases[i].Calls = true
	}
	return cases
}

// otherCases are runs with a model that the server says does not support tools.
func otherCases(protocol int) []Case {
	return []Case{
		{Name: "tool-dialect", Exit: exitOK, Args: over(protocol, modelName, "tool", "tools", withNotes()...), Check: all(
			answers(`{"answer": "Apples – Äpfel 🍏 – are kept in the cellar."}`), chats(4), recorded("result", 2), runs("validate", runFile))},
		{Name: "toolcalls-dialect", Exit: exitOK, Args: over(protocol, modelName, "toolcalls", "json", withNotes()...), Check: all(
			answers(`{"answer": "Pears are in the attic."}`), chats(3), recorded("result", 2, "in the attic", "File not found"))},
		{Name: "answer-without-tools", Exit: exitOK, Args: over(protocol, modelName, "auto", "plain"), Check: all(answers(`{"answer": "In the cellar."}`), chats(1))},
		{Name: "unknown-model", Exit: exitUnknownModel, Args: over(protocol, "no-such-model", "tool", "plain"), Check: stderrHas("no-such-model")},
		overTheLimit(protocol),
		{Name: "runner-killed", Exit: exitUnavailable, Args: over(protocol, modelName, "tool", "endless", withNotes()...), During: killRunners, Within: 30 * time.Second, Check: stderrHas("again")},
		{Name: "timeout", Exit: exitTimeout, Args: over(protocol, modelName, "tool", "endless", withNotes("--timeout", "3s")...),
			Within: 5 * time.Second, Check: all(stderrHas("3s"), serverIdle)},
		{Name: "no-server", Exit: exitUnavailable, Within: 30 * time.Second,
			Args: []string{"run", "--api", protocols[protocol].API, "--base-url", "http://127.0.0.1:9", "--model", modelName, "--dialect", "tool", "script: plain"}},
	}
}

// overTheLimit is a run whose replies are cut at a limit. Over responses, Ollama
// says of every reply that it is complete, so what gives it away is the call that
// ends in the middle; it is not run.
func overTheLimit(protocol int) Case {
	c := Case{Name: "reply-over-the-limit", Exit: exitModel, Args: over(protocol, modelName, "tool", "tools", withNotes("--param", "max_tokens=8")...),
		Check: all(chats(2), stderrHas("length limit"), recorded("result", 0))}
	if protocols[protocol].API == "responses" {
		c.Exit, c.Check = exitOK, all(stderrHas("truncated-call"), recorded("call", 1, "file_read"))
	}
	return c
}

// autoCases are runs in which the server says what the model can do.
var autoCases = []Case{
	{Name: "auto-is-native", Exit: exitOK, Calls: true, Args: auto(callerName, "native"), Check: all(
		answers(`{"answer": "Apples – Äpfel 🍏 – are kept in the cellar."}`), chats(3), recorded("run", 1, `"dialect":"native"`))},
	{Name: "auto-is-text", Exit: exitOK, Args: auto(modelName, "tools"), Check: all(
		answers(`{"answer": "Apples – Äpfel 🍏 – are kept in the cellar."}`), chats(4), recorded("run", 1, `"dialect":"tool"`))},
}

func auto(model, script string) []string {
	return append(append([]string{"run", "--model", "ollama/" + model, "--base-url", "{server}"}, withNotes()...), "script: "+script)
}

// promptOf returns the prompt of a run.
func promptOf(args []string) string { return args[len(args)-1] }

// recordRun makes the run file that a case reads.
func recordRun(args []string) func(*Trial) error {
	return func(t *Trial) error {
		o, err := t.Oneshot(args...)
		if err == nil && o.Exit != exitOK {
			err = fmt.Errorf("the recorded run: exit %d: %s", o.Exit, strings.TrimSpace(o.Stderr))
		}
		return err
	}
}
