// Package agent runs the agent loop: it sends a request to a model, parses the calls in the
// response, checks them against the policy, executes them and feeds the results back, until the
// model gives an answer that fits its schema or a limit is reached.
//
// It is the API for programs that embed oneshot: one call of [Run] does the whole loop, and a [Gate]
// takes single calls the same way. The package knows no concrete model and no concrete tool, prints
// nothing and keeps no state outside a run.
package agent

import (
	"context"
	"errors"

	"oneshot/pkg/chat"
)

// Run executes one run to its end. The outcome holds everything known even if the error is not nil.
// Errors are those of this package, of the model and of the recorder, wrapped; if the context
// ended, its cause is returned unwrapped.
func Run(ctx context.Context, cfg Config) (Outcome, error) {
	if err := cfg.validate(); err != nil {
		return Outcome{}, err
	}
	r, err := newRun(cfg)
	if err != nil {
		return Outcome{}, err
	}
	clock := newWallClock(ctx, cfg.Limits.Wall, cfg.Elapsed)
	defer clock.cancel() // also ends running calls if the model or the observer panics
	r.exchange.clock = clock
	r.journal.onLive(clock.start) // repeated steps take no time, so a run without time left still reaches the end of its record
	err = r.gate.outcomes.rootCause(r.loop(clock), cfg.RequiredTools)
	out := r.outcome()
	if cause := context.Cause(clock); cause != nil && errors.Is(err, cause) {
		out.Aborted = true
		err = cause
	}
	return out, err
}

// SystemPrompt renders the system prompt of a run with this configuration.
func (c Config) SystemPrompt() (string, error) {
	conversation, err := newConversation(c)
	if err != nil {
		return "", err
	}
	return conversation.system, nil
}

// FirstRequest returns the first request of a run with this configuration.
func (c Config) FirstRequest() (chat.Request, error) {
	r, err := newRun(c)
	if err != nil {
		return chat.Request{}, err
	}
	if !r.conversation.addPrompt() {
		return r.exchange.nextRequest(chat.PurposeAnswer, r.conversation.answer.requestFormats()[0]), nil
	}
	return r.exchange.nextRequest(chat.PurposeTurn, requestFormat{}), nil
}
