package dialect

import "oneshot/pkg/literal"

// A bodyPool holds one frame reader of each type and one literal scanner per language, which all frames reuse: a
// small call costs less than allocating them.
type bodyPool struct {
	values   []any // pointers to values of different types
	literals literalScanners
	lastEnds lastTerminators
}

// pooledValue returns the value of a type, as the last user left it.
func pooledValue[T any](p *bodyPool) *T {
	for _, v := range p.values {
		if t, ok := v.(*T); ok {
			return t
		}
	}
	t := new(T)
	p.values = append(p.values, t)
	return t
}

// literalScanners are created on first use.
type literalScanners struct {
	jsonLit     *literal.Scanner
	jsonOptions literal.Options // of jsonLit
	pythonLit   *literal.Scanner
	scriptLit   *literal.Scanner
	quotedLit   *literal.Scanner
	delimiter   string // of quotedLit
}

// json returns the JSON scanner; the caller must move it to an offset.
func (l *literalScanners) json(o literal.Options) *literal.Scanner {
	switch {
	case l.jsonLit == nil:
		l.jsonLit = literal.NewJSON(o)
	case l.jsonOptions != o:
		l.jsonLit.Reset(o)
	}
	l.jsonOptions = o
	return l.jsonLit
}

// python returns the Python scanner; the caller must reset it.
func (l *literalScanners) python() *literal.Scanner {
	if l.pythonLit == nil {
		l.pythonLit = literal.NewPython(literal.Options{})
	}
	return l.pythonLit
}

// script returns the scanner of JavaScript statements.
func (l *literalScanners) script(o literal.Options) *literal.Scanner {
	if l.scriptLit == nil {
		l.scriptLit = literal.NewStatement(o)
	} else {
		l.scriptLit.Reset(o)
	}
	return l.scriptLit
}

// privateQuotes returns the scanner of objects with private quotes; the caller must reset it.
func (l *literalScanners) privateQuotes(marker string) *literal.Scanner {
	if l.quotedLit == nil || l.delimiter != marker {
		l.quotedLit, l.delimiter = literal.NewDelimited(marker, literal.Options{}), marker
	}
	return l.quotedLit
}
