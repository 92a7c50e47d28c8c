package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
	"oneshot/pkg/prompt"
	"oneshot/pkg/sleep"
	"oneshot/pkg/tool"
)

// maxParallelReads bounds the reads that run at the same time.
const maxParallelReads = 8

// A batch takes the calls of one response through the gate: it orders them, and runs reads in
// parallel.
type batch struct {
	gate        *Gate
	ctx         context.Context // of its calls
	cancel      context.CancelCauseFunc
	added       int // number of calls, including unreadable ones
	charged     int // number of calls charged to the budget
	invocations []*Invocation
	hasWrite    bool           // at least one call changes something
	final       bool           // the model called the ending tool
	isLeaked    bool           // calls are native, but these are from the text
	running     sync.WaitGroup // started calls
	talkDone    chan struct{}  // closed when the latest call that talks to the user has ended; nil before the first
	semaphore   chan struct{}  // limits parallel calls
}

func newBatch(ctx context.Context, g *Gate) *batch {
	ctx, cancel := context.WithCancelCause(ctx)
	return &batch{gate: g, ctx: ctx, cancel: cancel, semaphore: make(chan struct{}, maxParallelReads)}
}

// add takes a call at its last byte and, if possible, starts it. An error ends the run. faults are
// the findings in the text of the call.
func (b *batch) add(call chat.Call, faults []diag.Finding) error {
	g := b.gate
	b.added++
	inv := g.newInvocation(call, fmt.Sprintf("t%dc%d", g.journal.turn, b.added))
	inv.isNative = inv.isNative && !b.isLeaked
	switch {
	case call.Executable && !g.native && call.Name == g.tools.ending:
		b.final = true
		return nil
	case call.Status == chat.StatusSuppressed && !g.native: // a draft in reasoning, which is no call
		return nil
	}
	a, err := g.admit(inv, b.added-1, faults, !b.hasWrite) // a read never overtakes a write
	b.charged++
	if a.decided {
		b.invocations = append(b.invocations, inv)
		b.hasWrite = b.hasWrite || inv.hasEffect()
	}
	if err == nil && a.early {
		err = b.startWithinRate(inv)
	}
	return err
}

// refund returns the calls of the batch to the budget.
func (b *batch) refund() { b.gate.budget.refund(b.charged, b.calls()) }

// calls returns the decided calls.
func (b *batch) calls() []chat.Call {
	var calls []chat.Call
	for _, inv := range b.invocations {
		calls = append(calls, inv.call)
	}
	return calls
}

// callsAsWritten returns the decided calls with the model's own arguments.
func (b *batch) callsAsWritten() []chat.Call {
	calls := b.calls()
	for i, inv := range b.invocations {
		calls[i].Arguments = inv.writtenArgs
	}
	return calls
}

// denial returns the first denial that ends the run, or nil.
func (b *batch) denial() *DeniedError {
	for _, inv := range b.invocations {
		if inv.denial != nil {
			return inv.denial
		}
	}
	return nil
}

// toolsNeedingUser returns the names of the tools whose calls need a value from the user.
func (b *batch) toolsNeedingUser() (names []string) {
	for _, inv := range b.invocations {
		if inv.state == callNeedsUser {
			names = append(names, inv.call.Name)
		}
	}
	return names
}

// promptResults returns the results for the prompt, in execution order.
func (b *batch) promptResults() []prompt.ToolResult {
	var shown []prompt.ToolResult
	for _, inv := range b.invocations {
		shown = append(shown, inv.promptResult())
	}
	return shown
}

// resultTexts returns the results of the batch, each encoded and as its decoded strings.
func (b *batch) resultTexts() []string {
	var all []string
	for _, inv := range b.invocations {
		all = append(all, string(inv.envelope), decodedStrings(inv.envelope))
	}
	return all
}

// approve asks for all approvals that the calls of the response need, before any call is executed
// except those already running.
func (b *batch) approve() error {
	var unanswered ApprovalError
	for invocations := b.needingApproval(); len(invocations) > 0; {
		later, err := b.requestApprovals(invocations, &unanswered)
		if err != nil || b.denial() != nil {
			return err
		}
		if len(later) == len(invocations) { // the recorded run continued without these approvals
			return b.denyUnapproved(invocations)
		}
		invocations = later
	}
	if len(unanswered.Requests) > 0 {
		return &unanswered
	}
	return nil
}

// needingApproval returns the calls that need approval, in execution order.
func (b *batch) needingApproval() []*Invocation {
	return slices.DeleteFunc(b.executionOrder(), func(inv *Invocation) bool { return inv.state != callReady || inv.decision.Verdict != policy.Ask })
}

// requestApprovals asks for the approval of each call. It adds calls without a decision to
// unanswered, and returns the calls that, in the record of a resumed run, got their approval after
// another one.
func (b *batch) requestApprovals(invocations []*Invocation, unanswered *ApprovalError) (later []*Invocation, err error) {
	for _, inv := range invocations {
		if inv.state == callDeferred && b.gate.isApprovalRecordedLater(inv) {
			later = append(later, inv)
			continue
		}
		q, err := b.gate.requestApproval(b.ctx, inv)
		switch {
		case b.ctx.Err() != nil:
			return nil, context.Cause(b.ctx)
		case errors.As(err, new(*noAnswerError)):
			if unanswered.Requests = append(unanswered.Requests, q); unanswered.Why == nil {
				unanswered.Why = errors.Unwrap(err)
			}
		case err != nil:
			return nil, err
		case b.denial() != nil:
			return nil, nil
		case inv.state == callDeferred:
			later = append(later, inv)
		}
	}
	return later, nil
}

