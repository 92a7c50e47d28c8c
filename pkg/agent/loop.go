package agent

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/model"
	"oneshot/pkg/prompt"
	"oneshot/pkg/wire"
)

// loop takes the run from the user's question to the answer.
func (r *run) loop(ctx context.Context) error {
	for over := !r.open(); ; {
		if over {
			if err := r.finish(ctx); err != nil {
				return err
			}
			if told, err := r.applyUserAnswers(ctx); err != nil || !told {
				return err
			}
		}
		var err error
		if over, err = r.turn(ctx); err != nil {
			return err
		}
	}
}

// open asks the user's question. It reports false when there are no tools, and
// the question is the one for the answer already.
func (r *run) open() bool {
	if r.cfg.Input != "" {
		r.recordLinks(r.cfg.Input)
	}
	question := r.texts.User(prompt.Question{Prompt: r.cfg.Prompt, Input: r.cfg.Input, Now: r.cfg.Now, Mark: r.boundary})
	if len(r.defs) == 0 {
		question += "\n\n" + r.answerRequest()
	}
	r.appendUser(question)
	return len(r.defs) > 0
}

// appendUser appends a user message. Where it quotes a model, another one may read it, which gets none of its secrets.
func (r *run) appendUser(text string) {
	r.messages = append(r.messages, chat.Message{Role: chat.User, Content: r.cfg.Policy.Secrets.Hide(text)})
}

// appendAssistant appends what the model said. Tokens of roles in its text are inert when they go back: a result can have
// made it write them.
func (r *run) appendAssistant(p *reply) {
	m := chat.Message{Role: chat.Assistant, Content: dialect.NeutraliseRoles(p.Content), Native: model.WithoutRoles(p.Native), By: p.By}
	if r.native {
		m.Calls = p.batch.callsAsWritten()
	}
	r.messages = append(r.messages, m)
	r.unusable = 0
}

// turn makes one request and does what the response asks for. It reports true
// when the work is over and the answer is due, or there already.
func (r *run) turn(ctx context.Context) (over bool, err error) {
	p, err := r.sendRequest(ctx, chat.PurposeTurn, answerFormat{})
	if err != nil {
		return false, r.recoverFrom(ctx, err)
	}
	if why := uselessReason(p); why != "" {
		return false, r.retryUseless(p, why)
	}
	r.appendAssistant(p)
	if p.batch.denied != nil {
		return false, r.stopDenied(p.batch)
	}
	if err := p.batch.approve(); err != nil {
		return false, joinErrors(err, p.batch.discard("the run has ended"))
	}
	if p.batch.denied != nil { // by who was asked
		return false, r.stopDenied(p.batch)
	}
	if err := p.batch.execute(); err != nil {
		return false, err
	}
	asking := p.batch.toolsNeedingUser()
	if len(asking) > 0 {
		p.batch.final = false // its work is not over
	}
	if over, err = r.appendResults(p); err != nil || len(asking) == 0 {
		return over, err
	}
	_, err = r.applyUserAnswers(ctx, asking...)
	return false, err
}

// toolsNeedingUser returns the tools whose calls need what only the user can say.
func (b *batch) toolsNeedingUser() (names []string) {
	for _, s := range b.invocations {
		if s.needsUser {
			names = append(names, s.call.Name)
		}
	}
	return names
}

// recoverFrom returns nil if the run can go on after a request that failed: in the
// dialect when the server refuses native calls before there was one, and once
// more when a response broke off, of which nothing was carried out.
func (r *run) recoverFrom(ctx context.Context, err error) error {
	refused := new(model.NoToolsError)
	switch {
	case errors.As(err, &refused) && r.native && !r.cfg.NativeOnly && len(r.reports) == 0:
		r.useDialect()
		r.recorded = 0 // the conversation begins anew
	case ctx.Err() == nil && r.begun && isConnectionLost(err) && r.unusable == 0:
		r.unusable++
	default:
		return err
	}
	r.cfg.Observe(Event{Kind: EventAgain, Turn: r.out.Turns, Text: err.Error()})
	return nil
}

// isConnectionLost reports whether an error is about a response that may come whole next
// time.
func isConnectionLost(err error) bool {
	var fault *wire.Error
	var cut *model.CutError
	if errors.As(err, &cut) {
		return !errors.As(err, &fault) || fault.Kind != wire.Large
	}
	return errors.As(err, new(*model.TimeoutError))
}

