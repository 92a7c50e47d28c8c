//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"oneshot/scripts/modelserver"
)

// The run of B12, without the request for the answer.
const (
	manyTurns    = 1000
	callsPerTurn = 10
)

// stretch is the number of turns that are compared at each end of the run.
const stretch = 100

// measureLongRuns measures B12: the cost of a turn of a long run besides sending the request, and
// how fast such a run is resumed and replayed.
func (b *Bench) measureLongRuns(ctx context.Context, p programs) (rows []Row, err error) {
	root, err := b.makeNotes()
	if err != nil {
		return nil, err
	}
	for _, f := range []form{toolOllama, nativeChat} {
		more, err := b.longRun(ctx, p, f, root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func (b *Bench) longRun(ctx context.Context, p programs, f form, root string) ([]Row, error) {
	server := newTurnServer(f)
	defer server.Close()
	b.logProgress("a run of %d turns, %s", manyTurns, f.name)
	record := filepath.Join(b.Dir, "long-"+f.dialect+".jsonl")
	run := Subject{Name: f.name, Dir: b.Dir, Env: []string{"HOME=" + b.Dir}, Args: append((&model{Server: server.Server}).runArguments(p, f), longRunFlags(root)...)}
	whole, err := run.withArgs("--run-file", record).run(ctx, p.launcher, 0)
	if err != nil {
		return nil, err
	}
	conversation := float64(server.largest) / (1 << 20)
	first, last := meanMs(server.own[:stretch]), meanMs(server.own[len(server.own)-stretch:])
	rows := []Row{
		Row{ID: "B12", What: f.name + ", own time of the last 100 of 1,000 turns", Value: last, Unit: "ms", Against: "the first 100", Base: first}.
			withGoal("flat (≤ 1.5×)", last <= 1.5*first),
		Row{ID: "B12", What: f.name + ", peak memory", Value: float64(whole.RSS) / (1 << 20), Unit: "MB", Against: "the last request", Base: conversation}.
			withGoal("≤ 30 MB + 2×", float64(whole.RSS)/(1<<20) <= 30+2*conversation),
	}
	replay := run
	replay.Args = append([]string{p.oneshot, "run", "--model", "replay:" + record, "--no-run-file"}, longRunFlags(root)...)
	resume := run
	resume.Args = []string{p.oneshot, "run"}
	resume.Prepare = func(round int) ([]string, error) {
		cut := filepath.Join(b.Dir, fmt.Sprintf("cut-%s-%d.jsonl", f.dialect, round))
		server.skipToFinalAnswer()
		return []string{"--resume", cut}, copyWithoutAnswer(record, cut)
	}
	samples, err := runInterleaved(ctx, p.launcher, min(b.Runs, 3), []Subject{resume, replay})
	if err != nil {
		return nil, err
	}
	for i, what := range []string{"resumed", "replayed"} {
		seconds, peak := wallMs(samples[i])/1000, medianPeakMB(samples[i])
		rows = append(rows,
			Row{ID: "B12", What: f.name + ", " + what, Value: seconds, Unit: "s"}.withGoal("≤ 2 s", seconds <= 2),
			Row{ID: "B12", What: f.name + ", " + what + ", peak memory", Value: peak, Unit: "MB", Against: "the last request", Base: conversation}.
				withGoal("≤ 30 MB + 2×", peak <= 30+2*conversation))
	}
	return rows, nil
}

func longRunFlags(root string) []string {
	return []string{
		"--tool", "vault_search", "--root", root, "--max-turns", strconv.Itoa(manyTurns + 2), "--max-calls", strconv.Itoa(manyTurns * callsPerTurn),
		"--timeout", "10m", "Where are the apples?",
	}
}

// withArgs returns the subject with more arguments.
func (s Subject) withArgs(args ...string) Subject {
	s.Args = slices.Concat(s.Args[:2], args, s.Args[2:])
	return s
}

// copyWithoutAnswer writes the beginning of a record, up to the request for the answer.
func copyWithoutAnswer(record, to string) error {
	text, err := os.ReadFile(record)
	if err != nil {
		return err
	}
	at := bytes.LastIndex(text, []byte(`,"kind":"request"`))
	if at < 0 {
		return errors.New(record + ": there is no request")
	}
	return os.WriteFile(to, text[:1+bytes.LastIndexByte(text[:at], '\n')], 0o600)
}

// meanMs returns the mean in milliseconds.
func meanMs(times []time.Duration) float64 {
	var sum time.Duration
	for _, t := range times {
		sum += t
	}
	return float64(sum) / float64(len(times)) / float64(time.Millisecond)
}

// A turnServer is a model that makes calls for many turns, and measures the time of its client from
// the end of a reply to the beginning of the next request, without its body.
type turnServer struct {
	*httptest.Server
	form form

	mu      sync.Mutex
	turn    int
	ended   time.Time
	own     []time.Duration
	largest int // bytes of a request
}

func newTurnServer(f form) *turnServer {
	s := &turnServer{form: f}
	handler := (&modelserver.Server{AtOnce: true, Tools: true, Answer: s.reply}).Handler()
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		came := time.Now()
		handler.ServeHTTP(w, r)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.turn > 1 {
			s.own = append(s.own, came.Sub(s.ended))
		}
		s.ended = time.Now()
	}))
	return s
}

// skipToFinalAnswer makes the next request the one for the answer.
func (s *turnServer) skipToFinalAnswer() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn = manyTurns + 1
}

func (s *turnServer) reply(r modelserver.Request) modelserver.Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn++
	s.largest = max(s.largest, len(r.Body))
	end, ends := s.form.endReply()
	switch {
	case s.turn > manyTurns+1 || s.turn > manyTurns && !ends:
		return answer
	case s.turn > manyTurns:
		return end
	}
	var calls []string
	for i := range callsPerTurn {
		calls = append(calls, s.form.scriptCallLine(fmt.Sprintf("call_%d_%d", s.turn, i), "vault_search", fmt.Sprintf(`{"query": "apples %d %d", "limit": 5}`, s.turn, i)))
	}
	return s.form.callsReply(calls...)
}
