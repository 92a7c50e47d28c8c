package agent

import (
	"bytes"
	"context"
	"slices"

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

// errorFindings returns the errors in the reply, such as unreadable calls, for the model.
func (p *reply) errorFindings() []diag.Finding {
	return slices.DeleteFunc(slices.Clone(p.findings), func(f diag.Finding) bool { return f.Severity != diag.Error })
}

// A responseReader parses a response while it streams.
type responseReader struct {
	exchange        *exchange
	gate            *Gate
	conversation    *conversation
	budget          *requestBudget
	request         chat.Request
	estimatedTokens int             // of the request
	ctx             context.Context // of the response
	callCtx         context.Context // of its calls
	cancel          context.CancelCauseFunc
	scanner         *dialect.Scanner // nil if written calls do not count
	reasoningFilter *dialect.Scanner // finds the content if scanner does not; nil if nobody observes it
	observesContent bool
	native          bool // native calls count
	reply           reply
	findings        dialect.Findings
	callFreeText    []byte // content without calls
	contentBytes    int    // number of content bytes received
	callBytes       int    // number of content bytes up to the last call or revocation
	nativeCalls     int    // number of native calls received
	deltas          int    // number of deltas with content; each is at least one token
	outputBytes     int    // number of bytes in them
	attempts        int    // number of failed attempts
	err             error  // ends the run
}

func newResponseReader(ctx context.Context, x *exchange, req chat.Request) *responseReader {
	r := &responseReader{exchange: x, gate: x.gate, conversation: x.conversation, budget: &x.budget, request: req, callCtx: ctx}
	r.estimatedTokens = r.budget.estimator.estimate(req)
	r.reply.batch = newBatch(ctx, r.gate)
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	switch {
	case req.Purpose == chat.PurposeAnswer:
	case r.conversation.native:
		r.native = true
	default:
		r.scanner = dialect.NewScanner(dialect.Options{Dialect: r.conversation.dialect, Tools: r.conversation.toolset()}, r.onScannerEvent)
	}
	return r
}

// enableContentEvents emits the content outside calls and reasoning while it arrives.
func (r *responseReader) enableContentEvents() {
	r.observesContent = true
	if r.scanner == nil {
		r.reasoningFilter = dialect.NewScanner(dialect.ReasoningOnly(), r.emitContent)
	}
}

// emitContent emits the content in an event of a scanner.
func (r *responseReader) emitContent(e dialect.Event) {
	switch {
	case r.err != nil || !r.observesContent:
	case e.ContentWasReasoning:
		r.gate.journal.emit(Event{Kind: EventRetracted})
	case e.Content != "":
		r.gate.journal.emit(Event{Kind: EventContent, Text: e.Content})
	}
}

// onDelta handles a delta. After an error it ignores deltas until the model notices that its
// context has ended.
func (r *responseReader) onDelta(d chat.Delta) {
	if r.err != nil {
		return
	}
	switch {
	case d.Attempt != nil:
		r.onAttempt(*d.Attempt)
		return
	case d.IsRetry:
		r.fail(r.exchange.admitRetry(r.ctx))
		return
	}
	if d.Content != "" || d.Reasoning != "" || d.Call != nil {
		r.deltas++
		r.outputBytes += len(d.Content) + len(d.Reasoning)
		if d.Call != nil {
			r.outputBytes += callBytes(*d.Call)
		}
		r.fail(r.budget.checkTokens(r.estimatedTokens + r.deltas))
		r.checkCost()
	}
	r.write(d.Content)
	if d.Call != nil {
		r.onNativeCall(*d.Call)
	}
}

// onAttempt handles a failed attempt.
func (r *responseReader) onAttempt(a chat.Attempt) {
	r.attempts = a.Number
	r.fail(r.recordAttempt(a))
	if a.Last { // the error of the request follows
		return
	}
	r.gate.journal.emit(Event{Kind: EventRetry, Attempt: &a})
	r.checkCost()
}

// recordAttempt counts and records a failed attempt. If its server may charge for it, the input is estimated unless the
// server counted it.
func (r *responseReader) recordAttempt(a chat.Attempt) error {
	if a.Charged && a.Usage == (chat.Usage{}) {
		a.Usage = chat.Usage{InputTokens: r.estimatedTokens, EstimatedTokens: r.estimatedTokens}
	}
	r.budget.addAttempt(a)
	return r.gate.journal.append(runfile.Attempt{Turn: r.gate.journal.turn, Attempt: a, Waited: r.exchange.takeWaited()})
}

// checkCost stops the response at the limit of the cost. A recorded response is paid for, and arrives in one delta.
func (r *responseReader) checkCost() {
	if !r.gate.cfg.Replay && !r.gate.journal.isReplaying() {
		pending := chat.Usage{InputTokens: r.estimatedTokens, OutputTokens: estimateStreamed(r.deltas, r.outputBytes)}
		r.fail(r.budget.checkCost(r.request.Purpose, pending))
	}
}

func (r *responseReader) write(content string) {
	r.contentBytes += len(content)
	if content != "" && r.err == nil {
		r.gate.journal.emit(Event{Kind: EventText, Text: content})
	}
	for _, scanner := range []*dialect.Scanner{r.scanner, r.reasoningFilter} {
		if scanner != nil && r.err == nil {
			scanner.Write([]byte(content))
		}
	}
}

// onScannerEvent handles an event of the scanner. The scanner finishes its chunk, so more events
// may arrive after an error.
func (r *responseReader) onScannerEvent(e dialect.Event) {
	r.emitContent(e)
	switch {
	case r.err != nil:
	case e.ContentWasReasoning:
		r.callFreeText = r.callFreeText[:0]
	case e.Revoked:
		r.callBytes = r.contentBytes
		r.fail(r.revokeCalls())
	case e.Call != nil:
		r.callBytes = r.contentBytes
		r.fail(r.reply.batch.add(*e.Call, nil))
	case e.Finding != nil:
		r.findings.Add(*e.Finding)
	default:
		r.callFreeText = append(r.callFreeText, e.Content...)
	}
}

// revokeCalls revokes all calls so far, most often because they turn out to be part of the
// reasoning.
func (r *responseReader) revokeCalls() error {
	before := r.reply.batch
	r.reply.batch = newBatch(r.callCtx, r.gate)
	r.reply.batch.added = before.added
	before.refund()
	return before.discard("the rest of the response shows that it is not a call")
}

// onNativeCall takes a call parsed by the server. In a request for the answer it is only a finding.
func (r *responseReader) onNativeCall(c chat.Call) {
	r.nativeCalls++
	switch {
	case r.err != nil:
	case r.native:
		call, faults := dialect.Native(c)
		for i := range faults {
			index := r.reply.batch.added
			faults[i] = withoutSpan(faults[i], c.Text)
			faults[i].Call = &index
		}
		r.reply.findings = append(r.reply.findings, faults...)
		r.fail(r.reply.batch.add(call, faults))
	default:
		r.reply.findings = append(r.reply.findings,
			diag.New(diag.OtherDialect, diag.Span{}, "the server parsed a call of %s in the request for the answer, where calls do not count; it is not run", printableName(c.Name)))
	}
}

// fail stops reading the response.
func (r *responseReader) fail(err error) {
	if err != nil && r.err == nil {
		r.err = err
		r.cancel(err)
	}
}

// close checks and finishes a complete response.
func (r *responseReader) close(resp chat.Response) error {
	if r.contentBytes == 0 && r.nativeCalls == 0 { // the model does not stream
		r.write(resp.Content)
		for _, c := range resp.Calls {
			r.onNativeCall(c)
		}
	}
	if r.contentBytes != len(resp.Content) || r.nativeCalls != len(resp.Calls) {
		return &StreamError{StreamedBytes: r.contentBytes, ResponseBytes: len(resp.Content), StreamedCalls: r.nativeCalls, ResponseCalls: len(resp.Calls)}
	}
	if r.reasoningFilter != nil {
		r.reasoningFilter.Close()
	}
	if r.scanner == nil {
		r.callFreeText = []byte(resp.Content)
	} else if r.err == nil {
		r.scanner.Close()
	}
	r.reply.findings = append(r.reply.findings, r.findings.Locate(resp.Content)...)
	if (r.native || r.scanner != nil) && !r.runLeakedCalls(resp) {
		r.reportLeakedCalls(resp.Content)
	}
	r.reply.Response, r.reply.text = resp, string(r.callFreeText)
	return r.err
}

// runLeakedCalls adds the calls of tools of the run in the text of a reply, if calls are native, the reply has none, and
// the configuration allows it. It reports whether there are any, readable or not. The text is complete, so quotes, drafts
// and an answer are known as such.
func (r *responseReader) runLeakedCalls(resp chat.Response) bool {
	c := r.conversation
	isRead := r.native && r.err == nil && r.nativeCalls == 0 && resp.Stop == chat.StopEnd && c.cfg.RunLeakedCalls && !c.cfg.Nonce
	if !isRead || !c.answer.text && c.answer.isUnrequestedAnswer(resp.Content, true) {
		return false
	}
	reading := dialect.Scan(resp.Content, dialect.Options{Tools: c.toolset()})
	var f dialect.Findings
	for i, call := range reading.Calls {
		isCalled := func(name string) bool { return name == call.Name }
		if call.Status == chat.StatusSuppressed || !c.hasTool(isCalled) {
			continue
		}
		r.reply.batch.isLeaked = true
		f.Add(diag.New(diag.OtherDialect, diag.Bytes(call.Start, call.End), "the text contains a call of %s in the dialect %s; this run reads it", call.Name, reading.CallDialects[i].Name))
		r.fail(r.reply.batch.add(call, nil))
		if r.err != nil {
			break
		}
	}
	if !r.reply.batch.isLeaked {
		return false
	}
	r.callFreeText = []byte(reading.Content)
	for _, found := range reading.Findings {
		if found.Call != nil || found.Severity == diag.Error { // the error of an unterminated string may have no call
			f.Add(found)
		}
	}
	r.reply.findings = append(r.reply.findings, f.Locate(resp.Content)...)
	return true
}

// reportLeakedCalls reports the first call of a tool of the run that was written where no calls are
// parsed: in text although calls are native, or in another dialect. Such calls never run. A written
// call of the ending tool is ignored, because it has no effect.
func (r *responseReader) reportLeakedCalls(text string) {
	isMentioned := func(name string) bool { return bytes.Contains(r.callFreeText, []byte(name)) }
	if !r.conversation.hasTool(isMentioned) {
		return
	}
	reading := dialect.Scan(text, dialect.Options{})
	for i, c := range reading.Calls {
		row, own := reading.CallDialects[i].Name, r.conversation.dialect.Name
		isCalled := func(name string) bool { return name == c.Name }
		if !r.conversation.hasTool(isCalled) || !r.native && (c.Status == chat.StatusSuppressed || row == own || r.reply.coversCall(c)) {
			continue
		}
		why := "calls are native in this run"
		if !r.native {
			why = "this run reads " + own
		}
		r.reply.leaked = r.native
		var f dialect.Findings
		f.Add(diag.New(diag.OtherDialect, diag.Bytes(c.Start, c.End),
			"the text contains a call of %s in the dialect %s; %s, so it is not run", c.Name, row, why))
		r.reply.findings = append(r.reply.findings, f.Locate(text)...)
		return
	}
}

// coversCall reports whether a parsed call or a finding overlaps the span of c.
func (p *reply) coversCall(c chat.Call) bool {
	touches := func(start, end int) bool { return start < c.End && c.Start < end }
	return slices.ContainsFunc(p.batch.calls(), func(d chat.Call) bool { return touches(d.Start, d.End) }) ||
		slices.ContainsFunc(p.findings, func(f diag.Finding) bool { return touches(f.Span.Start, f.Span.End) })
}