// appendResults tells the model what came of its response.
func (r *run) appendResults(p *reply) (over bool, err error) {
	if r.native {
		return r.appendNativeResults(p)
	}
	b, faults := p.batch, p.callFindings()
	results := r.texts.Results(b.outcomes(), faults, r.boundary)
	renewed, err := r.renewNonce(b)
	if err != nil {
		return false, err
	}
	results = joinParagraphs(results, renewed)
	switch {
	case b.final:
		return r.endWork(p.text, results, len(faults)+b.seen == 1)
	case results == "":
		return false, r.remind()
	}
	r.reminded = 0
	r.appendUser(results)
	return false, nil
}

// endWork ends the work and asks for the answer, unless the model has to do
// more. When text stood alone, it may be the answer already.
func (r *run) endWork(text, results string, alone bool) (over bool, err error) {
	undone := r.unmetRequirements()
	switch barred := r.blockedByAuth(undone); {
	case barred != nil:
		return false, barred
	case len(undone) > 0 && r.urged && !r.restarts():
		return false, &RequiredError{Tools: undone}
	case len(undone) == 0 && r.allDenied() != nil:
		return false, r.allDenied()
	case len(undone) > 0:
		r.urged = true
		r.cfg.Observe(Event{Kind: EventAgain, Turn: r.out.Turns, Text: "required work is not done"})
		r.appendUser(joinParagraphs(results, r.texts.Required(undone)))
		return false, nil
	case alone && r.cfg.Responder == nil && r.acceptAnswer(text):
		return true, nil
	}
	r.appendUser(joinParagraphs(results, r.answerRequest()))
	return true, nil
}

// callFindings returns what the model has to be told of its own writing: findings
// about calls that were lost.
func (p *reply) callFindings() []diag.Finding {
	return slices.DeleteFunc(slices.Clone(p.findings), func(f diag.Finding) bool { return f.Severity != diag.Error })
}

// outcomes returns the results to show, in the order the calls ran.
func (b *batch) outcomes() []prompt.Outcome {
	var shown []prompt.Outcome
	for _, s := range b.invocations {
		shown = append(shown, s.promptOutcome())
	}
	return shown
}

// uselessReason says why a response is of no use, or "".
func uselessReason(p *reply) string {
	switch {
	case p.Stop == chat.StopLength:
		return "length"
	case strings.TrimSpace(p.Content) == "" && len(p.Calls) == 0:
		return "empty"
	case p.Stop != chat.StopEnd:
		return "other"
	}
	return ""
}

// retryUseless drops a response that is of no use and asks for another, once.
func (r *run) retryUseless(p *reply, why string) error {
	if err := p.batch.discard("the response is of no use: " + why); err != nil {
		return err
	}
	if r.unusable++; r.unusable > 1 && !r.restarts() {
		return &ModelError{Why: why}
	}
	r.cfg.Observe(Event{Kind: EventAgain, Turn: r.out.Turns, Text: why})
	switch why {
	case "length":
		r.appendUser(r.texts.Cut())
	case "empty":
		r.appendUser(r.texts.Empty())
	default:
		r.appendUser(r.texts.Broken())
	}
	return nil
}

// remind tells the model how to call a tool, a bounded number of times.
func (r *run) remind() error {
	if r.reminded++; r.reminded > r.cfg.Limits.Reminders && !r.restarts() {
		return &ModelError{Why: "no call"}
	}
	r.cfg.Observe(Event{Kind: EventAgain, Turn: r.out.Turns, Text: "no call"})
	example, _ := r.cfg.Writes.Render(r.example(), nil) // the dialects of prompts can say everything
	r.appendUser(r.texts.Reminder(example, r.ending))
	return nil
}

// example is the call that a reminder shows. One that holds a marker could be read as something else.
func (r *run) example() chat.Call {
	for _, def := range r.defs {
		for _, e := range def.Examples {
			if args := e.Parsed.Arguments; bytes.Equal(dialect.Neutralise(args), args) {
				return e.Parsed
			}
		}
	}
	return chat.Call{Name: r.ending, Arguments: []byte("{}")}
}

// stopDenied ends the run at a denied call: what runs already is dropped, and
// nothing else of the response is started.
func (r *run) stopDenied(b *batch) error {
	for _, s := range b.invocations {
		if s.refused {
			s.finalize()
		}
	}
	if err := b.discard("another call of the response was denied"); err != nil {
		return err
	}
	return b.denied
}

func joinParagraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
