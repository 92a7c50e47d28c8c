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

// programs runs the programs of command tools.
type programs struct {
	root        *fileroot.Root
	confinement *subprocess.Confinement
	getenv      func(string) string
	allowedVars []string // nil: those that a definition names
	secrets     *redact.Set
}

func (e Env) programs() programs {
	return programs{e.Root, e.Programs, e.Getenv, e.Variables, e.Secrets}
}

// execute runs the program of a definition.
func (p programs) execute(ctx context.Context, t task) (chat.Result, error) {
	if err := p.checkPaths(t); err != nil {
		return startFailure(err, chat.InvalidArguments)
	}
	filled, err := t.def.FillProgram(t.args)
	if err != nil {
		return startFailure(err, chat.InvalidArguments)
	}
	spec := t.def.Exec
	if t.def.ReadsConversation() {
		if filled.Stdin, err = t.context(); err != nil {
			return startFailure(err, chat.InvalidArguments)
		}
	}
	out, err := p.run(ctx, spec.Dir, subprocess.Command{Argv: filled.Argv, Stdin: filled.Stdin, Env: slices.Concat(p.environment(spec.Env), t.keyVariable(), t.idVariables()), Max: captureLimit(t)})
	switch {
	case errors.Is(err, subprocess.ErrLost):
		return p.lostResult(out), nil
	case err != nil:
		return startFailure(err, chat.Failed)
	}
	why := p.failureResult(out, slices.Contains(spec.OK, out.Exit))
	switch {
	case spec.Output == tool.EnvelopeOutput:
		return resultFromEnvelope(t, out, why), nil
	case why != nil:
		return *why, nil
	case spec.Output == tool.JSONOutput:
		return noteTakenEffect(t.def, jsonResult(out)), nil
	}
	return p.outputResult(t, out), nil
}

// checkPaths returns an error if a call names files that must not be accessed. They must resolve as they did at
// approval; the program's own access is up to the sandbox.
func (p programs) checkPaths(t task) error {
	paths, err := t.def.FilePaths(t.args)
	if err != nil || p.root == nil { // without a root no program runs
		return err
	}
	for _, path := range paths {
		leads, err := p.root.Resolve(path)
		if err != nil {
			return err
		}
		clean, err := fileroot.Clean(path)
		if err == nil && t.resolved[clean] != "" && t.resolved[clean] != leads {
			return &fileroot.PathError{Kind: fileroot.Refused, Path: path, Reason: "it resolves to a different file than a moment ago"}
		}
		if err := errors.Join(err, p.root.VerifyGuards(clean), p.root.VerifyGuards(leads)); err != nil {
			return err
		}
	}
	return nil
}

// environment returns the caller's variables with these names that a program may see.
func (p programs) environment(names []string) []string {
	var out []string
	for _, name := range names {
		if p.getenv == nil || p.allowedVars != nil && !slices.Contains(p.allowedVars, name) {
			continue
		}
		if value := p.getenv(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// keyVariable returns the variable with the idempotency key, if the program takes one.
func (t task) keyVariable() []string {
	if t.def.KeyEnv == "" || t.key == "" {
		return nil
	}
	return []string{t.def.KeyEnv + "=" + t.key}
}

// idVariables returns the variables with the ids of the call and the run that the program gets.
func (t task) idVariables() []string {
	var out []string
	for _, name := range t.def.Exec.RunEnv {
		id := t.id
		if name == tool.RunIDVariable {
			id = t.runID
		}
		if id != "" {
			out = append(out, name+"="+id)
		}
	}
	return out
}

// maxCapture limits the captured bytes of a stream, regardless of the definition.
const maxCapture = 64 << 20

// captureLimit returns how many bytes of output are captured: enough that usual output does not count as a
// flood.
func captureLimit(t task) int64 { return min(max(t.maxResult, defaultMaxBytes), maxCapture) }

// Reasons not to run a program.
var (
	errNoRoot     = errors.New("no root: start the run with --root DIR")
	errNoPrograms = errors.New("this run cannot run programs")
)

// run runs a command in a folder below the root. A command that was stopped with ctx returns a *[stoppedError].
func (p programs) run(ctx context.Context, dir string, cmd subprocess.Command) (subprocess.Outcome, error) {
	switch {
	case p.root == nil:
		return subprocess.Outcome{}, errNoRoot
	case p.confinement == nil:
		return subprocess.Outcome{}, errNoPrograms
	}
	folder, err := p.root.WorkingDir(dir)
	if err != nil {
		return subprocess.Outcome{}, err
	}
	defer folder.Close()
	cmd.Dir = folder
	out, err := p.confinement.Run(ctx, cmd)
	if err != nil && ctx.Err() != nil {
		err = &stoppedError{err, p.outputTail(out)}
	}
	return out, err
}

// startFailure converts the error of a program that did not start to a result; words is the code for bad
// arguments. It returns the error of a stopped program.
func startFailure(err error, words chat.ErrorCode) (chat.Result, error) {
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
