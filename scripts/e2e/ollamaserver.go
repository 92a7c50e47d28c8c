//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A Server is a running Ollama with a home and models of its own.
type Server struct {
	URL     string
	program string
	env     []string
	cmd     *exec.Cmd
	log     *os.File
	exited  chan error
}

// StartServer starts the program on a free port of the loopback and waits until
// it answers. Everything it writes goes into dir.
func StartServer(ctx context.Context, program, dir string) (*Server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "serve.log"))
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + address, program: program, log: log, exited: make(chan error, 1)}
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "server"),
		"OLLAMA_HOST=" + address, "OLLAMA_MODELS=" + filepath.Join(dir, "models"),
		"OLLAMA_NO_CLOUD=1", "NO_COLOR=1",
	}
	s.cmd = exec.Command(program, "serve")
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = s.env, log, log
	// A group of its own: a signal from the terminal reaches this program only,
	// which then stops the server cleanly.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	go func() { s.exited <- s.cmd.Wait() }()
	if err := s.awaitReady(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// freeAddress returns an address that nothing listens on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func (s *Server) awaitReady(ctx context.Context) error {
	return awaitCondition(ctx, 30*time.Second, "the server to answer", func() (bool, error) {
		select {
		case err := <-s.exited:
			s.exited <- err
			return false, fmt.Errorf("server: ended at once (%v): %s", err, s.logTail())
		default:
		}
		return s.call(ctx, http.MethodGet, "/api/version", nil, nil) == nil, nil
	})
}

// Stop ends the server and everything it started.
func (s *Server) Stop() error {
	group := -s.cmd.Process.Pid
	// An error means that no process of the group is left.
	_ = syscall.Kill(group, syscall.SIGTERM)
	select {
	case <-s.exited:
	case <-time.After(10 * time.Second):
	}
	_ = syscall.Kill(group, syscall.SIGKILL)
	return s.log.Close()
}

// Create creates a model from a Modelfile.
func (s *Server) Create(ctx context.Context, name, modelfile string) error {
	cmd := exec.CommandContext(ctx, s.program, "create", name, "-f", modelfile)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("model %s: %w: %s", name, err, out)
	}
	return nil
}

// InstallOnly ensures that exactly one model is installed.
func (s *Server) InstallOnly(ctx context.Context, name, modelfile string) error {
	var list struct{ Models []struct{ Name string } }
	if err := s.call(ctx, http.MethodGet, "/api/tags", nil, &list); err != nil {
		return err
	}
	there := false
	for _, m := range list.Models {
		if m.Name == name+":latest" {
			there = true
		} else if err := s.Delete(ctx, m.Name); err != nil {
			return err
		}
	}
	if there {
		return nil
	}
	return s.Create(ctx, name, modelfile)
}

// CopyModel installs a model under another name as well.
func (s *Server) CopyModel(ctx context.Context, from, to string) error {
	return s.call(ctx, http.MethodPost, "/api/copy", map[string]any{"source": from, "destination": to}, nil)
}

// Delete removes a model.
func (s *Server) Delete(ctx context.Context, name string) error {
	return s.call(ctx, http.MethodDelete, "/api/delete", map[string]any{"model": name}, nil)
}

// Load ensures that a model is loaded, ready to answer.
func (s *Server) Load(ctx context.Context, name string) error {
	return s.call(ctx, http.MethodPost, "/api/generate", map[string]any{"model": name, "stream": false}, nil)
}

// Unload removes a model from memory and waits until it is gone.
func (s *Server) Unload(ctx context.Context, name string) error {
	body := map[string]any{"model": name, "stream": false, "keep_alive": 0}
	if err := s.call(ctx, http.MethodPost, "/api/generate", body, nil); err != nil {
		return err
	}
	return awaitCondition(ctx, 10*time.Second, "the model to be unloaded", func() (bool, error) {
		var ps struct{ Models []json.RawMessage }
		err := s.call(ctx, http.MethodGet, "/api/ps", nil, &ps)
		return len(ps.Models) == 0, err
	})
}

// call sends one request and decodes the answer into reply unless that is nil.
func (s *Server) call(ctx context.Context, method, path string, body, reply any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("server: %s %s: %s: %s", method, path, res.Status, text)
	}
	if reply == nil {
		return nil
	}
	return json.Unmarshal(text, reply)
}

// chatPaths are the paths of chat requests, as the server logs them.
var chatPaths = []string{`"/api/chat"`, `"/v1/chat/completions"`, `"/v1/responses"`, `"/v1/messages"`}

// Chats returns the number of chat requests that the server has logged as ended.
func (s *Server) Chats() (int, error) {
	log, err := os.ReadFile(s.log.Name())
	n := 0
	for _, path := range chatPaths {
		n += strings.Count(string(log), path)
	}
	return n, err
}

func (s *Server) logTail() string {
	log, err := os.ReadFile(s.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-2000):])
}

// Runner returns the process that runs the loaded model: the server's child.
func (s *Server) Runner() (Process, error) {
	all, err := AllProcesses()
	if err != nil {
		return Process{}, err
	}
	for _, p := range all {
		if p.Parent == s.cmd.Process.Pid && p.State != "Z" {
			return p, nil
		}
	}
	return Process{}, errors.New("the server runs no model")
}

// AwaitRunnerCPUTime waits until a runner has computed for d since the call, or since its start if
// that is later: then the model is in the middle of a reply.
func (s *Server) AwaitRunnerCPUTime(ctx context.Context, d time.Duration) (Process, error) {
	var start, now Process
	err := awaitCondition(ctx, 20*time.Second, "the model to work", func() (bool, error) {
		var err error
		now, err = s.Runner()
		if err != nil {
			return false, nil // the next one has not started yet
		}
		if now.ID != start.ID {
			start = now
		}
		return now.CPU-start.CPU >= d, nil
	})
	return now, err
}

// awaitCondition calls done every few milliseconds until it returns true or an error, or
// the limit has passed.
func awaitCondition(ctx context.Context, limit time.Duration, what string, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := done(); err != nil || ok {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		}
	}
}
