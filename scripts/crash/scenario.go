//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"oneshot/pkg/runfile"
	"oneshot/scripts/modelserver"
)

// A call is a call by the scripted model. Notes in its arguments are the number of the request that it answers, so
// that a model that is asked again makes a different call.
type call struct{ tool, arguments string }

// A scenario is a run that is disturbed.
type scenario struct {
	name    string
	api     modelserver.API
	dialect string
	turns   [][]call // nil for the answer, which needs input of the user
	flags   []string // besides those for the model and the record
	file    bool     // the answer goes to a file
	wrapped bool     // in an envelope
	steps   []step   // all effects of a complete run
	files   map[string]string
	gone    []string     // files that do not exist any more when the run is resumed
	sends   []string     // texts in every request
	kind    runfile.Kind // of a required record; "" for none
	first   *firstLeg    // undisturbed, before the disturbed resume; nil for none

	concurrency int // of a batch; 0 for a single run
}

// A firstLeg is an undisturbed first part of a run. Only its resume is disturbed.
type firstLeg struct {
	exit    int
	play    string   // the replies from the second turn on, in the form of [modelserver.ParsePlay]; "" for the script's
	answers []string // the flags of the resume
}

// A step is one effect of a program or a server, as logged.
type step struct {
	name  string
	keyed bool
}

const note = "NOTE"

func fileReadCall(path string) call {
	return call{"file_read", fmt.Sprintf(`{"filePaths":[%q]}`, path)}
}

func filePutCall(path, content, match string) call {
	more := ""
	if match != "" {
		more = fmt.Sprintf(`,"ifMatch":%q`, match)
	}
	return call{"file_put", fmt.Sprintf(`{"path":%q,"content":%q%s}`, path, content, more)}
}

func keyedCall(name string) call {
	return call{"send_keyed", fmt.Sprintf(`{"step":%q,"note":%q}`, name, note)}
}

func unkeyedCall(name string) call {
	return call{"send_plain", fmt.Sprintf(`{"step":%q,"note":%q}`, name, note)}
}

func postedCall(name string) call {
	return call{"post_keyed", fmt.Sprintf(`{"step":%q,"note":%q}`, name, note)}
}

func postedPlainCall(name string) call {
	return call{"post_plain", fmt.Sprintf(`{"step":%q,"note":%q}`, name, note)}
}

func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// Contents of files in the folder before a run.
const (
	textBefore = "apples\n"
	fileBefore = `{"answer":"of yesterday"}` + "\n"
)

// Contents of the files that go with a prompt.
const (
	image = "\x89PNG\r\n\x1a\nabc"
	facts = "Pears are better than apples."
)

// programs are the flags that enable the programs of the scenarios.
var programs = []string{"--tools", "tools", "--tool", "send_*", "--enable-exec"}

