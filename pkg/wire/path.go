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
	body   []byte
	object int    // where the object begins that was looked at last
	at     int    // how far it was read
	open   []step // the containers that are open there
	key    bool   // the next string is a key
}

// A step leads into an object, by a key as it is written, or into an array.
type step struct {
	key   []byte // nil in an array, and in an object before its first key
	array bool
	index int
}

// NewPaths returns the paths in a body.
func NewPaths(body []byte) *Paths { return &Paths{body: body} }

// Of returns the path of a piece of the body.
func (p *Paths) Of(piece Piece) string {
	if piece.Object != p.object || piece.Start < p.at {
		p.object, p.at, p.open, p.key = piece.Object, piece.Object, p.open[:0], false
	}
	for p.at < piece.Start {
		p.next()
	}
	return p.String()
}

// next reads a token. What is no string, bracket or comma needs no look: the words
// that begin a line of an event stream are passed over with it.
func (p *Paths) next() {
	c := p.body[p.at]
	p.at++
	switch c {
	case '"':
		p.text()
	case '{', '[':
		p.open = append(p.open, step{array: c == '['})
		p.key = c == '{'
	case '}', ']':
		p.open = p.open[:max(0, len(p.open)-1)]
		p.key = false
	case ',':
		p.comma()
	}
}

// comma goes to the next member or item.
func (p *Paths) comma() {
	if len(p.open) == 0 {
		return
	}
	last := &p.open[len(p.open)-1]
	last.index++
	p.key = !last.array
}

// text reads a string behind its first quote.
func (p *Paths) text() {
	start := p.at
	for p.at < len(p.body) && p.body[p.at] != '"' {
		i := bytes.IndexAny(p.body[p.at:], `\"`)
		switch {
		case i < 0:
			p.at = len(p.body)
		case p.body[p.at+i] == '\\':
			p.at = min(len(p.body), p.at+i+2)
		default:
			p.at += i
		}
	}
	if p.key && len(p.open) > 0 {
		p.open[len(p.open)-1].key = p.body[start:p.at]
	}
	p.at, p.key = min(len(p.body), p.at+1), false
}

// String writes the path.
func (p *Paths) String() string {
	var b strings.Builder
	for _, s := range p.open {
		switch {
		case s.array:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case !plainKey(s.key):
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

// plainKey reports whether a key can stand behind a point.
func plainKey(key []byte) bool {
	for i, c := range key {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(key) > 0
}
