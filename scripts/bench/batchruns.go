//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"oneshot/scripts/modelserver"
)

// The batches of B9.
const (
	batchRecords     = 1000
	batchConcurrency = 16
	// replyTime is the time of the model for a reply: that of a fast hosted model.
	replyTime = 100 * time.Millisecond
	// singleRuns is the number of runs with a process each; it fills all rounds of xargs.
	singleRuns = 6 * batchConcurrency
	// fewRecords and manyRecords are the lengths of batches whose memory is compared.
	fewRecords, manyRecords = 100, 10_000
)

// A batchBench measures B9.
type batchBench struct {
	*Bench
	programs
	root   string
	bodies []string // files with the requests of a run
	memory string   // a folder in memory; "" if there is none
}

// measureBatches measures B9: the runs per second of a batch, compared with a plain client that sends the same bodies,
// with a process for each run, and with a batch that writes to memory; and the memory of a batch.
func (b *Bench) measureBatches(ctx context.Context, p programs) ([]Row, error) {
	root, err := b.makeNotes()
	if err != nil {
		return nil, err
	}
	m := &batchBench{Bench: b, programs: p, root: root}
	if m.memory, err = os.MkdirTemp("/dev/shm", "oneshot-bench-"); err == nil {
		defer os.RemoveAll(m.memory)
	}
	if err := m.learnBodies(ctx); err != nil {
		return nil, err
	}
	var rows []Row
	for _, delay := range []time.Duration{replyTime, 0} {
		more, err := m.throughput(ctx, delay)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	more, err := m.peaks(ctx)
	return append(rows, more...), err
}

// startBatchModel starts a server that sends each reply after a delay. It keeps no requests.
func startBatchModel(delay time.Duration) *httptest.Server {
	return httptest.NewServer((&modelserver.Server{AtOnce: true, Tools: true, Answer: func(r modelserver.Request) modelserver.Reply {
		time.Sleep(delay)
		return toolOllama.searchTurn(r.Body, 1+turnsBefore(r.Body))
	}}).Handler())
}

// learnBodies runs a batch of one record, and stores its requests in files.
func (m *batchBench) learnBodies(ctx context.Context) error {
	server := startModel(&modelserver.Server{AtOnce: true}, toolOllama.searchTurn)
	defer server.Close()
	one := m.batch(server.Server, 1, m.Dir)
	const before = -1 // the round of a batch that is not measured
	if _, err := one.run(ctx, m.launcher, before); err != nil {
		return fmt.Errorf("%s: %w", one.Name, err)
	}
	bodies := server.takeBodies()
	if len(bodies) != shortTurns {
		return fmt.Errorf("%s: %d requests", one.Name, len(bodies))
	}
	for i, body := range bodies {
		file := filepath.Join(m.Dir, fmt.Sprintf("body-batch-%d.json", i))
		if err := os.WriteFile(file, body, 0o644); err != nil {
			return err
		}
		m.bodies = append(m.bodies, file)
	}
	return nil
}

// runFlags returns the flags that batches and single runs share.
func (m *batchBench) runFlags(server *httptest.Server) []string {
	args := (&model{Server: server}).runArguments(m.programs, toolOllama)[2:]
	return append(args, "--tool", "vault_search", "--root", m.root, "--max-turns", strconv.Itoa(shortTurns))
}

// batchPrompt is the prompt of all runs.
var batchPrompt = fmt.Sprintf("Where are the apples? turns: %d", shortTurns)

// batch returns a batch with its state and output in a folder.
func (m *batchBench) batch(server *httptest.Server, records int, dir string) Subject {
	input := filepath.Join(m.Dir, fmt.Sprintf("records-%d.jsonl", records))
	return Subject{
		Name: fmt.Sprintf("batch of %d", records), Dir: m.Dir, Env: []string{"HOME=" + dir},
		Args: slices.Concat([]string{m.oneshot, "batch"}, m.runFlags(server), []string{"--concurrency", strconv.Itoa(batchConcurrency), "--prompt", batchPrompt, input}),
		Prepare: func(round int) ([]string, error) {
			var text bytes.Buffer
			for i := range records {
				fmt.Fprintf(&text, "{\"input\": \"basket %d\"}\n", i)
			}
			if err := os.WriteFile(input, text.Bytes(), 0o644); err != nil {
				return nil, err
			}
			if err := os.RemoveAll(filepath.Join(dir, ".local")); err != nil {
				return nil, err
			}
			out := filepath.Join(dir, fmt.Sprintf("out-%d.jsonl", records))
			if err := os.RemoveAll(out); err != nil {
				return nil, err
			}
			return []string{"-o", out}, nil
		},
	}
}

// plainRuns returns the plain client.
func (m *batchBench) plainRuns(server *httptest.Server) Subject {
	return Subject{Name: "plain client", Dir: m.Dir, Args: slices.Concat(
		[]string{m.plain, "-runs", strconv.Itoa(batchRecords), "-concurrency", strconv.Itoa(batchConcurrency), server.URL + toolOllama.api.Path()}, m.bodies)}
}

// processes returns a process for each run.
func (m *batchBench) processes(server *httptest.Server) Subject {
	return Subject{Name: "xargs -P", Dir: m.Dir, Env: []string{"HOME=" + m.Dir, "PATH=" + os.Getenv("PATH")}, Args: slices.Concat(
		[]string{"sh", "-c", `n=$1 p=$2; shift 2; seq "$n" | xargs -P "$p" -I{} "$@"`, "sh", strconv.Itoa(singleRuns), strconv.Itoa(batchConcurrency), m.oneshot, "run"},
		m.runFlags(server), []string{"--no-stdin", batchPrompt + ", basket {}"})}
}

// throughput compares the runs per second at a given time per reply.
func (m *batchBench) throughput(ctx context.Context, delay time.Duration) ([]Row, error) {
	server := startBatchModel(delay)
	defer server.Close()
	subjects := []Subject{m.batch(server, batchRecords, m.Dir), m.plainRuns(server), m.processes(server)}
	if m.memory != "" {
		subjects = append(subjects, m.batch(server, batchRecords, m.memory))
	}
	rounds := min(m.Runs, 3)
	m.logProgress("batches of %d records, replies in %v: %d rounds", batchRecords, delay, rounds)
	samples, err := runInterleaved(ctx, m.launcher, rounds, subjects)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("batch, 3 turns, %d at a time, replies in %v", batchConcurrency, delay)
	rate := func(i, runs int) float64 { return float64(runs) * 1000 / wallMs(samples[i]) }
	ours := rate(0, batchRecords)
	row := func(against string, base float64) Row {
		return Row{ID: "B9", What: what, Value: ours, Unit: "runs/s", Against: against, Base: base}
	}
	plain := row("plain client", rate(1, batchRecords))
	if delay > 0 {
		plain = plain.withGoal("≥ 0.8×", ours >= 0.8*plain.Base)
	}
	rows := []Row{plain, row("xargs -P "+strconv.Itoa(batchConcurrency), rate(2, singleRuns))}
	if m.memory != "" {
		rows = append(rows, row("the same, written to memory", rate(3, batchRecords)))
	}
	if delay == 0 {
		perRun := func(i, runs int) float64 { return cpuMs(samples[i]) / float64(runs) }
		rows = append(rows, Row{ID: "B9", What: "batch, processor time of a run", Value: perRun(0, batchRecords), Unit: "ms", Against: "plain client", Base: perRun(1, batchRecords)})
	}
	return rows, nil
}

// peaks compares the memory of a short batch with that of a long one.
func (m *batchBench) peaks(ctx context.Context) ([]Row, error) {
	server := startBatchModel(0)
	defer server.Close()
	m.logProgress("memory of batches of %d and %d records", fewRecords, manyRecords)
	var peak []float64
	for _, records := range []int{fewRecords, manyRecords} {
		sample, err := m.batch(server, records, m.Dir).run(ctx, m.launcher, 0)
		if err != nil {
			return nil, err
		}
		peak = append(peak, medianPeakMB([]Sample{sample}))
	}
	row := Row{ID: "B9", What: "batch of 10,000, peak memory", Value: peak[1], Unit: "MB", Against: "batch of 100", Base: peak[0]}
	return []Row{row.withGoal("flat (≤ 1.3×)", peak[1] <= 1.3*peak[0])}, nil
}
