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

// legLimit limits the time of one leg, on any machine.
const legLimit = 2 * time.Minute

// A leg is one run of the program, from its start to its end.
type leg struct {
	args           []string
	exit           int // -1 if it was killed
	stdout, stderr string
	place          string // of the fault, if it happened
	unsynced       int64  // bytes of whole records at the end of the run file that a power cut could lose then
	file           string // content of the file of -o afterwards
	took           time.Duration
}

// A workspace is the folder in which a scenario runs, and its model. The folder has the same name for every state,
// because a run resumes only in its own folder.
type workspace struct {
	sc       *scenario
	dir      string
	program  string
	model    *model
	way      string         // the id of its disturbance
	whole    string         // the answer of the undisturbed run
	took     time.Duration  // duration of the undisturbed run
	prepared folderSnapshot // the folder after its first leg; nil if there is none
}

func newWorkspace(dir, program string, sc *scenario) *workspace {
	return &workspace{sc: sc, dir: dir, program: program, model: startModel(sc, dir)}
}

func (w *workspace) path(name string) string { return filepath.Join(w.dir, name) }

// runFromStart runs the scenario from its beginning; plan is a fault as in [failpoint.EnvVar], without the file.
func (w *workspace) runFromStart(ctx context.Context, plan string) (leg, error) {
	if err := w.restoreSnapshot(w.initialSnapshot()); err != nil {
		return leg{}, err
	}
	return w.run(ctx, plan, w.startArgs()...)
}

func (w *workspace) startArgs() []string {
	if w.prepared != nil {
		return w.resumeArgs()
	}
	if w.sc.isBatch() {
		return w.batchArgs()
	}
	args := []string{"run", "--api", string(w.sc.api), "--base-url", w.sc.api.Base(w.model.Listener.Addr().String()), "--model", "scripted", "--dialect", w.sc.dialect, "--run-file", "run.jsonl"}
	for _, flag := range w.sc.flags {
		args = append(args, strings.ReplaceAll(flag, address, w.model.address()))
	}
	return append(append(args, w.answerOutputFlags()...), "Go")
}

// resume resumes the run.
func (w *workspace) resume(ctx context.Context, plan string) (leg, error) {
	for _, name := range w.sc.gone {
		if err := os.Remove(w.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return leg{}, err
		}
	}
	return w.run(ctx, plan, w.resumeArgs()...)
}

func (w *workspace) resumeArgs() []string {
	if w.sc.isBatch() {
		return w.batchArgs()
	}
	args := append([]string{"run", "--resume", "run.jsonl"}, w.answerOutputFlags()...)
	if w.sc.first != nil {
		args = append(args, w.sc.first.answers...)
	}
	return args
}

// runFirstLeg runs the first leg of the scenario, if it has one.
func (w *workspace) runFirstLeg(ctx context.Context) error {
	first := w.sc.first
	if first == nil {
		return nil
	}
	w.model.overrideReplies(first.play)
	l, err := w.runFromStart(ctx, "")
	w.model.overrideReplies("")
	if err != nil {
		return err
	}
	if l.exit != first.exit {
		return fmt.Errorf("the first leg: exit %d, want %d: %s%s", l.exit, first.exit, l.stdout, l.stderr)
	}
	w.prepared, err = w.takeSnapshot()
	return err
}

// answerOutputFlags returns the flags that select the destination of the answer.
func (w *workspace) answerOutputFlags() []string {
	switch {
	case w.sc.file:
		return []string{"-o", "out/answer.json"}
	case w.sc.wrapped:
		return []string{"--output", "envelope"}
	}
	return nil
}

// newCommand returns a command that runs the program, with its own folder and environment.
func (w *workspace) newCommand(ctx context.Context, plan string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = w.dir
	cmd.Env = []string{"HOME=" + w.dir, "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TMPDIR=" + os.TempDir()}
	if plan != "" {
		cmd.Env = append(cmd.Env, failpoint.EnvVar+"="+plan+" "+w.failpointFile())
	}
	cmd.WaitDelay = time.Second // its children may still hold its output
	return cmd
}

// failpointFile returns the name of the file, beside the folder, to which the failpoint of a fault is written.
func (w *workspace) failpointFile() string { return w.dir + ".place" }

// run runs the program to its end.
func (w *workspace) run(ctx context.Context, plan string, args ...string) (leg, error) {
	return w.runCommandLine(ctx, plan, append([]string{w.program}, args...)...)
}

// runCommandLine runs a command line that starts the program.
func (w *workspace) runCommandLine(ctx context.Context, plan string, args ...string) (leg, error) {
	ctx, cancel := context.WithTimeout(ctx, legLimit)
	defer cancel()
	if err := os.Remove(w.failpointFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return leg{}, err
	}
	cmd := w.newCommand(ctx, plan, args...)
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

// newLeg returns the leg of an ended command.
func (w *workspace) newLeg(cmd *exec.Cmd, args []string, stdout, stderr string, err error) (leg, error) {
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) && !errors.Is(err, exec.ErrWaitDelay) {
		return leg{}, err
	}
	l := leg{args: args, exit: cmd.ProcessState.ExitCode(), stdout: stdout, stderr: stderr}
	place, err := os.ReadFile(w.failpointFile())
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
	if errors.Is(err, fs.ErrNotExist) && w.sc.isBatch() { // killed before it began
		err = nil
	}
	l.file = string(file)
	return l, err
}

// readRunFile reads the run file, which may not exist.
func (w *workspace) readRunFile() (*runfile.Log, error) {
	log, err := runfile.ReadFile(w.path("run.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return &runfile.Log{}, nil
	}
	return log, err
}
