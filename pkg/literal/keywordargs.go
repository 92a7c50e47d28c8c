package literal

import (
	"oneshot/pkg/diag"
)

// readArgNameSeparator reads the colon or equals sign after an argument name.
func (s *Scanner) readArgNameSeparator(c byte) {
	a := &s.args
	w := a.pending
	a.pending = word{}
	top := a.top()
	switch {
	case !isBareKey(w.text) || isDigit(w.text[0]):
		s.fail(diag.NotALiteral, w.start, w.end, "invalid argument name %s", excerpt(w.text))
		return
	case top.items > 0 && !a.hasKeywords:
		s.fail(diag.KeywordArgs, w.start, s.pos+1, "positional and keyword arguments are mixed")
		return
	case !a.hasKeywords:
		s.beginKeywords(w)
	}
	switch {
	case s.lang == python && c == ':':
		s.addEdit(&s.keywords, diag.Edit{Start: s.pos, End: s.pos + 1, New: "="})
	case s.lang != python && c == '=':
		s.addEdit(&s.keywords, diag.Edit{Start: s.pos, End: s.pos + 1, New: ": "})
	}
	a.appendItemComma()
	from := len(a.out)
	a.out = appendJSONString(a.out, w.text)
	s.tokenStart = w.start
	s.endKey(from, w.end, false)
	if s.isWritingOutput() {
		a.out = append(a.out, ':')
		a.want = wantValue
	}
}

// beginKeywords turns the arguments from an array into an object.
func (s *Scanner) beginKeywords(first word) {
	s.args.hasKeywords = true
	s.args.out[0] = '{'
	if s.lang == python {
		return
	}
	s.keywords = fixBuilder{start: first.start, end: first.end, single: true}
	s.keywords.add(diag.Edit{Start: s.args.open[0].pos + 1, End: s.args.open[0].pos + 1, New: "{"})
}

// noteKeywordArgs reports keyword arguments at the end of the call.
func (s *Scanner) noteKeywordArgs() {
	if s.lang == python {
		s.noteWithFix(diag.KeywordArgs, s.keywords, diag.Safe, "write =", "colon instead of = after an argument name")
		return
	}
	s.keywords.add(diag.Edit{Start: s.pos, End: s.pos, New: "}"})
	s.noteWithFix(diag.KeywordArgs, s.keywords, diag.Safe, "write one object", "keyword arguments; read as one object")
}