// scenarios returns the runs to disturb. Each has reads, and one kind of writes.
func scenarios() []*scenario {
	all := []*scenario{
		{
			name: "files", api: modelserver.Ollama, dialect: "tool", flags: []string{"--allow", "file_put"},
			turns: [][]call{
				{fileReadCall("text.md")},
				{filePutCall("new/a.md", "a\n", "none"), filePutCall("b.md", "b\n", "")},
				{fileReadCall("b.md"), filePutCall("text.md", "pears\n", digest(textBefore))},
			},
		},
		{
			name: "keyed", api: modelserver.Chat, dialect: "native", file: true,
			flags: append([]string{"--allow", "send_*", "--allow", "file_put"}, programs...),
			turns: [][]call{{fileReadCall("text.md"), keyedCall("one")}, {keyedCall("two"), filePutCall("a.md", "a\n", "none"), keyedCall("three")}},
		},
		{
			name: "plain", api: modelserver.Ollama, dialect: "tool",
			flags: append([]string{"--allow", "send_*"}, programs...),
			turns: [][]call{{fileReadCall("text.md"), unkeyedCall("one")}, {unkeyedCall("two"), keyedCall("three"), unkeyedCall("four")}},
		},
		{
			name: "told", api: modelserver.Messages, dialect: "native",
			flags: append([]string{"--policy", "report.yaml"}, programs...),
			turns: [][]call{{unkeyedCall("one")}, {unkeyedCall("two"), fileReadCall("text.md")}},
		},
		{
			name: "envelope", api: modelserver.Ollama, dialect: "toolcalls", wrapped: true,
			flags: append([]string{"--allow", "send_*", "--allow", "file_put"}, programs...),
			turns: [][]call{{keyedCall("one"), fileReadCall("text.md")}, {filePutCall("a.md", "a\n", "")}},
		},
		{
			name: "requests", api: modelserver.Chat, dialect: "native",
			flags: []string{"--allow", "post_*", "--tools", "tools", "--tool", "post_*", "--allow-host", address},
			turns: [][]call{{postedCall("one"), fileReadCall("text.md")}, {postedPlainCall("two"), postedCall("three")}},
		},
		{
			name: "approved", kind: runfile.KindApproval, api: modelserver.Chat, dialect: "native",
			flags: append([]string{"--policy", "ask.yaml", "--approve", "./approve.sh"}, programs...),
			turns: [][]call{{fileReadCall("text.md"), unkeyedCall("one")}, {filePutCall("text.md", "pears\n", ""), unkeyedCall("two")}},
		},
		{
			name: "answered", kind: runfile.KindUserInput, api: modelserver.Chat, dialect: "native",
			flags: append([]string{"--allow", "send_*", "--allow", "file_put"}, programs...),
			first: &firstLeg{exit: exitNeeds, answers: []string{"--answer", "step=three"}},
			turns: [][]call{{unkeyedCall("one")}, {{"send_asked", `{"note":"` + note + `"}`}, filePutCall("text.md", "pears\n", "")}, {{"send_asked", `{"step":"three","note":"` + note + `"}`}}},
		},
		{
			name: "attached", kind: runfile.KindAttachment, api: modelserver.Chat, dialect: "native",
			gone: []string{"scan.png", "facts.txt"}, sends: []string{base64.StdEncoding.EncodeToString([]byte(image)), facts},
			flags: append([]string{"--attach", "scan.png", "--input", "facts.txt", "--allow", "send_*", "--allow", "file_put"}, programs...),
			turns: [][]call{{fileReadCall("text.md"), unkeyedCall("one")}, {keyedCall("two"), filePutCall("text.md", "pears\n", "")}},
		},
		{
			name: "silent", kind: runfile.KindResumed, api: modelserver.Chat, dialect: "native",
			flags: append([]string{"--allow", "send_*", "--allow", "file_put"}, programs...),
			first: &firstLeg{exit: exitNoAnswer, play: "text \"\"\nstop"},
			turns: [][]call{{unkeyedCall("one"), filePutCall("a.md", "a\n", "none")}, {unkeyedCall("two"), filePutCall("text.md", "pears\n", "")}},
		},
		{
			name: "rejected", kind: runfile.KindResumed, api: modelserver.Chat, dialect: "native",
			flags: append([]string{"--allow", "send_*", "--allow", "file_put"}, programs...),
			first: &firstLeg{exit: exitRejected, play: "status 400\nheader Content-Type: application/json\nraw \"{}\""},
			turns: [][]call{{unkeyedCall("one"), filePutCall("a.md", "a\n", "none")}, {keyedCall("two"), filePutCall("text.md", "pears\n", "")}},
		},
	}
	for _, sc := range all {
		sc.deriveFields()
	}
	return all
}

// longScenario returns a run of that many calls.
func longScenario(calls int) *scenario {
	sc := &scenario{
		name: fmt.Sprintf("%d calls", calls), api: modelserver.Chat, dialect: "native", file: true,
		flags: append([]string{"--allow", "send_*", "--allow", "file_put", "--max-calls", "1000", "--max-turns", "1000", "--max-identical-calls", "1000"}, programs...),
	}
	for i := 0; i < calls; i += 4 {
		name := fmt.Sprint("s", i)
		sc.turns = append(sc.turns, []call{fileReadCall("text.md"), filePutCall(name+".md", name, "none"), keyedCall(name), filePutCall("last.md", name, "")})
	}
	sc.deriveFields()
	return sc
}

