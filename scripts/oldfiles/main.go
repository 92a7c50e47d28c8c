//go:build linux

// Command oldfiles adds files to testdata/oldfiles, as a version of oneshot writes them:
//
//	make build && go run -C scripts -exec 'env -C ..' ./oldfiles [-program ./oneshot] PREFIX FORMAT/WHAT [FORMAT/WHAT]
//
// A job is a folder FORMAT/WHAT in scripts/oldfiles/jobs. Its record.sh runs in a copy of the folder, which is kept as
// testdata/oldfiles/FORMAT/PREFIX-WHAT. PREFIX begins with the version of the format. The model plays the folder replies; if a
// reply has the action mark, all programs are killed there. No file contains a path of this machine, because the programs get
// /proc/self/cwd as the name of their working directory.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"oneshot/scripts/command"
	"oneshot/scripts/modelserver"
)

// here is the working directory of every process, under a name without its path.
const here = "/proc/self/cwd"

func main() { command.Main("oldfiles", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("oldfiles", flag.ContinueOnError)
	flags.SetOutput(stderr)
	program := flags.String("program", "oneshot", "the `FILE` of oneshot")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() < 2 {
		return errors.New("usage: oldfiles [-program FILE] PREFIX FORMAT/WHAT [FORMAT/WHAT]")
	}
	path, err := filepath.Abs(*program)
	if err != nil {
		return err
	}
	for _, job := range flags.Args()[1:] {
		to := filepath.Join("testdata", "oldfiles", filepath.Dir(job), flags.Arg(0)+"-"+filepath.Base(job))
		if err := record(ctx, path, filepath.Join("scripts", "oldfiles", "jobs", job), to, stderr); err != nil {
			return fmt.Errorf("%s: %w", job, err)
		}
		fmt.Fprintln(stdout, to)
	}
	return nil
}

// record runs a job in a copy of its folder, which it keeps under a new name.
func record(ctx context.Context, program, job, to string, stderr io.Writer) (err error) {
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s exists, and old files are never changed", to)
	}
	dir, err := os.MkdirTemp("", "oneshot-oldfiles-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	work, bin := filepath.Join(dir, "work"), filepath.Join(dir, "bin")
	if err := errors.Join(os.CopyFS(work, os.DirFS(job)), os.Mkdir(bin, 0o700), os.Symlink(program, filepath.Join(bin, "oneshot"))); err != nil {
		return err
	}
	if err := runJob(ctx, work, bin, stderr); err != nil {
		return err
	}
	for _, name := range []string{"replies", "home"} { // used only for the recording
		if err := os.RemoveAll(filepath.Join(work, name)); err != nil {
			return err
		}
	}
	return os.CopyFS(to, os.DirFS(work))
}

// runJob runs the record.sh of a folder.
func runJob(ctx context.Context, work, bin string, stderr io.Writer) error {
	server := &modelserver.Server{Tools: true, Vision: true, AtOnce: true}
	running := httptest.NewServer(server.Handler())
	defer running.Close()
	defer running.CloseClientConnections()
	address := running.Listener.Addr().String()
	if replies := filepath.Join(work, "replies"); isFolder(replies) {
		var err error
		if server.Script, err = modelserver.ReadScript(replies, address); err != nil {
			return err
		}
	}
	c := exec.CommandContext(ctx, "/bin/sh", "-eu", "record.sh")
	c.Dir, c.Stderr, c.SysProcAttr = work, stderr, &syscall.SysProcAttr{Setpgid: true}
	c.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "PWD=" + here, "HOME=" + here + "/home", "XDG_STATE_HOME=" + here + "/state",
		"XDG_CONFIG_HOME=" + here + "/config", "TZ=UTC", "LC_ALL=C.UTF-8", "OLLAMA_HOST=" + address, "SERVER=http://" + address, "ANTHROPIC_API_KEY=none"}
	var isKilled atomic.Bool
	server.Mark = func(modelserver.Request, time.Time) {
		isKilled.Store(true)
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // the job may have ended
	}
	if err := c.Run(); err != nil && !isKilled.Load() {
		return err
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
