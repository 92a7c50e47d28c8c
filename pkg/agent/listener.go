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

// callFindings returns the errors in the reply, such as unreadable calls, for the model.
func (p *reply) callFindings() []diag.Finding {
	return slices.DeleteFunc(slices.Clone(p.findings), func(f diag.Finding) bool { return f.Severity != diag.Error })
}

// A listener parses a response while it streams.
type listener struct {
	gate            *Gate
	conversation    *conversation
	budget          *requestBudget
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

func newListener(ctx context.Context, g *Gate, c *conversation, b *requestBudget, req chat.Request) *listener {
	l := &listener{gate: g, conversation: c, budget: b, request: req, estimatedTokens: b.estimator.estimate(req), callCtx: ctx}
	l.reply.batch = newBatch(ctx, g)
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	switch {
	case req.Purpose == chat.PurposeAnswer:
	case c.native:
		l.native = true
	default:
		l.scanner = dialect.NewScanner(dialect.Options{Dialect: c.dialect}, l.onScannerEvent)
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
		l.fail(l.gate.journal.append(runfile.Attempt{Turn: l.gate.journal.turn, Attempt: *d.Attempt}))
		l.gate.journal.emit(Event{Kind: EventRetry, Attempt: d.Attempt})
		return
	}
	if d.Content != "" || d.Reasoning != "" || d.Call != nil {
		l.deltas++
		l.fail(l.budget.checkTokens(l.estimatedTokens + l.deltas))
	}
	l.write(d.Content)
	if d.Call != nil {
		l.onNativeCall(*d.Call)
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
	l.reply.batch = newBatch(l.callCtx, l.gate)
	l.reply.batch.added = before.added
	before.refund()
	return before.discard("the rest of the response shows that it is not a call")
}

// onNativeCall takes a call parsed by the server. In a request for the answer it is only a finding.
func (l *listener) onNativeCall(c chat.Call) {
	l.nativeCalls++
	switch {
	case l.err != nil:
	case l.native:
		call, faults := dialect.Native(c)
		for i := range faults {
			index := l.reply.batch.added
			faults[i] = withoutSpan(faults[i], c.Text)
			faults[i].Call = &index
		}
		l.reply.findings = append(l.reply.findings, faults...)
		l.fail(l.reply.batch.add(call, faults))
	default:
		l.reply.findings = append(l.reply.findings,
			diag.New(diag.OtherDialect, diag.Span{}, "the server parsed a call of %s in the request for the answer, where calls do not count; it is not run", quoteName(c.Name)))
	}
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
			l.onNativeCall(c)
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

// reportLeakedCalls reports the first call of a tool of the run that was written where no calls are
// parsed: in text although calls are native, or in another dialect. Such calls never run. A written
// call of the ending tool is ignored, because it does no harm.
func (l *listener) reportLeakedCalls(text string) {
	isMentioned := func(name string) bool { return bytes.Contains(l.callFreeText, []byte(name)) }
	if !l.conversation.hasTool(isMentioned) {
		return
	}
	reading := dialect.Scan(text, dialect.Options{})
	for i, c := range reading.Calls {
		row, own := reading.CallDialects[i].Name, l.conversation.dialect.Name
		isCalled := func(name string) bool { return name == c.Name }
		if !l.conversation.hasTool(isCalled) || !l.native && (c.Status == chat.StatusSuppressed || row == own || l.reply.coversCall(c)) {
			continue
		}
		why := "calls are native in this run"
		if !l.native {
			why = "this run reads " + own
		}
		l.reply.leaked = l.native
		var f dialect.Findings
		f.Add(diag.New(diag.OtherDialect, diag.Bytes(c.Start, c.End),
			"the text contains a call of %s in the dialect %s; %s, so it is not run", c.Name, row, why))
		l.reply.findings = append(l.reply.findings, f.Locate(text)...)
		return
	}
}

// coversCall reports whether a parsed call or a finding overlaps the span of c.
func (p *reply) coversCall(c chat.Call) bool {
	touches := func(start, end int) bool { return start < c.End && c.Start < end }
	return slices.ContainsFunc(p.batch.calls(), func(d chat.Call) bool { return touches(d.Start, d.End) }) ||
		slices.ContainsFunc(p.findings, func(f diag.Finding) bool { return touches(f.Span.Start, f.Span.End) })
}
