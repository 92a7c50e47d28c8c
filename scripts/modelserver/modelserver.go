// Package modelserver is a model server for tests and benchmarks: it speaks the
// protocols of Ollama, OpenAI (chat completions and responses) and Anthropic
// (messages), whole and streamed, and sends the replies of a script, even ones that no real
// server can be made to send. It knows nothing about models; a real server is
// driven by scripts/ollama-e2e.
package modelserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// An API is a protocol.
type API string

// The protocols.
const (
	Ollama    API = "ollama"    // POST /api/chat
	Chat      API = "chat"      // POST /v1/chat/completions
	Responses API = "responses" // POST /v1/responses
	Messages  API = "messages"  // POST /v1/messages
)

// APIs are all protocols.
var APIs = []API{Ollama, Chat, Responses, Messages}

// Base returns the base URL that a client of the protocol is given for a server
// at the address, with the path prefix of the vendor's own server.
func (a API) Base(address string) string {
	if a == Chat || a == Responses {
		return "http://" + address + "/v1"
	}
	return "http://" + address
}

// Path returns the path of requests to a model.
func (a API) Path() string {
	switch a {
	case Ollama:
		return "/api/chat"
	case Chat:
		return "/v1/chat/completions"
	}
	return "/v1/" + string(a)
}

// A Request is a request to the server.
type Request struct {
	API    API
	Number int // from 1, over all protocols
	Body   []byte
}

// A Server answers requests. It is safe for concurrent use.
type Server struct {
	// Script has the reply to each request, by its number.
	Script map[int]Reply
	// Answer, if set, makes the replies instead of Script.
	Answer func(Request) Reply
	// Models are the names that the server lists; a request for any other is
	// refused. Without a list, every name is known.
	Models []string
	// Mark, if set, is called when a reply reaches a mark, with the time at which the last
	// bytes before it were sent.
	Mark func(Request, time.Time)
	// AtOnce sends a reply when it is complete or waits, not piece by
	// piece: a model that takes no time.
	AtOnce bool
	// Tools makes the server report that its models support native calls.
	Tools bool
	// Vision makes the server report that its models accept images.
	Vision bool
	// Record, if set, is the folder in which requests are kept: N.json and
	// N.headers of the Nth request to a model, N.headers and N.body of one of a
	// tool, models.headers and show.headers of the last ones for information.
	Record string

	mu    sync.Mutex
	count int
}

// Handler returns the server's routes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", s.listOllamaModels)
	mux.HandleFunc("POST /api/show", s.showModel)
	mux.HandleFunc("GET /v1/models", s.listModels)
	mux.HandleFunc("GET /models", s.listModels)
	for _, api := range APIs {
		mux.HandleFunc("POST "+api.Path(), func(w http.ResponseWriter, r *http.Request) { s.serveModel(api, w, r) })
	}
	mux.HandleFunc("/", s.answerToolRequest)
	return mux
}

// An object is a JSON object to send.
type object = map[string]any

// listOllamaModels lists the models as Ollama does.
func (s *Server) listOllamaModels(w http.ResponseWriter, r *http.Request) {
	s.writeHeaders("models", r)
	list := []object{}
	for _, m := range s.Models {
		list = append(list, object{"name": m, "model": m})
	}
	writeJSON(w, http.StatusOK, object{"models": list})
}

// listModels lists the models as OpenAI and Anthropic do: each client ignores the members
// of the other.
func (s *Server) listModels(w http.ResponseWriter, r *http.Request) {
	s.writeHeaders("models", r)
	list := []object{}
	for _, m := range s.Models {
		list = append(list, object{"id": m, "object": "model", "owned_by": "library", "type": "model", "display_name": m})
	}
	writeJSON(w, http.StatusOK, object{"object": "list", "data": list, "has_more": false})
}

func (s *Server) showModel(w http.ResponseWriter, r *http.Request) {
	s.writeHeaders("show", r)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	if name, known := s.findModel(body); !known {
		writeUnknownModel(Ollama, w, name)
		return
	}
	capabilities := []string{"completion"}
	if s.Tools {
		capabilities = append(capabilities, "tools")
	}
	if s.Vision {
		capabilities = append(capabilities, "vision")
	}
	writeJSON(w, http.StatusOK, object{
		"capabilities": capabilities,
		"model_info":   object{"general.architecture": "llama", "llama.context_length": 4096},
	})
}

// findModel returns the model of a request, and whether it exists.
func (s *Server) findModel(body []byte) (name string, known bool) {
	var request struct{ Model string }
	err := json.Unmarshal(body, &request)
	name = strings.TrimSuffix(request.Model, ":latest")
	return name, err == nil && (s.Models == nil || slices.Contains(s.Models, name))
}

func writeUnknownModel(api API, w http.ResponseWriter, name string) {
	writeJSON(w, http.StatusNotFound, errorBody(api, fmt.Sprintf("model '%s' not found", name)))
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // an error means that the client has disconnected
}

// errorBody returns the body with which a protocol refuses a request.
func errorBody(api API, text string) object {
	switch api {
	case Ollama:
		return object{"error": text}
	case Messages:
		return object{"type": "error", "error": object{"type": "api_error", "message": text}}
	}
	return object{"error": object{"message": text, "type": "api_error", "param": nil, "code": nil}}
}

// serveModel answers a request to a model.
func (s *Server) serveModel(api API, w http.ResponseWriter, r *http.Request) {
	request := s.newRequest(api, r)
	if s.Script[request.Number].early {
		reset(w)
	}
	var err error
	if request.Body, err = io.ReadAll(r.Body); err != nil {
		return // the client has gone
	}
	s.writeRecord(fmt.Sprintf("%d.json", request.Number), request.Body)
	if name, known := s.findModel(request.Body); !known {
		writeUnknownModel(api, w, name)
		return
	}
	s.playReply(w, r, request)
}

// answerToolRequest answers any other request: it comes from a tool, and gets the text of
// the next reply.
func (s *Server) answerToolRequest(w http.ResponseWriter, r *http.Request) {
	request := s.newRequest(Chat, r)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	if len(body) > 0 {
		s.writeRecord(fmt.Sprint(request.Number, ".body"), body)
	}
	s.playReply(w, r, request)
}

// newRequest counts a request.
func (s *Server) newRequest(api API, r *http.Request) Request {
	s.mu.Lock()
	s.count++
	request := Request{API: api, Number: s.count}
	s.mu.Unlock()
	s.writeHeaders(fmt.Sprint(request.Number), r)
	return request
}

// playReply plays the reply to a request.
func (s *Server) playReply(w http.ResponseWriter, r *http.Request, request Request) {
	reply, found := s.Script[request.Number]
	if s.Answer != nil {
		reply, found = s.Answer(request), true
	}
	if !found { // with a status that a script about other failures does not expect
		writeJSON(w, http.StatusUnauthorized, errorBody(request.API, fmt.Sprintf("the script has no reply %d", request.Number)))
		return
	}
	newPlayer(s, w, r, request).play(reply)
}

// writeHeaders records the first line and the headers of a request.
func (s *Server) writeHeaders(name string, r *http.Request) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\nHost: %s\n", r.Method, r.URL.RequestURI(), r.Host)
	_ = r.Header.Write(&b) // a builder takes everything
	s.writeRecord(name+".headers", []byte(strings.ReplaceAll(b.String(), "\r\n", "\n")))
}

// writeRecord writes a file of the record. A test that cannot record must not continue.
func (s *Server) writeRecord(name string, content []byte) {
	if s.Record == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(s.Record, name), content, 0o666); err != nil {
		panic(err)
	}
}
