//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"oneshot/pkg/runfile"
	"oneshot/scripts/modelserver"
)

// A call is what the scripted model asks for. Notes in its arguments are the number of the request
// that it answers, so that a model that is asked again asks for something else.
type call struct{ tool, arguments string }

// A scenario is a run that is disturbed.
type scenario struct {
	name    string
	api     modelserver.API
	dialect string
	turns   [][]call // nil for the answer, to which the user has something to say
	flags   []string // beside those for the model and the record
	file    bool     // the answer goes to a file
	wrapped bool     // in an envelope
	steps   []step   // what has happened in the end
	files   map[string]string
	kind    runfile.Kind // of a record that the run has to have; "" for none
	first   *firstLeg    // undisturbed, before the run is; nil for none
}

// A firstLeg is how a run ends before it is resumed, and disturbed only then.
type firstLeg struct {
	exit    int
	play    string   // what the model says from its second turn on, in the form of [modelserver.ParsePlay]; "" for its script
	answers []string // the flags with which the run is resumed
}

// A step is an effect of a program or a server, as the log has it.
type step struct {
	name  string
	keyed bool
}

const note = "NOTE"

func readCall(path string) call {
	return call{"file_read", fmt.Sprintf(`{"filePaths":[%q]}`, path)}
}

func putCall(path, content, match string) call {
	more := ""
	if match != "" {
		more = fmt.Sprintf(`,"ifMatch":%q`, match)
	}
	return call{"file_put", fmt.Sprintf(`{"path":%q,"content":%q%s}`, path, content, more)}
}

func keyedCall(name string) call {
	return call{"send_keyed", fmt.Sprintf(`{"step":%q,"note":%q}`, name, note)}
}

