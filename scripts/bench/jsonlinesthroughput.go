//go:build unix

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// The goals of B3.
const (
	recordsGoal = 150.0 // MB in a second of one core
	rssGoal     = 64.0  // MB at most, however large the file is
)

// recordRounds is how often the large files are read; the best time counts.
const recordRounds = 3

// peerShare limits the part of the file for other programs, which are slower.
const peerShare = 10 // a tenth

// recordsJS reads JSON Lines with a library of npm.
//
//go:embed records.js
var recordsJS []byte

// measureJSONLines measures B3: the time and the memory for reading captures in JSON Lines.
func (b *Bench) measureJSONLines(ctx context.Context, p programs) (_ []Row, err error) {
	file, part := filepath.Join(b.Dir, "captures.jsonl"), filepath.Join(b.Dir, "part.jsonl")
	defer func() { err = errors.Join(err, removeIfExists(file), removeIfExists(part)) }()
	for path, size := range map[string]int64{file: b.Megabytes * 1e6, part: b.Megabytes * 1e6 / peerShare} {
		b.logProgress("writing %d MB of captures", size/1e6)
		if err := writeCaptures(path, size); err != nil {
			return nil, err
		}
	}
	ours, err := b.parseRows(ctx, p, file)
	if err != nil {
		return nil, err
	}
	peers, err := b.peerRows(ctx, p, part, ours[0].Value)
	return append(ours, peers...), err
}

// removeIfExists removes a file if it exists.
func removeIfExists(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// writeCaptures writes a file of captures, the same each time.
func writeCaptures(path string, size int64) error {
	c, err := newCaptureGenerator(1)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = c.write(f, size)
	return errors.Join(err, f.Close())
}

// parseRows measures oneshot, with one core and with all.
func (b *Bench) parseRows(ctx context.Context, p programs, file string) ([]Row, error) {
	args := []string{p.oneshot, "parse", "--field", "response", "--id-field", "id", "--format", "jsonl", "--fail-on", "never", file}
	one := Subject{Name: "oneshot parse, one core", Args: pinToCore(args), Env: append(os.Environ(), "GOMAXPROCS=1")}
	all := Subject{Name: "oneshot parse", Args: args, Env: os.Environ()}
	b.logProgress("records: %d rounds of %d MB", recordRounds, b.Megabytes)
	samples, err := runInterleaved(ctx, p.launcher, recordRounds, []Subject{one, all})
	if err != nil {
		return nil, err
	}
	single, many, cpus := b.bestSpeed(samples[0], b.Megabytes), b.bestSpeed(samples[1], b.Megabytes), runtime.NumCPU()
	mix := fmt.Sprintf("%d %% answers without a call, %d %% texts with the calls of a case of some dialect, %d %% bodies of servers", percentProse, percentCalls, percentBodies)
	rows := []Row{
		Row{ID: "B3", What: fmt.Sprintf("oneshot parse, %d MB (%s), one core", b.Megabytes, mix), Value: single.wall, Unit: "MB/s"}.
			withGoal(fmt.Sprintf("≥ %.0f MB/s", recordsGoal), single.wall >= recordsGoal),
		{ID: "B3", What: "the same, in a second of a processor", Value: single.cpu, Unit: "MB/s"},
		{ID: "B3", What: fmt.Sprintf("the same, %d cores", cpus), Value: many.wall, Unit: "MB/s", Against: "one core", Base: single.wall},
	}
	for i, what := range []string{"one core", fmt.Sprintf("%d cores", cpus)} {
		rss := slices.MaxFunc(samples[i], func(a, b Sample) int { return int(a.RSS - b.RSS) })
		row := Row{ID: "B3", What: "peak RSS, " + what, Value: medianPeakMB([]Sample{rss}), Unit: "MB"}
		rows = append(rows, row.withGoal(fmt.Sprintf("≤ %.0f MB", rssGoal), row.Value <= rssGoal))
	}
	return rows, nil
}

// pinToCore returns a command that runs on one core, if there is a program for that.
func pinToCore(args []string) []string {
	if taskset, err := exec.LookPath("taskset"); err == nil {
		return append([]string{taskset, "-c", "0"}, args...)
	}
	return args
}

// A speed is in MB/s, of wall time and of CPU time.
type speed struct{ wall, cpu float64 }

// bestSpeed returns the best speed in samples of a program that reads that many megabytes.
func (b *Bench) bestSpeed(samples []Sample, megabytes int64) speed {
	var s speed
	for _, sample := range samples {
		s.wall = max(s.wall, float64(megabytes)/sample.Wall.Seconds())
		s.cpu = max(s.cpu, float64(megabytes)/sample.CPU.Seconds())
	}
	return s
}

// peerRows measures other programs on each record of a smaller file: parsing, checking against a
// schema, repairing. None of them looks for calls.
func (b *Bench) peerRows(ctx context.Context, p programs, file string, ours float64) ([]Row, error) {
	var subjects []Subject
	if jq := b.findJQ(ctx); jq != "" {
		subjects = append(subjects, Subject{Name: "jq .response", Args: []string{jq, "-c", ".response", file}})
	}
	if node, err := exec.LookPath("node"); err == nil && p.modules != "" {
		script := filepath.Join(b.Dir, "records.js")
		if err := os.WriteFile(script, recordsJS, 0o644); err != nil {
			return nil, err
		}
		env := append(os.Environ(), "NODE_PATH="+p.modules)
		for _, library := range []string{"ajv", "jsonrepair"} {
			subjects = append(subjects, Subject{Name: library + " for each record", Args: []string{node, script, library, file}, Env: env})
		}
	}
	if len(subjects) == 0 {
		return nil, nil
	}
	b.logProgress("records: %d rounds of %d MB for other programs", recordRounds, b.Megabytes/peerShare)
	samples, err := runInterleaved(ctx, p.launcher, recordRounds, subjects)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, s := range subjects {
		rows = append(rows, Row{ID: "B3", What: "oneshot parse, one core", Value: ours, Unit: "MB/s", Against: s.Name, Base: b.bestSpeed(samples[i], b.Megabytes/peerShare).wall})
	}
	return rows, nil
}

// findJQ returns the path of jq, which it installs if possible, or "".
func (b *Bench) findJQ(ctx context.Context) string {
	if !b.Peers {
		return ""
	}
	if _, err := exec.LookPath("jq"); err != nil {
		b.logProgress("installing jq")
		ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		if out, err := exec.CommandContext(ctx, "apt-get", "install", "-y", "jq").CombinedOutput(); err != nil {
			b.logProgress("no comparison with jq: %v: %s", err, out)
		}
	}
	path, err := exec.LookPath("jq")
	if err != nil {
		return ""
	}
	return path
}
