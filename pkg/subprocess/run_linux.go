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

// killTimeout is how long the helper may take to kill a program. It normally needs a few milliseconds plus [termGrace];
// only a program that even the kernel cannot kill takes longer.
const killTimeout = 10 * time.Second

// run runs a command under the helper.
func (c *Confinement) run(ctx context.Context, cmd Command) (Outcome, error) {
	j, err := c.newJob(cmd)
	if err != nil {
		return Outcome{}, err
	}
	c.cleaning.Do(removeStaleTemps)
	path, temp, err := makeTemp()
	if err != nil {
		return Outcome{}, err
	}
	defer temp.Close()
	j.Temp = base64Text(path)
	j.Env, err = c.environment(path, cmd.Env)
	var s *supervised
	if err == nil {
		s, err = c.startHelper(j, cmd, temp)
	}
	var out Outcome
	if err == nil {
		out, err = s.wait(ctx)
		if s.isLost() {
			c.killRemaining(s)
		}
	}
	if s == nil || s.ending == nil { // otherwise the helper has removed it
		removeTemp(path, openFolderPath(path, temp))
	}
	return out, err
}

// openFolderPath returns a path that leads to an open folder even if it was renamed or replaced.
func openFolderPath(_ string, dir *os.File) string { return fdPath(int(dir.Fd())) }

// newJob returns the job of a command, without its temporary folder.
func (c *Confinement) newJob(cmd Command) (job, error) {
	if len(c.Helper) == 0 {
		return job{}, &StartError{Kind: Unsupported, Err: errors.New("no helper command is configured")}
	}
	path, err := c.findExecutable(cmd)
	if err == nil {
		err = c.checkLoaders(path)
	}
	if err == nil {
		err = c.checkProgramWithheld(path)
	}
	if err != nil {
		return job{}, err
	}
	return job{Helper: toBase64Texts(c.Helper), Path: base64Text(path), Argv: toBase64Texts(cmd.Argv), Limits: c.limits(), Sandboxes: c.excludeWithheldPaths()}, nil
}

// A supervised is a command that runs under the helper, as seen by this process.
type supervised struct {
	cmd        *exec.Cmd
	orders     *os.File // to the helper
	reports    *os.File // from it
	printed    [2]*os.File
	out, err   *capture
	flooded    atomic.Bool
	program    atomic.Int64 // PID of the program
	reported   chan struct{}
	failure    error // reported instead of an ending
	ending     *exitInfo
	ended      chan struct{} // closed when the helper has ended
	startTicks uint64        // start time, as in /proc/PID/stat
}

// pipes are the ends of several pipes: theirs for the helper, ours for this process.
type pipes struct{ theirs, ours []*os.File }

