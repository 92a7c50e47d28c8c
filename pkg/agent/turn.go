package agent

import (
	"context"
	"errors"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/runfile"
)

// A reply is a complete response and what was read in it.
type reply struct {
	chat.Response
	text     string // the content without calls
	leaked   bool   // calls are native, and there is one in the text
	findings []diag.Finding
	batch    *batch // the calls, some of them running already
}

// request returns the next request.
func (r *run) request(purpose chat.Purpose, f answerFormat) chat.Request {
	req := chat.Request{
		Purpose: purpose, System: r.system, Messages: r.messages, Tools: r.tools,
		AnyJSON: f.anyJSON, Params: r.cfg.Params, MostCalls: r.budget.callsLeft(),
	}
	if f.schema {
		req.Format = r.answers.Raw()
	}
	req.Digest = r.requestDigest(req)
	return req
}

// sendRequest makes one request. When it returns an error, nothing that the response
// hasBegun is left running.
func (r *run) sendRequest(ctx context.Context, purpose chat.Purpose, f answerFormat) (*reply, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	req := r.request(purpose, f)
	if err := r.admit(req); err != nil {
		return nil, err
	}
	r.out.Turns = r.budget.turns
	if err := r.recordRequest(req); err != nil {
		return nil, err
	}
	r.cfg.Observe(Event{Kind: EventRequest, Turn: r.out.Turns, Purpose: purpose})

	l := r.listen(ctx, purpose)
	l.request, l.input = req, r.budget.rate.estimate(req)
	resp, err := r.modelFor(purpose).Reply(l.ctx, req, l.onDelta)
	l.cancel(nil)
	r.begun = l.pieces > 0
	switch {
	case l.err != nil:
		err = l.err // what ended the response, and not what the model made of that
	case err != nil && ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil:
		err = l.close(resp)
	}
	if err == nil {
		err = r.recordResponse(l)
	} else if r.begun {
		err = joinErrors(err, r.recordBroken(l, resp, err))
	}
	if err != nil {
		return nil, joinErrors(err, l.reply.batch.discard("the response is not complete"))
	}
	return &l.reply, nil
}

// admit counts a request that the budgets have room for.
func (r *run) admit(req chat.Request) error {
	if err := r.budget.spent(1); err != nil {
		return err
	}
	if len(r.record.past) == 0 { // what is on record was sent
		if err := r.budget.checkEstimate(r.budget.rate.estimate(req)); err != nil {
			return err
		}
	}
	return r.budget.turn()
}

// modelFor returns the model that answers requests of a purpose.
func (r *run) modelFor(purpose chat.Purpose) Model {
	if purpose == chat.PurposeAnswer && r.cfg.Responder != nil {
		return r.cfg.Responder
	}
	return r.cfg.Model
}

// joinErrors returns an error together with one that came later, if that is another. That a run
// whose end has come does not go on as it began is none.
func joinErrors(err, later error) error {
	switch {
	case err == nil:
		return later
	case later == nil || errors.Is(err, later) || errors.As(later, new(*DivergedError)):
		return err
	}
	return errors.Join(err, later)
}

// recordResponse books a complete response. Its findings are kept and its record is
// appended, but not yet durable.
func (r *run) recordResponse(l *listener) error {
	p := &l.reply
	body := r.recordOf(p.Response, l)
	p.Usage = body.Usage
	r.budget.rate.calibrate(l.request, p.Usage)
	r.budget.use(p.Usage, body.Pieces)
	r.out.Usage = r.out.Usage.Add(p.Usage)
	r.out.Model = p.By
	r.out.Findings = append(r.out.Findings, p.findings...)
	r.cfg.Observe(Event{Kind: EventReply, Turn: r.out.Turns, Usage: p.Usage, Text: string(p.Stop)})
	for _, f := range p.findings {
		r.cfg.Observe(Event{Kind: EventFinding, Turn: r.out.Turns, Finding: f})
	}
	return r.record.append(body)
}

// recordOf returns the record of a response.
func (r *run) recordOf(p chat.Response, l *listener) runfile.Response {
	p.Usage = chat.Usage{InputTokens: max(0, p.Usage.InputTokens), OutputTokens: max(0, p.Usage.OutputTokens)}
	pieces := r.record.pieces(l.pieces)
	if pieces <= p.Usage.Total() {
		pieces = 0 // the usage says more
	}
	return runfile.Response{
		Pieces: pieces,
		Turn:   r.out.Turns, Content: p.Content, Reasoning: p.Reasoning, Calls: p.Calls, Native: p.Native,
		Stop: p.Stop, Usage: p.Usage, Model: p.Model, By: p.By,
	}
}

// recordBroken records what there is of a response that broke off.
func (r *run) recordBroken(l *listener, resp chat.Response, why error) error {
	if resp.Content == "" {
		resp.Content = string(l.content)
	}
	body := r.recordOf(resp, l)
	body.Broken, body.Pieces = why.Error(), r.record.pieces(l.pieces)
	if body.Usage.Total() == 0 { // the server had not come to it
		body.Usage = chat.Usage{InputTokens: l.input, OutputTokens: body.Pieces}
	}
	shortenBroken(&body, l.needed)
	r.budget.use(body.Usage, body.Pieces)
	r.out.Usage = r.out.Usage.Add(body.Usage)
	return r.record.append(body)
}

