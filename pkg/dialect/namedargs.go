package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// A markerList is markers that can be searched.
type markerList struct {
	*matcher
	texts []string // sorted
}

// newMarkerList returns the list of some markers, which is made when it is needed.
func newMarkerList(texts func() []string) func() *markerList {
	return sync.OnceValue(func() *markerList {
		all := texts()
		slices.Sort(all)
		return &markerList{newMatcher(all), all}
	})
}

// A markerReader reads text up to the next of some markers.
type markerReader struct {
	search
	texts   []string
	buf     []byte // what was returned last, and what can still become a marker
	textLen int    // where in it the latter begins
}

func newMarkerReader(m *markerList) markerReader {
	return markerReader{search: search{matcher: m.matcher}, texts: m.texts}
}

// reset returns a reader up to the next of these markers in the room of one that has
// been read to its end.
func (u *markerReader) reset(m *markerList) markerReader {
	return markerReader{search: search{matcher: m.matcher}, texts: m.texts, buf: u.buf[:0]}
}

// readUntil reads p up to after the next marker. It returns how many bytes it has read,
// what is text of all that has been read and not been returned, and the marker, "" if
// none has come.
func (u *markerReader) readUntil(p []byte) (n int, text []byte, marker string) {
	n, found, _ := u.scan(p)
	u.buf = append(append(u.buf[:0], u.buf[u.textLen:]...), p[:n]...)
	u.textLen = len(u.buf) - u.begun()
	if found >= 0 {
		marker = u.texts[found]
		u.textLen = len(u.buf) - len(marker)
		u.buf = u.buf[:u.textLen]
	}
	return n, u.buf[:u.textLen], marker
}

// pendingLen returns how many bytes have been read and can still become a marker.
func (u *markerReader) pendingLen() int { return len(u.buf) - u.textLen }

// pending returns those bytes.
func (u *markerReader) pending() string { return string(u.buf[u.textLen:]) }

// An argReader reads the arguments of a call whose name precedes them: a
// value of JSON. What follows a fault is passed over, up to where the value ends.
type argReader struct {
	lit      *literal.Scanner
	startAt  int // where it begins
	skipping bool
	value    json.RawMessage // nil if it has a fault
	place    diag.Span
	findings []diag.Finding
	status   chat.Status
	changed  bool
	fenced   bool // the fence around it was closed
}

// begin begins to read at an offset. What is read ends before one of the markers, and
// where the reasoning ends.
func (a *argReader) begin(s *Scanner, at int, fenced bool, markers *markerList) {
	o := literal.Options{Stops: s.terminatorsFor(terminatorKey{markers: markers}).stops}
	if fenced {
		o.Fence = literal.Fence{Char: '`', Len: len("```")}
	}
	*a = argReader{lit: s.literals.json(o), startAt: at}
	a.lit.ResetAt(at)
	a.lit.StartCapture()
	a.lit.ExpectValue()
}

// skipRest makes it pass over the rest of an object instead.
func (a *argReader) skipRest() {
	a.skipping = true
	a.lit.SkipRest("{")
}

// write reads p, and reports whether the value has ended.
func (a *argReader) write(s *Scanner, p []byte) (n int, done bool) {
	n, state := s.readLiteral(a.lit, p)
	if state == literal.NeedMore {
		return n, false
	}
	if !a.skipping {
		a.store()
		if state == literal.Invalid {
			a.skipping = true
			a.lit.SkipRest("")
			return n, false
		}
	}
	a.fenced = state == literal.FenceClosed
	return n, true
}

// close says that the text has ended. A word that ends with it may be the beginning of
// another one.
func (a *argReader) close() {
	a.lit.Close()
	if a.skipping {
		return
	}
	a.store()
	if len(a.value) > 0 && a.value[0] == 'n' {
		a.findings = append(a.findings, diag.New(diag.TruncatedCall, a.place, "the text ends after a word that may be incomplete"))
		a.value, a.status = nil, chat.StatusTruncated
	}
}

// store takes over what was read.
func (a *argReader) store() {
	l := a.lit
	a.value, a.place, a.findings, a.status, a.changed = l.Value(), l.ValueSpan(), l.Findings(), l.Status(), l.ValueChanged()
}

// isObject reports whether an object was read.
func (a *argReader) isObject() bool { return len(a.value) > 0 && a.value[0] == '{' }

// text returns the text of the value.
func (a *argReader) text() string {
	text := a.lit.Captured(a.startAt)
	return strings.TrimRight(text[:min(len(text), a.lit.End()-a.startAt)], " \t\r\n")
}

// unreadText returns what has been read after the value.
func (a *argReader) unreadText() string { return a.lit.Stop() + a.lit.Unread() }
