//go:build unix

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
)

// A Row is one result.
type Row struct {
	ID      string  `json:"id"`
	What    string  `json:"what"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Against string  `json:"against"`
	Base    float64 `json:"base"` // the base of comparison, in the same unit
	// BaseUnit, if set, is the unit of the base. The base is then another measured
	// quantity, and not a base of comparison.
	BaseUnit string `json:"base_unit,omitempty"`
	Goal     string `json:"goal,omitempty"`
	Met      *bool  `json:"met,omitempty"` // nil where there is no goal
}

// withGoal returns the row with a goal and whether it is met.
func (r Row) withGoal(text string, met bool) Row {
	r.Goal, r.Met = text, &met
	return r
}

// ratio returns the value as a multiple of the base.
func (r Row) ratio() string {
	if r.Base <= 0 || r.BaseUnit != "" {
		return "–"
	}
	return fmt.Sprintf("%.2f×", r.Value/r.Base)
}

// formatBaseValue returns the base of comparison as text.
func (r Row) formatBaseValue() string {
	if r.Against == "" {
		return "–"
	}
	return fmt.Sprintf("%.2f %s", r.Base, cmp.Or(r.BaseUnit, r.Unit))
}

func (r Row) verdict() string {
	switch {
	case r.Met == nil:
		return "–"
	case *r.Met:
		return "yes"
	}
	return "no"
}

// A Report holds all results and the environment.
type Report struct {
	Go     string `json:"go"`
	System string `json:"system"`
	CPUs   int    `json:"cpus"`
	Runs   int    `json:"runs"`
	Rows   []Row  `json:"rows"`
}

func newReport(runs int) *Report {
	return &Report{Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(), Runs: runs}
}

// Save writes the report as JSON.
func (r *Report) Save(file string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// Print prints the report as a Markdown table.
func (r *Report) Print(w io.Writer) error {
	lines := []string{
		fmt.Sprintf("%s, %s, %d CPUs, median of %d", r.Go, r.System, r.CPUs, r.Runs), "",
		"| id | what | measured | against | that | ratio | goal | met |",
		"|---|---|---:|---|---:|---:|---|---|",
	}
	for _, row := range r.Rows {
		lines = append(lines, fmt.Sprintf("| %s | %s | %.2f %s | %s | %s | %s | %s | %s |",
			row.ID, row.What, row.Value, row.Unit, row.Against, row.formatBaseValue(), row.ratio(), row.Goal, row.verdict()))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
