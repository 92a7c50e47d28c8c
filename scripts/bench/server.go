//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// A modelServer speaks the part of Ollama's protocol that a run needs, from a
// script and without taking time: searches, then finalResponse, then the answer.
type modelServer struct {
	mu     sync.Mutex
	bodies [][]byte // of the chat requests since the last take
}

// modelName is the only model there is.
const modelName = "scripted"

func (s *modelServer) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/version", reply(`{"version":"0.17.4"}`))
	mux.HandleFunc("GET /api/tags", reply(`{"models":[{"name":"`+modelName+`:latest","model":"`+modelName+`:latest"}]}`))
	mux.HandleFunc("POST /api/show", reply(`{"capabilities":["completion"],"model_info":{"general.architecture":"llama","llama.context_length":16384}}`))
	mux.HandleFunc("POST /api/chat", s.chat)
	return mux
}

func reply(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		io.WriteString(w, body)
	}
}

// take returns the bodies of the chat requests since the last call.
func (s *modelServer) take() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	bodies := s.bodies
	s.bodies = nil
	return bodies
}

// chat streams the reply that is due, in pieces of a few bytes. A prompt that
// ends in "turns: N" is given its answer in turn N.
func (s *modelServer) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	s.mu.Lock()
	s.bodies = append(s.bodies, body)
	s.mu.Unlock()
	var request struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		http.Error(w, `{"error":"bad request"}`, http.StatusBadRequest)
		return
	}
	turn, turns := 1, 0
	for _, m := range request.Messages {
		if m.Role == "assistant" {
			turn++
		}
		if _, number, found := strings.Cut(m.Content, "turns: "); found && m.Role == "user" {
			fmt.Sscanf(number, "%d", &turns) // stays 0 if there is no number
		}
	}
	stream(w, say(turn, turns))
}

// say returns the reply of a turn.
func say(turn, turns int) string {
	switch {
	case turn >= turns:
		return `{"answer": "It is in the cellar."}`
	case turn == turns-1:
		return "```tool\nreturn finalResponse();\n```"
	}
	return fmt.Sprintf("I look for it.\n\n```tool\nreturn vault_search({query: \"apples %d\", limit: 5});\n```", turn)
}

// stream writes a reply as Ollama does.
func stream(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	const pieceBytes = 6
	out := json.NewEncoder(w)
	tokens := 0
	for rest := text; rest != ""; tokens++ {
		piece := rest[:min(pieceBytes, len(rest))]
		rest = rest[len(piece):]
		if out.Encode(line(piece, nil)) != nil {
			return // the client has gone
		}
	}
	// An error says that the client has gone.
	_ = out.Encode(line("", map[string]any{"done": true, "done_reason": "stop", "prompt_eval_count": 100, "eval_count": tokens}))
}

func line(content string, more map[string]any) map[string]any {
	l := map[string]any{
		"model": modelName, "created_at": "2026-11-21T09:00:00.000000001Z",
		"message": map[string]string{"role": "assistant", "content": content}, "done": false,
	}
	for key, value := range more {
		l[key] = value
	}
	return l
}
