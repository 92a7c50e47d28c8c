package mend

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Kinds is a set of kinds of values that may be incomplete at the end of a text.
type Kinds uint

// The kinds. A string that may be incomplete is kept as far as it goes, a number
// is cut back to its last complete form, a word is completed, and an array or
// object is closed. What may not be incomplete is left out.
const (
	Strings Kinds = 1 << iota
	Numbers
	Arrays
	Objects
	Nulls
	Booleans

	Everything = Strings | Numbers | Arrays | Objects | Nulls | Booleans
)

// A CutError says that a text ends too early: what is there is no value of the
// kinds that may be incomplete.
type CutError struct {
	Offset int // where the text ends
}

func (e *CutError) Error() string {
	return fmt.Sprintf("the text ends at byte %d before there is a value", e.Offset)
}

// A SyntaxError says that a text is not the beginning of a JSON document.
type SyntaxError struct {
	Offset int // of the first byte that cannot be there
	Deep   bool
}

func (e *SyntaxError) Error() string {
	if e.Deep {
		return fmt.Sprintf("byte %d: arrays and objects are nested too deeply", e.Offset)
	}
	return fmt.Sprintf("byte %d: this is no JSON", e.Offset)
}

// Partial completes a JSON document that was cut off, and mends nothing else. It
// returns the document as it is up to the cut, with what is incomplete kept or
// left out as allow says; a key without its value is always left out. The error
// is a [*SyntaxError] where the text is not the beginning of a document, and a
// [*CutError] where nothing is left.
func Partial(text string, allow Kinds) (json.RawMessage, error) {
	p := prefix{text: text, allow: allow, limit: MaxDepth}
	p.read()
	switch {
	case p.bad >= 0:
		return nil, &SyntaxError{p.bad, p.deep}
	case len(p.open) == 0 && p.ended:
		return json.RawMessage(text), nil
	}
	value, ok := p.complete()
	if !ok {
		return nil, &CutError{len(text)}
	}
	return json.RawMessage(value), nil
}

// complete closes what is open behind the last thing that may stay.
func (p *prefix) complete() (string, bool) {
	keep, tail, ok := p.token()
	if len(p.open) == 0 {
		return p.text[:keep] + tail, ok
	}
	closers := ""
	for i := len(p.open) - 1; i >= 0; i-- {
		o := &p.open[i]
		if !ok {
			keep, tail = o.kept, ""
		}
		if ok = p.allow&o.kind() != 0; !ok {
			closers = ""
			continue
		}
		closers += string(o.closer())
	}
	return p.text[:keep] + tail + closers, ok
}

// token returns what is kept of the token at the end of the text: everything in
// front of an offset, and what completes it.
func (p *prefix) token() (keep int, tail string, ok bool) {
	rest := p.text[p.start:]
	switch {
	case p.expect != aValue || rest == "":
		return 0, "", false
	case rest[0] == '"':
		return p.escapeStart(), `"`, p.allow&Strings != 0
	case rest[0] == '-' || isDigit(rest[0]):
		if p.allow&Numbers == 0 && !(len(p.open) == 0 && isNumber(rest)) {
			return 0, "", false
		}
		n := numberPrefix(rest)
		return p.start + n, "", n > 0
	}
	for word, kind := range map[string]Kinds{"null": Nulls, "true": Booleans, "false": Booleans} {
		if strings.HasPrefix(word, rest) {
			return p.start, word, p.allow&kind != 0 || word == rest
		}
	}
	return 0, "", false
}

// escapeStart returns the end of a text that ends in a string: in front of an
// escape or a character that is not complete.
func (p *prefix) escapeStart() int {
	if p.escape > p.start {
		return p.escape
	}
	return len(p.text)
}

// numberPrefix returns the length of the longest number at the start of what may
// be the beginning of one.
func numberPrefix(text string) int {
	for n := len(text); n > 0; n-- {
		if isNumber(text[:n]) {
			return n
		}
	}
	return 0
}
