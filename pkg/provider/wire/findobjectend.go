package wire

import "errors"

// An objectScanner finds the end of the JSON objects of a body, or of a call's arguments, byte
// by byte and without going back, so that each can be parsed once it is complete. It counts
// brackets outside strings; the parser checks whether they match.
type objectScanner struct {
	depth      int
	quoted     bool // inside a string
	escaped    bool // after a backslash in a string
	separators int  // commas and colons outside strings: about the number of values
}

// The errors that an objectScanner detects. Either would make it wait for an end that may never
// arrive.
var (
	errNotObject = errors.New("expected a JSON object")
	errLineBreak = errors.New("line break inside a string")
)

// isOpen reports whether an object has begun and not ended.
func (f *objectScanner) isOpen() bool { return f.depth > 0 }

// scan reads up to the end of an object and reports whether it got there. It returns the number
// of bytes read, without a faulty byte.
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

// scanString reads the rest of a string as far as it is there.
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

// isSpace reports whether c is JSON whitespace.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
