package literal

import (
	"oneshot/pkg/diag"
)

// keyword reads the colon or equals sign behind the name of an argument.
func (s *Scanner) keyword(c byte) {
	a := &s.args
	w := a.pending
	a.pending = word{}
	top := a.top()
	switch {
	case !isKey(w.text) || isDigit(w.text[0]):
		s.fault(diag.NotALiteral, w.start, w.end, "%s is no name of an argument", excerpt(w.text))
		return
	case top.items > 0 && !a.keyed:
		s.fault(diag.KeywordArgs, w.start, s.at+1, "arguments with and without names are mixed")
		return
	case !a.keyed:
		s.beginKeywords(w)
	}
	switch {
	case s.lang == python && c == ':':
		s.mend(&s.keywords, diag.Edit{Start: s.at, End: s.at + 1, New: "="})
	case s.lang != python && c == '=':
		s.mend(&s.keywords, diag.Edit{Start: s.at, End: s.at + 1, New: ": "})
	}
	a.beginItem()
	from := len(a.out)
	a.out = appendText(a.out, w.text)
	s.token = w.start
	s.endKey(from, w.end, false)
	if s.reading() {
		a.out = append(a.out, ':')
		a.want = wantValue
	}
}

// beginKeywords turns the arguments from an array into an object.
func (s *Scanner) beginKeywords(first word) {
	s.args.keyed = true
	s.args.out[0] = '{'
	if s.lang == python {
		return
	}
	s.keywords = mend{start: first.start, end: first.end, whole: true}
	s.keywords.add(diag.Edit{Start: s.args.open[0].at + 1, End: s.args.open[0].at + 1, New: "{"})
}

// endKeywords reports keyword arguments at the end of the call.
func (s *Scanner) endKeywords() {
	if s.lang == python {
		s.noteMend(diag.KeywordArgs, s.keywords, diag.Safe, "write =", "colon after the name of an argument")
		return
	}
	s.keywords.add(diag.Edit{Start: s.at, End: s.at, New: "}"})
	s.noteMend(diag.KeywordArgs, s.keywords, diag.Safe, "write one object", "arguments with names are read as one object")
}
