//go:build unix

package main

import (
	"fmt"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"oneshot/scripts/modelserver"
)

// modelName is the name of the only model.
const modelName = "scripted"

// A form is a protocol and a dialect in which the model is called.
type form struct {
	name    string
	api     modelserver.API
	dialect string
}

// isNative reports whether calls are native.
func (f form) isNative() bool { return f.dialect == "native" }

// The forms that are measured.
var (
	toolOllama      = form{"tool over Ollama", modelserver.Ollama, "tool"}
	toolcallsOllama = form{"toolcalls over Ollama", modelserver.Ollama, "toolcalls"}
	nativeOllama    = form{"native over Ollama", modelserver.Ollama, "native"}
	nativeChat      = form{"native over chat completions", modelserver.Chat, "native"}
	nativeResponses = form{"native over responses", modelserver.Responses, "native"}
	nativeMessages  = form{"native over messages", modelserver.Messages, "native"}
)

// scriptCallLine returns a line of a script that calls a tool.
func (f form) scriptCallLine(id, tool, arguments string) string {
	switch f.dialect {
	case "native":
		return fmt.Sprintf("call %s %s %s", id, tool, arguments)
	case "toolcalls":
		return "text " + strconv.Quote(fmt.Sprintf(`{"type":%q,"id":%q,"operation":"look","parameters":%s}`, tool, id, arguments))
	}
	return "text " + strconv.Quote(fmt.Sprintf("return %s(%s);", tool, arguments))
}

// callEnvelope returns the text before and after the calls of a response.
func (f form) callEnvelope() (before, after string) {
	switch f.dialect {
	case "native":
		return "", ""
	case "toolcalls":
		return "text " + strconv.Quote(`{"toolCalls":[`), "text " + strconv.Quote("]}")
	}
	return "text " + strconv.Quote("```tool\n"), "text " + strconv.Quote("\n```")
}

// callSeparator returns the text between two calls.
func (f form) callSeparator() string {
	if f.dialect == "toolcalls" {
		return "text ,"
	}
	return ""
}

// callsReply returns the reply that makes calls; each line of a play may follow its call.
func (f form) callsReply(lines ...string) modelserver.Reply {
	before, after := f.callEnvelope()
	return mustPlay(before, strings.Join(lines, "\n"), after, "stop")
}

// endReply returns the reply after the calls, if the dialect has an ending call.
func (f form) endReply() (reply modelserver.Reply, ok bool) {
	switch f.dialect {
	case "native":
		return reply, false
	case "toolcalls":
		return f.callsReply(f.scriptCallLine("end", "end_turn", "{}")), true
	}
	return f.callsReply(`text return finalResponse();`), true
}

// answer is the reply that ends every run.
var answer = modelserver.Text(`{"answer": "It is in the cellar."}`)

// mustPlay parses a constant script.
func mustPlay(lines ...string) modelserver.Reply {
	reply, err := modelserver.ParsePlay("bench", strings.Join(lines, "\n"))
	if err != nil {
		panic(err)
	}
	return reply
}

// A model is a running server with the bodies that it received.
type model struct {
	*httptest.Server
	mu     sync.Mutex
	bodies [][]byte // of the requests since the last take
}

// startModel starts a server that answers each request of a conversation by its turn,
// from 1, without delay.
func startModel(s *modelserver.Server, turn func(body []byte, turn int) modelserver.Reply) *model {
	m := &model{}
	s.Tools = true
	s.Answer = func(r modelserver.Request) modelserver.Reply {
		m.mu.Lock()
		m.bodies = append(m.bodies, r.Body)
		m.mu.Unlock()
		return turn(r.Body, 1+turnsBefore(r.Body))
	}
	m.Server = httptest.NewServer(s.Handler())
	return m
}

// turnsBefore returns the number of replies in a request. In the responses protocol,
// where calls are entries of their own, the results of one turn are consecutive.
func turnsBefore(body []byte) int {
	entries := gjson.GetBytes(body, "messages").Array()
	if len(entries) == 0 {
		entries = gjson.GetBytes(body, "input").Array()
	}
	turns, before := 0, false
	for _, e := range entries {
		kind := e.Get("type").String()
		said := e.Get("role").String() == "assistant" || kind == "function_call" || kind == "reasoning"
		if said && !before {
			turns++
		}
		before = said
	}
	return turns
}

// takeBodies returns the bodies of the requests since the last call.
func (m *model) takeBodies() [][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	bodies := m.bodies
	m.bodies = nil
	return bodies
}

// runArguments returns the command line of a run in a form, without a prompt.
func (m *model) runArguments(p programs, f form) []string {
	return []string{
		p.oneshot, "run", "--api", string(f.api), "--base-url", f.api.Base(m.Listener.Addr().String()),
		"--model", modelName, "--dialect", f.dialect,
	}
}
