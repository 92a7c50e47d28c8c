package runner

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

// named reports whether the person named a program, be it there or not.
func (p Program) named() bool { return p.Path != "" || p.Err != nil }

// A process is a program that runs as the leader of a process group of its own.
// What it starts is in that group, unless it takes care to leave it.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when the program itself has ended; err is set then
	err   error
}

// start runs a program with more environment, what it reads on stdin, and
// arguments. What it prints is dropped. In the end it has to be stopped.
func (p Program) start(env []string, stdin io.Reader, args ...string) (*process, error) {
	if p.Err != nil {
		return nil, p.Err
	}
	c := &exec.Cmd{
		Path:        p.Path,
		Args:        append([]string{p.Path}, args...),
		Env:         append(append([]string{}, p.Env...), env...), // nil would be that of this process
		Stdin:       stdin,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		WaitDelay:   patience, // for a stdin that nobody reads
	}
	running := &process{cmd: c, ended: make(chan struct{})}
	if err := p.All.start(running); err != nil {
		return nil, err
	}
	go func() {
		running.err = c.Wait()
		close(running.ended)
	}()
	return running, nil
}

// Running are the programs that have been started and not ended. The zero value
// is none. Its methods may be called from several goroutines, and on nil.
type Running struct {
	mu   sync.Mutex
	all  []*process
	over bool
}

// start starts a program.
func (r *Running) start(p *process) error {
	if r == nil {
		return p.cmd.Start()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return errOver
	}
	r.all = slices.DeleteFunc(r.all, func(p *process) bool { return !p.signal(0) })
	if err := p.cmd.Start(); err != nil {
		return err
	}
	r.all = append(r.all, p)
	return nil
}

// Kill ends at once what runs, with all that it has started and that has not left
// its process group. It is the last resort, for whoever cannot wait for a
// [Speaker] and an [Opener] to close: it waits for nothing, and no program starts
// behind it.
func (r *Running) Kill() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	for _, p := range r.all {
		p.signal(unix.SIGKILL)
	}
}

// signal sends a signal to the whole group. It reports false when there is
// nobody left.
func (p *process) signal(sig unix.Signal) bool {
	number := p.cmd.Process.Pid
	reaped := errors.Is(p.cmd.Process.Signal(syscall.Signal(0)), os.ErrProcessDone)
	// The number of a group is not given out again while the group has members:
	// a process that has it now is a stranger.
	if reaped && !errors.Is(unix.Kill(number, 0), unix.ESRCH) {
		return false
	}
	return unix.Kill(-number, sig) == nil
}

// finish waits for the end of the program, or of ctx, and ends what is left of
// its group. The error is the program's, or the cause of ctx.
func (p *process) finish(ctx context.Context) error {
	select {
	case <-p.ended:
		p.signal(unix.SIGKILL)
		return p.err
	case <-ctx.Done():
		stop([]*process{p})
		return context.Cause(ctx)
	}
}

// stop ends processes with their groups: politely first, and then not. It does
// not wait for one that even the kernel cannot end.
func stop(processes []*process) {
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
func present(processes []*process) bool {
	for _, p := range processes {
		if p.signal(0) {
			return true
		}
	}
	return false
}
