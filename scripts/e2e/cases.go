//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The exit codes of oneshot that the cases expect.
const (
	exitOK          = 0
	exitFindings    = 1
	exitUsage       = 2
	exitUnavailable = 5
	exitLimit       = 6
	exitDenied      = 7
	exitModel       = 9
	exitTimeout     = 124
	exitInterrupted = 130
	exitTerminated  = 143

	// An unknown model is a usage error: the name must be corrected, and a later retry does not
	// help.
	exitUnknownModel = exitUsage
)

// The names of the scripted model: without tools in its
// template, and with them, so that it calls natively.
const (
	modelName  = "scripted"
	callerName = "caller"
)

// promptArgs returns the arguments of a run that the model answers by a script. The
// flags go before the prompt.
func promptArgs(script string, flags ...string) []string {
	args := append([]string{"run", "--model", "ollama/" + modelName, "--base-url", "{server}"}, flags...)
	return append(args, "Where are the apples?\nscript: "+script+"\nAnswer in a sentence.")
}

// withNotes are the flags of a run that may search and read {vault}.
func withNotes(flags ...string) []string {
	return append([]string{"--tool", "vault_search", "--tool", "file_read", "--root", "{vault}", "--run-file", runFile}, flags...)
}

// boxes is a schema of which servers enforce everything but multipleOf.
const boxes = `{
  "type": "object",
  "properties": {"boxes": {"type": "integer", "multipleOf": 5}, "fruit": {"type": "string"}},
  "required": ["boxes", "fruit"],
  "additionalProperties": false
}
`

// stock is a schema that servers enforce completely.
const stock = `{
  "type": "object",
  "properties": {"fruit": {"enum": ["apples", "pears"]}, "ripe": {"type": "boolean"}, "boxes": {"type": "array", "items": {"type": "integer"}, "minItems": 2}},
  "required": ["fruit", "ripe", "boxes"],
  "additionalProperties": false
}
`

// checkInDialect checks a run in a dialect with two calls, of which the second ends the work.
func checkInDialect(name string) check {
	return allChecks(checkAnswer(`{"answer": "In the cellar, `+name+` says."}`), checkChatCount(3),
		checkRecords("run", 1, `"dialect":"`+name+`"`), checkRecords("result", 1, "kept in the cellar"))
}

// Cases are all cases, in order.
var Cases = slices.Concat(runCases, autoCases, protocolCases())