func plainCall(name string) call {
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

// What is in the folder of a run before it begins.
const (
	textBefore = "apples\n"
	fileBefore = `{"answer":"of yesterday"}` + "\n"
)

// programs are the flags by which the programs of the scenarios can be run.
var programs = []string{"--tools", "tools", "--tool", "send_*", "--enable-exec"}

// scenarios returns the runs that are disturbed. Each has reads, and writes of another kind.
func scenarios() []*scenario {
	all := []*scenario{
		{
			name: "files", api: modelserver.Ollama, dialect: "tool", flags: []string{"--allow", "file_put"},
			turns: [][]call{
				{readCall("text.md")},
				{putCall("new/a.md", "a\n", "none"), putCall("b.md", "b\n", "")},
				{readCall("b.md"), putCall("text.md", "pears\n", digest(textBefore))},
			},
		},
		{
			name: "keyed", api: modelserver.Chat, dialect: "native", file: true,
			flags: append([]string{"--allow", "send_*", "--allow", "file_put"}, programs...),
			turns: [][]call{{readCall("text.md"), keyedCall("one")}, {keyedCall("two"), putCall("a.md", "a\n", "none"), keyedCall("three")}},
		},
		{
			name: "plain", api: modelserver.Ollama, dialect: "tool",
			flags: append([]string{"--allow", "send_*"}, programs...),
			turns: [][]call{{readCall("text.md"), plainCall("one")}, {plainCall("two"), keyedCall("three"), plainCall("four")}},
		},
		{
			name: "told", api: modelserver.Messages, dialect: "native",
			flags: append([]string{"--policy", "report.yaml"}, programs...),
			turns: [][]call{{plainCall("one")}, {plainCall("two"), readCall("text.md")}},
		},
		{
			name: "envelope", api: modelserver.Ollama, dialect: "toolcalls", wrapped: true,
			flags: append([]string{"--allow", "send_*", "--allow", "file_put"}, programs...),
			turns: [][]call{{keyedCall("one"), readCall("text.md")}, {putCall("a.md", "a\n", "")}},
		},
		{
			name: "requests", api: modelserver.Chat, dialect: "native",
			flags: []string{"--allow", "post_*", "--tools", "tools", "--tool", "post_*", "--allow-host", address},
			turns: [][]call{{postedCall("one"), readCall("text.md")}, {postedPlainCall("two"), postedCall("three")}},
		},
		{
			name: "approved", kind: runfile.KindApproval, api: modelserver.Chat, dialect: "native",
			flags: append([]string{"--policy", "ask.yaml", "--approve", "./approve.sh"}, programs...),
			turns: [][]call{{readCall("text.md"), plainCall("one")}, {putCall("text.md", "pears\n", ""), plainCall("two")}},
		},
		{
			name: "answered", kind: runfile.KindUserInput, api: modelserver.Chat, dialect: "native",
			flags: append([]string{"--allow", "send_*", "--allow", "file_put"}, programs...),
			first: &firstLeg{exit: exitNeeds, answers: []string{"--answer", "step=three"}},
			turns: [][]call{{plainCall("one")}, {{"send_asked", `{"note":"` + note + `"}`}, putCall("text.md", "pears\n", "")}, {{"send_asked", `{"step":"three","note":"` + note + `"}`}}},
		},
		{
			name: "silent", kind: runfile.KindResumed, api: modelserver.Chat, dialect: "native",
			flags: append([]string{"--allow", "send_*", "--allow", "file_put"}, programs...),
			first: &firstLeg{exit: exitNoAnswer, play: "text \"\"\nstop"},
			turns: [][]call{{plainCall("one"), putCall("a.md", "a\n", "none")}, {plainCall("two"), putCall("text.md", "pears\n", "")}},
		},
		{
			name: "rejected", kind: runfile.KindResumed, api: modelserver.Chat, dialect: "native",
			flags: append([]string{"--allow", "send_*", "--allow", "file_put"}, programs...),
			first: &firstLeg{exit: exitRejected, play: "status 400\nheader Content-Type: application/json\nraw \"{}\""},
			turns: [][]call{{plainCall("one"), putCall("a.md", "a\n", "none")}, {keyedCall("two"), putCall("text.md", "pears\n", "")}},
		},
	}
	for _, sc := range all {
		sc.deriveFields()
	}
	return all
}

// longScenario returns a run of some calls.
func longScenario(calls int) *scenario {
	sc := &scenario{
		name: fmt.Sprintf("%d calls", calls), api: modelserver.Chat, dialect: "native", file: true,
		flags: append([]string{"--allow", "send_*", "--allow", "file_put", "--max-calls", "1000", "--max-turns", "1000", "--max-identical-calls", "1000"}, programs...),
	}
	for i := 0; i < calls; i += 4 {
		name := fmt.Sprint("s", i)
		sc.turns = append(sc.turns, []call{readCall("text.md"), putCall(name+".md", name, "none"), keyedCall(name), putCall("last.md", name, "")})
	}
	sc.deriveFields()
	return sc
}

// deriveFields fills in what follows from the turns.
func (sc *scenario) deriveFields() {
	sc.flags = append([]string{"--root", "work", "--tool", "file_read"}, sc.flags...)
	if sc.hasCall("file_put") {
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

// needsPrograms reports whether a scenario needs what only Linux has.
func (sc *scenario) needsPrograms() bool { return sc.hasCall("send_") }

// hasCall reports whether a tool is called whose name begins so.
func (sc *scenario) hasCall(name string) bool {
	for _, turn := range sc.turns {
		if slices.ContainsFunc(turn, func(c call) bool { return strings.HasPrefix(c.tool, name) }) {
			return true
		}
	}
	return false
}

// tools are the definitions of the programs: each logs its key, if it has one, and its step, and then
// lingers if it is the step that the file linger names.
var tools = definition("send_keyed", "idempotent: {key: env MESSAGE_KEY}\n"+program) + "---\n" + definition("send_plain", program) + "---\n" + asked

// asked is the definition of a program whose step only the user knows.
var asked = strings.Replace(definition("send_asked", program), `signature: "send_asked(step: string, note: string)"`,
	`parameters: {note: {type: string}, step: {type: string, ask: "Which step?"}}`, 1)

const program = `effect: exec
exec: {argv: [/bin/sh, -c, 'echo "$${MESSAGE_KEY-none} $1 $2" >> effects.log; if read s 2>/dev/null < linger && [ "$s" = "$1" ]; then sleep 60; fi', sh, "${step}", "${note}"]}
`

// requests are the definitions of what a server does: see [model.effect]. The server knows a key that it has seen.
var requests = definition("post_keyed", "idempotent: {key: header Idempotency-Key}\n"+strings.ReplaceAll(request, "body: json", "body: json, done: [409]")) + "---\n" + definition("post_plain", request)

const (
	address = "ADDRESS" // stands for that of the server
	request = `effect: write
http: {method: POST, url: "http://` + address + effects + `", body: json}
`
)

func definition(name, more string) string {
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
