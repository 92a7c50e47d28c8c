package agent

import (
	"context"
	"errors"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

// recoverFromRequestError returns nil if the run can continue after a failed request: in the dialect if the
// server rejects tools before the first call, or with one more request after a response broke off.
// No call of a broken response was executed with an effect.
func (r *run) recoverFromRequestError(ctx context.Context, err error) error {
	refused := new(provider.NoToolsError)
	switch {
	case errors.As(err, &refused) && r.conversation.native && !r.cfg.NativeOnly && len(r.gate.outcomes.reports) == 0:
		r.conversation.useDialect()
		r.setGateNotation()
	case ctx.Err() == nil && r.exchange.responseStarted && isConnectionLost(err) && r.retries.uselessReplies == 0:
		r.retries.uselessReplies++
	default:
		return err
	}
	r.emitReprompt(err.Error())
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

// retryUselessReply drops an unusable reply and asks for another, once.
func (r *run) retryUselessReply(p *reply, why string) error {
	if err := p.batch.discard("the response is unusable: " + why); err != nil {
		return err
	}
	if r.retries.uselessReplies++; r.retries.uselessReplies > 1 && !r.resetIfResumePoint() {
		return &UselessReplyError{Why: why}
	}
	r.emitReprompt(why)
	switch c := r.conversation; why {
	case "length":
		c.addUser(c.texts.Cut())
	case "empty":
		c.addUser(c.texts.Empty())
	default:
		c.addUser(c.texts.UnusableReply())
	}
	return nil
}
