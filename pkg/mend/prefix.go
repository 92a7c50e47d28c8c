package mend

import (
	"strings"
	"unicode/utf8"
)

// An expectation says what may come next in a document.
type expectation int

const (
	aValue expectation = iota
	aFirstValue
	aKey
	aFirstKey
	aColon
	aComma
	nothing
)

// A prefix reads strict JSON from the start of a text, as far as it goes.
type prefix struct {
	text  string
	allow Kinds
	limit int // of the depth

	open   []opened
	expect expectation
	start  int  // of the token that the text ends in
	escape int  // of the escape or character that the text ends in, else 0
	ended  bool // the document is complete
	bad    int  // offset of the first byte that cannot be there, -1 if there is none
	deep   bool // it is a bracket beyond the limit
	steps  int
}

// An opened is a bracket that is open.
type opened struct {
	char byte
	kept int // end of what is complete in it
}

func (o opened) kind() Kinds {
	if o.char == '{' {
		return Objects
	}
	return Arrays
}

func (o opened) closer() byte { return o.char + 2 } // in ASCII [ and { are two before ] and }

// isStrict reports whether a text is one document of JSON, and whether it is not
// because it is too deep.
func isStrict(text string) (ok, deep bool, steps int) {
	p := prefix{text: text, limit: MaxDepth}
	p.read()
	number := p.bad < 0 && len(p.open) == 0 && !p.ended && isNumber(trimBlanks(text))
	return p.ended || number, p.deep, p.steps
}

// read reads up to the end of the text or the first byte that cannot be there.
func (p *prefix) read() {
	p.bad, p.start = -1, len(p.text)
	for i := 0; i < len(p.text) && p.bad < 0; {
		p.steps++
		c := p.text[i]
		if isBlank(c) {
			i++
			continue
		}
		n := p.step(i, c)
		if n == 0 {
			p.bad = i
		}
		i += n
	}
	if p.bad >= 0 {
		p.ended = false
	}
}

// step reads the token at an offset. It returns its length, 0 if it cannot be
// there.
func (p *prefix) step(i int, c byte) int {
	switch p.expect {
	case aValue, aFirstValue:
		if c == ']' && p.expect == aFirstValue {
			return p.close(i)
		}
		return p.value(i, c)
	case aKey, aFirstKey:
		switch {
		case c == '}' && p.expect == aFirstKey:
			return p.close(i)
		case c != '"':
			return 0
		}
		n, done := p.quoted(i)
		if done {
			p.expect = aColon
		}
		return n
	case aColon:
		if c != ':' {
			return 0
		}
		p.expect = aValue
		return 1
	case aComma:
		return p.comma(i, c)
	}
	return 0
}

func (p *prefix) comma(i int, c byte) int {
	top := p.open[len(p.open)-1]
	switch {
	case c == top.closer():
		return p.close(i)
	case c != ',':
		return 0
	case top.char == '{':
		p.expect = aKey
	default:
		p.expect = aValue
	}
	return 1
}

// value reads a value, or its opening bracket.
func (p *prefix) value(i int, c byte) int {
	switch {
	case c == '{' || c == '[':
		return p.push(i, c)
	case c == '"':
		n, done := p.quoted(i)
		if done {
			p.item(i + n)
		}
		return n
	case c == '-' || isDigit(c):
		return p.number(i)
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if rest := p.text[i:]; strings.HasPrefix(rest, word) {
			p.item(i + len(word))
			return len(word)
		} else if strings.HasPrefix(word, rest) {
			p.start, p.expect = i, aValue
			return len(rest)
		}
	}
	return 0
}

func (p *prefix) push(i int, c byte) int {
	if len(p.open) == p.limit {
		p.deep = true
		return 0
	}
	p.open = append(p.open, opened{c, i + 1})
	p.expect = aFirstValue
	if c == '{' {
		p.expect = aFirstKey
	}
	return 1
}

func (p *prefix) close(i int) int {
	p.open = p.open[:len(p.open)-1]
	p.item(i + 1)
	return 1
}

// item notes that a value ended.
func (p *prefix) item(end int) {
	p.start = len(p.text)
	if len(p.open) == 0 {
		p.expect, p.ended = nothing, true
		return
	}
	p.open[len(p.open)-1].kept = end
	p.expect = aComma
}

// number reads a number, or the beginning of one at the end of the text.
func (p *prefix) number(i int) int {
	n := 0
	for i+n < len(p.text) && strings.IndexByte("+-.eE0123456789", p.text[i+n]) >= 0 {
		n++
	}
	p.steps += n
	token := p.text[i : i+n]
	if i+n < len(p.text) {
		if !isNumber(token) {
			return 0
		}
		p.item(i + n)
		return n
	}
	if !isNumber(token) && !isNumber(token+"0") {
		return 0
	}
	p.start, p.expect = i, aValue
	return n
}

// quoted reads a string, and reports whether it has ended.
func (p *prefix) quoted(i int) (n int, done bool) {
	if p.expect != aKey && p.expect != aFirstKey {
		p.expect = aValue
	}
	p.start, p.escape = i, 0
	for k := i + 1; k < len(p.text); {
		p.steps++
		switch c := p.text[k]; {
		case c == '"':
			p.start = len(p.text)
			return k + 1 - i, true
		case c < 0x20:
			return 0, false
		case c < 0x80 && c != '\\':
			k++
		default:
			w := characterLen(p.text[k:])
			if w < 0 {
				p.escape = k
				return len(p.text) - i, false
			}
			if w == 0 {
				return 0, false
			}
			k += w
		}
	}
	return len(p.text) - i, false
}

// characterLen returns the length of the escape or character of several bytes at
// the start of a text: 0 if it is none, -1 if the text ends in it.
func characterLen(text string) int {
	switch {
	case text[0] != '\\':
		r, w := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && w <= 1 && !utf8.FullRuneInString(text):
			return -1
		case r == utf8.RuneError && w <= 1:
			return 0
		}
		return w
	case len(text) == 1:
		return -1
	case text[1] != 'u':
		if strings.IndexByte(`"\/bfnrt`, text[1]) < 0 {
			return 0
		}
		return 2
	}
	for k := 2; k < 6; k++ {
		if k == len(text) {
			return -1
		}
		if !isHex(text[k]) {
			return 0
		}
	}
	return 6
}
