package dialect

import (
	"strings"

	"oneshot/pkg/diag"
)

// checkClosingFenceBeginsLine reports a closing fence at an offset that does not begin its line.
func (s *sink) checkClosingFenceBeginsLine(at int, beginsLine bool) {
	if !beginsLine {
		s.reportMissingLineBreak(diag.Bytes(at, at), diag.Safe, "text before the closing fence on its line")
	}
}

// reportUnclosedFence reports the open fence, which should have been closed at an offset.
func (s *sink) reportUnclosedFence(at int) {
	if s.hasReportedNoCall() {
		return
	}
	f := diag.New(diag.UnclosedFence, s.frame.span(), "the fence is not closed")
	closer := strings.Repeat(string(s.frame.char), s.frame.length)
	switch {
	case at < s.at: // another fence begins there
		f.Fixes = newFix(diag.Safe, "close the fence", diag.Edit{Start: at, End: at, New: closer + "\n"})
	case isNewline(s.last):
		f.Fixes = newFix(diag.Safe, "close the fence", diag.Edit{Start: at, End: at, New: closer})
	case s.last != s.frame.char:
		f.Fixes = newFix(diag.Safe, "close the fence", diag.Edit{Start: at, End: at, New: "\n" + closer})
	}
	s.report(f)
}

// reportFenceCutByReasoning reports a fence that is open at the end of the reasoning around it.
func (s *sink) reportFenceCutByReasoning() {
	s.report(diag.New(diag.UnclosedFence, s.frame.span(), "the fence is not closed before the reasoning around it ends"))
}

// reportMissingCloser reports that the frame's marker has no closer.
func (s *sink) reportMissingCloser(before string) {
	f := &s.frame
	if s.hasReportedNoCall() {
		return
	}
	if f.marker == "" {
		s.report(diag.New(diag.MissingOpener, diag.Bytes(f.at, f.at+1), "missing the markers around the calls of %s", f.dialect.Name))
		return
	}
	s.report(diag.New(diag.MissingCloser, diag.Bytes(f.at, f.at+len(f.marker)), "%s is not closed before %s", strings.TrimSpace(f.marker), before))
}

// reportMissingLineBreak reports a missing line break, to be inserted in place of a span.
func (s *sink) reportMissingLineBreak(place diag.Span, kind diag.FixKind, message string) {
	f := diag.New(diag.MalformedFence, place, "%s", message)
	f.Fixes = newFix(kind, "break the line", diag.Edit{Start: place.Start, End: place.End, New: "\n"})
	s.report(f)
}

// checkFenceOpeningLine reports faults in the opening line of the frame, once.
func (s *sink) checkFenceOpeningLine() {
	o := &s.frame.opening
	if o.wrongCase {
		f := diag.New(diag.MalformedFence, diag.Bytes(o.infoAt, o.end), "the info string should be %q in lower case", o.info)
		f.Severity = diag.Info
		f.Fixes = newFix(diag.Safe, "write "+o.info, diag.Edit{Start: o.infoAt, End: o.end, New: o.info})
		s.report(f)
	}
	if o.textAt > 0 {
		s.reportMissingLineBreak(diag.Bytes(o.end, o.textAt), diag.Safe, "text after the info string of the opening fence")
	}
	o.wrongCase, o.textAt = false, 0
}

// hasReportedNoCall reports whether the frame contains no call and a finding reports that: a missing closer is
// then not reported.
func (s *sink) hasReportedNoCall() bool {
	return s.frame.reportedNotACall && s.frame.callsBefore == s.calls
}

// reportTrailingBracket reports an unmatched closing bracket right after JSON without a marker. The bracket is
// not content.
func (s *sink) reportTrailingBracket(c byte) bool {
	if c != ']' && c != '}' || s.frame.marker != "" || s.frame.fence.isOpen() || s.at != s.frame.endAt || s.at == 0 {
		return false
	}
	s.reportStrayBracket(c, s.at, diag.Safe)
	s.frame.endAt++
	return true
}

// reportStrayMarker reports a marker without a meaning here. Removing it is unsafe: the text around it could
// form a marker or a call.
func (s *sink) reportStrayMarker(at int, text string) {
	place := diag.Bytes(at, at+len(text))
	f := diag.New(diag.StrayMarker, place, "%s closes nothing", excerpt(text))
	f.Fixes = newFix(diag.Unsafe, "remove it", diag.Edit{Start: place.Start, End: place.End})
	s.report(f)
}

// revokeContinuedCalls reports a marker that closes a part of a call after all calls: a value may have contained
// the closing markers of its call, and whole calls, and continue up to here.
func (s *sink) revokeContinuedCalls(at int, marker string) {
	f := diag.New(diag.MarkerInValue, diag.Bytes(at, at+len(marker)), "the call before seems to continue up to this marker: a value may contain text that looks like the end of the call")
	f.Severity, f.Hint = diag.Error, "write the call again without markers in values"
	s.revokeCalls(f)
}
