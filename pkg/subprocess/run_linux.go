package subprocess

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// overdue is how long the helper may take to end a program that has to end. It needs a few
// milliseconds and [patience]; only a program that even the kernel cannot end takes longer.
const overdue = 10 * time.Second

// run puts the helper between the command and this process.
func (c *Confinement) run(ctx context.Context, cmd Command) (Outcome, error) {
	j, err := c.job(cmd)
	if err != nil {
		return Outcome{}, err
	}
	c.cleaning.Do(removeLeftTemps)
	path, temp, err := makeTemp()
	if err != nil {
		return Outcome{}, err
	}
	defer temp.Close()
	j.Temp = exact(path)
	j.Env, err = c.environment(path, cmd.Env)
	var s *supervised
	if err == nil {
		s, err = c.supervise(j, cmd, temp)
	}
	var out Outcome
	if err == nil {
		out, err = s.watch(ctx)
		if s.isLost() {
			c.endLeft(s)
		}
	}
	if s == nil || s.ending == nil { // else the helper has removed it
		removeTemp(path, heldFolder(path, temp))
	}
	return out, err
}

// heldFolder is a path of an open folder that leads to it whatever has its name.
func heldFolder(_ string, dir *os.File) string { return descriptor(int(dir.Fd())) }

// job is what the helper has to know of a command, but for its temporary folder.
func (c *Confinement) job(cmd Command) (job, error) {
	if len(c.Helper) == 0 {
		return job{}, &StartError{Kind: Unsupported, Err: errors.New("nothing is said of how this program is started again as the helper")}
	}
	path, err := c.find(cmd)
	if err == nil {
		err = c.begins(path)
	}
	if err == nil {
		err = c.reachable(path)
	}
	if err != nil {
		return job{}, err
	}
	return job{Helper: exactly(c.Helper), Path: exact(path), Argv: exactly(cmd.Argv), Limits: c.limits(), Sandboxes: c.granted()}, nil
}

// A supervised is a command that runs below the helper, as this process sees it.
type supervised struct {
	cmd      *exec.Cmd
	orders   *os.File // to the helper
	reports  *os.File // from it
	printed  [2]*os.File
	out, err *capture
	flooded  atomic.Bool
	program  atomic.Int64 // the program's process
	reported chan struct{}
	failure  error // what the helper said instead of an ending
	ending   *ending
	ended    chan struct{} // closed when the helper has ended
	born     uint64        // when it was started, as /proc/PID/stat has it
}

// pipes makes n pipes: what the helper gets of each, and what this process keeps. Those at
// the indices in toHelper are written here.
type pipes struct{ theirs, ours []*os.File }

func (p *pipes) add(toHelper bool) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	if toHelper {
		p.theirs, p.ours = append(p.theirs, r), append(p.ours, w)
	} else {
		p.theirs, p.ours = append(p.theirs, w), append(p.ours, r)
	}
	return nil
}

