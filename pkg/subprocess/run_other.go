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

// RunHelper does nothing: the helper exists only on Linux.
func RunHelper() {}

// BecomeSubreaper returns false: there is no supervisor that could leave orphans.
func BecomeSubreaper() bool { return false }

// Supported returns no support.
func Supported() Support { return Support{} }

func (c *Confinement) check(Support) error {
	for _, s := range c.Sandboxes {
		if !s.Optional {
			return &StartError{Kind: Unsupported, Err: errors.New("sandboxes are supported only on Linux")}
		}
	}
	return nil
}

// openFolderPath returns the path: this system has no path that follows an open folder.
func openFolderPath(path string, _ *os.File) string { return path }

// run kills the program's process group at the end; processes that left it stay. It sets no limits.
func (c *Confinement) run(ctx context.Context, cmd Command) (Outcome, error) {
	path, err := c.findExecutable(cmd)
	if err != nil {
		return Outcome{}, err
	}
	c.cleaning.Do(removeStaleTemps)
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
	stdout, stderr := cmd.newCaptures(func() { flooded.Store(true); cancel() })
	p, err := c.All.launch(&exec.Cmd{
		Path: path, Args: cmd.Argv, Env: toStrings(env), Dir: cmd.Dir.Name(),
		Stdin: bytes.NewReader(cmd.Stdin), Stdout: stdout, Stderr: stderr,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true}, WaitDelay: termGrace,
	})
	if err != nil {
		return Outcome{}, refusedf("%w", err)
	}
	err = p.Finish(ctx)
	<-p.Ended()
	return p.outcome(stdout.text, stderr.text, flooded.Load()), p.nonExitError(err, flooded.Load())
}

func (p *Process) outcome(stdout, stderr Text, flooded bool) Outcome {
	o := Outcome{Stdout: stdout, Stderr: stderr, Exit: p.cmd.ProcessState.ExitCode(), Flooded: flooded}
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		o.Signal, o.SignalNumber = status.Signal().String(), int(status.Signal())
	}
	return o
}

// nonExitError returns the part of an error that the outcome does not express.
func (p *Process) nonExitError(err error, flooded bool) error {
	var exit *exec.ExitError
	if flooded || errors.As(err, &exit) || errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}
