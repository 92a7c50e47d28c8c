// Package runner executes one permitted call: it finds the tool, holds the
// arguments against the definition, runs the tool within its time limit, and
// makes a result of whatever happens.
//
// It also has the tools that are written in Go, see [Builtins]. It does not
// decide whether a call may happen, which is the business of package policy, and
// it knows nothing of models and turns.
package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/tool"
)

const (
	defaultTimeout  = 60 * time.Second
	defaultMaxBytes = 1 << 20

	// grace is how long a tool has to come back when its time is up. After it the
	// tool is left to itself.
	grace = 250 * time.Millisecond
)

// A Func is a tool written in Go. Its arguments are a JSON object that fits the
// definition. What went wrong is in the result; an error is a failure too, with
// the error's text. A Func must come back soon after its context is done.
type Func func(ctx context.Context, args json.RawMessage) (chat.Result, error)

// A Runner executes calls of the tools of one registry. Its methods may be called
// from several goroutines.
type Runner struct {
	registry *tool.Registry
	funcs    map[string]Func
	pace     pace
}

// New returns a runner of the registry's tools. A definition with a builtin is
// executed by the function of that name.
func New(registry *tool.Registry, funcs map[string]Func) *Runner {
	return &Runner{registry: registry, funcs: funcs}
}

// Run executes a call. Anything that the tool or the call got wrong is in the
// result, also an unknown name, arguments that do not fit, a panic, and a time
// limit that ran out: the tool's own, 60 seconds if it has none, or x.Deadline. A
// call over the rate of its definition waits first.
// The error is the cause of ctx, when that ended before the tool did.
func (r *Runner) Run(ctx context.Context, x chat.Execution) (chat.Result, error) {
	if ctx.Err() != nil {
		return chat.Result{}, context.Cause(ctx)
	}
	def, ok := r.registry.Get(x.Call.Name)
	if !ok {
		return chat.Failure(chat.UnknownTool, "Unknown tool: %s", x.Call.Name), nil
	}
	run, ok := r.funcs[def.Builtin]
	if !ok {
		return chat.Failure(chat.Failed, "%s has no implementation here", def.Name), nil
	}
	if why := misfit(def.Check(x.Call.Arguments)); why != "" {
		return chat.Failure(chat.InvalidArguments, "%s", why), nil
	}
	if err := r.pace.wait(ctx, def); err != nil {
		return chat.Result{}, err
	}
	result, err := within(ctx, def, x, run)
	if err != nil {
		return chat.Result{}, err
	}
	return fit(result, cmp.Or(def.MaxBytes, defaultMaxBytes)), nil
}

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
func within(ctx context.Context, def *tool.Definition, x chat.Execution, run Func) (chat.Result, error) {
	limit := cmp.Or(def.Timeout, defaultTimeout)
	if !x.Deadline.IsZero() {
		limit = min(limit, time.Until(x.Deadline))
	}
	own, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan outcome, 1)
	go func() { done <- protect(own, run, x.Call.Arguments) }()

	out, ended := wait(own, done)
	if ended && out.err == nil {
		return out.result, nil // also when ctx ended meanwhile: it is done
	}
	if cause := over(ctx); cause != nil {
		return chat.Result{}, cause
	}
	switch {
	case !ended, own.Err() != nil:
		return timedOut(def, limit), nil
	}
	return chat.Failure(chat.Failed, "%v", out.err), nil
}

// protect runs a tool and turns a panic into an error.
func protect(ctx context.Context, run Func, args json.RawMessage) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = outcome{err: fmt.Errorf("tool exception: %v", p)}
		}
	}()
	result, err := run(ctx, args)
	return outcome{result, err}
}

// wait returns the outcome of a tool, unless the tool does not come back although
// its context is done.
func wait(ctx context.Context, done <-chan outcome) (outcome, bool) {
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

// timedOut is the result of a tool whose time ran out. Where that may have left
// an effect behind, trying again is not for the model to decide.
func timedOut(def *tool.Definition, limit time.Duration) chat.Result {
	result := chat.Failure(chat.Timeout, "%s did not finish within %v", def.Name, max(limit, 0).Round(time.Millisecond))
	if def.Effect != tool.Read && !def.Idempotent {
		result.Error.Retryable = false
		result.Error.Message += "; it may have taken effect"
	}
	return result
}
