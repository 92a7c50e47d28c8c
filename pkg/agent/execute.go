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

// sideBySide is how many reads run at the same time.
const sideBySide = 8

// start runs a call in a goroutine of its own, as soon as there is room, and one
// that talks when those before it have ended.
func (b *batch) start(s *invocation, wait time.Duration) {
	s.started = true
	var before, said chan struct{}
	if s.def.Talks() {
		before, said = b.said, make(chan struct{})
		b.said = said
	}
	b.running.Go(func() {
		if said != nil {
			defer close(said)
		}
		if before != nil {
			<-before // a call ends soon after its context
		}
		sleep(b.ctx, wait)
		select {
		case b.tokens <- struct{}{}:
			defer func() { <-b.tokens }()
		case <-b.ctx.Done():
		}
		if s.err = b.ctx.Err(); s.err == nil {
			b.runOne(s)
		}
	})
}

// startNow starts a call when its rates let it.
func (b *batch) startNow(s *invocation) error {
	wait, err := b.reserveRate(s)
	if err == nil {
		b.start(s, wait)
	}
	return err
}

// reserveRate returns how long a call has to wait for its rates, and takes that it starts then. One
// that has run, in a run that goes on or is played again, does not.
func (b *batch) reserveRate(s *invocation) (time.Duration, error) {
	if b.run.cfg.Played || b.run.past.hasBegun(s.call.ID) {
		return 0, nil
	}
	return s.decision.Start(&b.run.record.state, s.call.ID, time.Now())
}

// sleep waits, unless the context ends.
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

// runOne runs a call. An error of the runner, or a panic, ends all calls.
func (b *batch) runOne(s *invocation) {
	defer func() {
		if p := recover(); p != nil {
			s.err = &PanicError{Value: p, Stack: debug.Stack()}
		}
		if s.err != nil {
			b.cancel(fmt.Errorf("tool %s: %w", s.call.Name, s.err))
		}
	}()
	x := chat.Execution{
		Call: s.call, Key: b.run.key(s), Again: b.run.past.intents[s.call.ID],
		MaxBytes: s.decision.MaxBytes, Follow: s.decision.Follow, Leads: s.decision.Leads,
	}
	x.Deadline, _ = b.ctx.Deadline()
	if s.replayRecorded(b.run.past, b.run.cfg.ReportUnknown) {
		return
	}
	begin := time.Now()
	s.result, s.err = b.run.cfg.Runner.Run(b.ctx, x)
	s.duration = time.Since(begin)
	if s.err == nil && s.result.OK() && s.result.Data != nil && !json.Valid(s.result.Data) {
		s.result = chat.Failure(chat.Failed, "the tool's result is not JSON")
	}
}

// discard ends what the batch has started and drops its results.
func (b *batch) discard(why string) error {
	b.cancel(nil)
	b.running.Wait()
	var err error
	for _, s := range b.invocations {
		body := s.drop(why)
		if !s.emitted {
			b.run.emit(EventLeft, s, cmp.Or(s.why(), why))
		}
		if body != nil {
			err = joinErrors(err, b.run.record.append(body))
		}
	}
	return err
}

// emit says what became of a call.
func (r *run) emit(kind EventKind, s *invocation, why string) {
	s.emitted = true
	r.cfg.Observe(Event{Kind: kind, Turn: r.out.Turns, Call: *s.report, Digest: s.digest, Took: s.duration, Text: why})
}

// execute runs every call that has not run yet. Each result is on record when it
// returns without an error; with one, nothing is left running.
func (b *batch) execute() error {
	if err := b.runByPriority(); err != nil {
		return joinErrors(err, b.discard("the run has ended"))
	}
	b.cancel(nil)
	return nil
}

// runByPriority runs calls of higher priority first, ties in order, and reads side by
// side between writes.
func (b *batch) runByPriority() error {
	b.invocations = b.byPriority()
	var reads []*invocation
	for _, s := range b.invocations {
		if s.refused || s.def.Effect == tool.Read {
			reads = append(reads, s)
			continue
		}
		if err := b.runParallel(reads); err != nil {
			return err
		}
		if err := b.runWrite(s); err != nil {
			return err
		}
		reads = nil
	}
	return b.runParallel(reads)
}

