//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"oneshot/pkg/runfile"
	"oneshot/scripts/modelserver"
)

// listedRuns is how many runs are listed.
const listedRuns = 1000

// measureRunLists measures B13: the commands that read the records of many runs.
func (b *Bench) measureRunLists(ctx context.Context, p programs) ([]Row, error) {
	home := filepath.Join(b.Dir, "lists") // without the runs of other measures
	if err := b.makeRecords(ctx, p, home); err != nil {
		return nil, err
	}
	var subjects []Subject
	for _, command := range []string{"list", "stats"} {
		subjects = append(subjects, Subject{Name: "runs " + command + ", 1,000 runs", Args: []string{p.oneshot, "runs", command}, Dir: home, Env: []string{"HOME=" + home}})
	}
	b.logProgress("lists of %d runs: %d rounds", listedRuns, b.Runs)
	samples, err := runInterleaved(ctx, p.launcher, b.Runs, subjects)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, s := range subjects {
		ms := wallMs(samples[i])
		rows = append(rows, Row{ID: "B13", What: s.Name, Value: ms, Unit: "ms"}.withGoal("≤ 100 ms", ms <= 100))
	}
	return rows, nil
}

// makeRecords makes a run and copies its record under other names into the state directory of a home.
func (b *Bench) makeRecords(ctx context.Context, p programs, home string) error {
	root, err := b.makeNotes()
	if err != nil {
		return err
	}
	m := startModel(&modelserver.Server{AtOnce: true}, toolOllama.searchTurn)
	defer m.Close()
	run := b.oneshotRun(m.runArguments(p, toolOllama), toolOllama, root, shortTurns)
	if _, err := run.run(ctx, p.launcher, 2_000_000); err != nil { // beside those of B6 and B10
		return err
	}
	more, err := run.Prepare(2_000_000)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(more[1])
	if err != nil {
		return err
	}
	dir := filepath.Join(home, ".local", "state", "oneshot", "runs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	start := time.Now()
	for i := range listedRuns {
		name := runfile.NewID(start.Add(time.Duration(i)*time.Second), uint64(i)) + ".jsonl"
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}