// recordRequest records what is new in a request, so that the record grows
// with the conversation and not with its square.
func (r *run) recordRequest(req chat.Request) error {
	body := runfile.Request{
		Turn: r.out.Turns, Purpose: req.Purpose, Messages: req.Messages[r.recorded:],
		Format: req.Format, AnyJSON: req.AnyJSON, Digest: req.Digest,
	}
	if r.recorded == 0 {
		body.System, body.Tools = req.System, req.Tools
	}
	if !r.native {
		body.Nonce = r.nonce.word
	}
	r.recorded = len(req.Messages)
	return r.record.append(body)
}

// requestDigest identifies a request as it can be made again from its record, which holds no secret
// although a model can have said one.
func (r *run) requestDigest(req chat.Request) string {
	r.chain.Add(redacted(req.Messages[r.chain.Count():], r.cfg.Policy.Secrets)...)
	req.System = r.cfg.Policy.Secrets.Hide(req.System)
	return r.chain.Digest(req)
}

// A listener hears a response while it is written.
type listener struct {
	run     *run
	request chat.Request
	input   int             // tokens of the request, estimated
	ctx     context.Context // of the response
	calling context.Context // of its calls
	cancel  context.CancelCauseFunc
	scanner *dialect.Scanner // nil where calls in text do not count
	native  bool             // native calls count
	reply   reply
	faults  dialect.Findings
	content []byte // call-free text
	heard   int    // bytes of content
	needed  int    // bytes of content in which calls were found, or taken back
	calls   int    // native calls
	pieces  int    // deltas with text: each is at least one token
	err     error  // what ended the run from inside the response
}

func (r *run) listen(ctx context.Context, purpose chat.Purpose) *listener {
	l := &listener{run: r, calling: ctx}
	l.reply.batch = newBatch(ctx, r)
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	switch {
	case purpose == chat.PurposeAnswer:
	case r.native:
		l.native = true
	default:
		l.scanner = dialect.NewScanner(dialect.Options{Dialect: r.cfg.Writes}, l.read)
	}
	return l
}

// onDelta takes a delta. It is called by the model, which may need a moment to
// notice that nobody listens any more.
func (l *listener) onDelta(d chat.Delta) {
	if l.err != nil {
		return
	}
	if d.Attempt != nil {
		l.fail(l.run.record.append(runfile.Attempt{Turn: l.run.out.Turns, Attempt: *d.Attempt}))
		l.run.cfg.Observe(Event{Kind: EventRetry, Turn: l.run.out.Turns, Attempt: d.Attempt})
		return
	}
	if d.Content != "" || d.Reasoning != "" || d.Call != nil {
		l.pieces++
		l.fail(l.run.budget.spent(l.input + l.pieces))
	}
	l.write(d.Content)
	if d.Call != nil {
		l.nativeCall(*d.Call)
	}
}

func (l *listener) write(content string) {
	l.heard += len(content)
	if l.scanner != nil && l.err == nil {
		l.scanner.Write([]byte(content))
	}
}

// parseAnswer takes what the scanner found. The scanner goes on to the end of its
// piece, also when what stands there is not to be read any more.
func (l *listener) read(e dialect.Event) {
	switch {
	case l.err != nil:
	case e.Before:
		l.content = l.content[:0]
	case e.Revoked:
		l.needed = l.heard
		l.fail(l.revokeCalls())
	case e.Call != nil:
		l.needed = l.heard
		l.fail(l.reply.batch.add(*e.Call, nil))
	case e.Finding != nil:
		l.faults.Add(*e.Finding)
	default:
		l.content = append(l.content, e.Content...)
	}
}

// revokeCalls takes back the calls so far, most often because they turn out to stand
// inside reasoning.
func (l *listener) revokeCalls() error {
	before := l.reply.batch
	l.reply.batch = newBatch(l.calling, l.run)
	l.reply.batch.seen = before.seen
	before.refund()
	return before.discard("what follows in the response shows that it is none")
}

// fail ends the response: nothing more in it is read.
func (l *listener) fail(err error) {
	if err != nil && l.err == nil {
		l.err = err
		l.cancel(err)
	}
}

// close ends the reading of a complete response.
func (l *listener) close(resp chat.Response) error {
	if l.heard == 0 && l.calls == 0 { // a model that does not stream
		l.write(resp.Content)
		for _, c := range resp.Calls {
			l.nativeCall(c)
		}
	}
	if l.heard != len(resp.Content) || l.calls != len(resp.Calls) {
		return &StreamError{Pieces: l.heard, Whole: len(resp.Content), Calls: l.calls, WholeCalls: len(resp.Calls)}
	}
	if l.scanner == nil {
		l.content = []byte(resp.Content)
	} else if l.err == nil {
		l.scanner.Close()
	}
	l.reply.findings = append(l.reply.findings, l.faults.Locate(resp.Content)...)
	if l.native || l.scanner != nil {
		l.reportLeakedCalls(resp.Content)
	}
	l.reply.Response, l.reply.text = resp, string(l.content)
	return l.err
}
