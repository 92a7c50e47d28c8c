//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// runLimit is the time after which the drive ends a run.
const runLimit = 60 * time.Second

// An Outcome is the result of a program, observed from outside.
type Outcome struct {
	Exit           int // -1 if an unhandled signal ended it
	Stdout, Stderr string
	Took           time.Duration
	Left           []int // processes of its group that outlived it
}

func (o Outcome) print(w io.Writer) {
	for _, s := range []struct{ name, text string }{{"stdout", o.Stdout}, {"stderr", o.Stderr}} {
		for line := range strings.Lines(s.text) {
			fmt.Fprintf(w, "    %s| %s\n", s.name, strings.TrimRight(line, "\n"))
		}
	}
}

// A Program is a started process that has not been waited for.
type Program struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	stdin          *os.File
	started        time.Time
}

// StartProgram starts a program in its own process group, with an empty home and a
// standard input that stays open without data, as a scheduler may leave it. If input is
// not empty, it is sent instead.
func StartProgram(ctx context.Context, home, path string, args []string, input string) (*Program, error) {
	p := &Program{cmd: exec.CommandContext(ctx, path, args...), started: time.Now()}
	p.cmd.Dir = home
	p.cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = time.Second // a child may still hold its output
	if input != "" {
		p.cmd.Stdin = strings.NewReader(input)
		return p, p.cmd.Start()
	}
	silent, keep, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer silent.Close()
	p.cmd.Stdin, p.stdin = silent, keep
	return p, p.cmd.Start()
}

// Signal sends a signal only to the program.
func (p *Program) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// AwaitEnd waits until the program has ended, and returns an error after the limit. The
// caller must still call Wait.
func (p *Program) AwaitEnd(ctx context.Context, limit time.Duration) error {
	return awaitCondition(ctx, limit, "the program to end", func() (bool, error) {
		all, err := AllProcesses()
		for _, q := range all {
			if q.ID == p.cmd.Process.Pid {
				return q.State == "Z", err
			}
		}
		return true, err
	})
}

// Kill ends the program and waits for it.
func (p *Program) Kill() (Outcome, error) {
	if err := p.Signal(os.Kill); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return Outcome{Exit: -1}, err
	}
	return p.Wait()
}

// Wait waits for the end of the program and kills the rest of its group.
func (p *Program) Wait() (Outcome, error) {
	err := p.cmd.Wait()
	o := Outcome{
		Exit: p.cmd.ProcessState.ExitCode(), Took: time.Since(p.started),
		Stdout: p.stdout.String(), Stderr: p.stderr.String(),
	}
	if p.stdin != nil {
		p.stdin.Close()
	}
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		return o, err
	}
	o.Left, err = runningInGroup(p.cmd.Process.Pid)
	if len(o.Left) > 0 {
		// An error means that they have ended.
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	}
	return o, err
}
