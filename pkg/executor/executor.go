// Package executor executes one permitted call: it finds the tool, holds the
// arguments against the definition, runs the tool within its time limit, and
// makes a result of whatever happens. All of that stands in [Runner.Run], once for
// every [tool.Backend]; what is particular to one is an entry of one table.
//
// It also has the tools that are written in Go, see [BuiltinNames]. It does not
// decide whether a call may happen, which is the business of package policy, and
// it knows nothing of models and turns.
package executor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/netguard"
	"oneshot/pkg/redact"
	"oneshot/pkg/tool"
)

const (
	defaultTimeout  = 60 * time.Second
	defaultMaxBytes = 1 << 20

	// grace is how long a tool has to come back when its time is up. After it the
	// tool is left to itself.
	grace = 250 * time.Millisecond
	// programGrace is that of a tool that runs programs: package program ends them within a
	// part of it, or not at all, and no other call is to begin beside them.
	programGrace = 12 * time.Second
)

// A Func is a tool written in Go. Its arguments are a JSON object that fits the
// definition. What went wrong is in the result; an error is a failure too, with
// the error's text. A Func must come back soon after its context is done.
type Func func(ctx context.Context, args json.RawMessage) (chat.Result, error)

// A task is one call on its way to what performs it. Its arguments fit the definition.
type task struct {
	def  *tool.Definition
	args json.RawMessage
	room int64  // bytes that its result may have
	key  string // of the call; "" for none
}

// perform makes the calls of tools that are done by one [tool.Backend], as a [Func] does.
type perform func(ctx context.Context, t task) (chat.Result, error)

func (f Func) perform(ctx context.Context, t task) (chat.Result, error) { return f(ctx, t.args) }

// performers is the one table of what makes calls.
func (e Env) performers() map[tool.Backend]perform {
	builtins := e.builtins()
	return map[tool.Backend]perform{
		tool.BackendBuiltin: func(ctx context.Context, t task) (chat.Result, error) {
			if run, ok := builtins[t.def.Builtin]; ok {
				return run(ctx, t)
			}
			return withoutMeans(t.def), nil
		},
		tool.BackendExec: e.programs().perform,
		tool.BackendHTTP: e.requests().perform,
	}
}

func withoutMeans(def *tool.Definition) chat.Result {
	return chat.Failure(chat.Failed, "%s has no implementation here", def.Name)
}

// A Runner executes calls of the tools of one registry. Its methods may be called
// from several goroutines.
type Runner struct {
	registry *tool.Registry
	performs map[tool.Backend]perform
	secrets  *redact.Set
	pace     pace
	places   []Place
}

// New returns a runner of the registry's tools, which touch nothing but env.
func New(registry *tool.Registry, env Env) *Runner {
	return &Runner{registry: registry, performs: env.performers(), secrets: env.Secrets}
}

// Run executes a call. Anything that the tool or the call got wrong is in the
// result, also an unknown name, arguments that do not fit, a panic, and a time
// limit that ran out: the tool's own, 60 seconds if it has none, or x.Deadline. A
// call over the rate of its definition waits first. The result holds no secret.
// The error is the cause of ctx, when that ended before the tool did.
func (r *Runner) Run(ctx context.Context, x chat.Execution) (chat.Result, error) {
	if ctx.Err() != nil {
		return chat.Result{}, context.Cause(ctx)
	}
	def, ok := r.registry.Get(x.Call.Name)
	if !ok {
		return chat.Failure(chat.UnknownTool, "Unknown tool: %s", x.Call.Name), nil
	}
	run, ok := r.performs[def.Backend()]
	switch {
	case !ok:
		return withoutMeans(def), nil
	case RunsPrograms(def) && def.Effect != tool.Exec: // it was judged as something else
		return chat.Failure(chat.Failed, "%s runs programs, and its definition does not say so", def.Name), nil
	}
	faults := def.Check(x.Call.Arguments)
	if why := misfit(faults); why != "" {
		return def.RejectionResult(faults, why), nil
	}
	if err := r.pace.wait(ctx, def); err != nil {
		return chat.Result{}, err
	}
	ctx = context.WithValue(ctx, leadsKey{}, x.ResolvedPaths)
	ctx = context.WithValue(ctx, againKey{}, x.Repeated)
	if x.Follow != nil {
		ctx = netguard.WithRedirectCheck(ctx, x.Follow)
	}
	t := task{def: def, args: x.Call.Arguments, room: cmp.Or(def.MaxBytes, defaultMaxBytes), key: x.IdempotencyKey}
	if x.MaxBytes > 0 {
		t.room = min(t.room, x.MaxBytes)
	}
	result, err := within(ctx, t, x.Deadline, run)
	if err != nil {
		return chat.Result{}, err
	}
	shown := fit(r.concealed(r.secrets.HideResult(result)), t.room)
	shown.Labels = result.Labels
	if result.Error == nil {
		shown = settled(def, shown)
	}
	return shown, nil
}

