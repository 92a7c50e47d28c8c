package wire

import (
	"bytes"
	"strconv"
	"strings"
)

// Paths tells at which path in its object a piece of a body stands:
// "choices[0].delta.content". To look up pieces in ascending order costs one pass
// over the body.
type Paths struct {
	body        []byte
	objectStart int        // where the object begins that was looked at last
	pos         int        // how far it was read
	open        []pathStep // the containers that are open there
	expectKey   bool       // the next string is a key
}

// A pathStep leads into an object, by a key as it is written, or into an array.
type pathStep struct {
	key   []byte // nil in an array, and in an object before its first key
	array bool
	index int
}

// NewPaths returns the paths in a body.
func NewPaths(body []byte) *Paths { return &Paths{body: body} }

// Of returns the path of a piece of the body.
func (p *Paths) Of(piece Piece) string {
	if piece.Object != p.objectStart || piece.Start < p.pos {
		p.objectStart, p.pos, p.open, p.expectKey = piece.Object, piece.Object, p.open[:0], false
	}
	for p.pos < piece.Start {
		p.readToken()
	}
	return p.String()
}

// readToken reads a token. What is no string, bracket or comma needs no look: the words
// that begin a line of an event stream are passed over with it.
func (p *Paths) readToken() {
	c := p.body[p.pos]
	p.pos++
	switch c {
	case '"':
		p.readString()
	case '{', '[':
		p.open = append(p.open, pathStep{array: c == '['})
		p.expectKey = c == '{'
	case '}', ']':
		p.open = p.open[:max(0, len(p.open)-1)]
		p.expectKey = false
	case ',':
		p.nextMember()
	}
}

// nextMember goes to the next member or item.
func (p *Paths) nextMember() {
	if len(p.open) == 0 {
		return
	}
	last := &p.open[len(p.open)-1]
	last.index++
	p.expectKey = !last.array
}

// readString reads a string behind its first quote.
func (p *Paths) readString() {
	start := p.pos
	for p.pos < len(p.body) && p.body[p.pos] != '"' {
		i := bytes.IndexAny(p.body[p.pos:], `\"`)
		switch {
		case i < 0:
			p.pos = len(p.body)
		case p.body[p.pos+i] == '\\':
			p.pos = min(len(p.body), p.pos+i+2)
		default:
			p.pos += i
		}
	}
	if p.expectKey && len(p.open) > 0 {
		p.open[len(p.open)-1].key = p.body[start:p.pos]
	}
	p.pos, p.expectKey = min(len(p.body), p.pos+1), false
}

// String writes the path.
func (p *Paths) String() string {
	var b strings.Builder
	for _, s := range p.open {
		switch {
		case s.array:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case !isPlainKey(s.key):
			b.WriteString(`["` + string(s.key) + `"]`)
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.Write(s.key)
		}
	}
	return b.String()
}

// isPlainKey reports whether a key can stand behind a point.
func isPlainKey(key []byte) bool {
	for i, c := range key {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(key) > 0
}
