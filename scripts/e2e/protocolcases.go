//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// protocols are the protocols of the server, and the base URL of clients of
// each.
var protocols = []struct{ API, BaseURL string }{
	{"ollama", "{server}"}, {"chat", "{server}/v1"}, {"responses", "{server}/v1"}, {"messages", "{server}"},
}

// protocolArgs returns the arguments of a run with a model over a protocol. The model
// answers by a script.
func protocolArgs(protocol int, model, dialect, script string, flags ...string) []string {
	p := protocols[protocol]
	args := append([]string{"run", "--api", p.API, "--base-url", p.BaseURL, "--model", model, "--dialect", dialect}, flags...)
	return append(args, "Where are the apples?\nscript: "+script+"\nAnswer in a sentence.")
}

// protocolCases are tried over every protocol.
func protocolCases() []Case {
	var cases []Case
	for i, p := range protocols {
		for _, c := range slices.Concat(nativeCases(i), modelWithoutToolsCases(i)) {
			c.Name = p.API + "-" + c.Name
			cases = append(cases, c)
		}
	}
	return cases
}

// nativeCases are runs with native calls.
//
// The scripts of the model count the calls and the results in the conversation
// (see scripts/tinymodel), so an answer shows that both arrived correctly.
func nativeCases(protocol int) []Case {
	native := func(script string, flags ...string) []string {
		return protocolArgs(protocol, callerName, "native", script, withNotes(flags...)...)
	}
	api := protocols[protocol].API
	cases := []Case{
		{Name: "native-whole-as-streamed", Exit: exitOK, Check: checkStreamParity(api, 2),
			Args: protocolArgs(protocol, callerName, "native", "native-two", "--dry-run", "--tool", "vault_search", "--tool", "file_read", "--root", "{vault}")},
		{Name: "native-calls", Exit: exitOK, Args: native("native"), Check: allChecks(
			checkAnswer(`{"answer": "Apples – Äpfel 🍏 – are kept in the cellar."}`),
			checkChatCount(3), checkRecords("call", 2, "vault_search", "file_read"), checkRecords("result", 2, "notes/apples.md", "kept in the cellar"),
			checkRecords("response", 3, `"native":{"api":"`+api+`"`), checkRecords("end", 1, `"exit":0`), checkCommand("validate", runFile))},
		{Name: "native-two-in-a-reply", Exit: exitOK, Args: native("native-two"), Check: allChecks(
			checkAnswer(`{"answer": "Pears are in the attic."}`), checkChatCount(3), checkRecords("result", 2, "in the attic", "File not found"))},
		{Name: "native-bad-arguments", Exit: exitOK, Args: native("native-bad"), Check: allChecks(
			checkAnswer(`{"answer": "I called it wrongly."}`), checkChatCount(2), checkRecords("request", 2, "INVALID_ARGUMENTS"), checkRecords("result", 1))},
		{Name: "native-write-denied", Exit: exitDenied, Args: native("native-write", "--tool", "file_put", "--allow", "file_put", "--deny", "file_put"), Check: allChecks(
			checkNoFile("vault/out/list.md"), checkStderr("file_put"), checkChatCount(1))},
		{Name: "native-write-allowed", Exit: exitOK, Args: native("native-write", "--tool", "file_put", "--allow", "file_put"), Check: allChecks(
			checkAnswer(`{"answer": "The list is written."}`), checkFile("vault/out/list.md", "apples\npears\n"), checkRecords("intent", 1))},
		// Ollama drops a reply with a call that it cannot parse: the response
		// is empty.
		{Name: "native-unknown-tool", Exit: exitModel, Args: native("native-unknown"), Check: allChecks(checkChatCount(2), checkStderr("empty"), checkRecords("call", 0))},
		{Name: "native-cut-call", Exit: exitModel, Args: native("native-cut"), Check: allChecks(checkChatCount(2), checkStderr("empty"), checkRecords("call", 0))},
		{Name: "native-call-over-the-limit", Exit: exitModel, Args: native("native-cut", "--param", "max_tokens=7"), Check: allChecks(checkChatCount(2), checkRecords("call", 0))},
		{Name: "native-replay", Exit: exitOK, Before: recordRun(native("native")), Check: allChecks(
			checkAnswer(`{"answer": "Apples – Äpfel 🍏 – are kept in the cellar."}`), checkChatCount(0)),
			Args: []string{"run", "--model", "replay:" + runFile, "--dialect", "native", "--tool", "vault_search", "--tool", "file_read", "--no-run-file", promptOf(native("native"))}},
	}
	for i := range cases {
		cases[i].Calls = true
	}
	return cases
}

