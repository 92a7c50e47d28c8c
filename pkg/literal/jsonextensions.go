package literal

import "oneshot/pkg/diag"

// Lenient JSON: JavaScript syntax that JSON does not have is read with a finding.

// noteComment reports a comment that ends before an offset.
func (s *Scanner) noteComment(end int) {
	if s.lang == jsonText && s.isWritingOutput() {
		s.note(diag.Comment, s.tokenStart, end, diag.Warning, "JSON has no comments").
			addFix("remove it", s.removalFixKind(), diag.Edit{Start: s.tokenStart, End: end})
	}
}

// removalFixKind returns the kind of a fix that removes or blanks the current token. At the start of a line
// that can change the token that begins the line, such as a fence.
func (s *Scanner) removalFixKind() diag.FixKind {
	if s.firstInLine {
		return diag.Unsafe
	}
	return diag.Safe
}

// noteNonJSONBlanks reports whitespace that JSON does not have.
func (s *Scanner) noteNonJSONBlanks(from, to int) {
	if s.lang == jsonText && s.isWritingOutput() {
		s.note(diag.BadLiteral, from, to, diag.Warning, "whitespace that JSON does not allow").
			addFix("write a space", s.removalFixKind(), diag.Edit{Start: from, End: to, New: " "})
	}
}

func (s *Scanner) noteTrailingComma(at int) {
	s.note(diag.TrailingComma, at, at+1, diag.Warning, "trailing comma after the last item").
		addFix("remove it", diag.Safe, diag.Edit{Start: at, End: at + 1})
}

// noteBareKey reports an unquoted key, also given as JSON.
func (s *Scanner) noteBareKey(w word, quoted []byte) {
	if s.lang == jsonText {
		s.note(diag.UnquotedKey, w.start, w.end, diag.Warning, "unquoted key %s", excerpt(w.text)).
			addFix("add quotes", diag.Safe, diag.Edit{Start: w.start, End: w.end, New: string(quoted)})
	}
}

// addQuoteFix fixes a quote of a string without double quotes, or a double quote in it. It does not
// fix templates, which have other escapes and line ends.
func (s *Scanner) addQuoteFix(at int, double string) {
	if s.lang != jsonText || s.str.quote == '"' || !s.isWritingOutput() {
		return
	}
	m := &s.str.quotes
	m.single, s.str.hasFixes = true, true
	if s.str.quote == '\'' {
		s.addEdit(m, diag.Edit{Start: at, End: at + 1, New: double})
	} else if m.count == 0 {
		m.start, m.end, m.count = at, at+1, 1
	}
}

// hasJSONStrings reports whether quoted strings have the syntax of JSON.
func (s *Scanner) hasJSONStrings() bool { return s.lang == jsonText || s.lang == delimited }

// isJSONEscape reports whether c is the letter of a JSON escape.
func isJSONEscape(c byte) bool {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't', 'u':
		return true
	}
	return false
}

// readNonJSONEscape reads an escape that JSON does not have. A quote needs none. The meaning of
// others is unknown, even if JavaScript has them: \x and \v occur in Windows paths.
func (s *Scanner) readNonJSONEscape(c byte) int {
	quote, str := c == '\'' || c == '`', &s.str
	switch {
	case quote && str.quote == '\'' && s.lang == jsonText:
		s.addEdit(&str.quotes, diag.Edit{Start: str.escapeStart, End: s.pos + 1, New: string(c)})
	case quote && str.quote == '"' && s.lang == jsonText:
		s.addEdit(&str.looseEscapes, diag.Edit{Start: str.escapeStart, End: str.escapeStart + 1})
	case quote:
	case str.quote == '`' && (c == '$' || c == '{'):
	case isNewline(c): // JavaScript drops both, others drop the backslash
		s.emit([]byte(`\\`))
		s.lineBlank = true
		s.addEdit(&str.badEscapes, diag.Edit{Start: str.escapeStart, End: s.pos + 1, New: `\\` + s.controlEscape(c)})
	default:
		s.keepUnknownEscape()
		return 0
	}
	s.emitRune(rune(c))
	return 1
}
