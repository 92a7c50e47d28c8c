package agent

import (
	"context"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// loop runs the conversation from the user's prompt to the answer.
func (r *run) loop(ctx context.Context) error {
	if err := r.recordAttachments(); err != nil {
		return err
	}
	for over := !r.conversation.addPrompt(); ; {
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

// recordAttachments records the data of the attachments, each once.
func (r *run) recordAttachments() error {
	recorded := map[string]bool{}
	for _, a := range r.cfg.Attachments {
		if recorded[a.SHA256] {
			continue
		}
		recorded[a.SHA256] = true
		if err := r.journal.append(runfile.Attachment{SHA256: a.SHA256, Data: a.Data}); err != nil {
			return err
		}
	}
	return nil
}

// turn sends one request and executes the calls of the response. It returns true once the work is
// over and the answer is due or already given.
func (r *run) turn(ctx context.Context) (over bool, err error) {
	p, err := r.exchange.send(ctx, chat.PurposeTurn, requestFormat{})
	if err != nil {
		return false, r.recoverFromRequestError(ctx, err)
	}
	if why := uselessReason(p); why != "" {
		return false, r.retryUselessReply(p, why)
	}
	r.appendAssistant(p)
	if p.batch.denial() != nil {
		return false, p.batch.stopAtDenial()
	}
	if err := p.batch.approve(); err != nil {
		return false, joinErrors(err, p.batch.discard("the run has ended"))
	}
	if p.batch.denial() != nil { // denied during the approval
		return false, p.batch.stopAtDenial()
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

// applyUserAnswers gives the model the user's values for the needs of the named tools, or of all
// tools without names. It returns false if there are no needs, and a *[NeedsError] if values are
// missing or are the same as before.
func (r *run) applyUserAnswers(ctx context.Context, names ...string) (applied bool, err error) {
	c, needs := r.conversation, r.gate.outcomes.needs
	var open []*Needs
	for _, def := range c.defs {
		if n := needs[def.Name]; n != nil && (len(names) == 0 || slices.Contains(names, n.Tool)) {
			open = append(open, n)
		}
	}
	inputs, err := r.userAnswers.collect(ctx, open)
	if err != nil {
		return false, err
	}
	for _, input := range inputs {
		if err := r.userAnswers.record(input); err != nil {
			return false, err
		}
		if isAskUser(input.Tool) {
			delete(needs, input.Tool)
			c.addUser(c.texts.Answered(input.Values))
		} else {
			c.addUser(c.texts.UserInput(input.Tool, input.Values))
		}
		r.out.Answer, r.out.FormatMode = nil, ""
	}
	return len(inputs) > 0, nil
}