// runParallel runs reads side by side, and waits for them and for all that was
// started before.
func (b *batch) runParallel(invocations []*invocation) error {
	for _, s := range invocations {
		if s.started || s.refused {
			continue
		}
		if err := b.startNow(s); err != nil {
			return err
		}
	}
	b.running.Wait()
	for _, s := range invocations {
		if err := b.recordResult(s); err != nil {
			return err
		}
	}
	return nil
}

// runWrite runs one call that changes something; nothing else is running. Its
// intent is durable before it starts and its result before anything else
// happens.
func (b *batch) runWrite(s *invocation) error {
	wait, err := b.reserveRate(s)
	if err != nil {
		return err
	}
	sleep(b.ctx, wait) // before it is on record that the call starts
	if b.ctx.Err() != nil {
		return context.Cause(b.ctx)
	}
	if err := b.run.record.append(b.run.intent(s)); err != nil {
		return err
	}
	if err := b.run.record.sync(); err != nil {
		return err
	}
	before := b.run.out.Effects
	b.run.out.Effects = max(before, effectsOf(s.def))
	b.start(s, 0)
	b.running.Wait()
	if err := b.recordResult(s); err != nil {
		return err
	}
	if s.changedNothing() {
		b.run.out.Effects = before
	}
	if err := b.run.record.sync(); err != nil {
		return err
	}
	return b.refusedByTool(s)
}

// intent returns the record that a call is about to change something.
func (r *run) intent(s *invocation) runfile.Intent {
	i := runfile.Intent{Call: s.call.ID, Key: r.key(s)}
	if r.cfg.Before != nil && r.record.isNew() {
		i.Before = r.cfg.Before(s.def, s.call.Arguments)
	}
	return i
}

// effectsOf returns what a call of a tool that changes something may change.
func effectsOf(def *tool.Definition) Effects {
	if def.Keyed() {
		return KeyedEffects
	}
	return UnkeyedEffects
}

// changedNothing reports whether the tool refused a call before it changed anything.
func (s *invocation) changedNothing() bool {
	if s.result.Error == nil {
		return len(s.result.Needs) > 0
	}
	switch s.result.Error.Code {
	case chat.InvalidArguments, chat.Denied, chat.Unauthorized, chat.ScopesMissing, chat.ConnectionInactive:
		return true
	}
	return false
}

// refusedByTool is the error of a change that the tool itself denied, such as a
// path outside the root: it counts like one that the policy denied. One for which there is
// no authorisation does, too.
func (b *batch) refusedByTool(s *invocation) error {
	e := s.result.Error
	switch {
	case e == nil || b.run.cfg.ContinueDenied:
	case e.Code == chat.Denied:
		return &DeniedError{Tool: s.call.Name, Why: e.Message}
	case e.Code == chat.Unauthorized:
		return unauthorized(s.def, e)
	}
	return nil
}

// recordResult books the result of a call that has ended.
func (b *batch) recordResult(s *invocation) error {
	if s.err != nil {
		return context.Cause(b.ctx)
	}
	s.result = b.run.cfg.Policy.Secrets.HideResult(s.result) // so that no later call, and no other model, can carry one away
	envelope, err := s.result.MarshalJSON()
	if err != nil {
		return fmt.Errorf("tool %s: %w", s.call.Name, err)
	}
	s.shown = envelope
	s.finalize()
	trackNeeds(b.run.needs, s.call.Name, s.result)
	if !s.refused { // what the program says of a call is nobody's wish
		b.run.untrustedText.AddResult(s.call.Name, s.writtenArgs, envelope)
		b.run.recordLinks(decodedStrings(envelope))
	}
	b.run.noteAuthorisation(s)
	b.run.worked[s.call.Name] = b.run.worked[s.call.Name] || s.result.OK()
	b.run.emit(EventResult, s, s.why()+s.renewal())
	return b.run.record.append(runfile.Result{Call: s.call.ID, Result: s.result, Duration: s.duration, Labels: s.result.Labels})
}
