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
func (b *batch) start(s *slot, wait time.Duration) {
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
		rest(b.ctx, wait)
		select {
		case b.tokens <- struct{}{}:
			defer func() { <-b.tokens }()
		case <-b.ctx.Done():
		}
		if s.err = b.ctx.Err(); s.err == nil {
			b.perform(s)
		}
	})
}

// begin starts a call when its rates let it.
func (b *batch) begin(s *slot) error {
	wait, err := b.wait(s)
	if err == nil {
		b.start(s, wait)
	}
	return err
}

// wait returns how long a call has to wait for its rates, and takes that it starts then. One
// that has run, in a run that goes on or is played again, does not.
func (b *batch) wait(s *slot) (time.Duration, error) {
	if b.run.cfg.Played || b.run.past.began(s.call.ID) {
		return 0, nil
	}
	return s.decision.Start(&b.run.record.state, s.call.ID, time.Now())
}

// rest waits, unless the context ends.
func rest(ctx context.Context, wait time.Duration) {
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

// perform runs a call. An error of the runner, or a panic, ends all calls.
func (b *batch) perform(s *slot) {
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
	if s.recall(b.run.past, b.run.cfg.ReportUnknown) {
		return
	}
	begin := time.Now()
	s.result, s.err = b.run.cfg.Runner.Run(b.ctx, x)
	s.took = time.Since(begin)
	if s.err == nil && s.result.OK() && s.result.Data != nil && !json.Valid(s.result.Data) {
		s.result = chat.Failure(chat.Failed, "the tool's result is not JSON")
	}
}

// discard ends what the batch has started and drops its results.
func (b *batch) discard(why string) error {
	b.cancel(nil)
	b.running.Wait()
	var err error
	for _, s := range b.slots {
		body := s.drop(why)
		if !s.ended {
			b.run.tell(EventLeft, s, cmp.Or(s.why(), why))
		}
		if body != nil {
			err = both(err, b.run.record.append(body))
		}
	}
	return err
}

// tell says what became of a call.
func (r *run) tell(kind EventKind, s *slot, why string) {
	s.ended = true
	r.cfg.Observe(Event{Kind: kind, Turn: r.out.Turns, Call: *s.report, Digest: s.digest, Took: s.took, Text: why})
}

// execute runs every call that has not run yet. Each result is on record when it
// returns without an error; with one, nothing is left running.
func (b *batch) execute() error {
	if err := b.inOrder(); err != nil {
		return both(err, b.discard("the run has ended"))
	}
	b.cancel(nil)
	return nil
}

// inOrder runs calls of higher priority first, ties in order, and reads side by
// side between writes.
func (b *batch) inOrder() error {
	b.slots = b.inTurn()
	var reads []*slot
	for _, s := range b.slots {
		if s.refused || s.def.Effect == tool.Read {
			reads = append(reads, s)
			continue
		}
		if err := b.together(reads); err != nil {
			return err
		}
		if err := b.write(s); err != nil {
			return err
		}
		reads = nil
	}
	return b.together(reads)
}

// together runs reads side by side, and waits for them and for all that was
// started before.
func (b *batch) together(slots []*slot) error {
	for _, s := range slots {
		if s.started || s.refused {
			continue
		}
		if err := b.begin(s); err != nil {
			return err
		}
	}
	b.running.Wait()
	for _, s := range slots {
		if err := b.done(s); err != nil {
			return err
		}
	}
	return nil
}

// write runs one call that changes something; nothing else is running. Its
// intent is durable before it starts and its result before anything else
// happens.
func (b *batch) write(s *slot) error {
	wait, err := b.wait(s)
	if err != nil {
		return err
	}
	rest(b.ctx, wait) // before it is on record that the call starts
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
	if err := b.done(s); err != nil {
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
func (r *run) intent(s *slot) runfile.Intent {
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
func (s *slot) changedNothing() bool {
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
func (b *batch) refusedByTool(s *slot) error {
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

// done books the result of a call that has ended.
func (b *batch) done(s *slot) error {
	if s.err != nil {
		return context.Cause(b.ctx)
	}
	s.result = b.run.cfg.Policy.Secrets.HideResult(s.result) // so that no later call, and no other model, can carry one away
	envelope, err := s.result.MarshalJSON()
	if err != nil {
		return fmt.Errorf("tool %s: %w", s.call.Name, err)
	}
	s.shown = envelope
	s.settle()
	note(b.run.needs, s.call.Name, s.result)
	if !s.refused { // what the program says of a call is nobody's wish
		b.run.told.AddResult(s.call.Name, s.written, envelope)
		b.run.reads(meant(envelope))
	}
	b.run.noteAuthorisation(s)
	b.run.worked[s.call.Name] = b.run.worked[s.call.Name] || s.result.OK()
	b.run.tell(EventResult, s, s.why()+s.renewal())
	return b.run.record.append(runfile.Result{Call: s.call.ID, Result: s.result, Duration: s.took, Labels: s.result.Labels})
}