// modelWithoutToolsCases are runs with a model that, according to the server, does not support
// tools.
func modelWithoutToolsCases(protocol int) []Case {
	return []Case{
		{Name: "tool-dialect", Exit: exitOK, Args: protocolArgs(protocol, modelName, "tool", "tools", withNotes()...), Check: allChecks(
			checkAnswer(`{"answer": "Apples – Äpfel 🍏 – are kept in the cellar."}`), checkChatCount(4), checkRecords("result", 2), checkCommand("validate", runFile))},
		{Name: "toolcalls-dialect", Exit: exitOK, Args: protocolArgs(protocol, modelName, "toolcalls", "json", withNotes()...), Check: allChecks(
			checkAnswer(`{"answer": "Pears are in the attic."}`), checkChatCount(3), checkRecords("result", 2, "in the attic", "File not found"))},
		{Name: "answer-without-tools", Exit: exitOK, Args: protocolArgs(protocol, modelName, "auto", "plain"), Check: allChecks(checkAnswer(`{"answer": "In the cellar."}`), checkChatCount(1))},
		{Name: "unknown-model", Exit: exitUnknownModel, Args: protocolArgs(protocol, "no-such-model", "tool", "plain"), Check: checkStderr("no-such-model")},
		tokenLimitCase(protocol),
		{Name: "runner-killed", Exit: exitUnavailable, Args: protocolArgs(protocol, modelName, "tool", "endless", withNotes()...), During: killModelRunners, Within: 30 * time.Second, Check: checkStderr("again")},
		{Name: "timeout", Exit: exitTimeout, Args: protocolArgs(protocol, modelName, "tool", "endless", withNotes("--timeout", "3s")...),
			Within: 5 * time.Second, Check: allChecks(checkStderr("3s"), checkServerIdle)},
		{Name: "no-server", Exit: exitUnavailable, Within: 30 * time.Second,
			Args: []string{"run", "--api", protocols[protocol].API, "--base-url", "http://127.0.0.1:9", "--model", modelName, "--dialect", "tool", "script: plain"}},
	}
}

// tokenLimitCase is a run whose replies are cut at a limit. Over responses, Ollama
// reports every reply as complete, so only the truncated call shows the cut; it is not
// executed.
func tokenLimitCase(protocol int) Case {
	c := Case{Name: "reply-over-the-limit", Exit: exitModel, Args: protocolArgs(protocol, modelName, "tool", "tools", withNotes("--param", "max_tokens=8")...),
		Check: allChecks(checkChatCount(2), checkStderr("length limit"), checkRecords("result", 0))}
	if protocols[protocol].API == "responses" {
		c.Exit, c.Check = exitOK, allChecks(checkStderr("truncated-call"), checkRecords("call", 1, "file_read"))
	}
	return c
}

// autoCases are runs in which the server reports the capabilities of the model.
var autoCases = []Case{
	{Name: "auto-is-native", Exit: exitOK, Calls: true, Args: autoDialectArgs(callerName, "native"), Check: allChecks(
		checkAnswer(`{"answer": "Apples – Äpfel 🍏 – are kept in the cellar."}`), checkChatCount(3), checkRecords("run", 1, `"dialect":"native"`))},
	{Name: "auto-is-text", Exit: exitOK, Args: autoDialectArgs(modelName, "tools"), Check: allChecks(
		checkAnswer(`{"answer": "Apples – Äpfel 🍏 – are kept in the cellar."}`), checkChatCount(4), checkRecords("run", 1, `"dialect":"tool"`))},
}

func autoDialectArgs(model, script string) []string {
	return append(append([]string{"run", "--model", "ollama/" + model, "--base-url", "{server}"}, withNotes()...), "script: "+script)
}

// promptOf returns the prompt of a run.
func promptOf(args []string) string { return args[len(args)-1] }

// recordRun records the run file that a case reads.
func recordRun(args []string) func(*Trial) error {
	return func(t *Trial) error {
		o, err := t.RunOneshot(args...)
		if err == nil && o.Exit != exitOK {
			err = fmt.Errorf("the recorded run: exit %d: %s", o.Exit, strings.TrimSpace(o.Stderr))
		}
		return err
	}
}
