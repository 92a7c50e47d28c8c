package subprocess

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// errClosed is the error of a start after [Running.Kill].
var errClosed = errors.New("the run is over")

// termGrace is how long a process group has to end after SIGTERM.
const termGrace = 200 * time.Millisecond

// A Program is a program that the user named for a tool. It runs without a shell and inherits only the working directory.
// The zero value is no program.
type Program struct {
	Path string
	Env  []string // its whole environment, as KEY=value
	Err  error    // why it cannot be run: not found
	All  *Running // tracks running programs, including this one; nil if not needed
}

// IsNamed reports whether the user named a program, even if it was not found.
func (p Program) IsNamed() bool { return p.Path != "" || p.Err != nil }

// A Process is a program that runs as the leader of its own process group. Its descendants are in that group unless they
// leave it.
type Process struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when the program has ended; err is set then
	err   error
}

// Start runs a program with additional environment, stdin and arguments. Its output is discarded. The caller must finish
// or stop it.
func (p Program) Start(env []string, stdin io.Reader, args ...string) (*Process, error) {
	return p.startWith(env, streams{in: stdin}, args...)
}

// streams are the stdin, stdout and stderr of a program; nil is empty.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func (p Program) startWith(env []string, s streams, args ...string) (*Process, error) {
	switch {
	case p.Err != nil:
		return nil, p.Err
	case p.Path == "":
		return nil, errNoProgram
	}
	c := &exec.Cmd{
		Path:        p.Path,
		Args:        append([]string{p.Path}, args...),
		Env:         append(append([]string{}, p.Env...), env...), // nil would inherit this process's
		Stdin:       s.in,
		Stdout:      s.out,
		Stderr:      s.err,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		WaitDelay:   termGrace, // in case the program does not read stdin
	}
	return p.All.launch(c)
}

// launch starts a process and waits for it in the background.
func (r *Running) launch(c *exec.Cmd) (*Process, error) {
	p := &Process{cmd: c, ended: make(chan struct{})}
	if err := r.start(p); err != nil {
		return nil, err
	}
	go func() {
		p.err = c.Wait()
		close(p.ended)
	}()
	return p, nil
}

func (p *Process) start() error { return p.cmd.Start() }

func (p *Process) kill() { p.signal(unix.SIGKILL) }

func (p *Process) pid() int { return p.cmd.Process.Pid }

// IsAlive reports whether the group has members.
func (p *Process) IsAlive() bool { return p.signal(0) }

// A startable is a [Process], or a command under the helper.
type startable interface {
	start() error
	IsAlive() bool
	kill()
	pid() int // of its process
}

// Running tracks the programs that have been started and not ended. The zero value is empty. Its methods may be called
// concurrently, and on nil.
type Running struct {
	mu     sync.Mutex
	all    []startable
	closed bool
}

// start starts a program.
func (r *Running) start(p startable) error {
	if r == nil {
		return p.start()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosed
	}
	r.all = slices.DeleteFunc(r.all, func(p startable) bool { return !p.IsAlive() })
	if err := p.start(); err != nil {
		return err
	}
	r.all = append(r.all, p)
	return nil
}

// Kill immediately kills all running programs with their descendants; of programs not run for a tool, only descendants in
// the process group. It is the last resort if there is no time for an orderly end: it does not wait, and no program can be
// started afterwards.
func (r *Running) Kill() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, p := range r.all {
		p.kill()
	}
}

// signal sends a signal to the group. It reports false if the group has no members.
func (p *Process) signal(sig unix.Signal) bool {
	number := p.cmd.Process.Pid
	reaped := errors.Is(p.cmd.Process.Signal(syscall.Signal(0)), os.ErrProcessDone)
	// The kernel does not reuse the ID of a group while the group has members:
	// a process with this ID now is unrelated.
	if reaped && !errors.Is(unix.Kill(number, 0), unix.ESRCH) {
		return false
	}
	return unix.Kill(-number, sig) == nil
}

// Ended returns a channel that is closed when the program has ended. Its descendants may still run.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Err returns how the program ended, nil for exit code 0. It must be called only after the end.
func (p *Process) Err() error { return p.err }

// Finish waits for the end of the program or of ctx, and kills the rest of its group. The error is the program's, or the
// cause of ctx.
func (p *Process) Finish(ctx context.Context) error {
	select {
	case <-p.ended:
		p.signal(unix.SIGKILL)
		return p.err
	case <-ctx.Done():
		Stop([]*Process{p})
		return context.Cause(ctx)
	}
}

// Stop ends process groups: SIGTERM first, then SIGKILL. It does not wait for a process that even the kernel cannot kill.
func Stop(processes []*Process) {
	for _, p := range processes {
		p.signal(unix.SIGTERM)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(termGrace); anyAlive(processes) && time.Now().Before(deadline); {
		<-tick.C
	}
	for _, p := range processes {
		p.signal(unix.SIGKILL)
	}
	late := time.NewTimer(termGrace)
	defer late.Stop()
	for _, p := range processes {
		select {
		case <-p.ended:
		case <-late.C:
			return
		}
	}
}

// anyAlive reports whether any of the groups has members.
func anyAlive(processes []*Process) bool {
	for _, p := range processes {
		if p.IsAlive() {
			return true
		}
	}
	return false
}
