//go:build !linux

package subprocess

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
)

// Help returns: there is no helper here.
func Help() {}

// Adopt does nothing: there is no supervisor that could leave anything.
func Adopt() bool { return false }

// Supported says that there is nothing.
func Supported() Support { return Support{} }

func (c *Confinement) check(Support) error {
	for _, s := range c.Sandboxes {
		if !s.Optional {
			return &StartError{Kind: Unsupported, Err: errors.New("only Linux has the sandbox that is asked for")}
		}
	}
	return nil
}

// heldFolder is the path: there is none that leads to a folder whatever has its name.
func heldFolder(path string, _ *os.File) string { return path }

// run ends the program's process group, and what has left it stays. No limits are set.
func (c *Confinement) run(ctx context.Context, cmd Command) (Outcome, error) {
	path, err := c.find(cmd)
	if err != nil {
		return Outcome{}, err
	}
	c.cleaning.Do(removeLeftTemps)
	temp, dir, err := makeTemp()
	if err != nil {
		return Outcome{}, err
	}
	defer dir.Close()
	defer removeTemp(temp, temp)
	env, err := c.environment(temp, cmd.Env)
	if err != nil {
		return Outcome{}, err
	}
	var flooded atomic.Bool
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stdout, stderr := cmd.captures(func() { flooded.Store(true); cancel() })
	p, err := c.All.launch(&exec.Cmd{
		Path: path, Args: cmd.Argv, Env: plainly(env), Dir: cmd.Dir.Name(),
		Stdin: bytes.NewReader(cmd.Stdin), Stdout: stdout, Stderr: stderr,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true}, WaitDelay: patience,
	})
	if err != nil {
		return Outcome{}, refusedf("%w", err)
	}
	err = p.Finish(ctx)
	<-p.Ended()
	return p.outcome(stdout.text, stderr.text, flooded.Load()), p.fault(err, flooded.Load())
}

func (p *Process) outcome(stdout, stderr Text, flooded bool) Outcome {
	o := Outcome{Stdout: stdout, Stderr: stderr, Exit: p.cmd.ProcessState.ExitCode(), Flooded: flooded}
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		o.Signal, o.Number = status.Signal().String(), int(status.Signal())
	}
	return o
}

// fault is what of an error is not an outcome.
func (p *Process) fault(err error, flooded bool) error {
	var exit *exec.ExitError
	if flooded || errors.As(err, &exit) || errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}
