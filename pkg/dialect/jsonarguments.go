package dialect

import (
	"encoding/json"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// An argReader reads the JSON arguments of a call after its name. After a fault it skips to the end of the
// value.
type argReader struct {
	lit      *literal.Scanner
	startAt  int // its start
	skipping bool
	value    json.RawMessage // nil after a fault
	place    diag.Span
	findings []diag.Finding
	status   chat.Status
	changed  bool
	fenced   bool // the fence around the value was closed
}

// begin begins a value at an offset. A marker or the end of reasoning ends it.
func (a *argReader) begin(s *sink, at int, fenced bool, markers *markerList) {
	o := literal.Options{Stops: s.terminatorsFor(terminatorKey{markers: markers}).stops}
	if fenced {
		o.Fence = literal.Fence{Char: '`', Len: len("```")}
	}
	*a = argReader{lit: s.literals.json(o), startAt: at}
	a.lit.ResetAt(at)
	a.lit.StartCapture()
	a.lit.ExpectValue()
}

// skipRest makes the reader skip the rest of an object.
func (a *argReader) skipRest() {
	a.skipping = true
	a.lit.SkipToClosingBracket("{")
}

// write reads p, and reports whether the value has ended.
func (a *argReader) write(s *sink, p []byte) (n int, done bool) {
	n, state := s.readLiteral(a.lit, p)
	if state == literal.NeedMore {
		return n, false
	}
	if !a.skipping {
		a.storeResult()
		if state == literal.Invalid {
			a.skipping = true
			a.lit.SkipToClosingBracket("")
			return n, false
		}
	}
	a.fenced = state == literal.FenceClosed
	return n, true
}

// close handles the end of the text. A word at the end may be incomplete.
func (a *argReader) close() {
	a.lit.Close()
	if a.skipping {
		return
	}
	a.storeResult()
	if len(a.value) > 0 && a.value[0] == 'n' {
		a.findings = append(a.findings, diag.New(diag.TruncatedCall, a.place, "the text ends after a word that may be incomplete"))
		a.value, a.status = nil, chat.StatusTruncated
	}
}

func (a *argReader) storeResult() {
	l := a.lit
	a.value, a.place, a.findings, a.status, a.changed = l.Value(), l.ValueSpan(), l.Findings(), l.Status(), l.ValueChanged()
}

// isObject reports whether an object was read.
func (a *argReader) isObject() bool { return len(a.value) > 0 && a.value[0] == '{' }

// valueText returns the text of the value.
func (a *argReader) valueText() string {
	text := a.lit.Captured(a.startAt)
	return strings.TrimRight(text[:min(len(text), a.lit.End()-a.startAt)], " \t\r\n")
}

// unreadText returns text read after the value.
func (a *argReader) unreadText() string { return a.lit.Stop() + a.lit.Unread() }
