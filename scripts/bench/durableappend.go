//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
	"oneshot/scripts/modelserver"
)

// appends is the number of consecutive durable appends.
const appends = 100

// An appender appends durably and returns the time of one append.
type appender struct {
	name string
	run  func() (time.Duration, error)
}

// measureDurability measures B10: the cost of a durable append to a run file, and of durability in
// a run.
func (b *Bench) measureDurability(ctx context.Context, p programs) ([]Row, error) {
	rows, err := b.measureAppends(ctx)
	if err != nil {
		return nil, err
	}
	more, err := b.durableRuns(ctx, p)
	return append(rows, more...), err
}

// measureAppends compares a run file with the same bytes written and synced, and with a database.
func (b *Bench) measureAppends(ctx context.Context) (rows []Row, err error) {
	line, size, err := b.recordLine()
	if err != nil {
		return nil, err
	}
	w, err := runfile.Create(filepath.Join(b.Dir, "durable.jsonl"), runfile.Run{ID: "bench"})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	raw, err := os.OpenFile(filepath.Join(b.Dir, "durable.raw"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	all := []appender{
		{"run file", timeAppends(func() error { return errors.Join(w.Append(recorded), w.Sync()) })},
		{"write and fsync", timeAppends(func() error {
			_, err := raw.Write(line)
			return errors.Join(err, raw.Sync())
		})},
	}
	peers := b.startPeers(ctx)
	defer func() { err = errors.Join(err, peers.Close()) }()
	all = append(all, b.databaseAppenders(peers, line)...)
	b.logProgress("durable appends of %d bytes: %d rounds of %d", size, b.Runs, appends)
	took := make([][]time.Duration, len(all))
	for range b.Runs {
		for i, a := range all {
			one, err := a.run()
			if err != nil || ctx.Err() != nil {
				return nil, errors.Join(err, ctx.Err())
			}
			took[i] = append(took[i], one)
		}
	}
	micros := func(i int) float64 {
		return median(took[i], func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) })
	}
	what := fmt.Sprintf("durable append of %d bytes", size)
	for i, a := range all[1:] {
		row := Row{ID: "B10", What: what, Value: micros(0), Unit: "µs", Against: a.name, Base: micros(i + 1)}
		if i == 0 {
			row = row.withGoal("≤ 1.3×", micros(0) <= 1.3*micros(1))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// recorded is the appended record: a small result.
var recorded = runfile.Result{Call: "t1c1", Result: chat.Success(map[string]any{"body": string(bytes.Repeat([]byte("x"), 180)), "status": 200})}

// recordLine returns the line of the record.
func (b *Bench) recordLine() ([]byte, int, error) {
	path := filepath.Join(b.Dir, "line.jsonl")
	w, err := runfile.Create(path, runfile.Run{ID: "bench"})
	if err != nil {
		return nil, 0, err
	}
	if err := errors.Join(w.Append(recorded), w.Close()); err != nil {
		return nil, 0, err
	}
	text, err := os.ReadFile(path)
	_, line, _ := bytes.Cut(text, []byte("\n"))
	return line, len(line), err
}

// timeAppends times some appends.
func timeAppends(one func() error) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		start := time.Now()
		for range appends {
			if err := one(); err != nil {
				return 0, err
			}
		}
		return time.Since(start) / appends, nil
	}
}

// databaseAppenders returns an appender for SQLite if there are peers.
func (b *Bench) databaseAppenders(p *peers, line []byte) []appender {
	r := p.newReader("SQLite, WAL, synchronous=FULL", "sqlite", calls{text: line})
	if p.cmd == nil {
		return nil
	}
	if _, err := r.Time(); err != nil {
		b.logProgress("no comparison with %s: %v", r.Name, err)
		return nil
	}
	return []appender{{r.Name, r.Time}}
}

// durableRuns compares runs of three turns that write two files, with a run file and without.
func (b *Bench) durableRuns(ctx context.Context, p programs) ([]Row, error) {
	root, err := b.makeNotes()
	if err != nil {
		return nil, err
	}
	m := startModel(&modelserver.Server{AtOnce: true}, toolOllama.fileWritesReply)
	defer m.Close()
	run := b.oneshotRun(m.runArguments(p, toolOllama), toolOllama, root, shortTurns)
	run.Name = "writes, run file"
	run.Args = append(run.Args[:len(run.Args)-1:len(run.Args)-1], "--tool", "file_put", "--allow", "file_put", fmt.Sprintf("Write. turns: %d", shortTurns))
	bare := run
	bare.Name, bare.Prepare = "writes, no run file", nil
	bare.Args = append(run.Args[:len(run.Args):len(run.Args)], "--no-run-file")
	prepare := run.Prepare
	run.Prepare = func(round int) ([]string, error) { return prepare(round + 1_000_000) } // beside those of B6
	b.logProgress("runs of %d turns that write: %d rounds", shortTurns, b.Runs)
	samples, err := runInterleaved(ctx, p.launcher, b.Runs, []Subject{run, bare})
	if err != nil {
		return nil, err
	}
	return []Row{{ID: "B10", What: "a run of 3 turns and 2 writes, run file", Value: wallMs(samples[0]), Unit: "ms", Against: "no run file", Base: wallMs(samples[1])}}, nil
}

// fileWritesReply returns the replies of runs that write two files.
func (f form) fileWritesReply(_ []byte, turn int) modelserver.Reply {
	end, _ := f.endReply()
	switch turn {
	case 1:
		return f.callsReply(f.scriptCallLine("a", "file_put", `{"path": "a.md", "content": "text"}`), f.scriptCallLine("b", "file_put", `{"path": "b.md", "content": "text"}`))
	case 2:
		return end
	}
	return answer
}
