package dialect

import "oneshot/pkg/literal"

// bodyPool are what reads frames: one of each kind, and one scanner of literals for each
// language, for one frame after the other, because a small call costs less than they.
type bodyPool struct {
	sequence   sequence   // of several calls
	json       jsonItem   // those of JSON
	python     pythonItem // those of Python
	quoted     quotedItem // those with private quotes
	jsonValues callBody   // of JSON without a marker
	named      namedBody  // of a name and JSON
	tagged     tagBody    // of tags
	object     callObject // the object that was read last
	literals   literalScanners
	lastEnds   lastTerminators
}

// literalScanners are scanners of literals.
type literalScanners struct {
	jsonLit     *literal.Scanner
	jsonOptions literal.Options // of that
	pythonLit   *literal.Scanner
	scriptLit   *literal.Scanner
	quotedLit   *literal.Scanner
	delimiter   string // the private quotes of that
}

// json returns the scanner of JSON, which has to be moved to a place.
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

// python returns the scanner of Python, which has to be reset.
func (l *literalScanners) python() *literal.Scanner {
	if l.pythonLit == nil {
		l.pythonLit = literal.NewPython(literal.Options{})
	}
	return l.pythonLit
}

// script returns the scanner of statements.
func (l *literalScanners) script(o literal.Options) *literal.Scanner {
	if l.scriptLit == nil {
		l.scriptLit = literal.NewStatement(o)
	} else {
		l.scriptLit.Reset(o)
	}
	return l.scriptLit
}

// quoted returns the scanner of objects with private quotes, which has to be reset.
func (l *literalScanners) quoted(marker string) *literal.Scanner {
	if l.quotedLit == nil || l.delimiter != marker {
		l.quotedLit, l.delimiter = literal.NewQuoted(marker, literal.Options{}), marker
	}
	return l.quotedLit
}
