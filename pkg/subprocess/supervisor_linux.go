package subprocess

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// RunHelper must be called first in a main that runs commands. It returns immediately unless this process was started as
// the helper; then it never returns.
//
// The helper has two stages. The supervisor is a subreaper for all descendants of a program and kills them; it watches a
// pipe held only by the process that runs tools, so it briefly outlives that process, however it ends. The second stage
// drops all privileges that the program must not have, and executes it.
func RunHelper() {
	switch os.Args[0] {
	case supervisorName:
		runSupervisor()
		syscall.Exit(0) // immediately, even with the race detector
	case stageName:
		runExecStage()
	}
}

// A supervisor is the first stage of the helper. It is a single thread that waits for one event at a time: the program is
// killed when the thread ends (PDEATHSIG), and PIDs cannot be reused between a wait and a kill by the same thread.
type supervisor struct {
	orders, reports         *os.File
	children                [2]*os.File // children files of this thread and of the main thread, which adopts orphans
	maxProcesses            uint64
	program, pidfd          int // PID of the program, and its pidfd
	status                  unix.WaitStatus
	ended, crowded, killing bool
	reaped                  int
	leftoverKilled          int // killed processes, not counting the program
}

func runSupervisor() {
	runtime.LockOSThread()
	debug.SetGCPercent(-1) // it would wait for threads that may not be scheduled
	debug.SetMemoryLimit(64 << 20)
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // protects the job
	_ = setCloseOnExec()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return
	}
	if ignoreSignals() != nil { // only orders count
		return
	}
	s := &supervisor{orders: os.NewFile(fdJob, "orders"), reports: os.NewFile(fdReport, "reports")}
	j, frame, err := readJob(s.orders)
	for i, thread := range []string{"/proc/thread-self", fmt.Sprintf("/proc/self/task/%d", os.Getpid())} {
		if err == nil {
			s.children[i], err = os.Open(thread + "/children")
		}
	}
	if err != nil {
		return
	}
	s.maxProcesses = j.Limits.Processes
	temp := os.NewFile(fdTemp, "temp")
	defer temp.Close()
	defer removeTemp(string(j.Temp), fdPath(fdTemp))
	if why := s.start(j, frame, temp); why != nil {
		s.report(report{Refused: why})
		return
	}
	s.supervise()
	s.killAllDescendants()
	s.report(report{Ended: s.newExitInfo()})
}

func (s *supervisor) report(r report) {
	if line, err := json.Marshal(r); err == nil {
		_, _ = s.reports.Write(append(line, '\n'))
	}
}

// start starts the second stage and waits until it has become the program. It returns the reason of a failure.
func (s *supervisor) start(j job, frame []byte, temp *os.File) *startFailure {
	jobR, jobW, err := os.Pipe()
	if err != nil {
		return &startFailure{Unsupported, err.Error()}
	}
	sayR, sayW, err := os.Pipe()
	if err != nil {
		return &startFailure{Unsupported, err.Error()}
	}
	files := []*os.File{os.NewFile(0, "stdin"), os.NewFile(1, "stdout"), os.NewFile(2, "stderr"), jobR, sayW, os.NewFile(fdDir, "dir"), temp}
	// Not os.StartProcess, which first starts a process to probe the kernel.
	s.program, err = syscall.ForkExec(string(j.Helper[0]), append([]string{stageName}, toStrings(j.Helper[1:])...), &syscall.ProcAttr{
		Env:   []string{},
		Files: descriptors(files),
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	closeAll(files[:6]) // now owned by the second stage
	if err != nil {
		return &startFailure{Unsupported, err.Error()}
	}
	s.report(report{Started: s.program}) // before the program could kill this process
	if err := closeStreams(); err != nil {
		return &startFailure{Unsupported, err.Error()}
	}
	if s.pidfd, err = unix.PidfdOpen(s.program, 0); err != nil { // after detach, so that it is not one of those descriptors
		s.pidfd = -1 // before Linux 5.3: polling notices the end
	}
	if _, err := jobW.Write(frame); err == nil {
		_ = jobW.Close()
	}
	return awaitExec(sayR)
}

func descriptors(files []*os.File) []uintptr {
	var all []uintptr
	for _, f := range files {
		all = append(all, f.Fd())
	}
	return all
}

// awaitExec reads the messages of the second stage: that it is about to exec, then the end of the pipe on success.
func awaitExec(from io.Reader) *startFailure {
	said := json.NewDecoder(from)
	var why startFailure
	if said.Decode(&why) != nil {
		return &startFailure{Unsupported, errHelperEnded.Error()}
	}
	if why == readyToExec && said.Decode(&why) != nil {
		return nil // execve(2) has closed it
	}
	return &why
}

// closeStreams closes the program's streams in this process, so that they end with the program.
func closeStreams() error {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	for fd := range 3 {
		if fd == null {
			continue
		}
		if err := unix.Dup3(null, fd, unix.O_CLOEXEC); err != nil {
			return err
		}
	}
	return nil
}

// raisePriority schedules this thread before all others. Only root may do so, whose number of processes the kernel does
// not limit.
func raisePriority() {
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}, 0)
}

// countInterval is the interval for counting processes.
const countInterval = 50 * time.Millisecond

// supervise waits for the end of the program or a reason to end it.
func (s *supervisor) supervise() {
	raisePriority()
	for {
		order := s.waitOrder(countInterval)
		s.reap()
		switch {
		case s.ended, order == orderKill:
			return
		case order == orderStop:
			s.terminate()
			return
		}
		if s.crowded = s.exceedsProcessLimit(); s.crowded {
			return
		}
	}
}

// waitOrder waits up to limit for an order or the end of the program. It returns 0 if there is no order.
func (s *supervisor) waitOrder(limit time.Duration) (order byte) {
	fds := []unix.PollFd{{Fd: fdJob, Events: unix.POLLIN}, {Fd: int32(s.pidfd), Events: unix.POLLIN}}
	if n, err := unix.Poll(fds, int(limit.Milliseconds())); err != nil || n == 0 || fds[0].Revents == 0 {
		return 0
	}
	b := []byte{orderStop} // the end of the pipe means stop
	_, _ = s.orders.Read(b)
	return b[0]
}

// terminate sends SIGTERM to all processes and waits for a short time.
func (s *supervisor) terminate() {
	deadline := time.Now().Add(termGrace)
	eachDescendant(func(pid int) bool {
		_ = unix.Kill(pid, unix.SIGTERM)
		_ = unix.Kill(pid, unix.SIGCONT) // a stopped process handles no signals
		return time.Now().Before(deadline)
	})
	for !s.reap() && time.Now().Before(deadline) {
		sleep(time.Millisecond)
	}
}

// exceedsProcessLimit reports whether there are more processes than allowed.
func (s *supervisor) exceedsProcessLimit() bool {
	var n uint64
	eachDescendant(func(int) bool { n++; return n <= s.maxProcesses })
	return n > s.maxProcesses
}

func (s *supervisor) newExitInfo() *exitInfo {
	if s.status.Signaled() {
		return &exitInfo{-1, int(s.status.Signal()), s.leftoverKilled, s.crowded}
	}
	return &exitInfo{s.status.ExitStatus(), 0, s.leftoverKilled, s.crowded}
}
