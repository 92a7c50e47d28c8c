package endtoend

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// terminal runs "terminal [-stderr] CODE DIALOG PROGRAM ARG…": the program has a controlling terminal that is none of its
// standard streams, or with -stderr only its stderr, and must end with that code. The dialog is a file with one step per line:
// "see TEXT" waits until a text is shown, "type TEXT" types a line, "keys TEXT" types a text without a line end, "end" types the
// end of all input, "close" hangs up. The file screen gets the output of the terminal, the files out and err get stdout and
// stderr.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	hasStderr := len(args) > 0 && args[0] == "-stderr"
	if hasStderr {
		args = args[1:]
	}
	if neg || len(args) < 3 {
		ts.Fatalf("usage: terminal [-stderr] CODE DIALOG PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	ours, theirs, err := openPTY()
	ts.Check(err)
	screen := &screen{}
	done := make(chan struct{})
	go func() { defer close(done); _, _ = io.Copy(screen, ours) }() // it ends with the terminal
	path, err := exec.LookPath(filepath.Join(strings.Split(ts.Getenv("PATH"), ":")[0], args[2]))
	ts.Check(err)
	c := exec.Command(path, args[3:]...)
	c.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "XDG_STATE_HOME", "OLLAMA_HOST", "GORACE", "TMPDIR", "TERM"} {
		c.Env = append(c.Env, name+"="+ts.Getenv(name))
	}
	out, err := os.Create(ts.MkAbs("out"))
	ts.Check(err)
	stderr, err := os.Create(ts.MkAbs("err"))
	ts.Check(err)
	c.Stdout, c.Stderr, c.ExtraFiles = out, stderr, []*os.File{theirs}
	if hasStderr {
		c.Stderr = theirs
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	ts.Check(c.Start())
	ts.Check(theirs.Close())
	failed := screen.play(ts.ReadFile(args[1]), ours)
	if failed != nil {
		_ = c.Process.Kill()
	}
	err = c.Wait()
	select {
	case <-done: // all output was read
	case <-time.After(5 * time.Second): // another process has the terminal open
	}
	_ = ours.Close() // a step may have closed it
	<-done
	ts.Check(errors.Join(out.Close(), stderr.Close(), os.WriteFile(ts.MkAbs("screen"), []byte(screen.text()), 0o666)))
	if failed != nil {
		ts.Fatalf("%v; the terminal showed:\n%s\nstderr:\n%s", failed, screen.text(), ts.ReadFile("err"))
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Check(err)
	}
	if got := c.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit %d, want %d; the terminal showed:\n%s\nstderr:\n%s", got, want, screen.text(), ts.ReadFile("err"))
	}
}

// openPTY returns the two sides of a new terminal.
func openPTY() (ours, theirs *os.File, err error) {
	ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	raw, err := ours.SyscallConn()
	if err != nil {
		return nil, nil, err
	}
	number := 0
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
		if failed == nil {
			number, failed = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	})
	if err := errors.Join(err, failed); err != nil {
		return nil, nil, errors.Join(err, ours.Close())
	}
	theirs, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	return ours, theirs, err
}

// A screen is the text that a terminal displays.
type screen struct {
	mu    sync.Mutex
	shown strings.Builder
	seen  int // end of the last text that a step has waited for
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.Write(p)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// play executes the steps of a dialog.
func (s *screen) play(dialog string, to *os.File) error {
	for step := range strings.Lines(dialog) {
		verb, text, _ := strings.Cut(strings.TrimRight(step, "\n"), " ")
		var err error
		switch verb {
		case "see":
			err = s.see(text)
		case "type":
			_, err = io.WriteString(to, text+"\n")
		case "keys":
			_, err = io.WriteString(to, text)
		case "end":
			_, err = io.WriteString(to, "\x04")
		case "close":
			err = to.Close()
		default:
			err = errors.New("there is no step " + verb)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// see waits until a text is shown after the last one that a step has waited for.
func (s *screen) see(text string) error {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if i := strings.Index(s.text()[s.seen:], text); i >= 0 {
			s.seen += i + len(text)
			return nil
		}
	}
	return errors.New("was not shown: " + text)
}
