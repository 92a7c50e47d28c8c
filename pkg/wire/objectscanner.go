package wire

import "errors"

// A objectScanner finds where the JSON objects of a body, or the arguments of a call,
// end, byte by byte and without looking back, so that each can be handed to a
// real reader once it is whole. It counts brackets outside strings; whether they
// match is for that reader.
type objectScanner struct {
	depth      int
	quoted     bool // inside a string
	escaped    bool // after a backslash in a string
	separators int  // and colons outside strings: about as many as there are values
}

// The faults that a frame notices. Both would make it wait for an end that may
// never come.
var (
	errNotObject = errors.New("expected a JSON object")
	errLineBreak = errors.New("line break inside a string")
)

// isOpen reports whether an object has begun and not ended.
func (f *objectScanner) isOpen() bool { return f.depth > 0 }

// scan reads up to the end of an object and reports whether it got there. It
// returns the number of bytes read; a byte with a fault is not one of them.
func (f *objectScanner) scan(p []byte) (n int, end bool, err error) {
	for n < len(p) {
		if f.quoted {
			skip, err := f.scanString(p[n:])
			n += skip
			if err != nil {
				return n, false, err
			}
			continue
		}
		switch c := p[n]; {
		case c == '{', c == '[' && f.isOpen():
			f.depth++
		case (c == '}' || c == ']') && f.isOpen():
			f.depth--
			if !f.isOpen() {
				return n + 1, true, nil
			}
		case c == '"' && f.isOpen():
			f.quoted = true
		case !f.isOpen() && !isSpace(c):
			return n, false, errNotObject
		case c == ',' || c == ':':
			f.separators++
		}
		n++
	}
	return n, false, nil
}

// scanString reads the rest of a string, as far as there is any.
func (f *objectScanner) scanString(p []byte) (int, error) {
	for i, c := range p {
		switch {
		case c == '\n':
			return i, errLineBreak
		case f.escaped:
			f.escaped = false
		case c == '\\':
			f.escaped = true
		case c == '"':
			f.quoted = false
			return i + 1, nil
		}
	}
	return len(p), nil
}

// isSpace reports whether c may stand between JSON values.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
