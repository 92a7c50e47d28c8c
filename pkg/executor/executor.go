// Package executor executes a permitted call: it finds the tool, validates the
// arguments, runs the tool within its time limit, and converts any outcome to a
// result. [Runner.Run] does this for every [tool.Backend]; a table maps each
// backend to its implementation.
//
// It also implements the built-in tools, see [tool.Builtins]. Package policy
// decides whether a call is permitted. This package knows nothing of models and
// turns.
package executor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/netguard"
	"oneshot/pkg/redact"
	"oneshot/pkg/tool"
)

const (
	defaultTimeout  = 60 * time.Second
	defaultMaxBytes = 1 << 20

	// grace is how long a tool has to return after its timeout. Then it is abandoned.
	grace = 250 * time.Millisecond
	// programGrace is the grace of a tool that runs programs: package subprocess kills them
	// within this time or cannot kill them, and no other call should start while they run.
	programGrace = 12 * time.Second
)

// A Func is a tool written in Go. Its arguments are a JSON object that fits the definition. Failures are
// reported in the result; an error is a failure with the error's text. A Func must return soon after its
// context is done.
type Func func(ctx context.Context, args json.RawMessage) (chat.Result, error)

// A task is one call to execute. Its arguments fit the definition.
type task struct {
	def       *tool.Definition
	args      json.RawMessage
	maxResult int64             // maximum size of its result in bytes
	id, runID string            // of the call and the run; may be ""
	messages  []chat.Message    // the conversation, for a tool that reads it
	key       string            // idempotency key of the call, or ""
	repeated  bool              // see [chat.Execution]
	resolved  map[string]string // its ResolvedPaths
}

// execute executes the calls of one [tool.Backend], as a [Func] does.
type execute func(ctx context.Context, t task) (chat.Result, error)

func (f Func) execute(ctx context.Context, t task) (chat.Result, error) { return f(ctx, t.args) }

// executors returns the implementation of each backend.
func (e Env) executors() map[tool.Backend]execute {
	builtins := e.builtins()
	return map[tool.Backend]execute{
		tool.BackendBuiltin: func(ctx context.Context, t task) (chat.Result, error) {
			if run, ok := builtins[t.def.Builtin]; ok {
				return run(ctx, t)
			}
			return notImplemented(t.def), nil
		},
		tool.BackendExec: e.programs().execute,
		tool.BackendHTTP: e.requests().execute,
	}
}

func notImplemented(def *tool.Definition) chat.Result {
	return chat.Failure(chat.Failed, "%s has no implementation here", def.Name)
}

// A Runner executes calls of the tools of a registry. Its methods may be called concurrently.
type Runner struct {
	registry     *tool.Registry
	executors    map[tool.Backend]execute
	secrets      *redact.Set
	rates        rateLimiter
	redactedDirs []RedactedDir
	cache        *ResultCache // nil for none
	lastChange   atomic.Int64 // time of the latest MarkChange, in Unix nanoseconds; 0 before
	root         *fileroot.Root
}

// New returns a runner of the registry's tools, which access only env.
func New(registry *tool.Registry, env Env) *Runner {
	return &Runner{registry: registry, executors: env.executors(), secrets: env.Secrets, root: env.Root}
}

// UseCache makes the runner keep results of reads, and use them again. Call it before Run.
func (r *Runner) UseCache(c *ResultCache) { r.cache = c }

// MarkChange declares that something changes now: older cached results are no longer used.
func (r *Runner) MarkChange() { r.lastChange.Store(time.Now().UnixNano()) }

// cached returns the kept result of a call. A call with a file that must not be accessed has none.
func (r *Runner) cached(t task, key string) (chat.Result, bool) {
	if key == "" || (programs{root: r.root}).checkPaths(t) != nil {
		return chat.Result{}, false
	}
	maxAge := t.def.Cache
	if at := r.lastChange.Load(); at != 0 { // an older result may be outdated by changes of the run
		maxAge = min(maxAge, time.Since(time.Unix(0, at)))
	}
	return r.cache.Store.Get(key, maxAge)
}

