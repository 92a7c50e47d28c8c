package agent

import (
	"context"
	"errors"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/runfile"
)

// A reply is a complete response and the calls and findings in it.
type reply struct {
	chat.Response
	text     string // content without calls
	leaked   bool   // calls are native, but the text contains one
	findings []diag.Finding
	batch    *batch // its calls, some of them already running
}

// request builds the next request.
func (r *run) request(purpose chat.Purpose, f answerFormat) chat.Request {
	req := chat.Request{
		Purpose: purpose, System: r.system, Messages: r.messages, Tools: r.functions,
		AnyJSON: f.anyJSON, Params: r.cfg.Params, MaxCalls: r.budget.callsLeft(),
	}
	if f.schema {
		req.Format = r.answerSchema.Raw()
	}
	req.Digest = r.requestDigest(req)
	return req
}

// sendRequest sends one request and reads its response. If it returns an error, all calls of the
// response have ended.
func (r *run) sendRequest(ctx context.Context, purpose chat.Purpose, f answerFormat) (*reply, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	req := r.request(purpose, f)
	if err := r.reserveRequest(req); err != nil {
		return nil, err
	}
	r.out.Turns = r.budget.turns
	if err := r.recordRequest(req); err != nil {
		return nil, err
	}
	r.cfg.Observe(Event{Kind: EventRequest, Turn: r.out.Turns, Purpose: purpose})

	l := r.newListener(ctx, purpose)
	l.request, l.estimatedTokens = req, r.budget.estimator.estimate(req)
	resp, err := r.modelFor(purpose).Reply(l.ctx, req, l.onDelta)
	l.cancel(nil)
	r.responseStarted = l.deltas > 0
	switch {
	case l.err != nil:
		err = l.err // the cause, not the model's error about its cancelled context
	case err != nil && ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil:
		err = l.close(resp)
	}
	if err == nil {
		err = r.recordResponse(l)
	} else if r.responseStarted {
		err = joinErrors(err, r.recordBrokenResponse(l, resp, err))
	}
	if err != nil {
		return nil, joinErrors(err, l.reply.batch.discard("the response is incomplete"))
	}
	return &l.reply, nil
}

// reserveRequest checks the budgets and counts the request.
func (r *run) reserveRequest(req chat.Request) error {
	if err := r.budget.checkTokens(1); err != nil {
		return err
	}
	if len(r.journal.unreplayed) == 0 { // recorded requests were sent already
		if err := r.budget.checkEstimate(r.budget.estimator.estimate(req)); err != nil {
			return err
		}
	}
	return r.budget.addTurn()
}

// modelFor returns the model for requests of a purpose.
func (r *run) modelFor(purpose chat.Purpose) Model {
	if purpose == chat.PurposeAnswer && r.cfg.AnswerModel != nil {
		return r.cfg.AnswerModel
	}
	return r.cfg.Model
}

// joinErrors joins an error with a later one. It drops a later error that is the same, and a
// [DivergedError]: a failing resumed run naturally differs from its record.
func joinErrors(err, later error) error {
	switch {
	case err == nil:
		return later
	case later == nil || errors.Is(err, later) || errors.As(later, new(*DivergedError)):
		return err
	}
	return errors.Join(err, later)
}

// recordResponse records a complete response, not yet durably, and keeps its findings.
func (r *run) recordResponse(l *listener) error {
	p := &l.reply
	body := r.responseRecord(p.Response, l)
	p.Usage = body.Usage
	r.budget.estimator.calibrate(l.request, p.Usage)
	r.budget.addTokens(p.Usage, body.DeltaCount)
	r.out.Usage = r.out.Usage.Add(p.Usage)
	r.out.Model = p.By
	r.out.Findings = append(r.out.Findings, p.findings...)
	r.cfg.Observe(Event{Kind: EventReply, Turn: r.out.Turns, Usage: p.Usage, Text: string(p.Stop)})
	for _, f := range p.findings {
		r.cfg.Observe(Event{Kind: EventFinding, Turn: r.out.Turns, Finding: f})
	}
	return r.journal.append(body)
}

// responseRecord returns the record of a response.
func (r *run) responseRecord(p chat.Response, l *listener) runfile.Response {
	p.Usage = chat.Usage{InputTokens: max(0, p.Usage.InputTokens), OutputTokens: max(0, p.Usage.OutputTokens)}
	pieces := r.journal.deltaCount(l.deltas)
	if pieces <= p.Usage.Total() {
		pieces = 0 // the usage is more precise
	}
	return runfile.Response{
		DeltaCount: pieces,
		Turn:       r.out.Turns, Content: p.Content, Reasoning: p.Reasoning, Calls: p.Calls, Native: p.Native,
		Stop: p.Stop, Usage: p.Usage, Model: p.Model, By: p.By,
	}
}

// recordBrokenResponse records the received part of a response that broke off.
func (r *run) recordBrokenResponse(l *listener, resp chat.Response, why error) error {
	if resp.Content == "" {
		resp.Content = string(l.callFreeText)
	}
	body := r.responseRecord(resp, l)
	body.BrokenOff, body.DeltaCount = why.Error(), r.journal.deltaCount(l.deltas)
	if body.Usage.Total() == 0 { // the server had not sent its usage yet
		body.Usage = chat.Usage{InputTokens: l.estimatedTokens, OutputTokens: body.DeltaCount}
	}
	shortenBroken(&body, l.callBytes)
	r.budget.addTokens(body.Usage, body.DeltaCount)
	r.out.Usage = r.out.Usage.Add(body.Usage)
	return r.journal.append(body)
}

