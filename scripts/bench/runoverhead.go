//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"oneshot/scripts/modelserver"
)

// The two lengths of runs that B6 compares. The difference between them is the
// cost of turns alone, without that of starting and ending.
const (
	shortTurns = 3
	longTurns  = 18
)

// measureOverhead measures B6: whole runs, compared with a plain client that sends the same bodies
// to the same server.
func (b *Bench) measureOverhead(ctx context.Context, p programs) ([]Row, error) {
	root, err := b.makeNotes()
	if err != nil {
		return nil, err
	}
	var subjects []Subject
	var kinds []string
	for _, f := range []form{toolOllama, nativeOllama, nativeChat} {
		m := startModel(&modelserver.Server{AtOnce: true}, f.searchTurn)
		defer m.Close()
		for _, recorded := range []bool{true, false} {
			if !recorded && f != toolOllama {
				continue
			}
			more, err := b.subjectsByLength(ctx, p, m, f, root, recorded)
			if err != nil {
				return nil, err
			}
			subjects = append(subjects, more...)
			kind := f.name
			if !recorded {
				kind += ", no run file"
			}
			kinds = append(kinds, kind)
		}
	}
	b.logProgress("runs of %d and %d turns: %d rounds", shortTurns, longTurns, b.Runs)
	samples, err := runInterleaved(ctx, p.launcher, b.Runs, subjects)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, kind := range kinds {
		rows = append(rows, overheadRows(kind, samples[4*i:4*i+4])...)
	}
	return rows, nil
}

// makeNotes makes the folder that runs search.
func (b *Bench) makeNotes() (root string, err error) {
	root = filepath.Join(b.Dir, "root")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", err
	}
	return root, os.WriteFile(filepath.Join(root, "apples.md"), []byte("Apples 1 are in the cellar.\n"), 0o644)
}

// searchTurn returns the replies of B6. A prompt that ends in "turns: N" gets its answer in turn N.
func (f form) searchTurn(body []byte, turn int) modelserver.Reply {
	_, number, _ := strings.Cut(string(body), "turns: ")
	turns := 0
	fmt.Sscanf(number, "%d", &turns) // stays 0 if there is no number
	end, ends := f.endReply()
	switch {
	case turn >= turns:
		return answer
	case turn == turns-1 && ends:
		return end
	}
	call := f.scriptCallLine(fmt.Sprintf("call_%d", turn), "vault_search", fmt.Sprintf(`{"query": "apples %d", "limit": 5}`, turn))
	return f.callsReply(call)
}

// subjectsByLength returns the subjects of a form: for each of the two lengths the plain
// client and the run.
func (b *Bench) subjectsByLength(ctx context.Context, p programs, m *model, f form, root string, recorded bool) ([]Subject, error) {
	var subjects []Subject
	for _, turns := range []int{shortTurns, longTurns} {
		run := b.oneshotRun(m.runArguments(p, f), f, root, turns)
		plain, err := b.plainClient(ctx, p, m, run, f, turns)
		if err != nil {
			return nil, err
		}
		if !recorded {
			run.Args = append(run.Args, "--no-run-file")
			run.Prepare = nil
		}
		subjects = append(subjects, plain, run)
	}
	return subjects, nil
}

// overheadRows returns the rows of a kind of run from the samples of its plain client and its run,
// first with the short length and then with the long one.
func overheadRows(kind string, samples [][]Sample) []Row {
	plain, run := wallMs(samples[0]), wallMs(samples[1])
	perPlain := (wallMs(samples[2]) - plain) / (longTurns - shortTurns)
	perTurn := (wallMs(samples[3])-run)/(longTurns-shortTurns) - perPlain
	whole := Row{ID: "B6", What: kind + ", 3 turns", Value: run, Unit: "ms", Against: "plain client", Base: plain}
	each := Row{ID: "B6", What: kind + ", added by each turn", Value: perTurn, Unit: "ms", Against: "plain client, each turn", Base: perPlain}
	memory := Row{ID: "B6", What: kind + ", peak memory", Value: medianPeakMB(samples[1]), Unit: "MB", Against: "plain client", Base: medianPeakMB(samples[0])}
	return []Row{
		whole.withGoal("≤ 25 ms more", run-plain <= 25),
		each.withGoal("≤ 0.5 ms", perTurn <= 0.5),
		memory.withGoal("≤ 30 MB", memory.Value <= 30),
	}
}

// oneshotRun returns a run of some turns, with its own run file each time.
func (b *Bench) oneshotRun(args []string, f form, root string, turns int) Subject {
	limit := strconv.Itoa(turns)
	name := f.name + ", " + limit + " turns"
	return Subject{
		Name: name,
		Dir:  b.Dir,
		Env:  []string{"HOME=" + b.Dir},
		Args: append(args, "--tool", "vault_search", "--root", root, "--max-turns", limit, "Where are the apples? turns: "+limit),
		Prepare: func(round int) ([]string, error) {
			return []string{"--run-file", filepath.Join(b.Dir, fmt.Sprintf("run-%s-%s-%d-%d.jsonl", f.dialect, f.api, turns, round))}, nil
		},
	}
}

// plainClient returns the plain client with the bodies of a run, which it runs once to learn them.
func (b *Bench) plainClient(ctx context.Context, p programs, m *model, run Subject, f form, turns int) (Subject, error) {
	m.takeBodies()
	run.Args, run.Prepare = append(run.Args[:len(run.Args):len(run.Args)], "--no-run-file"), nil
	const before = -1 // the round of a run that is not measured
	if _, err := run.run(ctx, p.launcher, before); err != nil {
		return Subject{}, fmt.Errorf("%s: %w", run.Name, err)
	}
	bodies := m.takeBodies()
	if len(bodies) != turns {
		return Subject{}, fmt.Errorf("%s: %d requests", run.Name, len(bodies))
	}
	args := []string{p.plain, m.URL + f.api.Path()}
	for i, body := range bodies {
		file := filepath.Join(b.Dir, fmt.Sprintf("body-%s-%s-%d-%d.json", f.dialect, f.api, turns, i))
		if err := os.WriteFile(file, body, 0o644); err != nil {
			return Subject{}, err
		}
		args = append(args, file)
	}
	return Subject{Name: "plain client", Args: args, Dir: b.Dir}, nil
}
