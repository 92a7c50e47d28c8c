//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"oneshot/scripts/modelserver"
)

// deltas is the number of pieces in which the model of the events measure writes its answer.
const deltas = 10_000

// measureStalledEventReaders measures the cost of --events for a run with many pieces of text if its pipe has no reader, or a
// reader that stops after a line.
func (b *Bench) measureStalledEventReaders(ctx context.Context, p programs) ([]Row, error) {
	m := startModel(&modelserver.Server{AtOnce: true}, func([]byte, int) modelserver.Reply {
		return mustPlay(strings.Repeat("text \"The apples are in the cellar. \"\n", deltas), "stop")
	})
	defer m.Close()
	args := append(m.runArguments(p, nativeChat), "--output", "text", "--no-run-file", "Where are the apples?")
	subjects := []Subject{{Name: "no events"}, {Name: "nobody reads"}, {Name: "the reader stops after a line"}}
	var stopped *os.File // the end of the pipe at which nothing more is read
	defer func() { stopped.Close() }()
	for i := range subjects {
		s := &subjects[i]
		s.Dir, s.Env, s.Args = b.Dir, []string{"HOME=" + b.Dir}, args
		if i == 0 {
			continue
		}
		pipe := filepath.Join(b.Dir, "events-"+strings.ReplaceAll(s.Name, " ", "-"))
		s.Prepare = func(int) (_ []string, err error) {
			if err := os.Remove(pipe); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			if err := unix.Mkfifo(pipe, 0o600); err != nil {
				return nil, err
			}
			if i == 2 {
				stopped.Close() // of the round before; nil in the first one
				stopped, err = openStalledReader(pipe)
			}
			return []string{"--events", pipe}, err
		}
	}
	b.logProgress("events of %d deltas: %d rounds", deltas, b.Runs)
	samples, err := runInterleaved(ctx, p.launcher, b.Runs, subjects)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, s := range subjects[1:] {
		row := func(what string, of func([]Sample) float64, unit string) Row {
			return Row{ID: "events", What: "10,000 deltas, " + s.Name + what, Value: of(samples[i+1]), Unit: unit, Against: subjects[0].Name, Base: of(samples[0])}
		}
		wall, cpu, memory := row("", wallMs, "ms"), row(", processor time", cpuMs, "ms"), row(", peak memory", medianPeakMB, "MB")
		rows = append(rows,
			wall.withGoal("≤ 1.1×", wall.Value <= 1.1*wall.Base),
			cpu.withGoal("≤ 1.1×", cpu.Value <= 1.1*cpu.Base),
			memory.withGoal("≤ 2 MB more", memory.Value <= memory.Base+2))
	}
	return rows, nil
}

// openStalledReader opens a pipe that is written later. It reads one line and stops, with the pipe open.
func openStalledReader(pipe string) (*os.File, error) {
	f, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	go func() { _, _ = bufio.NewReaderSize(f, 16).ReadSlice('\n') }() // it ends with the file
	return f, nil
}
