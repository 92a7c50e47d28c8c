//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"oneshot/pkg/failpoint"
	"oneshot/pkg/runfile"
)

// legLimit is how long the program may take, however slow the machine is.
const legLimit = 2 * time.Minute

// A leg is what the program did, from a start to its end.
type leg struct {
	args           []string
	exit           int // -1 if it was killed
	stdout, stderr string
	place          string // of the fault, if it came to that
	unsynced       int64  // bytes at the end of the run file, whole records, that a power cut could take then
	file           string // what the file of -o holds then
	took           time.Duration
}

// A world is a folder in which a scenario is run, and its model. Its folder has the same name
// for every state, because a run resumes only in its own folder.
type world struct {
	sc       *scenario
	dir      string
	program  string
	model    *model
	way      string         // in which it is disturbed
	whole    string         // the answer of the undisturbed run
	took     time.Duration  // the undisturbed run
	prepared folderSnapshot // what its first leg has left; nil where there is none
}

func newWorld(dir, program string, sc *scenario) *world {
	return &world{sc: sc, dir: dir, program: program, model: startModel(sc, dir)}
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

// runFirst runs the scenario from its beginning; the fault is as in [failpoint.EnvVar], without the file.
func (w *world) runFirst(ctx context.Context, plan string) (leg, error) {
	if err := w.restoreSnapshot(w.initialSnapshot()); err != nil {
		return leg{}, err
	}
	return w.run(ctx, plan, w.firstArgs()...)
}

func (w *world) firstArgs() []string {
	if w.prepared != nil {
		return w.resumeArgs()
	}
	args := []string{"run", "--api", string(w.sc.api), "--base-url", w.sc.api.Base(w.model.Listener.Addr().String()), "--model", "scripted", "--dialect", w.sc.dialect, "--run-file", "run.jsonl"}
	for _, flag := range w.sc.flags {
		args = append(args, strings.ReplaceAll(flag, address, w.model.address()))
	}
	return append(append(args, w.outputFlags()...), "Go")
}

// resume resumes the run.
func (w *world) resume(ctx context.Context, plan string) (leg, error) {
	return w.run(ctx, plan, w.resumeArgs()...)
}

func (w *world) resumeArgs() []string {
	args := append([]string{"run", "--resume", "run.jsonl"}, w.outputFlags()...)
	if w.sc.first != nil {
		args = append(args, w.sc.first.answers...)
	}
	return args
}

// runFirstLeg makes the first leg of a run, if it has one.
func (w *world) runFirstLeg(ctx context.Context) error {
	first := w.sc.first
	if first == nil {
		return nil
	}
	w.model.setPlay(first.play)
	l, err := w.runFirst(ctx, "")
	w.model.setPlay("")
	if err != nil {
		return err
	}
	if l.exit != first.exit {
		return fmt.Errorf("the first leg: exit %d, want %d: %s%s", l.exit, first.exit, l.stdout, l.stderr)
	}
	w.prepared, err = w.takeSnapshot()
	return err
}

// outputFlags are the flags that say where the answer goes.
func (w *world) outputFlags() []string {
	switch {
	case w.sc.file:
		return []string{"-o", "out/answer.json"}
	case w.sc.wrapped:
		return []string{"--output", "envelope"}
	}
	return nil
}

// command is the program, in the folder and with an environment of its own.
func (w *world) command(ctx context.Context, plan string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = w.dir
	cmd.Env = []string{"HOME=" + w.dir, "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TMPDIR=" + os.TempDir()}
	if plan != "" {
		cmd.Env = append(cmd.Env, failpoint.EnvVar+"="+plan+" "+w.placeFile())
	}
	cmd.WaitDelay = time.Second // what it started may still hold its output
	return cmd
}

// placeFile is where the place of a fault is written, beside the folder.
func (w *world) placeFile() string { return w.dir + ".place" }

// run runs the program to its end.
func (w *world) run(ctx context.Context, plan string, args ...string) (leg, error) {
	return w.runAs(ctx, plan, append([]string{w.program}, args...)...)
}

// runAs runs a command line that starts the program.
func (w *world) runAs(ctx context.Context, plan string, args ...string) (leg, error) {
	ctx, cancel := context.WithTimeout(ctx, legLimit)
	defer cancel()
	if err := os.Remove(w.placeFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return leg{}, err
	}
	cmd := w.command(ctx, plan, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	if ctx.Err() != nil {
		return leg{}, fmt.Errorf("%q did not end: %w", args, context.Cause(ctx))
	}
	l, err := w.newLeg(cmd, args, stdout.String(), stderr.String(), err)
	l.took = time.Since(began)
	return l, err
}

// newLeg returns the leg of a command that has ended.
func (w *world) newLeg(cmd *exec.Cmd, args []string, stdout, stderr string, err error) (leg, error) {
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) && !errors.Is(err, exec.ErrWaitDelay) {
		return leg{}, err
	}
	l := leg{args: args, exit: cmd.ProcessState.ExitCode(), stdout: stdout, stderr: stderr}
	place, err := os.ReadFile(w.placeFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return l, err
	}
	name, count, _ := strings.Cut(strings.TrimSpace(string(place)), "\n")
	if l.place = name; name != "" {
		if l.unsynced, err = strconv.ParseInt(count, 10, 64); err != nil {
			return l, err
		}
	}
	file, err := os.ReadFile(w.path("out/answer.json"))
	l.file = string(file)
	return l, err
}

// readRunFile reads the run file, which may not be there.
func (w *world) readRunFile() (*runfile.Log, error) {
	log, err := runfile.ReadFile(w.path("run.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return &runfile.Log{}, nil
	}
	return log, err
}
