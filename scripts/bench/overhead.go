//go:build unix

package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
)

// The two lengths of run that B6 compares. The difference between them is the
// cost of turns alone, without that of starting and ending.
const (
	shortTurns = 3
	longTurns  = 18
)

// overhead measures B6: whole runs against a plain client that sends the same
// bodies to the same server.
func (b *Bench) overhead(ctx context.Context, p programs) ([]Row, error) {
	model := &modelServer{}
	server := httptest.NewServer(model.handler())
	defer server.Close()
	root := filepath.Join(b.Dir, "root")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(root, "apples.md"), []byte("Apples 1 are in the cellar.\n"), 0o644); err != nil {
		return nil, err
	}
	var subjects []Subject
	for _, turns := range []int{shortTurns, longTurns} {
		recorded := b.oneshotRun(p, server.URL, root, turns)
		plain, err := b.plainClient(ctx, p, server.URL, model, recorded, turns)
		if err != nil {
			return nil, err
		}
		unrecorded := recorded
		unrecorded.Name += " without run file"
		unrecorded.Args = append(recorded.Args[:len(recorded.Args):len(recorded.Args)], "--no-run-file")
		unrecorded.Prepare = nil
		subjects = append(subjects, plain, recorded, unrecorded)
	}
	b.note("runs of %d and %d turns: %d rounds", shortTurns, longTurns, b.Runs)
	samples, err := interleave(ctx, p.launcher, b.Runs, subjects)
	if err != nil {
		return nil, err
	}
	return overheadRows(samples), nil
}

// overheadRows makes the rows from the samples of: plain client, run, run
// without run file, first of the short length and then of the long one.
func overheadRows(samples [][]Sample) []Row {
	const plainShort, plainLong = 0, 3
	plain := wallMs(samples[plainShort])
	perPlain := (wallMs(samples[plainLong]) - plain) / (longTurns - shortTurns)
	var rows []Row
	for i, kind := range []string{"oneshot run", "oneshot run --no-run-file"} {
		short, long := samples[plainShort+1+i], samples[plainLong+1+i]
		ms := wallMs(short)
		whole := Row{ID: "B6", What: kind + ", 3 turns", Value: ms, Unit: "ms", Against: "plain client", Base: plain}
		perTurn := (wallMs(long)-ms)/(longTurns-shortTurns) - perPlain
		each := Row{ID: "B6", What: kind + ", added by each turn", Value: perTurn, Unit: "ms", Against: "plain client, each turn", Base: perPlain}
		memory := Row{ID: "B6", What: kind + ", peak memory", Value: rssMB(short), Unit: "MB", Against: "plain client", Base: rssMB(samples[plainShort])}
		rows = append(rows,
			whole.goal("≤ 25 ms more", ms-plain <= 25),
			each.goal("≤ 0.5 ms", perTurn <= 0.5),
			memory.goal("≤ 30 MB", memory.Value <= 30))
	}
	return rows
}

// oneshotRun is a run of some turns, with a run file of its own each time.
func (b *Bench) oneshotRun(p programs, url, root string, turns int) Subject {
	limit := strconv.Itoa(turns)
	return Subject{
		Name: "oneshot run, " + limit + " turns",
		Dir:  b.Dir,
		Env:  []string{"HOME=" + b.Dir},
		Args: []string{p.oneshot, "run", "--model", "ollama/" + modelName, "--base-url", url,
			"--tool", "vault_search", "--root", root, "--max-turns", limit, "Where are the apples? turns: " + limit},
		Prepare: func(round int) ([]string, error) {
			return []string{"--run-file", filepath.Join(b.Dir, fmt.Sprintf("run-%d-%d.jsonl", turns, round))}, nil
		},
	}
}

// plainClient is the plain client with the bodies that a run sends: it makes the
// run once to learn them.
func (b *Bench) plainClient(ctx context.Context, p programs, url string, model *modelServer, run Subject, turns int) (Subject, error) {
	model.take()
	const before = -1 // the round of a run that is not measured
	if _, err := run.run(ctx, p.launcher, before); err != nil {
		return Subject{}, fmt.Errorf("%s: %w", run.Name, err)
	}
	bodies := model.take()
	if len(bodies) != turns {
		return Subject{}, fmt.Errorf("%s: %d chat requests", run.Name, len(bodies))
	}
	args := []string{p.plain, url + "/api/chat"}
	for i, body := range bodies {
		file := filepath.Join(b.Dir, fmt.Sprintf("body-%d-%d.json", turns, i))
		if err := os.WriteFile(file, body, 0o644); err != nil {
			return Subject{}, err
		}
		args = append(args, file)
	}
	return Subject{Name: "plain client", Args: args, Dir: b.Dir}, nil
}
