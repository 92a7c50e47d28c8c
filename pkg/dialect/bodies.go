package dialect

import "oneshot/pkg/literal"

// bodies are what reads frames: one of each kind, and one scanner of literals for each
// language, for one frame after the other, because a small call costs less than they.
type bodies struct {
	sequence sequence   // of several calls
	json     jsonItem   // those of JSON
	python   pythonItem // those of Python
	private  quotedItem // those with private quotes
	values   callBody   // of JSON without a mark
	named    namedBody  // of a name and JSON
	tagged   tagBody    // of tags
	written  written    // the object that was read last
	literals literals
	lastEnds lastEnds
}

// literals are scanners of literals.
type literals struct {
	inJSON   *literal.Scanner
	options  literal.Options // of that
	inPython *literal.Scanner
	inScript *literal.Scanner
	inQuotes *literal.Scanner
	mark     string // the private quotes of that
}

// json returns the scanner of JSON, which has to be moved to a place.
func (l *literals) json(o literal.Options) *literal.Scanner {
	switch {
	case l.inJSON == nil:
		l.inJSON = literal.NewJSON(o)
	case l.options != o:
		l.inJSON.Reset(o)
	}
	l.options = o
	return l.inJSON
}

// python returns the scanner of Python, which has to be reset.
func (l *literals) python() *literal.Scanner {
	if l.inPython == nil {
		l.inPython = literal.NewPython(literal.Options{})
	}
	return l.inPython
}

// script returns the scanner of statements.
func (l *literals) script(o literal.Options) *literal.Scanner {
	if l.inScript == nil {
		l.inScript = literal.NewStatement(o)
	} else {
		l.inScript.Reset(o)
	}
	return l.inScript
}

// quoted returns the scanner of objects with private quotes, which has to be reset.
func (l *literals) quoted(mark string) *literal.Scanner {
	if l.inQuotes == nil || l.mark != mark {
		l.inQuotes, l.mark = literal.NewQuoted(mark, literal.Options{}), mark
	}
	return l.inQuotes
}