func shut(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// supervise starts the helper with a job.
func (c *Confinement) supervise(j job, cmd Command, temp *os.File) (*supervised, error) {
	var p pipes
	for _, toHelper := range []bool{true, false, false, true, false} { // stdin, stdout, stderr, orders, reports
		if err := p.add(toHelper); err != nil {
			shut(p.theirs)
			shut(p.ours)
			return nil, err
		}
	}
	defer shut(p.theirs)
	s := &supervised{
		orders: p.ours[3], reports: p.ours[4],
		reported: make(chan struct{}), ended: make(chan struct{}),
		cmd: &exec.Cmd{
			Path: c.Helper[0], Args: append([]string{supervisorName}, c.Helper[1:]...), Env: []string{},
			Stdin: p.theirs[0], Stdout: p.theirs[1], Stderr: p.theirs[2],
			ExtraFiles:  []*os.File{p.theirs[3], p.theirs[4], cmd.Dir, temp},
			SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		},
	}
	frame, err := framed(j)
	if err == nil {
		err = c.All.start(s)
	}
	if err != nil {
		shut(p.ours)
		return nil, err
	}
	s.listen(p.ours, cmd)
	_ = s.orders.SetWriteDeadline(time.Now().Add(overdue))
	if _, err := s.orders.Write(frame); err != nil {
		s.end() // and its report says that there is none
	}
	return s, nil
}

func (s *supervised) begin() error {
	err := s.cmd.Start()
	if err == nil {
		s.born = look(s.cmd.Process.Pid).born
	}
	return err
}

func (s *supervised) Present() bool { return !isClosed(s.ended) }
func (s *supervised) kill()         { s.order(orderKill) }
func (s *supervised) number() int   { return s.cmd.Process.Pid }

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// order tells the helper to end the program.
func (s *supervised) order(o byte) {
	_ = s.orders.SetWriteDeadline(time.Now().Add(patience))
	_, _ = s.orders.Write([]byte{o}) // it may have ended
	s.wake()
}

// wake lets a helper go on that its program has stopped.
func (s *supervised) wake() { _ = s.cmd.Process.Signal(unix.SIGCONT) }

// end ends the helper, which does not do what it has to, and the program's group.
func (s *supervised) end() {
	_ = unix.Kill(-s.cmd.Process.Pid, unix.SIGKILL)
	if pid := int(s.program.Load()); pid > 1 {
		_ = unix.Kill(-pid, unix.SIGKILL)
	}
}

// listen starts to read what the program prints and what the helper reports.
func (s *supervised) listen(ours []*os.File, cmd Command) {
	s.printed = [2]*os.File{ours[1], ours[2]}
	s.out, s.err = cmd.captures(func() {
		if s.flooded.CompareAndSwap(false, true) {
			s.kill()
		}
	})
	go feed(ours[0], cmd.Stdin)
	go s.out.read(ours[1])
	go s.err.read(ours[2])
	go s.hear()
	go func() {
		_ = s.cmd.Wait() // what counts is what it reported
		_ = ours[0].Close()
		close(s.ended)
	}()
}

// hear reads the reports.
func (s *supervised) hear() {
	defer close(s.reported)
	reports := json.NewDecoder(io.LimitReader(s.reports, 1<<20))
	for {
		var r report
		if err := reports.Decode(&r); err != nil {
			return
		}
		switch {
		case r.Refused != nil:
			s.failure = &StartError{Kind: r.Refused.Kind, Err: errors.New(r.Refused.Text)}
		case r.Ended != nil:
			s.ending = r.Ended
		default:
			s.program.Store(int64(r.Started))
		}
	}
}

// watch waits for the end. When it returns nobody is left, and nothing reads any more.
func (s *supervised) watch(ctx context.Context) (Outcome, error) {
	select {
	case <-s.ended:
	case <-ctx.Done():
		s.order(orderStop)
		if !s.within(overdue) && s.program.Load() == 0 {
			s.end()
		} // else it goes on to try: better a helper is left than what it cannot end
	}
	s.settle()
	if ctx.Err() != nil {
		return s.outcome(), context.Cause(ctx)
	}
	return s.outcome(), s.failed()
}

// within waits for the end of the helper, and reports whether it came in time.
func (s *supervised) within(limit time.Duration) bool {
	timer, tick := time.NewTimer(limit), time.NewTicker(patience)
	defer timer.Stop()
	defer tick.Stop()
	for {
		select {
		case <-s.ended:
			return true
		case <-tick.C:
			s.wake() // a program can stop it again and again
		case <-timer.C:
			return false
		}
	}
}

// settle waits for the ends of the streams. Who still holds one is nobody that could be ended.
func (s *supervised) settle() {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for _, done := range []chan struct{}{s.reported, s.out.done, s.err.done} {
		select {
		case <-done:
		case <-timer.C:
			timer.Reset(0)
		}
	}
	shut([]*os.File{s.orders, s.reports, s.printed[0], s.printed[1]})
	<-s.reported
	<-s.out.done
	<-s.err.done
}

// errHelper says that the helper ended before the program could have begun.
var errHelper = errors.New("the helper that was to run it was ended")

// endLeft ends what a lost helper has left. Who is not the parent of that finds no more than the program's group.
func (c *Confinement) endLeft(s *supervised) {
	if c.Adopts {
		c.All.endOrphans(s.born)
		return
	}
	s.end()
}

// isLost reports whether the helper has ended and has not said how the program did.
func (s *supervised) isLost() bool { return isClosed(s.ended) && s.failure == nil && s.ending == nil }

// failed is why there is no ending.
func (s *supervised) failed() error {
	switch {
	case s.failure != nil || s.ending != nil:
		return s.failure
	case s.program.Load() == 0:
		return &StartError{Kind: Unsupported, Err: errHelper}
	}
	return ErrLost
}

// outcome is what the program printed and how it ended.
func (s *supervised) outcome() Outcome {
	o := Outcome{Stdout: s.out.text, Stderr: s.err.text, Exit: -1, Flooded: s.flooded.Load()}
	if e := s.ending; e != nil {
		o.Exit, o.Number, o.Left, o.Crowded = e.Exit, e.Signal, e.Left, e.Crowded
		if e.Signal != 0 {
			o.Signal = unix.Signal(e.Signal).String()
		}
	}
	return o
}
