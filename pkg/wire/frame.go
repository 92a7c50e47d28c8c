package wire

import "errors"

// A frame finds where the JSON objects of a body, or the arguments of a call,
// end, byte by byte and without looking back, so that each can be handed to a
// real reader once it is whole. It counts brackets outside strings; whether they
// match is for that reader.
type frame struct {
	depth   int
	quoted  bool // inside a string
	escaped bool // after a backslash in a string
	commas  int  // and colons outside strings: about as many as there are values
}

// The faults that a frame notices. Both would make it wait for an end that may
// never come.
var (
	errNoObject  = errors.New("a JSON object should start here")
	errLineBreak = errors.New("a line ends inside a string")
)

// open reports whether an object has begun and not ended.
func (f *frame) open() bool { return f.depth > 0 }

// next reads up to the end of an object and reports whether it got there. It
// returns the number of bytes read; a byte with a fault is not one of them.
func (f *frame) next(p []byte) (n int, end bool, err error) {
	for n < len(p) {
		if f.quoted {
			skip, err := f.text(p[n:])
			n += skip
			if err != nil {
				return n, false, err
			}
			continue
		}
		switch c := p[n]; {
		case c == '{', c == '[' && f.open():
			f.depth++
		case (c == '}' || c == ']') && f.open():
			f.depth--
			if !f.open() {
				return n + 1, true, nil
			}
		case c == '"' && f.open():
			f.quoted = true
		case !f.open() && !space(c):
			return n, false, errNoObject
		case c == ',' || c == ':':
			f.commas++
		}
		n++
	}
	return n, false, nil
}

// text reads the rest of a string, as far as there is any.
func (f *frame) text(p []byte) (int, error) {
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

// space reports whether c may stand between JSON values.
func space(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