// recordRequest records only the new messages of a request: a record with all of them would grow
// quadratically.
func (r *run) recordRequest(req chat.Request) error {
	body := runfile.Request{
		Turn: r.out.Turns, Purpose: req.Purpose, Messages: req.Messages[r.recordedMessages:],
		Format: req.Format, AnyJSON: req.AnyJSON, Digest: req.Digest,
	}
	if r.recordedMessages == 0 {
		body.System, body.Tools = req.System, req.Tools
	}
	if !r.native {
		body.Nonce = r.nonce.word
	}
	r.recordedMessages = len(req.Messages)
	return r.journal.append(body)
}

// requestDigest returns the digest of a request without its secrets, so that the request can be
// verified from the record.
func (r *run) requestDigest(req chat.Request) string {
	r.chain.Add(redacted(req.Messages[r.chain.Count():], r.cfg.Policy.Secrets)...)
	req.System = r.cfg.Policy.Secrets.Hide(req.System)
	return r.chain.Digest(req)
}

// A listener parses a response while it streams.
type listener struct {
	run             *run
	request         chat.Request
	estimatedTokens int             // of the request
	ctx             context.Context // of the response
	callCtx         context.Context // of its calls
	cancel          context.CancelCauseFunc
	scanner         *dialect.Scanner // nil if written calls do not count
	native          bool             // native calls count
	reply           reply
	findings        dialect.Findings
	callFreeText    []byte // content without calls
	contentBytes    int    // number of content bytes received
	callBytes       int    // number of content bytes up to the last call or revocation
	nativeCalls     int    // number of native calls received
	deltas          int    // number of deltas with content; each is at least one token
	err             error  // ends the run
}

func (r *run) newListener(ctx context.Context, purpose chat.Purpose) *listener {
	l := &listener{run: r, callCtx: ctx}
	l.reply.batch = newBatch(ctx, r)
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	switch {
	case purpose == chat.PurposeAnswer:
	case r.native:
		l.native = true
	default:
		l.scanner = dialect.NewScanner(dialect.Options{Dialect: r.cfg.Dialect}, l.onScannerEvent)
	}
	return l
}

// onDelta handles a delta. After an error it ignores deltas until the model notices that its
// context has ended.
func (l *listener) onDelta(d chat.Delta) {
	if l.err != nil {
		return
	}
	if d.Attempt != nil {
		l.fail(l.run.journal.append(runfile.Attempt{Turn: l.run.out.Turns, Attempt: *d.Attempt}))
		l.run.cfg.Observe(Event{Kind: EventRetry, Turn: l.run.out.Turns, Attempt: d.Attempt})
		return
	}
	if d.Content != "" || d.Reasoning != "" || d.Call != nil {
		l.deltas++
		l.fail(l.run.budget.checkTokens(l.estimatedTokens + l.deltas))
	}
	l.write(d.Content)
	if d.Call != nil {
		l.nativeCall(*d.Call)
	}
}

func (l *listener) write(content string) {
	l.contentBytes += len(content)
	if l.scanner != nil && l.err == nil {
		l.scanner.Write([]byte(content))
	}
}

// onScannerEvent handles an event of the scanner. The scanner finishes its chunk, so more events
// may arrive after an error.
func (l *listener) onScannerEvent(e dialect.Event) {
	switch {
	case l.err != nil:
	case e.ContentWasReasoning:
		l.callFreeText = l.callFreeText[:0]
	case e.Revoked:
		l.callBytes = l.contentBytes
		l.fail(l.revokeCalls())
	case e.Call != nil:
		l.callBytes = l.contentBytes
		l.fail(l.reply.batch.add(*e.Call, nil))
	case e.Finding != nil:
		l.findings.Add(*e.Finding)
	default:
		l.callFreeText = append(l.callFreeText, e.Content...)
	}
}

// revokeCalls revokes all calls so far, most often because they turn out to be part of the
// reasoning.
func (l *listener) revokeCalls() error {
	before := l.reply.batch
	l.reply.batch = newBatch(l.callCtx, l.run)
	l.reply.batch.added = before.added
	before.refund()
	return before.discard("the rest of the response shows that it is not a call")
}

// fail stops reading the response.
func (l *listener) fail(err error) {
	if err != nil && l.err == nil {
		l.err = err
		l.cancel(err)
	}
}

// close checks and finishes a complete response.
func (l *listener) close(resp chat.Response) error {
	if l.contentBytes == 0 && l.nativeCalls == 0 { // the model does not stream
		l.write(resp.Content)
		for _, c := range resp.Calls {
			l.nativeCall(c)
		}
	}
	if l.contentBytes != len(resp.Content) || l.nativeCalls != len(resp.Calls) {
		return &StreamError{StreamedBytes: l.contentBytes, ResponseBytes: len(resp.Content), StreamedCalls: l.nativeCalls, ResponseCalls: len(resp.Calls)}
	}
	if l.scanner == nil {
		l.callFreeText = []byte(resp.Content)
	} else if l.err == nil {
		l.scanner.Close()
	}
	l.reply.findings = append(l.reply.findings, l.findings.Locate(resp.Content)...)
	if l.native || l.scanner != nil {
		l.reportLeakedCalls(resp.Content)
	}
	l.reply.Response, l.reply.text = resp, string(l.callFreeText)
	return l.err
}
