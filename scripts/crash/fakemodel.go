//go:build unix

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"oneshot/scripts/modelserver"
)

// A model serves the replies of a scenario. They depend only on the conversation, except for the notes, so that a
// run can be interrupted and resumed anywhere.
type model struct {
	*httptest.Server
	sc  *scenario
	dir string // the folder of the run

	mu    sync.Mutex
	open  map[net.Conn]bool
	asked chan struct{} // receives a value for each held request; nil if none are held
	hold  chan struct{} // closed to release them
	play  string        // the replies from the second turn on, instead of the script's; "" for the script
}

func startModel(sc *scenario, dir string) *model {
	m := &model{sc: sc, dir: dir, open: map[net.Conn]bool{}}
	s := &modelserver.Server{AtOnce: true, Tools: true, Answer: m.answerRequest}
	routes := http.NewServeMux()
	routes.Handle("/", s.Handler())
	routes.HandleFunc("POST "+effects, m.serveEffect)
	m.Server = httptest.NewUnstartedServer(routes)
	m.Config.ConnState = m.trackConnection
	m.Start()
	return m
}

func (m *model) address() string { return m.Listener.Addr().String() }

// trackConnection updates the set of open connections.
func (m *model) trackConnection(c net.Conn, state http.ConnState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open[c] = true; state == http.StateClosed || state == http.StateHijacked {
		delete(m.open, c)
	}
}

// awaitIdle waits until all connections are closed and their requests are handled.
func (m *model) awaitIdle() error {
	for range 1000 {
		m.mu.Lock()
		n := len(m.open)
		m.mu.Unlock()
		if n == 0 {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return errors.New("somebody still asks the server")
}

// effects is the path of requests with an effect.
const effects = "/effects"

// serveEffect logs the step with its key, unless the key is known, and then waits if the file linger names the
// step.
func (m *model) serveEffect(w http.ResponseWriter, r *http.Request) {
	var body struct{ Step, Note string }
	text, err := io.ReadAll(r.Body) // to its end, so that a disconnect of the client is noticed
	if err == nil {
		err = json.Unmarshal(text, &body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	status, err := m.logEffect(cmp.Or(r.Header.Get("Idempotency-Key"), "none"), body.Step, body.Note)
	m.mu.Unlock()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if s, err := os.ReadFile(filepath.Join(m.dir, "work/linger")); err == nil && strings.TrimSpace(string(s)) == body.Step {
		<-r.Context().Done()
		return
	}
	w.WriteHeader(status)
}

func (m *model) logEffect(key, step, note string) (status int, err error) {
	path := filepath.Join(m.dir, "work/effects.log")
	done, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if key != "none" && strings.Contains("\n"+string(done), "\n"+key+" ") {
		return http.StatusConflict, nil
	}
	return http.StatusCreated, os.WriteFile(path, fmt.Appendf(done, "%s %s %s\n", key, step, note), 0o600)
}

// holdRequests holds requests until release is called. The channel receives a value for each.
func (m *model) holdRequests() (asked <-chan struct{}, release func()) {
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

func (m *model) answerRequest(r modelserver.Request) modelserver.Reply {
	m.mu.Lock()
	asked, hold, play := m.asked, m.hold, m.play
	m.mu.Unlock()
	if hold != nil {
		asked <- struct{}{}
		<-hold
	}
	for _, text := range m.sc.sends {
		if !bytes.Contains(r.Body, []byte(text)) {
			return parsePlayReply("status 400\nheader Content-Type: application/json\nraw \"{}\"")
		}
	}
	turns := turnsBefore(r.Body)
	if play != "" && turns > 0 {
		return parsePlayReply(play)
	}
	return m.sc.reply(turns, r)
}

// overrideReplies replaces the replies from the second turn on; "" restores the script.
func (m *model) overrideReplies(play string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.play = play
}

// parsePlayReply parses a reply in the form of [modelserver.ParsePlay].
func parsePlayReply(play string) modelserver.Reply {
	reply, err := modelserver.ParsePlay("crash", play)
	if err != nil {
		panic(err) // the definitions are constants
	}
	return reply
}

// turnsBefore returns the number of replies in a request.
func turnsBefore(body []byte) int {
	turns := 0
	for _, e := range gjson.GetBytes(body, "messages").Array() {
		if e.Get("role").String() == "assistant" {
			turns++
		}
	}
	return turns
}

// reply returns the reply after a number of turns: calls, the end, or the answer, which contains the numbers of
// turns and results.
func (sc *scenario) reply(turns int, r modelserver.Request) modelserver.Reply {
	switch {
	case turns < len(sc.turns) && sc.turns[turns] != nil:
		return sc.callsReply(sc.turns[turns], r.Number, recordOf(r.Body))
	case turns == len(sc.turns) && sc.dialect == "tool":
		return sc.callsReply([]call{{"finalResponse", ""}}, r.Number, recordOf(r.Body))
	case turns == len(sc.turns) && sc.dialect == "toolcalls":
		return sc.callsReply([]call{{"end_turn", "{}"}}, r.Number, recordOf(r.Body))
	}
	results := strings.Count(string(r.Body), `\"ok\":`)
	return modelserver.Text(fmt.Sprintf(`{"answer":"%d turns, %d results"}`, turns, results))
}

// callsReply returns a reply with calls in the scenario's dialect, for a record of a batch.
func (sc *scenario) callsReply(calls []call, number int, record string) modelserver.Reply {
	var parts []string
	for i, c := range calls {
		arguments := strings.NewReplacer(note, strconv.Itoa(number), recordName, record).Replace(c.arguments)
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
		return parsePlayReply(strings.Join(append(parts, "stop"), "\n"))
	case "toolcalls":
		return modelserver.Text(`{"toolCalls":[` + strings.Join(parts, ",") + "]}")
	}
	return modelserver.Text("```tool\n" + strings.Join(parts, "\n") + "\n```")
}

// stringArgument returns an argument of a call.
func stringArgument(c call, name string) string { return gjson.Get(c.arguments, name).String() }
