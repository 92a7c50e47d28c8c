package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// maxParallelReads bounds the reads that run at the same time.
const maxParallelReads = 8

// start runs a call in its own goroutine as soon as a slot is free. Calls that talk to the user run
// one after the other.
func (b *batch) start(inv *invocation, wait time.Duration) {
	inv.enter(callStarted)
	var previous, done chan struct{}
	if inv.def.WritesChat() {
		previous, done = b.talkDone, make(chan struct{})
		b.talkDone = done
	}
	b.running.Go(func() {
		if done != nil {
			defer close(done)
		}
		if previous != nil {
			<-previous // no deadlock: a call ends soon after its context
		}
		sleep(b.ctx, wait)
		select {
		case b.semaphore <- struct{}{}:
			defer func() { <-b.semaphore }()
		case <-b.ctx.Done():
		}
		if inv.err = b.ctx.Err(); inv.err == nil {
			b.runOne(inv)
		}
	})
}

// startNow starts a call after the wait that its rate limits demand.
func (b *batch) startNow(inv *invocation) error {
	wait, err := b.reserveRate(inv)
	if err == nil {
		b.start(inv, wait)
	}
	return err
}

// reserveRate reserves the start of a call and returns how long its rate limits delay it. A call
// that already started in the recorded run does not wait.
func (b *batch) reserveRate(inv *invocation) (time.Duration, error) {
	if b.run.cfg.Replay || b.run.recordedCalls.hasBegun(inv.call.ID) {
		return 0, nil
	}
	return inv.decision.ReserveStart(&b.run.journal.state, inv.call.ID, time.Now())
}

