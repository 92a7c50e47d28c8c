package dialect

import (
	"strconv"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// detected is the dialect of a response, as far as its calls determine it.
type detected struct {
	dialect       *Dialect // that of the first call, or else of the first frame
	frame         frame    // of that call
	calls         bool     // there is a call
	otherDialects []string // other dialects that calls are in
}

// recordDialect records the dialect of a call. It returns a finding for the first call in each other dialect.
func (s *sink) recordDialect(row *Dialect, c chat.Call) []diag.Finding {
	d := &s.detected
	switch {
	case !d.calls:
		d.dialect, d.frame, d.calls = row, s.frame, true
		return nil
	case d.dialect.Name == row.Name:
		return nil
	}
	for _, name := range d.otherDialects {
		if name == row.Name {
			return nil
		}
	}
	d.otherDialects = append(d.otherDialects, row.Name)
	return []diag.Finding{diag.New(diag.OtherDialect, diag.Bytes(c.Start, c.End),
		"this call is in dialect %s, the calls before it are in %s", row.Name, d.dialect.Name)}
}

// setFrameEvidence records why the open frame contains calls, and the offset of that evidence.
func (s *sink) setFrameEvidence(at int, what string) {
	if s.frame.evidence == "" {
		s.frame.at, s.frame.evidence = at, what
	}
}

// recordFrameDialect records a frame that is known to contain calls.
func (s *sink) recordFrameDialect() {
	if d := &s.detected; d.dialect == nil {
		d.dialect, d.frame = s.frame.dialect, s.frame
	}
}

// detectedDialect returns the dialect of the response, if it is determined, and the offset of the evidence, or -1.
func (s *sink) detectedDialect() (row *Dialect, at int) {
	switch t := &s.detected; {
	case len(s.markers.dialects) == 1:
		return s.markers.dialects[0], -1
	case t.dialect != nil:
		return t.dialect, t.frame.at
	}
	return nil, -1
}

// appendDetectionReason appends the evidence for the dialect.
func (s *sink) appendDetectionReason(b []byte) []byte {
	f := &s.detected.frame
	switch {
	case len(s.markers.dialects) == 1:
		return append(b, "named by the caller"...)
	case s.detected.dialect == nil:
		return append(b, "the text contains no call of any dialect"...)
	case f.evidence != "":
		b = append(append(b, "has "...), f.evidence...)
	case f.marker != "":
		b = strconv.AppendQuote(append(b, "has the marker "...), strings.TrimSpace(f.marker))
	case f.isOpen():
		b = strconv.AppendQuote(append(b, "has a fence marked "...), f.opening.info)
	default:
		b = append(b, "begins with a call"...)
	}
	before := ", as in "
	for _, name := range f.rivals.dialectNames() {
		b = append(append(b, before...), name...)
		before = ", "
	}
	return b
}

// confirmCallFrame records that the frame contains calls and that the held bytes belong to it. For a finding, where
// describes the position of text around the calls.
func (s *sink) confirmCallFrame(where string) {
	s.callsOnly = s.frame.dialect.framing.callsOnly
	s.reportSurroundingText(where)
	s.dropHeld()
	s.hasBegun = true
	s.callHolders++
	s.recordFrameDialect()
	s.checkFenceOpeningLine()
}
