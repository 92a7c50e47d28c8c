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
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// startLimit is the time that a collector has to start or to end.
const startLimit = 30 * time.Second

// A collector is a running collector between two observers: one records the requests that the program sends to it, the
// other those that it passes on.
type collector struct {
	URL string // for the program

	cmd      *exec.Cmd
	log      bytes.Buffer
	upstream string
	front    *httptest.Server
	back     *httptest.Server

	mu       sync.Mutex
	requests []exchange
	passed   []json.RawMessage
}

// An exchange is a request of the program and the answer of the collector.
type exchange struct {
	Path   string
	Bytes  int
	Status int
	Answer string
}

// startCollector starts a collector, and waits until it answers.
func startCollector(ctx context.Context, program, dir string) (*collector, error) {
	c := &collector{}
	c.back = httptest.NewServer(http.HandlerFunc(c.take))
	c.front = httptest.NewServer(http.HandlerFunc(c.forward))
	c.URL = c.front.URL
	port, err := freePort()
	if err != nil {
		return nil, errors.Join(err, c.stop())
	}
	c.upstream = "http://127.0.0.1:" + port
	config := filepath.Join(dir, "collector.yaml")
	err = os.WriteFile(config, fmt.Appendf(nil, `
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:%s"}}}}
exporters: {otlp_http: {endpoint: %q, encoding: json, compression: none, retry_on_failure: {enabled: false}, sending_queue: {enabled: false}}}
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    traces: {receivers: [otlp], exporters: [otlp_http]}
    metrics: {receivers: [otlp], exporters: [otlp_http]}
`, port, c.back.URL), 0o600)
	if err != nil {
		return nil, errors.Join(err, c.stop())
	}
	c.cmd = exec.CommandContext(ctx, program, "--config", "file:"+config)
	c.cmd.Stdout, c.cmd.Stderr = &c.log, &c.log
	if err := c.cmd.Start(); err != nil {
		c.cmd = nil
		return nil, errors.Join(err, c.stop())
	}
	if err := c.awaitReady(ctx); err != nil {
		return nil, errors.Join(err, c.stop(), errors.New(c.log.String()))
	}
	return c, nil
}

// freePort returns a port on which nothing listens.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

func (c *collector) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.upstream+"/v1/traces", bytes.NewReader([]byte("{}")))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			return resp.Body.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the collector does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// forward passes a request on to the collector, and its answer back.
func (c *collector) forward(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	req, err := http.NewRequestWithContext(r.Context(), r.Method, c.upstream+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	req.Header.Set("Content-Type", r.Header.Get("Content-Type"))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body) // the client sees a part of it
	c.mu.Lock()
	c.requests = append(c.requests, exchange{r.URL.Path, len(body), resp.StatusCode, string(answer)})
	c.mu.Unlock()
	w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(answer)
}

// take receives a request that the collector passes on.
func (c *collector) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the collector has gone
	}
	c.mu.Lock()
	c.passed = append(c.passed, body)
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte("{}"))
}

// taken returns the requests that were sent and passed on, and clears them.
func (c *collector) taken() (requests []exchange, passed []json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	requests, passed, c.requests, c.passed = c.requests, c.passed, nil, nil
	return requests, passed
}

// stopProcess ends the collector.
func (c *collector) stopProcess() error {
	if c.cmd == nil {
		return nil
	}
	cmd := c.cmd
	c.cmd = nil
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	kill := time.AfterFunc(startLimit, func() { _ = cmd.Process.Kill() }) // an error means that it has ended
	defer kill.Stop()
	return cmd.Wait()
}

// stop ends the collector and the observers.
func (c *collector) stop() error {
	err := c.stopProcess()
	c.front.Close()
	c.back.Close()
	return err
}
