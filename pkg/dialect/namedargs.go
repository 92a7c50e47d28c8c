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

// A markList is marks that can be searched.
type markList struct {
	*matcher
	texts []string // sorted
}

// newMarkList returns the list of some marks, which is made when it is needed.
func newMarkList(texts func() []string) func() *markList {
	return sync.OnceValue(func() *markList {
		all := texts()
		slices.Sort(all)
		return &markList{newMatcher(all), all}
	})
}

// An upTo reads text up to the next of some marks.
type upTo struct {
	search
	texts []string
	read  []byte // what was returned last, and what can still become a mark
	free  int    // where in it the latter begins
}

func newUpTo(m *markList) upTo { return upTo{search: search{matcher: m.matcher}, texts: m.texts} }

// again returns a reader up to the next of these marks in the room of one that has
// been read to its end.
func (u *upTo) again(m *markList) upTo {
	return upTo{search: search{matcher: m.matcher}, texts: m.texts, read: u.read[:0]}
}

// next reads p up to behind the next mark. It returns how many bytes it has read,
// what is text of all that has been read and not been returned, and the mark, "" if
// none has come.
func (u *upTo) next(p []byte) (n int, text []byte, mark string) {
	n, found, _ := u.scan(p)
	u.read = append(append(u.read[:0], u.read[u.free:]...), p[:n]...)
	u.free = len(u.read) - u.begun()
	if found >= 0 {
		mark = u.texts[found]
		u.free = len(u.read) - len(mark)
		u.read = u.read[:u.free]
	}
	return n, u.read[:u.free], mark
}

// waiting returns how many bytes have been read and can still become a mark.
func (u *upTo) waiting() int { return len(u.read) - u.free }

// held returns those bytes.
func (u *upTo) held() string { return string(u.read[u.free:]) }

// An argReader reads the arguments of a call whose name stands before them: a
// value of JSON. What follows a fault is passed over, up to where the value ends.
type argReader struct {
	lit      *literal.Scanner
	from     int // where it begins
	faulty   bool
	value    json.RawMessage // nil if it has a fault
	place    diag.Span
	findings []diag.Finding
	status   chat.Status
	changed  bool
	fenced   bool // the fence around it was closed
}

// begin begins to read at an offset. What is read ends before one of the marks, and
// where the reasoning ends.
func (a *argReader) begin(s *Scanner, at int, fenced bool, marks *markList) {
	o := literal.Options{Stops: s.endsOf(endsKey{marks: marks}).stops}
	if fenced {
		o.Fence = literal.Fence{Char: '`', Len: len("```")}
	}
	*a = argReader{lit: s.literals.json(o), from: at}
	a.lit.MoveTo(at)
	a.lit.Keep()
	a.lit.ExpectValue()
}

// passRest makes it pass over the rest of an object instead.
func (a *argReader) passRest() {
	a.faulty = true
	a.lit.PassRest("{")
}

// write reads p, and reports whether the value has ended.
func (a *argReader) write(s *Scanner, p []byte) (n int, done bool) {
	n, state := s.read(a.lit, p)
	if state == literal.More {
		return n, false
	}
	if !a.faulty {
		a.take()
		if state == literal.Bad {
			a.faulty = true
			a.lit.PassRest("")
			return n, false
		}
	}
	a.fenced = state == literal.Fenced
	return n, true
}

// close says that the text has ended. A word that ends with it may be the beginning of
// another one.
func (a *argReader) close() {
	a.lit.Close()
	if a.faulty {
		return
	}
	a.take()
	if len(a.value) > 0 && a.value[0] == 'n' {
		a.findings = append(a.findings, diag.New(diag.CutCall, a.place, "the text ends after a word that may be incomplete"))
		a.value, a.status = nil, chat.StatusTruncated
	}
}

// take takes over what was read.
func (a *argReader) take() {
	l := a.lit
	a.value, a.place, a.findings, a.status, a.changed = l.Value(), l.Place(), l.Findings(), l.Status(), l.Changed()
}

// isObject reports whether an object was read.
func (a *argReader) isObject() bool { return len(a.value) > 0 && a.value[0] == '{' }

// text returns the text of the value.
func (a *argReader) text() string {
	text := a.lit.Kept(a.from)
	return strings.TrimRight(text[:min(len(text), a.lit.End()-a.from)], " \t\r\n")
}

// rest returns what has been read behind the value.
func (a *argReader) rest() string { return a.lit.Stop() + a.lit.Taken() }
