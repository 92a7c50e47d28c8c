package subprocess

import (
	"errors"
	"os"
	"testing"
)

// Ordinary programs run in a sandbox and can change their own priority, affinity, threads and children.
func TestSandboxTools(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many programs")
	}
	requireSandbox(t, 6)
	for name, script := range map[string]string{
		"/usr/bin/nice":        "nice -n 5 nice",
		"/usr/bin/ionice":      "ionice -c 3 ionice",
		"/usr/bin/taskset":     "taskset -c 0 nproc",
		"/usr/bin/chrt":        "chrt --batch 0 true",
		"/usr/bin/make":        `printf 'all: a b c d\n%%:\n\t@sh -c "true" && touch $@\n' >Makefile; make -j4 && ls a b c d`,
		"/usr/bin/gcc":         `printf '#include <pthread.h>\n#include <stdio.h>\nvoid *f(void *x) { return puts("thread"), x; }\nint main() { pthread_t t; return pthread_create(&t, 0, f, 0) || pthread_join(t, 0); }\n' >a.c; gcc -O1 -pthread -o a a.c && ./a`,
		"/usr/bin/git":         "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git gc -q && git log --oneline",
		"/usr/bin/node":        `node -e 'const { Worker } = require("worker_threads"); require("os").setPriority(19); new Worker("console.log(1)", { eval: true }).on("exit", () => console.log(require("child_process").execFileSync("echo", ["child"]).toString()))'`,
		"/usr/bin/python3":     `python3 -c 'import os, subprocess, threading; os.nice(3); os.sched_setaffinity(0, os.sched_getaffinity(0)); t = threading.Thread(target=print, args=("thread",)); t.start(); t.join(); print(subprocess.run(["echo", "child"], capture_output=True).stdout)'`,
		"/usr/bin/perl":        `perl -e 'setpriority(0, 0, 19) or die $!; print getpriority(0, 0); system("true") and die'`,
		"/usr/local/go/bin/go": `export GOCACHE=$TMPDIR/c GOPATH=$TMPDIR GOFLAGS=-mod=mod GOTOOLCHAIN=local GOPROXY=off; /usr/local/go/bin/go version`,
		"/usr/bin/java":        `java -version 2>&1 | head -1`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(name); err != nil {
				t.Skip(err)
			}
			dir := folder(t)
			c := confinement()
			c.Sandboxes = []Sandbox{{Read: readable, Write: []string{dir.Name()}}}
			got, err := c.Run(t.Context(), Command{Argv: []string{"sh", "-ec", script}, Dir: dir})
			if err != nil || got.Exit != 0 || len(got.Stdout.Bytes) == 0 && name != "/usr/bin/chrt" {
				t.Errorf("%v, exit %d %s\n%s\n%s", err, got.Exit, got.Signal, got.Stdout.Bytes, got.Stderr.Bytes)
			}
			t.Logf("%.200s", got.Stdout.Bytes)
		})
	}
}

// A system that lacks the features for a sandbox runs no programs with one, unless the sandbox is optional.
func TestWithoutSandbox(t *testing.T) {
	all := Support{Landlock: 6, Seccomp: true, Subreaper: true, NoNewPrivs: true, Children: true}
	less := func(change func(*Support)) Support { s := all; change(&s); return s }
	must, may := Sandbox{}, Sandbox{Optional: true}
	for _, c := range []struct {
		has   Support
		boxes []Sandbox
		want  string
	}{
		{all, []Sandbox{must}, ""},
		{less(func(s *Support) { s.Landlock = 0 }), []Sandbox{must}, "a sandbox needs Landlock version 3 (Linux 6.2), this system has 0"},
		{less(func(s *Support) { s.Landlock = 2 }), []Sandbox{may, must}, "a sandbox needs Landlock version 3 (Linux 6.2), this system has 2"},
		{less(func(s *Support) { s.Seccomp = false }), []Sandbox{must}, "a sandbox needs seccomp filters, which this system lacks"},
		{less(func(s *Support) { s.Landlock, s.Seccomp = 0, false }), []Sandbox{may}, ""},
		{less(func(s *Support) { s.Landlock, s.Seccomp = 0, false }), nil, ""},
		{less(func(s *Support) { s.Subreaper = false }), nil, "this system cannot track the processes of a program (it needs a subreaper, no_new_privs and /proc)"},
		{less(func(s *Support) { s.NoNewPrivs = false }), []Sandbox{may}, "this system cannot track the processes of a program (it needs a subreaper, no_new_privs and /proc)"},
	} {
		err := (&Confinement{Sandboxes: c.boxes}).check(c.has)
		var start *StartError
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &start) || start.Kind != Unsupported || err.Error() != c.want) {
			t.Errorf("%+v, %+v: %v", c.has, c.boxes, err)
		}
	}
}