// runCases are runs with Ollama's own protocol, with calls written as text.
var runCases = []Case{
	// Answers.
	{Name: "tools-and-answer", Exit: exitOK, Args: promptArgs("tools", withNotes()...), Check: allChecks(
		checkAnswer(`{"answer": "Apples – Äpfel 🍏 – are kept in the cellar."}`),
		checkChatCount(4), checkRecords("result", 2, "notes/apples.md", "kept in the cellar"), checkRecords("answer", 1), checkRecords("end", 1, `"exit":0`),
		checkCommand("validate", runFile))},
	{Name: "several-calls-in-a-reply", Exit: exitOK, Args: promptArgs("several", withNotes()...), Check: allChecks(
		checkAnswer(`{"answer": "Pears are in the attic."}`), checkChatCount(2), checkRecords("result", 2, "in the attic", "File not found"))},
	{Name: "dialect-hermes", Exit: exitOK, Args: promptArgs("hermes", withNotes("--dialect", "hermes")...), Check: checkInDialect("hermes")},
	{Name: "dialect-qwen3-coder-xml", Exit: exitOK, Args: promptArgs("tags", withNotes("--dialect", "qwen3_coder_xml")...), Check: checkInDialect("qwen3_coder_xml")},
	{Name: "dialect-react", Exit: exitOK, Args: promptArgs("react", withNotes("--dialect", "react")...), Check: checkInDialect("react")},
	{Name: "answer-without-tools", Exit: exitOK, Args: promptArgs("plain"), Check: allChecks(checkAnswer(`{"answer": "In the cellar."}`), checkChatCount(1))},
	{Name: "prompt-from-stdin", Exit: exitOK, Input: "Where?\nscript: plain\n",
		Args:  []string{"run", "--model", "ollama/" + modelName, "--base-url", "{server}", "-"},
		Check: checkAnswer(`{"answer": "In the cellar."}`)},
	{Name: "cold-model", Exit: exitOK, Args: promptArgs("plain", "--first-byte-timeout", "50s"), Before: unload,
		Check: checkAnswer(`{"answer": "In the cellar."}`)},
	{Name: "default-model", Exit: exitOK, Args: []string{"run", "--base-url", "{server}", "script: plain"},
		Check: checkAnswer(`{"answer": "In the cellar."}`)},

	// Schemas.
	{Name: "server-enforces-schema", Exit: exitOK, Files: map[string]string{"stock.json": stock},
		Args: promptArgs("enforced", withNotes("--schema", "{dir}/stock.json")...), Check: allChecks(checkStockAnswer, checkChatCount(2), checkRecords("answer", 1, `"format"`))},
	{Name: "answer-repaired", Exit: exitOK, Files: map[string]string{"boxes.json": boxes},
		Args:  promptArgs("repair", withNotes("--schema", "{dir}/boxes.json")...),
		Check: allChecks(checkAnswer(`{"boxes": 10, "fruit": "apples"}`), checkChatCount(3), checkRecords("answer", 1, `"repairs":1`))},
	{Name: "answer-never-fits", Exit: exitFindings, Files: map[string]string{"boxes.json": boxes},
		Args:  promptArgs("stubborn", withNotes("--schema", "{dir}/boxes.json")...),
		Check: allChecks(checkChatCount(4), checkStderr("multiple"), checkRecords("answer", 0), checkRecords("end", 1, `"exit":1`))},
	{Name: "repairs-forbidden", Exit: exitFindings, Files: map[string]string{"boxes.json": boxes},
		Args: promptArgs("repair", withNotes("--schema", "{dir}/boxes.json", "--max-repairs", "0")...), Check: checkChatCount(2)},

	// Faults of models.
	{Name: "unknown-tool-called", Exit: exitOK, Args: promptArgs("stranger", withNotes()...), Check: allChecks(
		checkAnswer(`{"answer": "There is no such tool."}`), checkRecords("request", 3, "UNKNOWN_TOOL"))},
	{Name: "files-outside-root", Exit: exitOK, Args: promptArgs("escape", withNotes()...), Before: linkOutside,
		Check: allChecks(checkAnswer(`{"answer": "I could not read them."}`), checkAbsent("You should not have read this", "root:"))},
	{Name: "write-not-allowed", Exit: exitUsage, Args: promptArgs("write", withNotes("--tool", "file_put")...), Check: allChecks(checkStderr("--allow file_put"), checkChatCount(0))},
	{Name: "write-denied", Exit: exitDenied, Args: promptArgs("write", withNotes("--tool", "file_put", "--allow", "file_put", "--deny", "file_put")...),
		Check: allChecks(checkNoFile("vault/out/list.md"), checkStderr("file_put"), checkChatCount(1))},
	{Name: "write-allowed", Exit: exitOK, Args: promptArgs("write", withNotes("--tool", "file_put", "--allow", "file_put")...),
		Check: allChecks(checkAnswer(`{"answer": "The list is written."}`), checkFile("vault/out/list.md", "apples\npears\n"), checkRecords("intent", 1))},
	{Name: "talk-without-calls", Exit: exitModel, Args: promptArgs("chatty", withNotes()...), Check: checkChatCount(3)},
	{Name: "empty-reply", Exit: exitModel, Args: promptArgs("empty", withNotes()...), Check: allChecks(checkChatCount(2), checkStderr("empty"))},
	{Name: "cut-call", Exit: exitModel, Args: promptArgs("tools", withNotes("--param", "num_predict=8")...),
		Check: allChecks(checkChatCount(2), checkStderr("cut"), checkRecords("result", 0))},
	{Name: "reply-that-stutters", Exit: exitUnavailable, Args: promptArgs("stutter", withNotes()...), Within: 20 * time.Second},

	// Limits.
	{Name: "context-overflow", Exit: exitLimit, Check: checkStderr("context"),
		Args: promptArgs("tools "+strings.Repeat("apples and pears ", 60), withNotes("--param", "num_ctx=512")...)},
	{Name: "turns-spent", Exit: exitLimit, Args: promptArgs("tools", withNotes("--max-turns", "2")...), Check: allChecks(checkChatCount(2), checkStderr("2 turns"))},
	{Name: "same-call-again", Exit: exitLimit, Args: promptArgs("again", withNotes()...), Check: checkStderr("same call")},
	{Name: "tokens-spent", Exit: exitLimit, Args: promptArgs("endless", withNotes("--max-total-tokens", "1200")...),
		Within: 30 * time.Second, Check: allChecks(checkStderr("1200 tokens"), checkChatCount(1), checkServerIdle)},
	{Name: "tokens-too-few", Exit: exitLimit, Args: promptArgs("endless", withNotes("--max-total-tokens", "300")...),
		Check: allChecks(checkStderr("300 of 300 are left; it was not sent"), checkChatCount(0))},
	{Name: "timeout", Exit: exitTimeout, Args: promptArgs("endless", withNotes("--timeout", "3s")...),
		Within: 5 * time.Second, Check: allChecks(checkStderr("3s"), checkRecords("end", 1, `"exit":124`), checkServerIdle)},
	{Name: "first-byte-timeout", Exit: exitTimeout, Args: promptArgs("plain", "--first-byte-timeout", "20ms"), Before: unload},

	{Name: "envelope-of-a-failure", Exit: exitLimit, Envelope: true,
		Args:  promptArgs("tools", withNotes("--max-turns", "2", "--output", "envelope")...),
		Check: allChecks(checkStdout(`"ok":false`, `"limit"`, `"vault_search"`, `"file_read"`), checkChatCount(2))},

	// Servers.
	{Name: "unknown-model", Exit: exitUnknownModel, Check: checkStderr("no-such-model"),
		Args: []string{"run", "--model", "ollama/no-such-model", "--base-url", "{server}", "script: plain"}},
	{Name: "two-models-none-named", Exit: exitUsage, Args: []string{"run", "--base-url", "{server}", "script: plain"},
		Before: installSecond, Check: allChecks(removeSecondModel, checkStderr(modelName, "second"), checkChatCount(0))},
	{Name: "no-server", Exit: exitUnavailable, Within: 30 * time.Second,
		Args: []string{"run", "--model", "ollama/" + modelName, "--base-url", "http://127.0.0.1:9", "script: plain"}},
	{Name: "no-server-no-model", Exit: exitUnavailable, Within: 30 * time.Second,
		Args: []string{"run", "--base-url", "http://127.0.0.1:9", "script: plain"}},
	{Name: "runner-killed", Exit: exitUnavailable, Args: promptArgs("endless", withNotes()...), During: killModelRunners, Within: 30 * time.Second, Check: checkStderr("again")},

	// Signals.
	{Name: "interrupt", Exit: exitInterrupted, Args: promptArgs("endless", withNotes()...), During: signalAndEnd(syscall.SIGINT),
		Check: allChecks(checkRecords("end", 1, `"exit":130`), checkServerIdle)},
	{Name: "terminate", Exit: exitTerminated, Args: promptArgs("endless", withNotes()...), During: signalAndEnd(syscall.SIGTERM), Check: checkServerIdle},

	// Records.
	{Name: "replay", Exit: exitOK, Before: recordTools, Check: allChecks(checkAnswer(`{"answer": "Apples – Äpfel 🍏 – are kept in the cellar."}`), checkChatCount(0)),
		Args: []string{"run", "--model", "replay:" + runFile, "--tool", "vault_search", "--tool", "file_read", "--no-run-file", toolsPrompt}},
	{Name: "replay-of-something-else", Exit: exitFindings, Before: recordTools, Check: checkChatCount(0),
		Args: []string{"run", "--model", "replay:" + runFile, "--tool", "vault_search", "--tool", "file_read", "--no-run-file", "Another question."}},
	{Name: "parse-run-file", Exit: exitOK, Before: recordTools, Check: checkStdout("vault_search", "file_read", "finalResponse", "notes/apples.md"),
		Args: []string{"parse", "--format", "json", runFile}},
	{Name: "parse-response", Exit: exitOK, Before: writeRecordedReply, Check: allChecks(checkStdout(`"vault_search"`, `"apple"`), checkOneCall),
		Args: []string{"parse", "--dialect", "tool", "--format", "json", "{dir}/reply.txt"}},
}

