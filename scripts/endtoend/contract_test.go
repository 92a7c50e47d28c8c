package endtoend

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"
)

// contractPrograms are the programs of the contract scripts. Most run another program in an environment that a script can meet,
// and end with its exit code; 99 means that the program was killed because it was still running after half a minute.
func contractPrograms() map[string]func() {
	return map[string]func(){"held": heldMain, "slowly": slowlyMain, "alone": aloneMain, "deaf": deafMain, "unlocked": unlockedMain}
}

// patience is how long a program may take.
const patience = 30 * time.Second

// heldMain is "held [-socket|-listens|-terminal] [-say TEXT] [-after FILE] [-close] PROGRAM ARG…": stdin is a pipe, or a socket
// with -socket, that stays open. TEXT is written to it at once, or when FILE exists, and with -close it is closed then. With
// -listens, stdin is a listening socket that nobody connects to; with -terminal, it is the terminal.
func heldMain() {
	set := flag.NewFlagSet("held", flag.ExitOnError)
	socket, listens, terminal := set.Bool("socket", false, ""), set.Bool("listens", false, ""), set.Bool("terminal", false, "")
	closes := set.Bool("close", false, "")
	text, after := set.String("say", "", ""), set.String("after", "", "")
	check(set.Parse(os.Args[1:]))
	r, w, err := os.Pipe()
	switch {
	case *socket:
		r, w, err = socketPair()
	case *listens:
		r, err = listener()
	case *terminal:
		r, err = os.Open("/dev/tty")
	}
	check(err)
	c := command(set.Args())
	c.Stdin, c.Stdout = r, os.Stdout
	say := func() {
		_, err := io.WriteString(w, *text)
		check(err)
		if *closes {
			check(w.Close())
		}
	}
	if *after == "" {
		say()
	}
	wait := start(c)
	if *after != "" {
		awaitFile(*after)
		say()
	}
	code := wait()
	_ = w.Close() // it may be closed already
	os.Exit(code)
}

// socketPair returns two sockets that are connected.
func socketPair() (a, b *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	unix.CloseOnExec(fds[0]) // a child would keep them open
	unix.CloseOnExec(fds[1])
	return os.NewFile(uintptr(fds[0]), "socket"), os.NewFile(uintptr(fds[1]), "socket"), nil
}

// listener returns a listening socket, such as inetd and systemd can pass.
func listener() (*os.File, error) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	return l.File()
}

// awaitFile waits until a file exists.
func awaitFile(name string) {
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(name); err == nil || time.Now().After(end) {
			check(err)
			return
		}
	}
}

// slowlyMain is "slowly PROGRAM ARG…": stdout is a pipe whose reader takes 16 KiB
// each millisecond.
func slowlyMain() {
	c := command(os.Args[1:])
	out, err := c.StdoutPipe()
	check(err)
	wait := start(c)
	tick := time.Tick(time.Millisecond)
	for err == nil {
		<-tick
		_, err = io.CopyN(os.Stdout, out, 16<<10)
	}
	os.Exit(wait())
}

// deafMain is "deaf FILE": it accepts connections and never sends anything. It writes its address to the file once it listens.
func deafMain() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	check(os.WriteFile("address.new", []byte(l.Addr().String()), 0o666))
	check(os.Rename("address.new", os.Args[1]))
	for {
		c, err := l.Accept()
		check(err)
		go io.Copy(io.Discard, c)
	}
}

func command(args []string) *exec.Cmd {
	c := exec.Command(args[0], args[1:]...)
	c.Stderr = os.Stderr
	return c
}

// start starts a program. The returned function waits for its end and returns
// its exit code.
func start(c *exec.Cmd) (wait func() int) {
	check(c.Start())
	late := time.AfterFunc(patience, func() { _ = c.Process.Kill() })
	return func() int {
		err := c.Wait()
		var exit *exec.ExitError
		switch {
		case !late.Stop():
			fmt.Fprintln(os.Stderr, "the program was still there after", patience)
			return 99
		case errors.As(err, &exit):
			return exit.ExitCode()
		}
		check(err)
		return 0
	}
}

// check ends the helper program after an error.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(97)
	}
}
