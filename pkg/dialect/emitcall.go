package dialect

import (
	"cmp"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// report emits a finding that is not about a call.
func (s *sink) report(f diag.Finding) {
	s.lastCall.unclosed = s.lastCall.unclosed || f.Code == diag.MissingCloser && !slices.ContainsFunc(f.Fixes, func(x diag.Fix) bool { return x.Kind == diag.Safe })
	if s.callCut && (f.Code == diag.MissingCloser || f.Code == diag.UnclosedFence) {
		return // caused by the cut call
	}
	s.callCut = s.callCut || f.Code == diag.TruncatedCall
	s.unbalanced = s.unbalanced || f.Code == diag.UnbalancedBracket && f.Severity == diag.Error
	if s.reasoning.inside && f.Call == nil {
		downgradeInReasoning(&f)
	}
	s.frame.reportedNotACall = s.frame.reportedNotACall || f.Code == diag.NotACall
	s.unmatched.reported = s.unmatched.reported || f.Severity.Rank() > diag.Info.Rank()
	if !s.lastCall.deferMissingCloser(&f) {
		s.emit(Event{Finding: &f})
	}
}

// downgradeInReasoning reduces findings about text in the place of a call to notes in reasoning, where a
// complete call is no error either.
func downgradeInReasoning(f *diag.Finding) {
	switch f.Code {
	case diag.TruncatedCall:
		f.Code, f.Hint = diag.NotACall, ""
		fallthrough
	case diag.NotACall, diag.CallMember:
		f.Severity = diag.Info
	}
}

// emitCall emits the call of a reader and its findings. Without a name only the findings are emitted.
func (s *sink) emitCall(r *callReader) {
	if r.call.Name == "" {
		s.reportFindingsOfNoCall(r.findings)
		return
	}
	s.callCut = slices.ContainsFunc(r.findings, func(f diag.Finding) bool { return f.Code == diag.TruncatedCall })
	s.unbalanced = false
	s.rejectHomoglyphName(r)
	s.rejectDuplicateID(r)
	r.setStatus()
	r.addLiteralBackslashAlternative()
	s.calls++
	s.hasCall = s.hasCall || !s.reasoning.inside
	row := s.frame.dialect
	again := s.lastCall.isRepeatedBy(&r.call, s.surrounding.to)
	switch {
	case s.reasoning.inside:
		r.suppress(diag.CallInReasoning, s.reasoning.draftReason())
	case s.isMessageQuotingCalls(row):
		s.emitContent(r.call.Start, r.call.Text)
		r.suppress(diag.QuotedCall, s.message.ignoredCallReason()+"; it is not run")
		if s.message.nested && !row.framing.needsRecipient { // the call is the message, and its reader consumes the end
			s.endMessage()
		}
	case s.workEnded:
		r.suppress(diag.CallAfterEnd, "this call follows "+row.Ending+", which ends the work; it is not run")
	case s.afterResult:
		r.suppress(diag.QuotedCall, "this call follows a result that the model fabricated; it is not run")
	case s.resync.happened:
		r.suppress(diag.QuotedCall, "an unclosed string before this call may contain it: it is not run")
	case again:
		r.suppress(diag.DuplicateCall, "this call repeats the unclosed call before it and is not run")
	}
	s.emitDeferredFinding(again)
	s.steps += s.lastCall.record(&r.call, row)
	s.resync.restartAt(r.call.End)
	s.workEnded = s.workEnded || row.framing.ignoreAfterEnding && r.call.Executable && r.call.Name == row.Ending
	r.findings = append(r.findings, s.recordDialect(row, r.call)...)
	if !r.call.Executable {
		markFixesUnsafe(r.findings)
	}
	call := r.call // a copy, so that keeping it does not keep the reader
	s.nameSpan = r.findNameSpan()
	s.emit(Event{Call: &call})
	for _, f := range r.findings {
		s.reportAboutCall(s.calls-1, f)
	}
}

// findNameSpan returns the location of the name of the call; by default it looks before the arguments. The zero
// value means that the name is written in another way.
func (r *callReader) findNameSpan() diag.Span {
	if r.nameSpan.End > 0 {
		return r.nameSpan
	}
	text := r.call.Text
	if i := strings.IndexAny(text, "({"); i >= 0 {
		text = text[:i]
	}
	at := strings.Index(text, r.call.Name)
	if at < 0 {
		return diag.Span{}
	}
	return diag.Bytes(r.call.Start+at, r.call.Start+at+len(r.call.Name))
}

// reportFindingsOfNoCall emits findings about text in the place of a call.
func (s *sink) reportFindingsOfNoCall(findings []diag.Finding) {
	markFixesUnsafe(findings)
	for _, f := range findings {
		f.Path = "" // would be a path into arguments
		s.report(f)
	}
}

// reportNotACall reports text in a frame that is not a call, with the reason if known.
func (s *sink) reportNotACall(place diag.Span, why, hint string) {
	s.resync.restartAt(place.End)
	f := diag.New(diag.NotACall, place, "this is not a call and is ignored")
	if why != "" {
		f.Message += ": " + why
	}
	f.Hint = hint
	s.report(f)
}

// markFixesUnsafe downgrades the fixes of a call that is not executable: a repair may change how the text after
// it is read.
func markFixesUnsafe(findings []diag.Finding) {
	for _, f := range findings {
		for i := range f.Fixes {
			f.Fixes[i].Kind = diag.Unsafe
		}
	}
}

// isKnownTool reports whether name is exactly the name of a tool.
func (s *sink) isKnownTool(name string) bool {
	_, known := s.tools[name]
	return known
}

// rejectHomoglyphName rejects a name that a person would mistake for another. The exact name of a tool always passes.
func (s *sink) rejectHomoglyphName(r *callReader) {
	name := r.call.Name
	if isPrintableASCII(name) || s.isKnownTool(name) {
		return
	}
	if why := describeNameSpoofing(name); why != "" {
		r.addError(diag.HomoglyphName, r.callSpan(), "the tool name %+q %s", excerpt(name), why)
	}
}

// rejectDuplicateID rejects a call whose ID is already used in the response.
func (s *sink) rejectDuplicateID(r *callReader) {
	if r.call.ID != "" && !s.reasoning.inside && !s.ids.addIfNew(r.call.ID) {
		r.addError(diag.DuplicateID, cmp.Or(r.idSpan, r.callSpan()), "another call of the response has the ID %q", excerpt(r.call.ID))
	}
}

func (s *sink) reportAboutCall(call int, f diag.Finding) {
	f.Call = &call
	s.report(f)
}

// revokeCalls invalidates the calls so far, with the reason.
func (s *sink) revokeCalls(why diag.Finding) {
	for i := s.revoked; i < min(s.calls, MaxKept); i++ {
		s.reportAboutCall(i, why)
	}
	if s.revoked < s.calls {
		s.emit(Event{Revoked: true})
	}
	s.revoked, s.hasCall = s.calls, false
}

// suppress marks the call as not executable because calls do not count where it is.
func (r *callReader) suppress(code diag.Code, why string) {
	Suppress(&r.call)
	r.addFinding(diag.New(code, r.callSpan(), "%s", why))
}

// Suppress marks a call as not executable because calls do not count where it is.
func Suppress(c *chat.Call) {
	if c.Executable {
		c.Executable, c.Status = false, chat.StatusSuppressed
	}
}

// reportStrayBracket reports an unmatched closing bracket between or after calls, unless an earlier bracket
// finding explains it.
func (s *sink) reportStrayBracket(c byte, at int, kind diag.FixKind) {
	if !s.unbalanced {
		s.report(strayBracketFinding(c, at, kind))
	}
}

// strayBracketFinding returns the finding for an unmatched closing bracket between or after calls. The bracket
// is not content.
func strayBracketFinding(c byte, at int, kind diag.FixKind) diag.Finding {
	f := diag.New(diag.UnbalancedBracket, diag.Bytes(at, at+1), "%q closes nothing", c)
	f.Severity = diag.Warning
	f.Fixes = newFix(kind, "remove it", diag.Edit{Start: at, End: at + 1})
	return f
}

// emitDeferredFinding emits the held-back finding, at the next call or at the end of the text.
func (s *sink) emitDeferredFinding(again bool) {
	f := s.lastCall.deferred
	if f == nil {
		return
	}
	if s.lastCall.deferred = nil; again {
		f.Fixes = nil
	}
	s.emit(Event{Finding: f})
}