// sleep waits until the time is over or the context ends.
func sleep(ctx context.Context, wait time.Duration) {
	if wait == 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// runOne runs a call. An error of the runner, or a panic, cancels all calls.
func (b *batch) runOne(inv *invocation) {
	defer func() {
		if p := recover(); p != nil {
			inv.err = &PanicError{Value: p, Stack: debug.Stack()}
		}
		if inv.err != nil {
			b.cancel(fmt.Errorf("tool %s: %w", inv.call.Name, inv.err))
		}
	}()
	x := chat.Execution{
		Call: inv.call, IdempotencyKey: b.run.idempotencyKey(inv), Repeated: b.run.recordedCalls.intents[inv.call.ID],
		MaxBytes: inv.decision.MaxBytes, Follow: inv.decision.CheckRedirect, ResolvedPaths: inv.decision.ResolvedPaths,
	}
	x.Deadline, _ = b.ctx.Deadline()
	if inv.replayResult(b.run.recordedCalls, b.run.cfg.ReportUnknownOutcome) {
		return
	}
	begin := time.Now()
	inv.result, inv.err = b.run.cfg.Runner.Run(b.ctx, x)
	inv.duration = time.Since(begin)
	if inv.err == nil && inv.result.OK() && inv.result.Data != nil && !json.Valid(inv.result.Data) {
		inv.result = chat.Failure(chat.Failed, "the tool's result is not JSON")
	}
}

// discard cancels the running calls of the batch and drops their results.
func (b *batch) discard(why string) error {
	b.cancel(nil)
	b.running.Wait()
	var err error
	for _, inv := range b.invocations {
		body := inv.drop(why)
		if inv.state != callReported {
			b.run.emit(EventDropped, inv, cmp.Or(inv.failureReason(), why))
		}
		if body != nil {
			err = joinErrors(err, b.run.journal.append(body))
		}
	}
	return err
}

// emit emits the final event of a call.
func (r *run) emit(kind EventKind, inv *invocation, why string) {
	inv.enter(callReported)
	r.cfg.Observe(Event{Kind: kind, Turn: r.out.Turns, Call: *inv.report, Digest: inv.digest, Duration: inv.duration, Text: why})
}

// execute runs every call that has not run yet. Without an error, all results are on record; with
// one, all calls have ended.
func (b *batch) execute() error {
	if err := b.runByPriority(); err != nil {
		return joinErrors(err, b.discard("the run has ended"))
	}
	b.cancel(nil)
	return nil
}

// runByPriority runs calls of higher priority first and calls of equal priority in order. Reads
// between two writes run in parallel.
func (b *batch) runByPriority() error {
	b.invocations = b.executionOrder()
	var reads []*invocation
	for _, inv := range b.invocations {
		if inv.isRefused() || inv.def.Effect == tool.Read {
			reads = append(reads, inv)
			continue
		}
		if err := b.runParallel(reads); err != nil {
			return err
		}
		if err := b.runWrite(inv); err != nil {
			return err
		}
		reads = nil
	}
	return b.runParallel(reads)
}

// runParallel runs reads in parallel and waits for them and for all calls started earlier.
func (b *batch) runParallel(invocations []*invocation) error {
	for _, inv := range invocations {
		if inv.state != callReady {
			continue
		}
		if err := b.startNow(inv); err != nil {
			return err
		}
	}
	b.running.Wait()
	for _, inv := range invocations {
		if err := b.recordResult(inv); err != nil {
			return err
		}
	}
	return nil
}

// runWrite runs one call with an effect while no other call is running. Its intent is durable
// before it starts, and its result before the next step.
func (b *batch) runWrite(inv *invocation) error {
	wait, err := b.reserveRate(inv)
	if err != nil {
		return err
	}
	sleep(b.ctx, wait) // before the record says that the call starts
	if b.ctx.Err() != nil {
		return context.Cause(b.ctx)
	}
	if err := b.run.journal.append(b.run.intentOf(inv)); err != nil {
		return err
	}
	if err := b.run.journal.sync(); err != nil {
		return err
	}
	before := b.run.out.Effects
	b.run.out.Effects = max(before, effectsOf(inv.def))
	b.start(inv, 0)
	b.running.Wait()
	if err := b.recordResult(inv); err != nil {
		return err
	}
	if inv.changedNothing() {
		b.run.out.Effects = before
	}
	if err := b.run.journal.sync(); err != nil {
		return err
	}
	return b.toolDenialError(inv)
}

// intentOf returns the intent record of a call with an effect.
func (r *run) intentOf(inv *invocation) runfile.Intent {
	i := runfile.Intent{Call: inv.call.ID, Key: r.idempotencyKey(inv)}
	if r.cfg.FileBefore != nil && r.journal.isNew() {
		i.Before = r.cfg.FileBefore(inv.def, inv.call.Arguments)
	}
	return i
}

// effectsOf returns the effects of a call of a tool with an effect.
func effectsOf(def *tool.Definition) Effects {
	if def.HasKey() {
		return KeyedEffects
	}
	return UnkeyedEffects
}

// changedNothing reports whether the tool rejected the call before it changed anything.
func (inv *invocation) changedNothing() bool {
	if inv.result.Error == nil {
		return len(inv.result.Needs) > 0
	}
	switch inv.result.Error.Code {
	case chat.InvalidArguments, chat.Denied, chat.Unauthorized, chat.ScopesMissing, chat.ConnectionInactive:
		return true
	}
	return false
}

// toolDenialError returns the error of a change that the tool itself denied, such as a path outside
// the root, or for which the authorization is missing. It ends the run like a denial by the policy.
func (b *batch) toolDenialError(inv *invocation) error {
	e := inv.result.Error
	switch {
	case e == nil || b.run.cfg.ContinueDenied:
	case e.Code == chat.Denied:
		return &DeniedError{Tool: inv.call.Name, Why: e.Message}
	case e.Code == chat.Unauthorized:
		return newUnauthorizedError(inv.def, e)
	}
	return nil
}

// recordResult records the result of a call that has ended.
func (b *batch) recordResult(inv *invocation) error {
	if inv.err != nil {
		return context.Cause(b.ctx)
	}
	inv.result = b.run.cfg.Policy.Secrets.HideResult(inv.result) // no later call and no other model may leak a secret
	envelope, err := inv.result.MarshalJSON()
	if err != nil {
		return fmt.Errorf("tool %s: %w", inv.call.Name, err)
	}
	inv.envelope = envelope
	inv.finalize()
	trackNeeds(b.run.needs, inv.call.Name, inv.result)
	if !inv.isRefused() { // a refusal is written by oneshot, not by a tool
		b.run.untrustedText.AddResult(inv.call.Name, inv.writtenArgs, envelope)
		b.run.addKnownLinks(decodedStrings(envelope))
	}
	b.run.trackAuthorization(inv)
	b.run.succeeded[inv.call.Name] = b.run.succeeded[inv.call.Name] || inv.result.OK()
	b.run.emit(EventResult, inv, inv.failureReason()+inv.renewalHint())
	return b.run.journal.append(runfile.Result{Call: inv.call.ID, Result: inv.result, Duration: inv.duration, Labels: inv.result.Labels})
}
