//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"time"
)

// A Subject is a command to measure.
type Subject struct {
	Name string
	Args []string // the program first
	Dir  string
	Env  []string
	// Prepare, if set, is called before each run, outside the measured time, and
	// returns arguments to add.
	Prepare func(round int) ([]string, error)
}

// A Sample is the cost of one run.
type Sample struct {
	Wall time.Duration `json:"wall_ns"`
	RSS  int64         `json:"rss_bytes"` // peak
	CPU  time.Duration `json:"cpu_ns"`    // of processors
}

// runInterleaved runs every subject once per round and returns the samples of each. A
// first round, which fills the caches, does not count.
func runInterleaved(ctx context.Context, launcher string, rounds int, subjects []Subject) ([][]Sample, error) {
	samples := make([][]Sample, len(subjects))
	for round := range rounds + 1 {
		for i, s := range subjects {
			sample, err := s.run(ctx, launcher, round)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
			if round > 0 {
				samples[i] = append(samples[i], sample)
			}
		}
	}
	return samples, nil
}

// run runs the command once by the launcher. It must succeed.
func (s Subject) run(ctx context.Context, launcher string, round int) (Sample, error) {
	args := slices.Clone(s.Args)
	if s.Prepare != nil {
		more, err := s.Prepare(round)
		if err != nil {
			return Sample{}, err
		}
		args = append(args, more...)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, launcher, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.Dir, s.Env, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return Sample{}, fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	var sample Sample
	err := json.Unmarshal(stdout.Bytes(), &sample)
	return sample, err
}

// wallMs returns the median wall time in milliseconds.
func wallMs(samples []Sample) float64 {
	return median(samples, func(s Sample) float64 { return float64(s.Wall) / float64(time.Millisecond) })
}

// medianPeakMB returns the median of the peak memory in megabytes.
func medianPeakMB(samples []Sample) float64 {
	return median(samples, func(s Sample) float64 { return float64(s.RSS) / (1 << 20) })
}

// cpuMs returns the median time of processors in milliseconds.
func cpuMs(samples []Sample) float64 {
	return median(samples, func(s Sample) float64 { return float64(s.CPU) / float64(time.Millisecond) })
}

// median returns the median of a property of samples, at least one.
func median[T any](samples []T, of func(T) float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 0 {
		return (values[middle-1] + values[middle]) / 2
	}
	return values[middle]
}
