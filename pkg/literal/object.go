package literal

import (
	"encoding/json"
	"strings"

	"oneshot/pkg/diag"
)

// A Member is one member of an object that was read.
type Member struct {
	Index            int // among the names that are wanted
	key, keyEnd      int // where the key begins and ends
	begin, end       int // and where the value does
	text             string
	json             []byte // the value, if it was not read at once: text is empty
	gapsFrom, gapsTo int32  // the blanks in it, among those of the object
}

// Key returns the place of the key.
func (m *Member) Key() diag.Span { return diag.Bytes(m.key, m.keyEnd) }

// Span returns the place of the value.
func (m *Member) Span() diag.Span { return diag.Bytes(m.begin, m.end) }

// Kind returns the first byte of the value, which tells its type.
func (m *Member) Kind() byte {
	if m.text != "" {
		return m.text[0]
	}
	return m.json[0]
}

// Text returns what the value says, if it is a string.
func (m *Member) Text() (string, bool) {
	switch {
	case m.Kind() != '"':
		return "", false
	case m.text == "":
		return unquote(m.json), true
	case strings.IndexByte(m.text, '\\') < 0:
		return m.text[1 : len(m.text)-1], true
	}
	return unquote([]byte(m.text)), true
}

// JSON returns the value of a member of the object that was read last, without
// blanks between its tokens.
func (s *Scanner) JSON(m *Member) json.RawMessage {
	if m.text == "" {
		return m.json
	}
	o := &s.object
	size := len(m.text)
	for _, gap := range o.gaps[m.gapsFrom:m.gapsTo] {
		size -= int(gap.to - gap.from)
	}
	b, n, done := s.valueArena.alloc(size)[:size], 0, m.begin-s.part.start
	for _, gap := range o.gaps[m.gapsFrom:m.gapsTo] {
		n += copy(b[n:], o.text[done:gap.from])
		done = int(gap.to)
	}
	copy(b[n:], o.text[done:m.end-s.part.start])
	return b
}

// An object is an object whose members are wanted one by one.
type object struct {
	untried    bool     // nothing of it has been read, or of the value that is wanted instead
	names      []string // the members that are wanted
	found      []Member
	others     int       // how many others it has
	other      diag.Span // the key of the first
	endsAtNext bool      // it ended where the next object of its list begins
	text       string    // the object, if it was read at once
	gaps       []span    // the blanks between its tokens, then

	name       string // the member that is being read
	key        diag.Span
	outStart   int // where its value begins, in the output
	valueStart int // and in the text
}

// ExpectObject expects an object whose opening brace is the next byte. Of its
// members those with the given names are returned. Where the object has a fault
// the scanner goes on to its end; a closing bracket, or an opening brace behind
// a comma, that belongs to the list around the object ends it, too.
func (s *Scanner) ExpectObject(names []string) {
	s.expect(goalObject)
	o := &s.object
	o.names, o.text, o.endsAtNext = names, "", false
	o.reset()
}

// reset forgets what was read of the object.
func (o *object) reset() {
	o.found, o.gaps, o.others, o.other = o.found[:0], o.gaps[:0], 0, diag.Span{}
}

// Members returns the members that were wanted, in the order of the text, until
// the next part is expected.
func (s *Scanner) Members() []Member { return s.object.found }

// NextBegun reports whether the object ended, without its brace, where the next
// object of its list begins.
func (s *Scanner) NextBegun() bool { return s.object.endsAtNext }

// Others returns how many other members the object has, and the key of the first.
func (s *Scanner) Others() (int, diag.Span) { return s.object.others, s.object.other }

// ObjectText returns the text of the object that was read.
func (s *Scanner) ObjectText() string {
	if s.object.text != "" {
		return s.object.text
	}
	text, behind := s.Kept(s.part.start), " \t\r\n"
	if s.object.endsAtNext {
		behind += ","
	}
	return strings.TrimRight(text[:min(len(text), s.end-s.part.start)], behind)
}

// Member returns a member with a key at a place, and the value that was read last.
func (s *Scanner) Member(key diag.Span) Member {
	place := s.Place()
	return Member{key: key.Start, keyEnd: key.End, begin: place.Start, end: place.End, json: s.Value()}
}

// beginMember takes the key of a member.
func (s *Scanner) beginMember(name string, key diag.Span) {
	s.object.name, s.object.key = name, key
}

// endMember follows the value of a member. What was read of it is not needed in
// the output any more.
func (s *Scanner) endMember(end int) {
	if s.goal != goalObject {
		return
	}
	o, a := &s.object, &s.args
	value := a.out[o.outStart:]
	a.out = a.out[:0]
	if i := o.memberIndex([]byte(o.name)); i >= 0 {
		m := o.addMember()
		m.Index, m.key, m.keyEnd, m.begin, m.end = i, o.key.Start, o.key.End, o.valueStart, end
		var same bool
		if m.json, same = s.valueArena.persist(value); same {
			a.out = nil
		}
	} else if o.others++; o.others == 1 {
		o.other = o.key
	}
	top := a.top()
	top.keyOutStart, top.keyOutEnd = 0, 0
}

// addMember returns another member for the names that are wanted, to be filled in: of
// the one that stood there before only the texts are cleared.
func (o *object) addMember() *Member {
	if len(o.found) == cap(o.found) {
		o.found = append(o.found, Member{})
	} else {
		o.found = o.found[:len(o.found)+1]
	}
	m := &o.found[len(o.found)-1]
	m.text, m.json = "", nil
	return m
}

// memberIndex returns the index of a name among those that are wanted, or -1.
func (o *object) memberIndex(name []byte) int {
	for i, n := range o.names {
		if n == string(name) {
			return i
		}
	}
	return -1
}