// deriveFields sets the fields that follow from the turns.
func (sc *scenario) deriveFields() {
	sc.flags = append([]string{"--root", "work", "--tool", "file_read"}, sc.flags...)
	if sc.hasCallWithPrefix("file_put") {
		sc.flags = append(sc.flags, "--tool", "file_put")
	}
	sc.files = map[string]string{"text.md": textBefore}
	for _, turn := range sc.turns {
		for _, c := range turn {
			switch c.tool {
			case "send_keyed", "send_plain", "send_asked", "post_keyed", "post_plain":
				if name := stringArgument(c, "step"); name != "" { // only the user knows it otherwise
					sc.steps = append(sc.steps, step{name, strings.HasSuffix(c.tool, "_keyed")})
				}
			case "file_put":
				sc.files[stringArgument(c, "path")] = stringArgument(c, "content")
			}
		}
	}
}

// needsPrograms reports whether a scenario runs programs, which only Linux supports.
func (sc *scenario) needsPrograms() bool { return sc.hasCallWithPrefix("send_") }

// hasCallWithPrefix reports whether the scenario calls a tool whose name begins with a prefix.
func (sc *scenario) hasCallWithPrefix(name string) bool {
	for _, turn := range sc.turns {
		if slices.ContainsFunc(turn, func(c call) bool { return strings.HasPrefix(c.tool, name) }) {
			return true
		}
	}
	return false
}

// tools are the definitions of the programs: each logs its key, if any, and its step, and then
// waits if the file linger names the step.
var tools = toolDefinition("send_keyed", "idempotent: {key: env MESSAGE_KEY}\n"+program) + "---\n" + toolDefinition("send_plain", program) + "---\n" + asked

// asked is the definition of a program whose step only the user knows.
var asked = strings.Replace(toolDefinition("send_asked", program), `signature: "send_asked(step: string, note: string)"`,
	`parameters: {note: {type: string}, step: {type: string, ask: "Which step?"}}`, 1)

const program = `effect: exec
exec: {argv: [/bin/sh, -c, 'echo "$${MESSAGE_KEY-none} $1 $2" >> effects.log; if read s 2>/dev/null < linger && [ "$s" = "$1" ]; then sleep 60; fi', sh, "${step}", "${note}"]}
`

// requests are the definitions of tools that call the server: see [model.serveEffect]. The server recognizes a key
// that it has seen.
var requests = toolDefinition("post_keyed", "idempotent: {key: header Idempotency-Key}\n"+strings.ReplaceAll(request, "body: json", "body: json, done: [409]")) + "---\n" + toolDefinition("post_plain", request)

const (
	address = "ADDRESS" // placeholder for the server's
	request = `effect: write
http: {method: POST, url: "http://` + address + effects + `", body: json}
`
)

func toolDefinition(name, more string) string {
	return strings.ReplaceAll(`name: NAME
description: Send a text.
signature: "NAME(step: string, note: string)"
examples:
  - {call: "NAME('a', '1')"}
  - {call: "NAME('b', '2')"}
  - {call: "NAME('c', '3')"}
`+more, "NAME", name)
}

// ask is a policy under which each change is approved by approve.
const ask = `version: 1
enable_exec: true
tools:
  send_plain: {ask: [{}]}
  file_put: {ask: [{}]}
  file_read: {allow: [{}]}
`

const approve = "#!/bin/sh\ncat > /dev/null\necho '{\"approved\": true}'\n"

// report is a policy that reports unknown outcomes to the model.
const report = `version: 1
enable_exec: true
tools:
  send_plain: {allow: [{id: send, on_unknown: report}]}
  file_read: {allow: [{}]}
`