// Run executes a call, or returns its result from the cache. All failures of the tool or the call are reported in the
// result, including an unknown name, invalid arguments, a panic, and an expired time limit: the tool's own (60 seconds by
// default) or x.Deadline. A call over the rate of its definition waits first. Secrets in the result are masked. The error
// is the cause of ctx, if that ended before the tool.
func (r *Runner) Run(ctx context.Context, x chat.Execution) (chat.Result, error) {
	if ctx.Err() != nil {
		return chat.Result{}, context.Cause(ctx)
	}
	def, ok := r.registry.Get(x.Call.Name)
	if !ok {
		return chat.Failure(chat.UnknownTool, "Unknown tool: %s", x.Call.Name), nil
	}
	run, ok := r.executors[def.Backend()]
	switch {
	case !ok:
		return notImplemented(def), nil
	case def.RunsPrograms() && def.Effect != tool.Exec: // the policy checked it as another effect
		return chat.Failure(chat.Failed, "%s runs programs, but its definition does not declare it", def.Name), nil
	}
	faults := def.Check(x.Call.Arguments)
	if why := errorText(faults); why != "" {
		return def.RejectionResult(faults, why), nil
	}
	t := task{
		def: def, args: x.Call.Arguments, maxResult: cmp.Or(def.MaxBytes, defaultMaxBytes), id: x.Call.ID, runID: x.RunID, messages: x.Conversation,
		key: x.IdempotencyKey, repeated: x.Repeated, resolved: x.ResolvedPaths,
	}
	if x.MaxBytes > 0 {
		t.maxResult = min(t.maxResult, x.MaxBytes)
	}
	key := r.cache.key(t)
	if result, ok := r.cached(t, key); ok {
		return r.show(t, result), nil
	}
	if err := r.rates.wait(ctx, def); err != nil {
		return chat.Result{}, err
	}
	if x.Follow != nil {
		ctx = netguard.WithRedirectCheck(ctx, x.Follow)
	}
	if def.Effect != tool.Read {
		defer r.MarkChange()
	}
	result, err := runWithDeadline(ctx, t, x.Deadline, run)
	if err != nil {
		return chat.Result{}, err
	}
	shown := r.show(t, result)
	if result.Error == nil {
		shown = noteTakenEffect(def, shown)
	}
	if key != "" && !r.hasMask(shown) {
		r.cache.Store.Put(key, x.RunID, shown, def.Cache)
	}
	return shown, nil
}

// hasMask reports whether a secret may be masked in a result. Such a result is not cached: for another run the text may not
// be a secret. Many tools mask their data themselves, so the only trace of a secret is the mask.
func (r *Runner) hasMask(shown chat.Result) bool {
	return !r.secrets.IsEmpty() && bytes.Contains(shown.Data, []byte(redact.Mask))
}

// show returns a result without secrets, and limited in size.
func (r *Runner) show(t task, result chat.Result) chat.Result {
	shown := limitSize(r.redactDirs(r.secrets.HideResult(result)), t.maxResult)
	shown.Labels, shown.Cached = result.Labels, result.Cached
	return shown
}

// noteTakenEffect notes in a failure that the call has taken effect, although its result is unusable.
func noteTakenEffect(def *tool.Definition, r chat.Result) chat.Result {
	if r.Error != nil && def.Effect != tool.Read {
		r.Error.Message += hasTakenEffect
	}
	return r
}

// Suffixes of failure messages after which a call must not be repeated without checking its effect.
const (
	mayHaveTakenEffect = "; it may have taken effect"
	hasTakenEffect     = "; it has taken effect"
)

// errorText joins the errors in findings, or returns "".
func errorText(findings []diag.Finding) string {
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

// An outcome is the return value of a Func.
type outcome struct {
	result chat.Result
	err    error
}

// runWithDeadline runs a tool until it ends or its time is up. The tool has its own goroutine, so that one that
// hangs does not block the run.
func runWithDeadline(ctx context.Context, t task, deadline time.Time, run execute) (chat.Result, error) {
	limit := cmp.Or(t.def.Timeout, defaultTimeout)
	if !deadline.IsZero() {
		limit = min(limit, time.Until(deadline))
	}
	own, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan outcome, 1)
	go func() { done <- runRecoveringPanic(own, run, t) }()

	out, ended := waitOutcome(own, done, graceOf(t.def))
	if ended && out.err == nil {
		return out.result, nil // even if ctx has ended meanwhile
	}
	if cause := contextCause(ctx); cause != nil {
		return chat.Result{}, cause
	}
	switch {
	case !ended, own.Err() != nil:
		return timeoutResult(t.def, limit, partialOutput(out.err)), nil
	}
	return chat.Failure(chat.Failed, "%v", out.err), nil
}

// runRecoveringPanic runs a tool and converts a panic to an error.
func runRecoveringPanic(ctx context.Context, run execute, t task) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = outcome{err: fmt.Errorf("tool exception: %v", p)}
		}
	}()
	result, err := run(ctx, t)
	return outcome{result, err}
}

func graceOf(def *tool.Definition) time.Duration {
	if def.RunsPrograms() {
		return programGrace
	}
	return grace
}

// waitOutcome returns the outcome of a tool. It reports false if the tool does not return within grace after its
// context is done.
func waitOutcome(ctx context.Context, done <-chan outcome, grace time.Duration) (outcome, bool) {
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

// contextCause returns the cause of a context that is done or whose deadline has passed.
func contextCause(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		<-ctx.Done()
	}
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// A stoppedError is the error of a tool that was stopped with its context after it had printed output.
type stoppedError struct {
	error
	output string
}

func (e *stoppedError) Unwrap() error { return e.error }

// partialOutput returns the output of a stopped tool.
func partialOutput(err error) string {
	var stopped *stoppedError
	if errors.As(err, &stopped) {
		return stopped.output
	}
	return ""
}

// timeoutResult is the result of a tool that timed out, with its output so far. If it may have had an effect, the
// model must not simply retry.
func timeoutResult(def *tool.Definition, limit time.Duration, said string) chat.Result {
	result := chat.Failure(chat.Timeout, "%s did not finish within %v", def.Name, max(limit, 0).Round(time.Millisecond))
	if def.Effect != tool.Read && !def.Idempotent {
		result.Error.Retryable = false
		result.Error.Message += mayHaveTakenEffect
	}
	if said != "" {
		result.Error.Message += ": " + said
	}
	return result
}
