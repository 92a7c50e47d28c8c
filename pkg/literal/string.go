package literal

import (
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// A stringState is a string that is being read.
type stringState struct {
	stringProgress
	stringFixes
	hasFixes bool // there are some
}

// begin begins a string.
func (t *stringState) begin(quote byte) {
	t.stringProgress = stringProgress{quote: quote}
	if t.hasFixes {
		t.stringFixes, t.hasFixes = stringFixes{}, false
	}
}

// An stringProgress is how far a string has been read.
type stringProgress struct {
	quote            byte
	isKey            bool // it is the key of an object
	outStart         int  // where its JSON form begins in the output
	escapeStart      int  // offset of the current escape
	escapeKind       byte // of the current escape: 'x', 'u', or '{' for \u{…}
	escapeDigits     int  // hexadecimal digits of the escape so far
	escapeValue      rune // and their value
	highSurrogate    rune // a high surrogate that waits for its low one
	skipLF           bool // behind a carriage return whose line feed is part of it
	hasLetterEscape  bool // it has an escape of a control character by its letter
	hasUnknownEscape bool // it has a backslash with a letter that is no escape

	raw, format, triple bool // in Python
	brace               byte // the brace that was read last in an f-string
}

// stringFixes are what was mended in a string.
type stringFixes struct {
	controls        fixBuilder // raw control characters
	badEscapes      fixBuilder // escapes that do not exist
	fences          fixBuilder // runs of backticks in a template
	quotes          fixBuilder // in JSON: quotes that are not double ones
	looseEscapes    fixBuilder // in JSON: quotes behind a backslash that they do not need
	keptBackslashes fixBuilder // in Python: backslashes that are text
}

// A byteSet tells for every byte whether it belongs to the set.
type byteSet [256]bool

// The bytes that need no attention in each kind of string.
var (
	plainInDouble   = plainIn('"')
	plainInSingle   = plainIn('\'')
	plainInTemplate = plainIn('`')
	plainInFormat   = plainInBraces()
)

func plainIn(quote byte) *byteSet {
	var set byteSet
	for c := 0x20; c < len(set); c++ {
		set[c] = true
	}
	set[quote], set['"'], set['\\'] = false, false, false
	set['$'] = quote != '`'
	return &set
}

func plainInBraces() *byteSet {
	set := *plainIn('\'')
	set['{'], set['}'] = false, false
	return &set
}

func (t *stringState) plainBytes() *byteSet {
	switch {
	case t.format:
		return plainInFormat
	case t.quote == '"':
		return plainInDouble
	case t.quote == '\'':
		return plainInSingle
	}
	return plainInTemplate
}

// plainPrefixLen returns how many bytes at the start of p need no attention.
func (t *stringState) plainPrefixLen(p []byte) int {
	plain, n := t.plainBytes(), 0
	if plain == plainInDouble {
		return skipPlain(p, 0)
	}
	for n < len(p) && plain[p[n]] {
		n++
	}
	return n
}

// isParsing reports whether the output is being written: not so while a fault or
// a statement that is no call is passed over.
func (s *Scanner) isParsing() bool { return s.phase == inArguments }

// openString begins a string at its opening quote. The start of a template is
// the start of a line of its text.
func (s *Scanner) openString(quote byte, at int) {
	s.tokenStart = at
	s.str.begin(quote)
	if s.isParsing() {
		s.beginString(quote)
		s.fixQuote(at, `"`)
	}
	s.mode, s.lineBlank = inText, true
	if s.lang == python {
		s.mode, s.runLength = inOpening, 1
	}
}

// closeString ends a string behind its closing quote.
func (s *Scanner) closeString(end int) {
	s.mode, s.lineBlank = inGap, false
	if s.isParsing() {
		s.fixQuote(end-1, `"`)
		s.endString(end)
	}
}

// scanText reads the inside of a string up to the next byte that needs attention.
func (s *Scanner) scanText(p []byte) int {
	c := p[0]
	if s.str.skipLF {
		s.str.skipLF = false
		if c == '\n' {
			return 1
		}
	}
	if s.str.highSurrogate != 0 && c != '\\' && s.failLoneSurrogate() {
		return 0
	}
	if s.lineBlank && c == ' ' {
		s.emit(p[:1])
		return 1
	}
	if n := s.str.plainPrefixLen(p); n > 0 {
		s.emit(p[:n])
		s.lineBlank = false
		return n
	}
	return s.readSpecial(c)
}

// emit adds bytes to the output that mean themselves in JSON too.
func (s *Scanner) emit(p []byte) {
	if s.isParsing() {
		s.args.out = append(s.args.out, p...)
	}
}

// emitRune adds one character to the output.
func (s *Scanner) emitRune(r rune) {
	if s.isParsing() {
		s.args.out = appendJSONRune(s.args.out, r)
	}
}

// readSpecial reads a byte that does not simply mean itself.
func (s *Scanner) readSpecial(c byte) int {
	if n, ok := s.readPythonSpecial(c); ok {
		return n
	}
	switch {
	case c == '\\':
		s.str.escapeStart, s.mode = s.pos, inEscape
	case c == '`' && s.str.quote == '`':
		s.runLength, s.mode = 0, inBackticks
		return 0
	case c == s.str.quote:
		s.closeString(s.pos + 1)
	case c == '$' && s.str.quote == '`':
		s.mode = inDollar
	case c < 0x20:
		s.readControl(c)
	default:
		s.fixQuote(s.pos, `\"`)
		s.emitRune(rune(c))
		s.lineBlank = false
	}
	return 1
}

// readControl reads a raw control character. A template may hold them, and reads
// every kind of line end as a line feed.
func (s *Scanner) readControl(c byte) {
	s.lineBlank = isNewline(c) || s.lineBlank && isBlank(c)
	if s.lang == python {
		s.readPythonControl(c)
		return
	}
	if s.str.quote != '`' {
		s.addEdit(&s.str.controls, diag.Edit{Start: s.pos, End: s.pos + 1, New: s.escapeControl(c)})
	} else if c == '\r' {
		s.str.skipLF, c = true, '\n'
	}
	s.emitRune(rune(c))
}

// readDollar reads what follows a dollar sign in a template.
func (s *Scanner) readDollar(c byte) int {
	s.mode, s.lineBlank = inText, false
	if c != '{' {
		s.emitRune('$')
		return 0
	}
	if s.isParsing() {
		s.fail(diag.NotALiteral, s.pos-1, s.pos+1, "unsupported ${…} interpolation in a template literal")
	}
	s.skip.interpolations = append(s.skip.interpolations, 0)
	s.mode = inGap
	return 1
}

// readBackticks reads a run of backticks in a template. One closes it. Three or more can
// never be right as quotes, because a closing one, an empty template and more
// would stand side by side: they are a code fence in the text. Behind a fault
// only those at the start of a line are.
func (s *Scanner) readBackticks(c byte) int {
	if c == '`' {
		s.runLength++
		return 1
	}
	start := s.pos - s.runLength
	if s.runLength < 3 || !s.lineBlank && !s.isParsing() {
		s.toggleTemplates(start, s.runLength)
		return 0
	}
	s.mode, s.lineBlank = inText, false
	if s.isParsing() {
		run := strings.Repeat("`", s.runLength)
		s.args.out = append(s.args.out, run...)
		s.addEdit(&s.str.fences, diag.Edit{Start: start, End: s.pos, New: strings.ReplaceAll(run, "`", "\\`")})
	}
	return 0
}

// toggleTemplates reads n backticks one by one as the quotes of templates.
func (s *Scanner) toggleTemplates(start, n int) {
	open := s.mode == inBackticks
	for i := range n {
		if open {
			s.closeString(start + i + 1)
		} else {
			s.openString('`', start+i)
		}
		open = !open
	}
	s.steps += n
}

// failLoneSurrogate makes a fault of a high surrogate without its low one.
func (s *Scanner) failLoneSurrogate() bool {
	if s.str.highSurrogate == 0 || !s.isParsing() {
		return false
	}
	s.fail(diag.InvalidUTF8, s.tokenStart, s.pos, "unpaired surrogate U+%04X in a string", s.str.highSurrogate)
	return true
}

// invalidUTF8Index returns the offset of the first byte that is not UTF-8.
func invalidUTF8Index(text string) int {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return i
		}
	}
	return len(text)
}
