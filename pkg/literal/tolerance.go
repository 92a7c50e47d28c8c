package literal

import "oneshot/pkg/diag"

// What is tolerated in JSON, and noted: all that JavaScript allows beyond it.

// noteComment notes a comment that ends in front of an offset.
func (s *Scanner) noteComment(end int) {
	if s.lang == jsonText && s.reading() {
		s.note(diag.Comment, s.token, end, diag.Warning, "JSON has no comments").
			fix("remove it", s.blanking(), diag.Edit{Start: s.token, End: end})
	}
}

// blanking returns the kind of a fix that makes blanks of the current token. At
// the start of a line that can change what begins the line, such as a fence.
func (s *Scanner) blanking() diag.FixKind {
	if s.first {
		return diag.Unsafe
	}
	return diag.Safe
}

// noteBlanks notes blanks of other alphabets, and those of old printers.
func (s *Scanner) noteBlanks(from, to int) {
	if s.lang == jsonText && s.reading() {
		s.note(diag.BadLiteral, from, to, diag.Warning, "a blank that JSON does not have").
			fix("write a space", s.blanking(), diag.Edit{Start: from, End: to, New: " "})
	}
}

func (s *Scanner) noteTrailingComma(at int) {
	s.note(diag.TrailingComma, at, at+1, diag.Warning, "trailing comma after the last item").
		fix("remove it", diag.Safe, diag.Edit{Start: at, End: at + 1})
}

// noteBareKey notes a key without quotes, given also as it is in JSON.
func (s *Scanner) noteBareKey(w word, quoted []byte) {
	if s.lang == jsonText {
		s.note(diag.BareKey, w.start, w.end, diag.Warning, "the key %s has no quotes", excerpt(w.text)).
			fix("add quotes", diag.Safe, diag.Edit{Start: w.start, End: w.end, New: string(quoted)})
	}
}

// mendQuote mends a quote of a string, or a double quote in it, where the string
// has other quotes than double ones. A template is not mended: its escapes and
// line ends are others, too.
func (s *Scanner) mendQuote(at int, double string) {
	if s.lang != jsonText || s.str.quote == '"' || !s.reading() {
		return
	}
	m := &s.str.quotes
	m.whole, s.str.mended = true, true
	if s.str.quote == '\'' {
		s.mend(m, diag.Edit{Start: at, End: at + 1, New: double})
	} else if m.count == 0 {
		m.start, m.end, m.count = at, at+1, 1
	}
}

// jsonStrings reports whether strings in quotes are those of JSON.
func (s *Scanner) jsonStrings() bool { return s.lang == jsonText || s.lang == quoted }

// isJSONEscape reports whether JSON has an escape of that letter.
func isJSONEscape(c byte) bool {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't', 'u':
		return true
	}
	return false
}

// otherEscape reads an escape that JSON does not have. A quote needs none; what
// the others mean is unknown, even where JavaScript has them: \x and \v are
// found in Windows paths.
func (s *Scanner) otherEscape(c byte) int {
	quote, str := c == '\'' || c == '`', &s.str
	switch {
	case quote && str.quote == '\'' && s.lang == jsonText:
		s.mend(&str.quotes, diag.Edit{Start: str.escape, End: s.at + 1, New: string(c)})
	case quote && str.quote == '"' && s.lang == jsonText:
		s.mend(&str.loose, diag.Edit{Start: str.escape, End: str.escape + 1})
	case quote:
	case str.quote == '`' && (c == '$' || c == '{'):
	case isNewline(c): // JavaScript drops both, others drop the backslash
		s.put([]byte(`\\`))
		s.lineBlank = true
		s.mend(&str.escapes, diag.Edit{Start: str.escape, End: s.at + 1, New: `\\` + s.controlEscape(c)})
	default:
		s.unknownEscape()
		return 0
	}
	s.putRune(rune(c))
	return 1
}
