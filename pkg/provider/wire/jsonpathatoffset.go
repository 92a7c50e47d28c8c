package wire

import (
	"bytes"
	"strconv"
	"strings"
)

// A PathFinder returns the path of a segment in its object: "choices[0].delta.content". Looking
// up segments in ascending order costs one pass over the body.
type PathFinder struct {
	body        []byte
	objectStart int        // start of the last object
	pos         int        // bytes read so far
	open        []pathStep // the open containers
	expectKey   bool       // the next string is a key
}

// A pathStep is an object key, as written, or an array index.
type pathStep struct {
	key   []byte // nil in an array, and in an object before its first key
	array bool
	index int
}

// NewPathFinder returns a path finder for a body.
func NewPathFinder(body []byte) *PathFinder { return &PathFinder{body: body} }

// Path returns the path of a segment of the body.
func (p *PathFinder) Path(segment Segment) string {
	if segment.ObjectStart != p.objectStart || segment.Start < p.pos {
		p.objectStart, p.pos, p.open, p.expectKey = segment.ObjectStart, segment.ObjectStart, p.open[:0], false
	}
	for p.pos < segment.Start {
		p.readToken()
	}
	return p.String()
}

// readToken reads a token. Only strings, brackets and commas matter: field names of an event
// stream are skipped.
func (p *PathFinder) readToken() {
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

// nextMember advances to the next member or item.
func (p *PathFinder) nextMember() {
	if len(p.open) == 0 {
		return
	}
	last := &p.open[len(p.open)-1]
	last.index++
	p.expectKey = !last.array
}

// readString reads a string after its opening quote.
func (p *PathFinder) readString() {
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

// String returns the current path.
func (p *PathFinder) String() string {
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

// isPlainKey reports whether a key can follow a dot.
func isPlainKey(key []byte) bool {
	for i, c := range key {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(key) > 0
}
