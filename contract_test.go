package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"
)

// contractPrograms are the programs of the contract scripts. Each runs another
// program in surroundings that a script meets, and ends with its exit code; 99
// means that the program was still there after half a minute, and was killed.
func contractPrograms() map[string]func() {
	return map[string]func(){"held": heldMain, "slowly": slowlyMain, "alone": aloneMain, "deaf": deafMain, "unlocked": unlockedMain}
}

// patience is how long a program may take.
const patience = 30 * time.Second

// heldMain is "held [-say TEXT] PROGRAM ARG…": stdin is a pipe that stays open.
func heldMain() {
	args, said := os.Args[1:], ""
	if args[0] == "-say" {
		said, args = args[1], args[2:]
	}
	r, w, err := os.Pipe()
	check(err)
	_, err = io.WriteString(w, said)
	check(err)
	c := command(args)
	c.Stdin, c.Stdout = r, os.Stdout
	code := start(c)()
	check(w.Close())
	os.Exit(code)
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

// deafMain is "deaf FILE": it takes connections and never says anything. Its
// address is in the file once it listens.
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

// check ends the helper where it cannot do its work.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(97)
	}
}
