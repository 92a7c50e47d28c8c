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

// A model serves the replies of a scenario. What it says depends on the conversation alone, but
// for the notes, so that a run can be cut off and go on anywhere.
type model struct {
	*httptest.Server
	sc *scenario

	mu    sync.Mutex
	asked chan struct{} // gets a value for each request that is held, if requests are held
	hold  chan struct{} // closed when they are let go
}

func serve(sc *scenario) *model {
	m := &model{sc: sc}
	s := &modelserver.Server{AtOnce: true, Tools: true, Answer: m.answer}
	m.Server = httptest.NewServer(s.Handler())
	return m
}

// holdBack makes requests wait until release is called. The channel gets a value for each.
func (m *model) holdBack() (asked <-chan struct{}, release func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked, m.hold = make(chan struct{}, 100), make(chan struct{})
	hold := m.hold
	return m.asked, sync.OnceFunc(func() {
		m.mu.Lock()
		m.asked, m.hold = nil, nil
		m.mu.Unlock()
		close(hold)
	})
}

func (m *model) answer(r modelserver.Request) modelserver.Reply {
	m.mu.Lock()
	asked, hold := m.asked, m.hold
	m.mu.Unlock()
	if hold != nil {
		asked <- struct{}{}
		<-hold
	}
	return m.sc.reply(turnsBefore(r.Body), r)
}

// turnsBefore counts the replies in a request.
func turnsBefore(body []byte) int {
	turns := 0
	for _, e := range gjson.GetBytes(body, "messages").Array() {
		if e.Get("role").String() == "assistant" {
			turns++
		}
	}
	return turns
}

// reply says what comes behind a number of turns: calls, the end, and the answer, which says how many
// turns and results there were.
func (sc *scenario) reply(turns int, r modelserver.Request) modelserver.Reply {
	switch {
	case turns < len(sc.turns):
		return sc.write(sc.turns[turns], r.Number)
	case turns == len(sc.turns) && sc.dialect == "tool":
		return sc.write([]call{{"finalResponse", ""}}, r.Number)
	case turns == len(sc.turns) && sc.dialect == "toolcalls":
		return sc.write([]call{{"end_turn", "{}"}}, r.Number)
	}
	results := strings.Count(string(r.Body), `\"ok\":`)
	return modelserver.Text(fmt.Sprintf(`{"answer":"%d turns, %d results"}`, turns, results))
}

// write writes calls as the scenario's dialect has them.
func (sc *scenario) write(calls []call, number int) modelserver.Reply {
	var parts []string
	for i, c := range calls {
		arguments := strings.ReplaceAll(c.arguments, note, strconv.Itoa(number))
		switch sc.dialect {
		case "native":
			parts = append(parts, fmt.Sprintf("call c%d_%d %s %s", number, i, c.tool, arguments))
		case "toolcalls":
			parts = append(parts, fmt.Sprintf(`{"type":%q,"id":"c%d","operation":"do","parameters":%s}`, c.tool, i, arguments))
		default:
			parts = append(parts, fmt.Sprintf("return %s(%s);", c.tool, arguments))
		}
	}
	switch sc.dialect {
	case "native":
		reply, err := modelserver.ParsePlay("crash", strings.Join(append(parts, "stop"), "\n"))
		if err != nil {
			panic(err) // it was written here
		}
		return reply
	case "toolcalls":
		return modelserver.Text(`{"toolCalls":[` + strings.Join(parts, ",") + "]}")
	}
	return modelserver.Text("```tool\n" + strings.Join(parts, "\n") + "\n```")
}

// stringOf returns an argument of a call.
func stringOf(c call, name string) string { return gjson.Get(c.arguments, name).String() }
