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
	"oneshot/pkg/prompt"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

// loop runs the conversation from the user's prompt to the answer.
func (r *run) loop(ctx context.Context) error {
	for over := !r.startConversation(); ; {
		if over {
			if err := r.requestAnswer(ctx); err != nil {
				return err
			}
			if applied, err := r.applyUserAnswers(ctx); err != nil || !applied {
				return err
			}
		}
		var err error
		if over, err = r.turn(ctx); err != nil {
			return err
		}
	}
}

// startConversation appends the user's prompt. Without tools it asks for the answer at once and
// returns false.
func (r *run) startConversation() bool {
	if r.cfg.Input != "" {
		r.addKnownLinks(r.cfg.Input)
	}
	question := r.texts.User(prompt.UserMessage{Prompt: r.cfg.Prompt, Input: r.cfg.Input, Now: r.cfg.Now, Boundary: r.boundary})
	if len(r.defs) == 0 {
		question += "\n\n" + r.answerRequest()
	}
	r.appendUser(question)
	return len(r.defs) > 0
}

// appendUser appends a user message without secrets: it may quote one model to another.
func (r *run) appendUser(text string) {
	r.messages = append(r.messages, chat.Message{Role: chat.User, Content: r.cfg.Policy.Secrets.Hide(text)})
}

// appendAssistant appends a reply. It neutralises role tokens in the text, because a tool result
// may have made the model write them.
func (r *run) appendAssistant(p *reply) {
	m := chat.Message{Role: chat.Assistant, Content: dialect.NeutraliseRoles(p.Content), Native: provider.NeutraliseNative(p.Native), By: p.By}
	if r.native {
		m.Calls = p.batch.callsAsWritten()
	}
	r.messages = append(r.messages, m)
	r.uselessReplies = 0
}

// turn sends one request and executes the calls of the response. It returns true once the work is
// over and the answer is due or already given.
func (r *run) turn(ctx context.Context) (over bool, err error) {
	p, err := r.sendRequest(ctx, chat.PurposeTurn, answerFormat{})
	if err != nil {
		return false, r.recoverFrom(ctx, err)
	}
	if why := uselessReason(p); why != "" {
		return false, r.retryUseless(p, why)
	}
	r.appendAssistant(p)
	if p.batch.denial != nil {
		return false, r.stopDenied(p.batch)
	}
	if err := p.batch.approve(); err != nil {
		return false, joinErrors(err, p.batch.discard("the run has ended"))
	}
	if p.batch.denial != nil { // by the approver
		return false, r.stopDenied(p.batch)
	}
	needUser := p.batch.toolsNeedingUser()
	if err := p.batch.execute(); err != nil {
		return false, err
	}
	if len(needUser) > 0 {
		p.batch.final = false // the user's values come first
	}
	if over, err = r.appendResults(p); err != nil || len(needUser) == 0 {
		return over, err
	}
	_, err = r.applyUserAnswers(ctx, needUser...)
	return false, err
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

// recoverFrom returns nil if the run can continue after a failed request: in the dialect if the
// server rejects tools before the first call, or with one more request after a response broke off.
// No call of a broken response was executed with an effect.
func (r *run) recoverFrom(ctx context.Context, err error) error {
	refused := new(provider.NoToolsError)
	switch {
	case errors.As(err, &refused) && r.native && !r.cfg.NativeOnly && len(r.reports) == 0:
		r.useDialect()
		r.recordedMessages = 0 // the conversation restarts
	case ctx.Err() == nil && r.responseStarted && isConnectionLost(err) && r.uselessReplies == 0:
		r.uselessReplies++
	default:
		return err
	}
	r.cfg.Observe(Event{Kind: EventReprompt, Turn: r.out.Turns, Text: err.Error()})
	return nil
}

// isConnectionLost reports whether a response broke off or timed out, so that another request may
// succeed.
func isConnectionLost(err error) bool {
	var fault *wire.Error
	var cut *provider.BrokenOffError
	if errors.As(err, &cut) {
		return !errors.As(err, &fault) || fault.Kind != wire.TooLarge
	}
	return errors.As(err, new(*provider.TimeoutError))
}

// appendResults appends the results of the calls of a response.
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
		return r.endWork(p.text, results, len(faults)+b.added == 1)
	case results == "":
		return false, r.remind()
	}
	r.repliesWithoutCall = 0
	r.appendUser(results)
	return false, nil
}

