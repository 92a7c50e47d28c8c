package literal

import (
	"encoding/json"
	"strings"

	"oneshot/pkg/diag"
)

// A Member is one member of an object.
type Member struct {
	Index            int // in the names given to ExpectObject
	key, keyEnd      int // span of the key
	begin, end       int // span of the value
	text             string
	json             []byte // the value, if the object was not read by tryStrict: text is empty
	gapsFrom, gapsTo int32  // range of the whitespace inside the value in the object's gaps
}

// KeySpan returns the span of the key.
func (m *Member) KeySpan() diag.Span { return diag.Bytes(m.key, m.keyEnd) }

// ValueSpan returns the span of the value.
func (m *Member) ValueSpan() diag.Span { return diag.Bytes(m.begin, m.end) }

// Kind returns the first byte of the value, which identifies its type.
func (m *Member) Kind() byte {
	if m.text != "" {
		return m.text[0]
	}
	return m.json[0]
}

// Text returns the value if it is a string.
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

// JSON returns the value of a member of the last object, without whitespace between its tokens.
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

// An object is the object that is being read.
type object struct {
	untried    bool     // tryStrict has not been tried yet
	names      []string // names of the members to return
	found      []Member
	others     int       // number of other members
	other      diag.Span // the key of the first of them
	endsAtNext bool      // it ended where the next object of its list begins
	text       string    // the object, if tryStrict has read it
	gaps       []span    // whitespace between its tokens, in that case

	name       string // the current member
	key        diag.Span
	outStart   int // start of its value in the output
	valueStart int // start of its value in the text
}

// ExpectObject expects an object whose opening brace is the next byte, and returns its members
// with the given names. A faulty object is skipped to its end. A closing bracket of the list
// around the object also ends it, as does an opening brace after a comma.
func (s *Scanner) ExpectObject(names []string) {
	s.expect(goalObject)
	o := &s.object
	o.names, o.text, o.endsAtNext = names, "", false
	o.reset()
}

func (o *object) reset() {
	o.found, o.gaps, o.others, o.other = o.found[:0], o.gaps[:0], 0, diag.Span{}
}

// Members returns the requested members in the order of the text, until another part is
// expected.
func (s *Scanner) Members() []Member { return s.object.found }

// HasNextObjectBegun reports whether the object ended, without its closing brace, at the start
// of the next object of its list.
func (s *Scanner) HasNextObjectBegun() bool { return s.object.endsAtNext }

// ExtraMembers returns the number of other members, and the key of the first.
func (s *Scanner) ExtraMembers() (int, diag.Span) { return s.object.others, s.object.other }

// ObjectText returns the text of the object.
func (s *Scanner) ObjectText() string {
	if s.object.text != "" {
		return s.object.text
	}
	text, cutset := s.Captured(s.part.start), " \t\r\n"
	if s.object.endsAtNext {
		cutset += ","
	}
	return strings.TrimRight(text[:min(len(text), s.end-s.part.start)], cutset)
}

// NewMember returns a member with a key at a span and the last value.
func (s *Scanner) NewMember(key diag.Span) Member {
	place := s.ValueSpan()
	return Member{key: key.Start, keyEnd: key.End, begin: place.Start, end: place.End, json: s.Value()}
}

// beginMember records the key of a member.
func (s *Scanner) beginMember(name string, key diag.Span) {
	s.object.name, s.object.key = name, key
}

// storeMember stores the value of a member. It drops the output, which is not needed any more.
func (s *Scanner) storeMember(end int) {
	if s.goal != goalObject {
		return
	}
	o, a := &s.object, &s.args
	value := a.out[o.outStart:]
	a.out = a.out[:0]
	if i := o.requestedNameIndex([]byte(o.name)); i >= 0 {
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

// addMember returns the next member of found to fill in. It reuses the slice and clears only the
// texts.
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

// requestedNameIndex returns the index of a name among the requested names, or -1.
func (o *object) requestedNameIndex(name []byte) int {
	for i, n := range o.names {
		if n == string(name) {
			return i
		}
	}
	return -1
}
