//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// The sizes of the texts of many findings, in bytes.
const findingsFrom, findingsTo = 8 << 20, 16 << 20

// manyFindings is a call with one finding, 40 bytes long. The texts are one line of it.
const manyFindings = `{"name":"look","parameters":{"at":10,}};`

// measureFindings measures B4 for texts with a finding every 40 bytes, in one line: how the time
// of parse grows with their length, in the formats of reports.
func (b *Bench) measureFindings(ctx context.Context, p programs) ([]Row, error) {
	var files [2]string
	for i, size := range []int{findingsFrom, findingsTo} {
		files[i] = filepath.Join(b.Dir, fmt.Sprintf("findings%d.txt", i))
		if err := os.WriteFile(files[i], bytes.Repeat([]byte(manyFindings), size/len(manyFindings)), 0o600); err != nil {
			return nil, err
		}
	}
	var rows []Row
	for _, format := range []string{"text", "jsonl", "sarif", "junit"} {
		b.logProgress("growth, findings as %s", format)
		row, err := b.findingsRow(ctx, p, format, files)
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// findingsRow measures one format.
func (b *Bench) findingsRow(ctx context.Context, p programs, format string, files [2]string) (Row, error) {
	var subjects []Subject
	for _, file := range files {
		args := []string{p.oneshot, "parse", "--dialect", "llama3_json", "--max-findings", "0", "--fail-on", "never", "--format", format, file}
		subjects = append(subjects, Subject{Name: format, Args: args, Env: os.Environ()})
	}
	samples, err := runInterleaved(ctx, p.launcher, recordRounds, subjects)
	if err != nil {
		return Row{}, err
	}
	least := func(samples []Sample) float64 {
		return slices.MinFunc(samples, func(a, b Sample) int { return int(a.CPU - b.CPU) }).CPU.Seconds()
	}
	short, long := least(samples[0]), least(samples[1])
	row := Row{
		ID: "B4", What: fmt.Sprintf("parse --format %s: %d MB in one line with a finding every %d bytes", format, findingsTo>>20, len(manyFindings)),
		Value: long / short, Unit: "× of 8 MB", Against: "throughput", Base: findingsTo / 1e6 / long, BaseUnit: "MB/s",
	}
	return row.withGoal(fmt.Sprintf("≤ %.1f×", growthGoal), row.Value <= growthGoal), nil
}
