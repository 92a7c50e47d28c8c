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

// Help is the first thing in a main that runs commands: it returns at once, unless this process
// was started as the helper. Then it never returns.
//
// There are two stages of it. The supervisor is the parent of all that comes of a program,
// whoever started it, and ends it; it heeds the pipe that only the program that runs tools
// holds, and so outlives it by a moment, however that ends. The second stage takes from itself
// what the program must not have, and becomes the program.
func Help() {
	switch os.Args[0] {
	case supervisorName:
		superviseHere()
		syscall.Exit(0) // at once, also with the race detector
	case stageName:
		becomeProgram()
	}
}

// A supervisor is the helper's first stage. It is one thread that waits for one thing at a time:
// the program is killed when the thread ends; and what is buried by who sends signals, too, has a
// number that is nobody else's.
type supervisor struct {
	orders, reports         *os.File
	children                [2]*os.File // lists of those of this thread, and of the process's first, which gets who loses a parent
	most                    uint64      // processes
	program, ends           int         // its process, and a descriptor that tells its end
	status                  unix.WaitStatus
	ended, crowded, killing bool
	buried                  int
	leftover                int // who had to be killed, without the program
}

func superviseHere() {
	runtime.LockOSThread()
	debug.SetGCPercent(-1) // it would wait for threads that may not get to run
	debug.SetMemoryLimit(64 << 20)
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // the job is nobody's business
	_ = closeOnExec()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return
	}
	if beDeaf() != nil { // the orders count
		return
	}
	s := &supervisor{orders: os.NewFile(fdJob, "orders"), reports: os.NewFile(fdReport, "reports")}
	j, frame, err := receive(s.orders)
	for i, thread := range []string{"/proc/thread-self", fmt.Sprintf("/proc/self/task/%d", os.Getpid())} {
		if err == nil {
			s.children[i], err = os.Open(thread + "/children")
		}
	}
	if err != nil {
		return
	}
	s.most = j.Limits.Processes
	temp := os.NewFile(fdTemp, "temp")
	defer temp.Close()
	defer removeTemp(string(j.Temp), descriptor(fdTemp))
	if why := s.start(j, frame, temp); why != nil {
		s.report(report{Refused: why})
		return
	}
	s.await()
	s.endAll()
	s.report(report{Ended: s.ending()})
}

func (s *supervisor) report(r report) {
	if line, err := json.Marshal(r); err == nil {
		_, _ = s.reports.Write(append(line, '\n'))
	}
}

// start starts the second stage and waits until it is the program. The reason is why it is not.
func (s *supervisor) start(j job, frame []byte, temp *os.File) *reason {
	jobR, jobW, err := os.Pipe()
	if err != nil {
		return &reason{Unsupported, err.Error()}
	}
	sayR, sayW, err := os.Pipe()
	if err != nil {
		return &reason{Unsupported, err.Error()}
	}
	files := []*os.File{os.NewFile(0, "stdin"), os.NewFile(1, "stdout"), os.NewFile(2, "stderr"), jobR, sayW, os.NewFile(fdDir, "dir"), temp}
	// Not os.StartProcess, which first starts a process to find out what this kernel can.
	s.program, err = syscall.ForkExec(string(j.Helper[0]), append([]string{stageName}, plainly(j.Helper[1:])...), &syscall.ProcAttr{
		Env:   []string{},
		Files: descriptors(files),
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	shut(files[:6]) // what it has now, and the supervisor has no use for
	if err != nil {
		return &reason{Unsupported, err.Error()}
	}
	s.report(report{Started: s.program}) // before anything of it can have ended this process
	if err := detach(); err != nil {
		return &reason{Unsupported, err.Error()}
	}
	if s.ends, err = unix.PidfdOpen(s.program, 0); err != nil { // now, that it is not one of those
		s.ends = -1 // before Linux 5.3 its end is noticed when it is looked for
	}
	if _, err := jobW.Write(frame); err == nil {
		_ = jobW.Close()
	}
	return hear(sayR)
}

func descriptors(files []*os.File) []uintptr {
	var all []uintptr
	for _, f := range files {
		all = append(all, f.Fd())
	}
	return all
}

// hear hears from the second stage: that it is about to become the program, and then nothing
// unless that went wrong.
func hear(from io.Reader) *reason {
	said := json.NewDecoder(from)
	var why reason
	if said.Decode(&why) != nil {
		return &reason{Unsupported, errHelper.Error()}
	}
	if why == about && said.Decode(&why) != nil {
		return nil // execve(2) has closed it
	}
	return &why
}

// detach lets go of the program's streams, so that they end with it.
func detach() error {
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

// rush lets this thread run before all others, which only root may: for whom the kernel limits no
// processes.
func rush() {
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}, 0)
}

// counting is how often the processes are counted.
const counting = 50 * time.Millisecond

// await waits for the end of the program, or for what is a reason to end it.
func (s *supervisor) await() {
	rush()
	for {
		order := s.next(counting)
		s.bury()
		switch {
		case s.ended, order == orderKill:
			return
		case order == orderStop:
			s.ask()
			return
		}
		if s.crowded = s.more(); s.crowded {
			return
		}
	}
}

// next waits for an order, or for the end of the program, or not that long. Without an order it
// is 0.
func (s *supervisor) next(limit time.Duration) (order byte) {
	fds := []unix.PollFd{{Fd: fdJob, Events: unix.POLLIN}, {Fd: int32(s.ends), Events: unix.POLLIN}}
	if n, err := unix.Poll(fds, int(limit.Milliseconds())); err != nil || n == 0 || fds[0].Revents == 0 {
		return 0
	}
	b := []byte{orderStop} // as the end of the orders is
	_, _ = s.orders.Read(b)
	return b[0]
}

// ask asks all processes to end, and waits a little.
func (s *supervisor) ask() {
	deadline := time.Now().Add(patience)
	descendants(func(pid int) bool {
		_ = unix.Kill(pid, unix.SIGTERM)
		_ = unix.Kill(pid, unix.SIGCONT) // one that is stopped hears nothing
		return time.Now().Before(deadline)
	})
	for !s.bury() && time.Now().Before(deadline) {
		nap(time.Millisecond)
	}
}

// more reports whether there are more processes than there may be.
func (s *supervisor) more() bool {
	var n uint64
	descendants(func(int) bool { n++; return n <= s.most })
	return n > s.most
}

func (s *supervisor) ending() *ending {
	if s.status.Signaled() {
		return &ending{-1, int(s.status.Signal()), s.leftover, s.crowded}
	}
	return &ending{s.status.ExitStatus(), 0, s.leftover, s.crowded}
}
