package agent

import (
	"context"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// An exchange sends the requests of a run to its models and reads the responses.
type exchange struct {
	gate            *Gate
	journal         *journal
	conversation    *conversation
	model           Model
	answerModel     Model // nil: model
	budget          requestBudget
	limiter         RequestLimiter // nil for none
	clock           *wallClock
	waited          time.Duration // for the limiter, not yet recorded
	by              string        // the model that replied last
	observesContent bool
	responseStarted bool // the latest response sent at least one delta
}

// nextRequest returns the next request.
func (x *exchange) nextRequest(purpose chat.Purpose, f requestFormat) chat.Request {
	return x.conversation.newRequest(purpose, f, x.gate.budget.left())
}

// send sends one request and reads its response. If it returns an error, all calls of the response
// have ended.
func (x *exchange) send(ctx context.Context, purpose chat.Purpose, f requestFormat) (_ *reply, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	req := x.nextRequest(purpose, f)
	if err := x.chargeBudget(req); err != nil {
		return nil, err
	}
	if err := x.admit(ctx, req); err != nil {
		return nil, err
	}
	x.responseStarted = false
	var resp chat.Response
	defer func() { x.budget.endAdmission(err == nil || x.responseStarted, resp.By) }()
	x.journal.turn = x.budget.turns
	record := x.conversation.requestRecord(req, x.journal.turn)
	record.Waited = x.takeWaited()
	if !x.gate.cfg.Replay { // a replay is free
		record.EstimatedTokens = x.budget.estimator.estimate(req)
		record.By, _ = x.budget.ledger.prices.mostExpensive(purpose, chat.Usage{InputTokens: record.EstimatedTokens})
	}
	if err := x.journal.append(record); err != nil {
		return nil, err
	}
	x.emit(Event{Kind: EventRequest, Purpose: purpose})

	r := newResponseReader(ctx, x, req)
	if x.observesContent {
		r.enableContentEvents()
	}
	resp, err = x.modelFor(purpose).Reply(r.ctx, req, r.onDelta)
	r.cancel(nil)
	x.responseStarted = r.deltas > 0
	switch {
	case r.err != nil:
		err = r.err // the cause, not the model's error about its cancelled context
	case err != nil && ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil:
		err = r.close(resp)
	}
	if err == nil {
		err = x.recordResponse(r)
	} else if x.responseStarted {
		err = joinErrors(err, x.recordBrokenResponse(r, resp, err))
	} else {
		err = joinErrors(err, x.recordLostAttempt(ctx, r, resp, err))
	}
	if err != nil {
		return nil, joinErrors(err, r.reply.batch.discard("the response is incomplete"))
	}
	return &r.reply, nil
}

// emit emits an event with the usage and cost of the run so far.
func (x *exchange) emit(e Event) {
	e.TotalUsage, e.TotalCost = x.budget.ledger.total()
	x.journal.emit(e)
}

// chargeBudget checks the budgets and counts a request.
func (x *exchange) chargeBudget(req chat.Request) error {
	if err := x.budget.checkTokens(1); err != nil {
		return err
	}
	if !x.gate.cfg.Replay && !x.journal.isReplaying() { // recorded requests were sent already
		if err := x.budget.checkEstimate(req); err != nil {
			return err
		}
	}
	return x.budget.addTurn()
}

// admit waits until the limiter admits a request. Recorded requests were admitted already.
func (x *exchange) admit(ctx context.Context, req chat.Request) error {
	if x.limiter == nil || x.journal.isReplaying() {
		return nil
	}
	return x.waitForLimiter(func() error { return x.budget.admit(ctx, x.limiter, req) })
}

// admitRetry waits until the limiter admits another attempt at the request.
func (x *exchange) admitRetry(ctx context.Context) error {
	if x.budget.admission == nil {
		return nil
	}
	return x.waitForLimiter(func() error { return x.budget.admission.Retry(ctx) })
}

func (x *exchange) waitForLimiter(wait func() error) error {
	waited, err := x.clock.stopDuring(wait)
	x.waited += waited.Truncate(time.Millisecond)
	return err
}

// takeWaited returns how long the run has waited for the limiter, for the next record.
func (x *exchange) takeWaited() time.Duration {
	waited := x.waited
	x.waited = 0
	return waited
}

// modelFor returns the model for requests of a purpose.
func (x *exchange) modelFor(purpose chat.Purpose) Model {
	if purpose == chat.PurposeAnswer && x.answerModel != nil {
		return x.answerModel
	}
	return x.model
}

// recordResponse records a complete response, not yet durably, and keeps its findings.
func (x *exchange) recordResponse(r *responseReader) error {
	p := &r.reply
	body := x.responseRecord(p.Response, r)
	p.Usage = body.Usage
	p.Usage = fillUsage(p.Response, r.estimatedTokens)
	body.Usage = p.Usage
	x.budget.estimator.calibrate(r.request, p.Usage)
	x.budget.addResponse(p.By, p.Usage, body.DeltaCount)
	x.by = p.By
	x.emit(Event{Kind: EventReply, Usage: p.Usage, Text: string(p.Stop)})
	x.journal.reportFindings(p.findings...)
	return x.journal.append(body)
}

// responseRecord returns the record of a response.
func (x *exchange) responseRecord(p chat.Response, r *responseReader) runfile.Response {
	p.Usage.InputTokens, p.Usage.OutputTokens = max(0, p.Usage.InputTokens), max(0, p.Usage.OutputTokens)
	pieces := x.journal.deltaCount(r.deltas)
	if pieces <= p.Usage.Total() {
		pieces = 0 // the usage is more precise
	}
	return runfile.Response{
		DeltaCount: pieces,
		Turn:       x.journal.turn, Content: p.Content, Reasoning: p.Reasoning, Calls: p.Calls, Native: p.Native,
		Stop: p.Stop, Usage: p.Usage, Model: p.Model, By: p.By, Waited: x.takeWaited(),
	}
}

// recordBrokenResponse records the received part of a response that broke off.
func (x *exchange) recordBrokenResponse(r *responseReader, resp chat.Response, why error) error {
	if resp.Content == "" {
		resp.Content = string(r.callFreeText)
	}
	body := x.responseRecord(resp, r)
	body.BrokenOff, body.DeltaCount = why.Error(), x.journal.deltaCount(r.deltas)
	if u := &body.Usage; u.EstimatedTokens == 0 && !x.journal.isReplaying() {
		counted := u.OutputTokens // before the end, as far as the server had sent it
		u.OutputTokens = max(counted, estimateStreamed(r.deltas, r.outputBytes))
		u.EstimatedTokens = u.OutputTokens - counted
		if u.InputTokens == 0 {
			u.InputTokens = r.estimatedTokens
			u.EstimatedTokens += u.InputTokens
		}
	}
	truncateBrokenResponse(&body, r.callBytes)
	x.budget.addResponse(body.By, body.Usage, body.DeltaCount)
	return x.journal.append(body)
}

// recordLostAttempt records the last attempt at a request if its server may charge for it although nothing arrived.
func (x *exchange) recordLostAttempt(ctx context.Context, r *responseReader, resp chat.Response, why error) error {
	isLive := !x.gate.cfg.Replay && !x.journal.isReplaying()
	isSent := resp.By != "" && !resp.Unsent // "" between two attempts, and if a fallback has reported the last one
	if !isLive || r.err != nil || !isSent || ctx.Err() == nil && !provider.MayBeCharged(resp, why) {
		return nil
	}
	return r.recordAttempt(chat.Attempt{Number: r.attempts + 1, Error: why.Error(), Charged: true, Usage: resp.Usage, By: resp.By, Last: true})
}