// denyUnapproved denies calls that the recorded run left without approval.
func (b *batch) denyUnapproved(invocations []*Invocation) error {
	if !b.gate.cfg.ContinueDenied {
		next := b.gate.journal.unreplayed[0]
		return &DivergedError{Record: next.Seq, Why: "expected a call of " + invocations[0].call.Name + " to be approved, got a step of kind " + string(next.Kind)}
	}
	for _, inv := range invocations {
		inv.enter(callReady)
		b.gate.deny(inv, inv.decision.DenyUnapproved())
	}
	return nil
}

// executionOrder returns the calls in execution order.
func (b *batch) executionOrder() []*Invocation {
	invocations := slices.Clone(b.invocations)
	slices.SortStableFunc(invocations, func(x, y *Invocation) int { return cmp.Compare(y.call.Priority, x.call.Priority) })
	return invocations
}

// startAfter runs a call in its own goroutine as soon as a slot is free. Calls that talk to the user run
// one after the other.
func (b *batch) startAfter(inv *Invocation, wait time.Duration) {
	inv.enter(callStarted)
	b.gate.emitStart(inv)
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
		_ = sleep.For(b.ctx, wait) // the end of the context is noticed below
		select {
		case b.semaphore <- struct{}{}:
			defer func() { <-b.semaphore }()
		case <-b.ctx.Done():
		}
		if inv.err = b.ctx.Err(); inv.err == nil || b.gate.wasInterruptedDuringChange(inv) {
			b.runOne(inv)
		}
	})
}

// startWithinRate starts a call after the wait that its rate limits demand.
func (b *batch) startWithinRate(inv *Invocation) error {
	wait, err := b.gate.reserveStart(inv)
	if err == nil {
		b.startAfter(inv, wait)
	}
	return err
}

// runOne runs a call. An error of the runner, or a panic, cancels all calls.
func (b *batch) runOne(inv *Invocation) {
	defer func() {
		if p := recover(); p != nil {
			inv.err = &PanicError{Value: p, Stack: debug.Stack()}
		}
		if inv.err != nil {
			b.cancel(fmt.Errorf("tool %s: %w", inv.call.Name, inv.err))
		}
	}()
	inv.err = b.gate.runTool(b.ctx, inv)
}

// discard cancels the running calls of the batch and drops their results.
func (b *batch) discard(why string) error {
	b.cancel(nil)
	b.running.Wait()
	var err error
	for _, inv := range b.invocations {
		body := inv.discardStarted(why)
		if inv.state != callReported {
			b.gate.emitFinal(EventDropped, inv, cmp.Or(inv.failureReason(), why))
		}
		if body != nil {
			err = joinErrors(err, b.gate.journal.append(body))
		}
	}
	return err
}

// stopAtDenial ends the run at a denied call: it drops running calls and starts no others.
func (b *batch) stopAtDenial() error {
	for _, inv := range b.invocations {
		if inv.isRefused() {
			inv.fillReport()
		}
	}
	if err := b.discard("another call of the response was denied"); err != nil {
		return err
	}
	return b.denial()
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
	var reads []*Invocation
	for _, inv := range b.invocations {
		if inv.isRefused() || inv.def.Effect == tool.Read {
			reads = append(reads, inv)
			continue
		}
		if err := b.runParallel(reads...); err != nil {
			return err
		}
		if err := b.runWrite(inv); err != nil {
			return err
		}
		if err := b.gate.toolDenialError(inv); err != nil {
			return err
		}
		reads = nil
	}
	return b.runParallel(reads...)
}

// runAlone runs one call on its own.
func (b *batch) runAlone(inv *Invocation) error {
	if inv.isRefused() || inv.def.Effect == tool.Read {
		return b.runParallel(inv)
	}
	return b.runWrite(inv)
}

// runParallel runs reads in parallel and waits for them and for all calls started earlier.
func (b *batch) runParallel(invocations ...*Invocation) error {
	for _, inv := range invocations {
		if inv.state != callReady {
			continue
		}
		if err := b.startWithinRate(inv); err != nil {
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
func (b *batch) runWrite(inv *Invocation) error {
	g := b.gate
	wait, err := g.reserveStart(inv)
	if err != nil {
		return err
	}
	if err := sleep.For(b.ctx, wait); err != nil { // before the start of the call is recorded
		return err
	}
	if err := g.recordIntent(inv); err != nil {
		return err
	}
	before := g.outcomes.effects
	g.outcomes.effects = max(before, effectsOf(inv.def.HasKey()))
	b.startAfter(inv, 0)
	b.running.Wait()
	if err := b.recordResult(inv); err != nil {
		return err
	}
	if hasChangedNothing(inv.result) {
		g.outcomes.effects = before
	}
	return g.journal.sync()
}

// effectsOf returns the effects of a call that changes something.
func effectsOf(hasKey bool) Effects {
	if hasKey {
		return KeyedEffects
	}
	return UnkeyedEffects
}

// recordResult records the result of a call that has ended.
func (b *batch) recordResult(inv *Invocation) error {
	switch {
	case errors.As(inv.err, new(*UnknownOutcomeError)): // matters more than an end of the context
		return fmt.Errorf("tool %s: %w", inv.call.Name, inv.err)
	case inv.err != nil:
		return context.Cause(b.ctx)
	}
	return b.gate.recordResult(inv)
}
