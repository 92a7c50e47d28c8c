//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// responseWithCall returns a response of 1 KB with a call in it.
func responseWithCall() string {
	const call = "I look for it.\n\n```tool\nreturn vault_search({query: 'release', limit: 5});\n```\n"
	return call + strings.Repeat("Then I read what I find. ", 64)[:1024-len(call)]
}

// brokenJSON returns 1 KB of JSON with faults that jsonrepair repairs.
func brokenJSON() string {
	const begin, end = "{tool: 'vault_search', limit: 5, note: '", "',}"
	return begin + strings.Repeat("Then I read what I find. ", 64)[:1024-len(begin)-len(end)] + end
}

// measureColdStart measures B1: processes that do almost nothing.
func (b *Bench) measureColdStart(ctx context.Context, p programs) ([]Row, error) {
	captured, broken := filepath.Join(b.Dir, "response.txt"), filepath.Join(b.Dir, "broken.json")
	for path, text := range map[string]string{captured: responseWithCall(), broken: brokenJSON()} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	subjects := []Subject{
		{Name: "oneshot version", Args: []string{p.oneshot, "version"}},
		{Name: "oneshot parse, 1 KB", Args: []string{p.oneshot, "parse", captured}},
		{Name: "oneshot tools list", Args: []string{p.oneshot, "tools", "list"}},
	}
	ours := len(subjects)
	subjects = append(subjects, Subject{Name: "Go hello world", Args: []string{p.hello}})
	if p.jsonrepair != "" {
		subjects = append(subjects, Subject{Name: "jsonrepair, 1 KB", Args: []string{p.jsonrepair, broken}})
	}
	b.logProgress("cold start: %d rounds", b.Runs)
	samples, err := runInterleaved(ctx, p.launcher, b.Runs, subjects)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for peer := ours; peer < len(subjects); peer++ {
		for i := range ours {
			rows = append(rows, coldRow(subjects[i].Name, wallMs(samples[i]), subjects[peer].Name, wallMs(samples[peer]), peer == ours))
		}
	}
	return rows, nil
}

// coldRow compares a start with that of hello world, with a goal of three times its time, or with
// that of another program, with a goal of a tenth.
func coldRow(what string, ms float64, against string, base float64, hello bool) Row {
	row := Row{ID: "B1", What: what, Value: ms, Unit: "ms", Against: against, Base: base}
	if hello {
		return row.withGoal("≤ 3×", ms <= 3*base)
	}
	return row.withGoal("≤ 1/10", 10*ms <= base)
}
