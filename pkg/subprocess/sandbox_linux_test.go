package subprocess

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oneshot/internal/testsize"
)

func tooLong() context.Context { return context.Background() }

// A try is one action of a probe, in the sandbox of [surroundings] and without it.
type try struct {
	words string // arguments of the probe
	want  string // "ok", or the error
	wide  string // the same without a sandbox; "" if it is not tried there, because it could affect the system
}

// surroundings are the files, sockets and processes for tries: a root that programs may read, a folder in
// it that they may write, and others that they must not access.
type surroundings struct {
	root, out, secret, pathname, abstract, tcp, udp string
	victim                                          int // a process of the same user
}

func newSurroundings(t *testing.T) surroundings {
	t.Helper()
	top := t.TempDir()
	s := surroundings{root: filepath.Join(top, "root"), out: filepath.Join(top, "root", "out"), secret: filepath.Join(top, "other", "secret"), pathname: filepath.Join(top, "other", "s")}
	for _, dir := range []string{s.out, filepath.Dir(s.secret)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{s.secret, filepath.Join(s.root, "f"), filepath.Join(s.out, "f")} {
		if err := os.WriteFile(file, []byte("text"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.abstract = fmt.Sprintf("@oneshot-%d-%d", os.Getpid(), time.Now().UnixNano())
	for network, address := range map[string]*string{"tcp": &s.tcp, "unixgram": &s.pathname, "unix": &s.abstract} {
		*address = listening(t, network, *address)
	}
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { packets.Close() })
	s.udp = packets.LocalAddr().String()
	c := exec.Command("/bin/sleep", "1000")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	s.victim = c.Process.Pid
	return s
}

func listening(t *testing.T, network, address string) string {
	t.Helper()
	if network == "unixgram" {
		l, err := net.ListenUnixgram(network, &net.UnixAddr{Name: address, Net: network})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return address
	}
	if network == "tcp" {
		address = "127.0.0.1:0"
	}
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// expand replaces the names of surroundings in the arguments of a probe.
func (s surroundings) expand(words string) []string {
	return strings.Fields(strings.NewReplacer("ROOT", s.root, "OUT", s.out, "SECRET", s.secret, "OTHER", filepath.Dir(s.secret), "PATHNAME", s.pathname,
		"ABSTRACT", s.abstract, "TCP", s.tcp, "UDP", s.udp, "VICTIM", fmt.Sprint(s.victim), "PARENT", fmt.Sprint(os.Getpid())).Replace(words))
}

var readable = []string{"/usr", "/bin", "/lib", "/lib64", "/etc"}

var tries = []try{
	// files
	{"read ROOT/f", "ok", "ok"},
	{"list ROOT", "ok", "ok"},
	{"read SECRET", "EACCES", "ok"},
	{"list OTHER", "EACCES", "ok"},
	{"through SECRET", "EACCES", "ok"},
	{"read /proc/PARENT/environ", "EACCES", "ok"},
	{"read /proc/self/environ", "EACCES", "ok"},
	{"write OUT/new", "ok", "ok"},
	{"write OUT/f", "ok", "ok"},
	{"write ROOT/new", "EACCES", "ok"},
	{"write ROOT/f", "EACCES", "ok"},
	{"append ROOT/f", "EACCES", "ok"},
	{"cut ROOT/f", "EACCES", "ok"},
	{"remove ROOT/f", "EACCES", "ok"},
	{"write OTHER/new", "EACCES", "ok"},
	{"rename OUT/f ROOT/g", "EACCES", "ok"},
	{"rename ROOT/f OUT/g", "EACCES", "ok"},
	{"link SECRET OUT/g", "EXDEV", "ok"},
	{"mkdir ROOT/.git/hooks", "EACCES", "ok"}, // a protected name that does not exist yet
	{"mkdir OUT/a/b", "ok", "ok"},
	{"temp", "ok", "ok"},
	{"mode SECRET", "ok", "ok"}, // programs that write need it, and the filter cannot see paths
	{"times SECRET", "ok", "ok"},
	{"owner OUT/f", "EPERM", "ok"},
	{"label OUT/f", "ENOTSUP", ""},
	// sockets
	{"dial tcp TCP", "EACCES", "ok"},
	{"dial udp UDP", "EACCES", "ok"},
	{"listen tcp 127.0.0.1:0", "EACCES", "ok"},
	{"dial unixgram PATHNAME", "EACCES", "ok"},
	{"dial unix ABSTRACT", "EACCES", "ok"},
	{"pair PATHNAME", "EACCES", "ok"},
	{"ring", "ENOSYS", ""},
	{"foreign", "ENOSYS", ""},
	// processes
	{"trace VICTIM", "EPERM", "ok"},
	{"peek VICTIM", "EPERM", "ok"},
	{"kill VICTIM", "EPERM", "ok"},
	{"kill PARENT", "EPERM", "ok"},
	{"curb VICTIM", "EPERM", "ok"},
	// neighbours: scheduling of other processes of the user, and namespaces
	{"neighbour setpriority VICTIM", "EPERM", "ok"},
	{"neighbour setpriority 0", "ok", "ok"},
	{"neighbour ioprio_set VICTIM", "EPERM", "ok"},
	{"neighbour ioprio_set 0", "ok", "ok"},
	{"neighbour sched_setaffinity VICTIM", "EPERM", "ok"},
	{"neighbour sched_setaffinity 0", "ok", "ok"},
	{"neighbour sched_setscheduler VICTIM", "EPERM", "ok"},
	{"neighbour sched_setscheduler 0", "ok", "ok"},
	{"neighbour sched_setparam VICTIM", "EPERM", "ok"},
	{"neighbour sched_setparam 0", "ok", "ok"},
	{"neighbour sched_setattr VICTIM", "EPERM", "ok"},
	{"neighbour sched_setattr 0", "ok", "ok"},
	{"everybody setpriority", "EPERM", "ok"},
	{"everybody ioprio_set", "EPERM", ""},
	{"namespace unshare", "EPERM", ""},
	{"namespace clone", "EPERM", ""},
	{"namespace clone3", "ENOSYS", ""},
	{"namespace setns", "EPERM", ""},
	{"keys", "ENOSYS", ""},
	{"shared memory", "ENOSYS", "ok"},
	{"shared queue", "ENOSYS", "ok"},
	{"shared semaphores", "ENOSYS", "ok"},
	{"named queue", "ENOSYS", "ok"},
	// only root could do these; through a device it could read any disk
	{"device", "EACCES", ""},
	{"mount", "EPERM", ""},
}

// requireSandbox skips a test if the system lacks seccomp or that version of Landlock, and fails it instead if
// ONESHOT_TESTS=long forbids skipping.
func requireSandbox(t *testing.T, landlock int) {
	t.Helper()
	switch has := Supported(); {
	case has.Landlock >= landlock && has.Seccomp:
	case testsize.IsLong():
		t.Fatalf("ONESHOT_TESTS=long skips no sandbox: %+v", has)
	default:
		t.Skipf("%+v", has)
	}
}

// Each try runs with the sandbox, without it, and with a second sandbox that permits everything.
func TestSandbox(t *testing.T) {
	t.Parallel()
	requireSandbox(t, 6)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range tries {
		t.Run(c.words, func(t *testing.T) {
			s := newSurroundings(t)
			narrow := Sandbox{Read: append(readable, s.root), Write: []string{s.out}}
			wide := Sandbox{Read: []string{"/"}, Write: []string{"/"}, Network: true}
			for i, sandboxes := range [][]Sandbox{{narrow}, {wide, narrow}, {narrow, wide}, nil} {
				want := c.want
				if sandboxes == nil {
					want = c.wide
				}
				if want == "" {
					continue
				}
				confined := confinement()
				confined.Sandboxes = sandboxes
				got, err := confined.Run(t.Context(), Command{Argv: append([]string{exe, "probe"}, s.expand(c.words)...), Dir: folder(t)})
				if err != nil || got.Exit != 0 {
					t.Fatalf("%d: %v %+v %s", i, err, got, got.Stderr.Bytes)
				}
				if said := string(got.Stdout.Bytes); said != want {
					t.Errorf("%d: %s, want %s", i, said, want)
				}
			}
		})
	}
}