// endWork asks for the answer, unless required work is missing. If the reply has text and no calls
// besides the ending tool (alone), the text may already be the answer.
func (r *run) endWork(text, results string, alone bool) (over bool, err error) {
	unmet := r.unmetRequirements()
	switch blocked := r.blockedByAuth(unmet); {
	case blocked != nil:
		return false, blocked
	case len(unmet) > 0 && r.remindedOfRequired && !r.resetIfResumePoint():
		return false, &RequiredError{Tools: unmet}
	case len(unmet) == 0 && r.allDenied() != nil:
		return false, r.allDenied()
	case len(unmet) > 0:
		r.remindedOfRequired = true
		r.cfg.Observe(Event{Kind: EventReprompt, Turn: r.out.Turns, Text: "required work is not done"})
		r.appendUser(joinParagraphs(results, r.texts.Required(unmet)))
		return false, nil
	case alone && r.cfg.AnswerModel == nil && r.acceptAnswer(text):
		return true, nil
	}
	r.appendUser(joinParagraphs(results, r.answerRequest()))
	return true, nil
}

// callFindings returns the errors in the reply, such as unreadable calls, for the model.
func (p *reply) callFindings() []diag.Finding {
	return slices.DeleteFunc(slices.Clone(p.findings), func(f diag.Finding) bool { return f.Severity != diag.Error })
}

// outcomes returns the results for the prompt, in execution order.
func (b *batch) outcomes() []prompt.ToolResult {
	var shown []prompt.ToolResult
	for _, inv := range b.invocations {
		shown = append(shown, inv.promptOutcome())
	}
	return shown
}

// uselessReason returns why a reply is unusable, or "".
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

// retryUseless drops an unusable reply and asks for another, once.
func (r *run) retryUseless(p *reply, why string) error {
	if err := p.batch.discard("the response is unusable: " + why); err != nil {
		return err
	}
	if r.uselessReplies++; r.uselessReplies > 1 && !r.resetIfResumePoint() {
		return &ModelError{Why: why}
	}
	r.cfg.Observe(Event{Kind: EventReprompt, Turn: r.out.Turns, Text: why})
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
	if r.repliesWithoutCall++; r.repliesWithoutCall > r.cfg.Limits.Reminders && !r.resetIfResumePoint() {
		return &ModelError{Why: "no call"}
	}
	r.cfg.Observe(Event{Kind: EventReprompt, Turn: r.out.Turns, Text: "no call"})
	example, _ := r.cfg.Dialect.Render(r.reminderExample(), nil) // dialects for prompts can express every call
	r.appendUser(r.texts.Reminder(example, r.ending))
	return nil
}

// reminderExample returns the example call of a reminder. It skips examples with markers, which
// could be misread.
func (r *run) reminderExample() chat.Call {
	for _, def := range r.defs {
		for _, e := range def.Examples {
			if args := e.Parsed.Arguments; bytes.Equal(dialect.Neutralise(args), args) {
				return e.Parsed
			}
		}
	}
	return chat.Call{Name: r.ending, Arguments: []byte("{}")}
}

// stopDenied ends the run at a denied call: it drops running calls and starts no others.
func (r *run) stopDenied(b *batch) error {
	for _, inv := range b.invocations {
		if inv.isRefused() {
			inv.finalize()
		}
	}
	if err := b.discard("another call of the response was denied"); err != nil {
		return err
	}
	return b.denial
}

func joinParagraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
