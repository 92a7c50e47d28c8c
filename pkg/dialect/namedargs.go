package dialect

import (
	"encoding/json"
	"strings"
	"sync"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// A markList is marks that can be searched.
type markList struct {
	*matcher
	texts []string
}

// newMarkList returns the list of some marks, which is made when it is needed.
func newMarkList(texts func() []string) func() *markList {
	return sync.OnceValue(func() *markList {
		all := texts()
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

func newUpTo(m *markList) upTo { return upTo{search: newSearch(m.matcher), texts: m.texts} }

// next reads p, which stands at an offset, up to behind the next mark. It returns
// how many bytes it has read, what is text of all that has been read and not been
// returned, and the mark, "" if none has come.
func (u *upTo) next(p []byte, at int) (n int, text []byte, mark string) {
	n, found, _ := u.scan(p, at)
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

// begin begins to read at an offset. What is read ends before one of the stops.
func (a *argReader) begin(at int, fenced bool, stops []string) {
	o := literal.Options{Base: at, Stops: stops}
	if fenced {
		o.Fence = literal.Fence{Char: '`', Len: len("```")}
	}
	*a = argReader{lit: literal.NewJSON(o), from: at}
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

// close says that the text has ended.
func (a *argReader) close() {
	a.lit.Close()
	if !a.faulty {
		a.take()
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