func (p *pipes) addPipe(toHelper bool) error {
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

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// startHelper starts the helper with a job.
func (c *Confinement) startHelper(j job, cmd Command, temp *os.File) (*supervised, error) {
	var p pipes
	for _, toHelper := range []bool{true, false, false, true, false} { // stdin, stdout, stderr, orders, reports
		if err := p.addPipe(toHelper); err != nil {
			closeAll(p.theirs)
			closeAll(p.ours)
			return nil, err
		}
	}
	defer closeAll(p.theirs)
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
	frame, err := encodeJob(j)
	if err == nil {
		err = c.All.start(s)
	}
	if err != nil {
		closeAll(p.ours)
		return nil, err
	}
	s.startReaders(p.ours, cmd)
	_ = s.orders.SetWriteDeadline(time.Now().Add(killTimeout))
	if _, err := s.orders.Write(frame); err != nil {
		s.killHelper() // without a report
	}
	return s, nil
}

func (s *supervised) start() error {
	err := s.cmd.Start()
	if err == nil {
		s.startTicks = readProcessState(s.cmd.Process.Pid).startTicks
	}
	return err
}

func (s *supervised) IsAlive() bool { return !isClosed(s.ended) }
func (s *supervised) kill()         { s.sendOrder(orderKill) }
func (s *supervised) pid() int      { return s.cmd.Process.Pid }

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// sendOrder orders the helper to end the program.
func (s *supervised) sendOrder(o byte) {
	_ = s.orders.SetWriteDeadline(time.Now().Add(termGrace))
	_, _ = s.orders.Write([]byte{o}) // it may have ended
	s.resumeHelper()
}

// resumeHelper continues a helper that its program has stopped.
func (s *supervised) resumeHelper() { _ = s.cmd.Process.Signal(unix.SIGCONT) }

// killHelper kills an unresponsive helper and the program's process group.
func (s *supervised) killHelper() {
	_ = unix.Kill(-s.cmd.Process.Pid, unix.SIGKILL)
	if pid := int(s.program.Load()); pid > 1 {
		_ = unix.Kill(-pid, unix.SIGKILL)
	}
}

// startReaders starts reading the program's output and the helper's reports.
func (s *supervised) startReaders(ours []*os.File, cmd Command) {
	s.printed = [2]*os.File{ours[1], ours[2]}
	s.out, s.err = cmd.newCaptures(func() {
		if s.flooded.CompareAndSwap(false, true) {
			s.kill()
		}
	})
	go writeStdin(ours[0], cmd.Stdin)
	go s.out.readPipe(ours[1])
	go s.err.readPipe(ours[2])
	go s.readReports()
	go func() {
		_ = s.cmd.Wait() // its report counts, not its exit code
		_ = ours[0].Close()
		close(s.ended)
	}()
}

// readReports reads the helper's reports.
func (s *supervised) readReports() {
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

// wait waits for the end. When it returns, no process is left and no goroutine reads any more.
func (s *supervised) wait(ctx context.Context) (Outcome, error) {
	select {
	case <-s.ended:
	case <-ctx.Done():
		s.sendOrder(orderStop)
		if !s.waitEnded(killTimeout) && s.program.Load() == 0 {
			s.killHelper()
		} // otherwise the helper keeps trying: better to leave it than the program
	}
	s.drainStreams()
	if ctx.Err() != nil {
		return s.outcome(), context.Cause(ctx)
	}
	return s.outcome(), s.noExitStatusError()
}

// waitEnded waits for the end of the helper and reports whether it came in time.
func (s *supervised) waitEnded(limit time.Duration) bool {
	timer, tick := time.NewTimer(limit), time.NewTicker(termGrace)
	defer timer.Stop()
	defer tick.Stop()
	for {
		select {
		case <-s.ended:
			return true
		case <-tick.C:
			s.resumeHelper() // the program may stop it repeatedly
		case <-timer.C:
			return false
		}
	}
}

// drainStreams waits for the end of the streams, and closes those still held by processes that could not be killed. It never
// drops data that has arrived, however late this process reads it.
func (s *supervised) drainStreams() {
	deadline := time.Now().Add(killTimeout)
	for _, stream := range []struct {
		from *os.File
		done chan struct{}
	}{{s.reports, s.reported}, {s.printed[0], s.out.done}, {s.printed[1], s.err.done}} {
		for isRead := false; !isRead; {
			select {
			case <-stream.done:
				isRead = true
			case <-time.After(termGrace):
				isRead = !isReadable(stream.from) || time.Now().After(deadline)
			}
		}
	}
	closeAll([]*os.File{s.orders, s.reports, s.printed[0], s.printed[1]})
	<-s.reported
	<-s.out.done
	<-s.err.done
}

// isReadable reports whether a pipe has data or has ended.
func isReadable(pipe *os.File) bool {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return false
	}
	ready := 0
	err = conn.Control(func(fd uintptr) {
		ready, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	})
	return err == nil && ready > 0
}

// errHelperEnded means that the helper ended before it started the program.
var errHelperEnded = errors.New("the helper process ended before it started the program")

// killRemaining kills the processes of a lost helper. Without the adoption of orphans it reaches only the program's group.
func (c *Confinement) killRemaining(s *supervised) {
	if c.ReapsOrphans {
		c.All.reapOrphans(s.startTicks)
		return
	}
	s.killHelper()
}

// isLost reports whether the helper has ended without a report.
func (s *supervised) isLost() bool { return isClosed(s.ended) && s.failure == nil && s.ending == nil }

// noExitStatusError returns why there is no exit status.
func (s *supervised) noExitStatusError() error {
	switch {
	case s.failure != nil || s.ending != nil:
		return s.failure
	case s.program.Load() == 0:
		return &StartError{Kind: Unsupported, Err: errHelperEnded}
	}
	return ErrLost
}

// outcome returns the output and the exit status of the program.
func (s *supervised) outcome() Outcome {
	o := Outcome{Stdout: s.out.text, Stderr: s.err.text, Exit: -1, Flooded: s.flooded.Load()}
	if e := s.ending; e != nil {
		o.Exit, o.SignalNumber, o.LeftBehind, o.TooManyProcesses = e.Exit, e.Signal, e.LeftBehind, e.TooManyProcesses
		if e.Signal != 0 {
			o.Signal = unix.Signal(e.Signal).String()
		}
	}
	return o
}
