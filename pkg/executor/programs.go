package executor

import (
	"context"
	"errors"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/redact"
	"oneshot/pkg/subprocess"
	"oneshot/pkg/tool"
)

// programs are what tools run that are not written in Go.
type programs struct {
	root    *fileroot.Root
	how     *subprocess.Confinement
	getenv  func(string) string
	visible []string // nil: what a definition names
	secrets *redact.Set
}

func (e Env) programs() programs {
	return programs{e.Root, e.Programs, e.Getenv, e.Variables, e.Secrets}
}

// perform runs the program of a definition.
func (p programs) perform(ctx context.Context, t task) (chat.Result, error) {
	if err := p.reaches(ctx, t); err != nil {
		return unstarted(err, chat.InvalidArguments)
	}
	filled, err := t.def.FillProgram(t.args)
	if err != nil {
		return unstarted(err, chat.InvalidArguments)
	}
	spec := t.def.Exec
	out, err := p.run(ctx, spec.Dir, subprocess.Command{Argv: filled.Argv, Stdin: filled.Stdin, Env: append(p.environment(spec.Env), t.keyed()...), Max: most(t)})
	switch {
	case errors.Is(err, subprocess.ErrLost):
		return p.lost(out), nil
	case err != nil:
		return unstarted(err, chat.Failed)
	}
	why := p.failure(out, slices.Contains(spec.OK, out.Exit))
	switch {
	case spec.Output == tool.EnvelopeOutput:
		return envelope(t, out, why), nil
	case why != nil:
		return *why, nil
	case spec.Output == tool.JSONOutput:
		return settled(t.def, value(out)), nil
	}
	return p.printed(t, out), nil
}

// reaches says why files that a call names are not to be reached, or nil. They have to lead where they
// led when the call was let happen; what the program finds there is its own matter, and a sandbox's.
func (p programs) reaches(ctx context.Context, t task) error {
	paths, err := t.def.FilePaths(t.args)
	if err != nil || p.root == nil { // without a root nothing is run
		return err
	}
	led, _ := ctx.Value(leadsKey{}).(map[string]string)
	for _, path := range paths {
		leads, err := p.root.Resolve(path)
		if err != nil {
			return err
		}
		clean, err := fileroot.Clean(path)
		if err == nil && led[clean] != "" && led[clean] != leads {
			return &fileroot.PathError{Kind: fileroot.Refused, Path: path, Reason: "it resolves to a different file than a moment ago"}
		}
		if err := errors.Join(err, p.root.VerifyAccess(clean), p.root.VerifyAccess(leads)); err != nil {
			return err
		}
	}
	return nil
}

// environment returns the variables of the caller that a program gets, of those with these names.
func (p programs) environment(names []string) []string {
	var out []string
	for _, name := range names {
		if p.getenv == nil || p.visible != nil && !slices.Contains(p.visible, name) {
			continue
		}
		if value := p.getenv(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// keyed is the variable with the key of a call, if its program wants one.
func (t task) keyed() []string {
	if t.def.KeyEnv == "" || t.key == "" {
		return nil
	}
	return []string{t.def.KeyEnv + "=" + t.key}
}

// mostKept bounds what is kept of a stream in memory, whatever a definition says.
const mostKept = 64 << 20

// most is how much of what a program prints is kept: never so little that what is usual would be
// taken for a flood.
func most(t task) int64 { return min(max(t.room, defaultMaxBytes), mostKept) }

// Why no program is run.
var (
	errNoRoot     = errors.New("no root: start the run with --root DIR")
	errNoPrograms = errors.New("this run runs no programs")
)

// run runs a command in a folder below the root. A command that was ended with ctx is a
// *[stoppedError].
func (p programs) run(ctx context.Context, dir string, cmd subprocess.Command) (subprocess.Outcome, error) {
	switch {
	case p.root == nil:
		return subprocess.Outcome{}, errNoRoot
	case p.how == nil:
		return subprocess.Outcome{}, errNoPrograms
	}
	folder, err := p.root.Folder(dir)
	if err != nil {
		return subprocess.Outcome{}, err
	}
	defer folder.Close()
	cmd.Dir = folder
	out, err := p.how.Run(ctx, cmd)
	if err != nil && ctx.Err() != nil {
		err = &stoppedError{err, p.said(out)}
	}
	return out, err
}

// unstarted returns the result of a call whose program did not run, with a code for what is
// wrong with the words; the error is that of a program that was ended.
func unstarted(err error, words chat.ErrorCode) (chat.Result, error) {
	var (
		stopped *stoppedError
		start   *subprocess.StartError
		fill    *tool.FillError
		path    *fileroot.PathError
	)
	switch {
	case errors.As(err, &stopped):
		return chat.Result{}, err
	case errors.Is(err, errNoRoot):
		return chat.Failure(chat.Denied, "%v", err), nil
	case errors.As(err, &path):
		return pathFailure(err), nil
	case errors.As(err, &fill) && fill.TooLarge, errors.As(err, &start) && start.Kind == subprocess.TooLong:
		return chat.Failure(chat.TooLarge, "%v", err), nil
	case errors.As(err, &start) && start.Kind == subprocess.NotFound && words == chat.InvalidArguments:
		return chat.Failure(chat.NotFound, "%v", err), nil
	case errors.As(err, &start) && start.Kind == subprocess.Refused, errors.As(err, &fill):
		return chat.Failure(words, "%v", err), nil
	}
	return chat.Failure(chat.Failed, "%v", err), nil
}