// toolsPrompt is the prompt of ask("tools").
var toolsPrompt = promptOf(promptArgs("tools"))

func unload(t *Trial) error { return t.Server.Unload(t.Context, modelName) }

// linkOutside puts a link that leads outside into {vault}.
func linkOutside(t *Trial) error {
	return os.Symlink(t.Dir+"/outside.txt", t.Dir+"/vault/notes/escape.md")
}

func installSecond(t *Trial) error { return t.Server.CopyModel(t.Context, modelName, "second") }

func removeSecondModel(t *Trial, _ Outcome) error { return t.Server.Delete(t.Context, "second") }

// checkStockAnswer checks an answer against the schema of that name, by hand.
func checkStockAnswer(_ *Trial, o Outcome) error {
	var got struct {
		Fruit *string
		Ripe  *bool
		Boxes []int
	}
	d := json.NewDecoder(strings.NewReader(o.Stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		return err
	}
	if got.Ripe == nil || got.Fruit == nil || *got.Fruit != "apples" && *got.Fruit != "pears" || len(got.Boxes) < 2 {
		return fmt.Errorf("the answer does not fit its schema: %s", o.Stdout)
	}
	return nil
}

// busy is the computing time after which the model is in the middle of a reply:
// longer than it needs to read any prompt of the cases.
const busy = time.Second

// killModelRunners kills every process that computes until the program gives up, even one that
// is still loading the model: then the server reports another status.
func killModelRunners(t *Trial, p *Program) error {
	return awaitCondition(t.Context, 30*time.Second, "the program to give up", func() (bool, error) {
		if p.AwaitEnd(t.Context, time.Millisecond) == nil {
			return true, nil
		}
		runner, err := t.Server.Runner()
		if err != nil || runner.CPU < busy { // the next one is not there yet
			return false, nil
		}
		if err := syscall.Kill(runner.ID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return false, err
		}
		return false, nil
	})
}

// signalAndEnd sends a signal in the middle of a reply; the program has ten seconds
// to end, far less than the reply takes.
func signalAndEnd(s syscall.Signal) func(*Trial, *Program) error {
	return func(t *Trial, p *Program) error {
		if _, err := t.Server.AwaitRunnerCPUTime(t.Context, busy); err != nil {
			return err
		}
		if err := p.Signal(s); err != nil {
			return err
		}
		return p.AwaitEnd(t.Context, 10*time.Second)
	}
}

// quiet is the time for which a number must not change before it is final.
const quiet = 300 * time.Millisecond

// checkServerIdle checks that the server has noticed the end of the run and no longer
// computes. The CPU clock ticks slowly, so the server is idle when the clock has not
// advanced for a while.
func checkServerIdle(t *Trial, _ Outcome) error {
	last, since := time.Duration(-1), time.Now()
	return awaitCondition(t.Context, 5*time.Second, "the server to be idle", func() (bool, error) {
		runner, err := t.Server.Runner()
		if runner.CPU != last {
			last, since = runner.CPU, time.Now()
		}
		return time.Since(since) > quiet, err
	})
}

// recordTools records the run file that a case reads.
func recordTools(t *Trial) error { return recordRun(promptArgs("tools", withNotes()...))(t) }

// writeRecordedReply writes the first response of a recorded run to {dir}/reply.txt.
func writeRecordedReply(t *Trial) error {
	if err := recordTools(t); err != nil {
		return err
	}
	_, responses, err := t.records("response")
	if err != nil {
		return err
	}
	if len(responses) == 0 {
		return errors.New("the run file has no response")
	}
	return os.WriteFile(t.Dir+"/reply.txt", []byte(responses[0].Content), 0o644)
}

// checkOneCall checks that exactly one call was found, without findings.
func checkOneCall(_ *Trial, o Outcome) error {
	var files []struct {
		Calls []struct {
			Status     string
			Executable bool
		}
		Findings []json.RawMessage
	}
	if err := json.Unmarshal([]byte(o.Stdout), &files); err != nil {
		return err
	}
	if len(files) != 1 {
		return fmt.Errorf("%d results for one file", len(files))
	}
	got := files[0]
	if len(got.Calls) != 1 || !got.Calls[0].Executable || got.Calls[0].Status != "ok" || len(got.Findings) > 0 {
		return fmt.Errorf("want one executable call without findings: %s", o.Stdout)
	}
	return nil
}