// settled adds to a failure that the call has taken effect, although what came of it cannot be told.
func settled(def *tool.Definition, r chat.Result) chat.Result {
	if r.Error != nil && def.Effect != tool.Read {
		r.Error.Message += hasEffect
	}
	return r
}

// The ends of the messages of failures after which nobody should repeat the call without a look at its effect.
const (
	mayHave   = "; it may have taken effect"
	hasEffect = "; it has taken effect"
)

// misfit returns what is wrong with arguments in one text, or "".
func misfit(findings []diag.Finding) string {
	var out []string
	for _, f := range findings {
		if f.Severity != diag.Error {
			continue
		}
		if f.Hint != "" {
			f.Message += " (" + f.Hint + ")"
		}
		out = append(out, f.Message)
	}
	return strings.Join(out, "; ")
}

// An outcome is what a Func returned.
type outcome struct {
	result chat.Result
	err    error
}

// within runs a tool until it is done or its time is up. The tool has a goroutine
// of its own, so that one that hangs does not hang the run.
func within(ctx context.Context, t task, deadline time.Time, run perform) (chat.Result, error) {
	limit := cmp.Or(t.def.Timeout, defaultTimeout)
	if !deadline.IsZero() {
		limit = min(limit, time.Until(deadline))
	}
	own, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan outcome, 1)
	go func() { done <- protect(own, run, t) }()

	out, ended := wait(own, done, graceOf(t.def))
	if ended && out.err == nil {
		return out.result, nil // also when ctx ended meanwhile: it is done
	}
	if cause := over(ctx); cause != nil {
		return chat.Result{}, cause
	}
	switch {
	case !ended, own.Err() != nil:
		return timedOut(t.def, limit, saidIn(out.err)), nil
	}
	return chat.Failure(chat.Failed, "%v", out.err), nil
}

// protect runs a tool and turns a panic into an error.
func protect(ctx context.Context, run perform, t task) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = outcome{err: fmt.Errorf("tool exception: %v", p)}
		}
	}()
	result, err := run(ctx, t)
	return outcome{result, err}
}

func graceOf(def *tool.Definition) time.Duration {
	if RunsPrograms(def) {
		return programGrace
	}
	return grace
}

// wait returns the outcome of a tool, unless the tool does not come back although
// its context is done.
func wait(ctx context.Context, done <-chan outcome, grace time.Duration) (outcome, bool) {
	select {
	case out := <-done:
		return out, true
	case <-ctx.Done():
	}
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case out := <-done:
		return out, true
	case <-patience.C:
		return outcome{}, false
	}
}

// over returns the cause of a context that is done, or whose deadline has passed
// and which therefore will be done at once.
func over(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		<-ctx.Done()
	}
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// A stoppedError is the error of a tool that was ended with its context, and had said something.
type stoppedError struct {
	error
	said string
}

func (e *stoppedError) Unwrap() error { return e.error }

// saidIn returns what a tool had said that was ended.
func saidIn(err error) string {
	var stopped *stoppedError
	if errors.As(err, &stopped) {
		return stopped.said
	}
	return ""
}

// timedOut is the result of a tool whose time ran out, and what it had said by then. Where that
// may have left an effect behind, trying again is not for the model to decide.
func timedOut(def *tool.Definition, limit time.Duration, said string) chat.Result {
	result := chat.Failure(chat.Timeout, "%s did not finish within %v", def.Name, max(limit, 0).Round(time.Millisecond))
	if def.Effect != tool.Read && !def.Idempotent {
		result.Error.Retryable = false
		result.Error.Message += mayHave
	}
	if said != "" {
		result.Error.Message += ": " + said
	}
	return result
}
