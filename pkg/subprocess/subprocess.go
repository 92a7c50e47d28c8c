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

// errOver is why no program is started any more.
var errOver = errors.New("the run is over")

// patience is how long a process group has to end after SIGTERM.
const patience = 200 * time.Millisecond

// A Program is one that the person who starts a run named for a tool. It is run
// without a shell and sees nothing of this process but its working directory.
// The zero value is no program.
type Program struct {
	Path string
	Env  []string // all of its environment, as KEY=value
	Err  error    // why it cannot be run: there is none of that name
	All  *Running // those that run, this one with them; nil if nobody has to know
}

// Named reports whether the person named a program, be it there or not.
func (p Program) Named() bool { return p.Path != "" || p.Err != nil }

// A Process is a program that runs as the leader of a process group of its own.
// What it starts is in that group, unless it takes care to leave it.
type Process struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when the program itself has ended; err is set then
	err   error
}

// Start runs a program with more environment, what it reads on stdin, and
// arguments. What it prints is dropped. In the end it has to be finished or stopped.
func (p Program) Start(env []string, stdin io.Reader, args ...string) (*Process, error) {
	return p.startWith(env, streams{in: stdin}, args...)
}

// streams are what a program reads and where it prints; nil is nothing.
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
		Env:         append(append([]string{}, p.Env...), env...), // nil would be that of this process
		Stdin:       s.in,
		Stdout:      s.out,
		Stderr:      s.err,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		WaitDelay:   patience, // for a stdin that nobody reads
	}
	return p.All.launch(c)
}

// launch starts a process and waits for it.
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

func (p *Process) begin() error { return p.cmd.Start() }

func (p *Process) kill() { p.signal(unix.SIGKILL) }

func (p *Process) number() int { return p.cmd.Process.Pid }

// Present reports whether the group has somebody in it.
func (p *Process) Present() bool { return p.signal(0) }

// A running is what can be ended at once: a [Process], or a command below the helper.
type running interface {
	begin() error
	Present() bool
	kill()
	number() int // of its process
}

// Running are the programs that have been started and not ended. The zero value
// is none. Its methods may be called from several goroutines, and on nil.
type Running struct {
	mu   sync.Mutex
	all  []running
	over bool
}

// start starts a program.
func (r *Running) start(p running) error {
	if r == nil {
		return p.begin()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return errOver
	}
	r.all = slices.DeleteFunc(r.all, func(p running) bool { return !p.Present() })
	if err := p.begin(); err != nil {
		return err
	}
	r.all = append(r.all, p)
	return nil
}

// Kill ends at once what runs, with all that it has started; what was named, and not run for a
// tool, takes with it only what has not left its process group. It is the last resort, for whoever cannot wait for programs to be
// ended in turn: it waits for nothing, and no program starts behind it.
func (r *Running) Kill() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	for _, p := range r.all {
		p.kill()
	}
}

// signal sends a signal to the whole group. It reports false when there is
// nobody left.
func (p *Process) signal(sig unix.Signal) bool {
	number := p.cmd.Process.Pid
	reaped := errors.Is(p.cmd.Process.Signal(syscall.Signal(0)), os.ErrProcessDone)
	// The number of a group is not given out again while the group has members:
	// a process that has it now is a stranger.
	if reaped && !errors.Is(unix.Kill(number, 0), unix.ESRCH) {
		return false
	}
	return unix.Kill(-number, sig) == nil
}

// Ended is closed when the program itself has ended. What it started may still be there.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Err says how the program ended: nil is exit code 0. It may be called when it has ended.
func (p *Process) Err() error { return p.err }

// Finish waits for the end of the program, or of ctx, and ends what is left of
// its group. The error is the program's, or the cause of ctx.
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

// Stop ends processes with their groups: politely first, and then not. It does
// not wait for one that even the kernel cannot end.
func Stop(processes []*Process) {
	for _, p := range processes {
		p.signal(unix.SIGTERM)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); present(processes) && time.Now().Before(deadline); {
		<-tick.C
	}
	for _, p := range processes {
		p.signal(unix.SIGKILL)
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	for _, p := range processes {
		select {
		case <-p.ended:
		case <-late.C:
			return
		}
	}
}

// present reports whether any of the groups has somebody in it.
func present(processes []*Process) bool {
	for _, p := range processes {
		if p.Present() {
			return true
		}
	}
	return false
}
