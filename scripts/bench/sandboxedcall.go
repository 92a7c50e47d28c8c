//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"oneshot/pkg/subprocess"
)

// mostOverhead is the maximum additional time of a call of a sandboxed program over the program itself.
const mostOverhead = 15.0 // ms

// measureSandboxedCall measures B11: the time that a call of a sandboxed program adds to fork
// and exec of the same program, and the same for bubblewrap.
func (b *Bench) measureSandboxedCall(ctx context.Context, p programs) ([]Row, error) {
	const name = "/bin/true"
	dir, err := os.Open(b.Dir)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	confined := &subprocess.Confinement{
		Helper:    []string{p.oneshot},
		Sandboxes: []subprocess.Sandbox{{Read: []string{"/usr", "/bin", "/lib", "/lib64", "/etc"}}},
	}
	names := []string{"fork and exec", "a call of a sandboxed program"}
	run := []func() error{
		func() error { return exec.CommandContext(ctx, name).Run() },
		func() error {
			_, err := confined.Run(ctx, subprocess.Command{Argv: []string{name}, Dir: dir})
			return err
		},
	}
	if bwrap, err := exec.LookPath("bwrap"); err != nil {
		b.logProgress("no comparison with bubblewrap: %v", err)
	} else {
		names = append(names, "bubblewrap")
		run = append(run, func() error {
			return exec.CommandContext(ctx, bwrap, "--ro-bind", "/", "/", "--proc", "/proc", "--unshare-all", "--die-with-parent", name).Run()
		})
	}
	rounds := 3 * b.Runs // each takes milliseconds
	b.logProgress("%s: %d rounds", names[1], rounds)
	took := make([][]float64, len(run))
	for round := range rounds + 1 {
		for i, f := range run {
			start := time.Now()
			if err := f(); err != nil {
				return nil, fmt.Errorf("%s: %w", names[i], err)
			}
			if round > 0 { // the first one fills the caches
				took[i] = append(took[i], ms(time.Since(start)))
			}
		}
	}
	self := func(v float64) float64 { return v }
	plain, call := median(took[0], self), median(took[1], self)
	row := Row{ID: "B11", What: names[1], Value: call, Unit: "ms", Against: names[0], Base: plain}
	rows := []Row{row.withGoal(fmt.Sprintf("≤ %.0f ms over it", mostOverhead), call-plain <= mostOverhead)}
	if len(took) > 2 {
		rows = append(rows, Row{ID: "B11", What: names[1], Value: call, Unit: "ms", Against: names[2], Base: median(took[2], self)})
	}
	return rows, nil
}
