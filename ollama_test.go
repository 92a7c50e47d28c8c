package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// ollama is the script command "ollama [-models A,B] DIR": it starts a server
// that speaks Ollama's protocol and plays the model's side from the files of
// DIR, in order, and sets OLLAMA_HOST to its address. The real server is driven
// by scripts/ollama-e2e; this one is for the replies and faults that a real one
// cannot be made to give.
//
// The file N.EXT is the answer to the Nth chat request:
//
//	N.txt     the text, streamed, then a clean stop
//	N.length  the text, then a stop at the token limit
//	N.cut     the text, then the connection ends
//	N.hang    the text, then silence until the client goes away
//	N.raw     the body as it stands
//	N.http    a status line, header lines, an empty line and the body
//
// ADDRESS in a file stands for the server's own. The bodies of the requests are
// kept as requests/N.json.
func ollama(ts *testscript.TestScript, neg bool, args []string) {
	models := []string{"scripted"}
	if len(args) == 3 && args[0] == "-models" {
		models, args = strings.FieldsFunc(args[1], func(r rune) bool { return r == ',' }), args[2:]
	}
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ollama [-models A,B] DIR")
	}
	s := &scripted{replies: ts.MkAbs(args[0]), requests: ts.MkAbs("requests"), models: models}
	ts.Check(os.MkdirAll(s.requests, 0o777))
	server := httptest.NewServer(s.routes())
	ts.Setenv("OLLAMA_HOST", server.Listener.Addr().String())
	ts.Defer(func() {
		server.CloseClientConnections()
		server.Close()
	})
}

// scripted is a server that plays replies from files.
type scripted struct {
	replies, requests string
	models            []string

	mu   sync.Mutex
	chat int // requests so far
}

func (s *scripted) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", s.tags)
	mux.HandleFunc("POST /api/show", s.show)
	mux.HandleFunc("POST /api/chat", s.reply)
	return mux
}

func (s *scripted) tags(w http.ResponseWriter, _ *http.Request) {
	type entry struct {
		Name  string `json:"name"`
		Model string `json:"model"`
	}
	var list []entry
	for _, m := range s.models {
		list = append(list, entry{m, m})
	}
	respond(w, map[string]any{"models": list})
}

func (s *scripted) show(w http.ResponseWriter, r *http.Request) {
	var req struct{ Model string }
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || !strings.Contains(strings.Join(s.models, ","), req.Model) {
		w.WriteHeader(http.StatusNotFound)
		respond(w, map[string]string{"error": fmt.Sprintf("model '%s' not found", req.Model)})
		return
	}
	respond(w, map[string]any{
		"capabilities": []string{"completion"},
		"model_info":   map[string]any{"general.architecture": "llama", "llama.context_length": 4096},
	})
}

func respond(w io.Writer, v any) {
	_ = json.NewEncoder(w).Encode(v) // the client may have gone
}

// reply answers the next chat request.
func (s *scripted) reply(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.chat++
	n := s.chat
	s.mu.Unlock()
	if err := os.WriteFile(filepath.Join(s.requests, fmt.Sprintf("%d.json", n)), body, 0o666); err != nil {
		panic(err)
	}
	found, err := filepath.Glob(filepath.Join(s.replies, fmt.Sprintf("%d.*", n)))
	if err != nil || len(found) != 1 {
		http.Error(w, fmt.Sprintf(`{"error":"the script has no reply %d"}`, n), http.StatusNotImplemented)
		return
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		panic(err)
	}
	text = bytes.ReplaceAll(text, []byte("ADDRESS"), []byte(r.Host))
	s.play(w, r, filepath.Ext(found[0]), bytes.TrimSuffix(text, []byte("\n")))
}

// play answers with a reply file.
func (s *scripted) play(w http.ResponseWriter, r *http.Request, kind string, text []byte) {
	switch kind {
	case ".raw":
		_, _ = w.Write(text)
	case ".http":
		playHTTP(w, text)
	default:
		stream(w, string(text))
		switch kind {
		case ".txt":
			last(w, "stop")
		case ".length":
			last(w, "length")
		case ".cut":
			panic(http.ErrAbortHandler)
		case ".hang":
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}
}

// stream writes text as messages of a few characters each.
func stream(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	runes := []rune(text)
	for len(runes) > 0 {
		n := min(5, len(runes))
		respond(w, map[string]any{"model": "scripted", "message": map[string]string{"role": "assistant", "content": string(runes[:n])}, "done": false})
		runes = runes[n:]
	}
}

// last writes the message that ends a response.
func last(w http.ResponseWriter, reason string) {
	respond(w, map[string]any{
		"model": "scripted", "message": map[string]string{"role": "assistant", "content": ""}, "done": true,
		"done_reason": reason, "prompt_eval_count": 100, "eval_count": 20,
	})
}

// playHTTP answers with a status, headers and a body.
func playHTTP(w http.ResponseWriter, text []byte) {
	head, body, _ := strings.Cut(string(text), "\n\n")
	lines := strings.Split(head, "\n")
	for _, line := range lines[1:] {
		key, value, _ := strings.Cut(line, ":")
		w.Header().Set(key, strings.TrimSpace(value))
	}
	var status int
	if _, err := fmt.Sscan(lines[0], &status); err != nil {
		panic(err)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}
