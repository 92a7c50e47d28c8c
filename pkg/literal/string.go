package literal

import (
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
)

// A stringState is the string that is being read.
type stringState struct {
	stringProgress
	stringFixes
	hasFixes bool // stringFixes is not empty
}

func (t *stringState) begin(quote byte) {
	t.stringProgress = stringProgress{quote: quote}
	if t.hasFixes {
		t.stringFixes, t.hasFixes = stringFixes{}, false
	}
}

// A stringProgress is the lexer state inside a string.
type stringProgress struct {
	quote            byte
	isKey            bool // it is the key of an object
	outStart         int  // start of its JSON form in the output
	escapeStart      int  // offset of the current escape
	escapeKind       byte // its kind: 'x', 'u', or '{' for \u{…}
	escapeDigits     int  // number of its digits so far
	escapeValue      rune // their value
	highSurrogate    rune // a high surrogate that needs its low surrogate
	skipLF           bool // after a carriage return that includes a following line feed
	hasLetterEscape  bool // it has a letter escape of a control character
	hasUnknownEscape bool // it has an unknown escape

	raw, format, triple bool // Python only
	brace               byte // the last brace in an f-string
}

// stringFixes are the fixes of a string.
type stringFixes struct {
	controls        fixBuilder // raw control characters
	badEscapes      fixBuilder // unknown escapes
	fences          fixBuilder // runs of backticks in a template
	quotes          fixBuilder // JSON: quotes other than double quotes
	looseEscapes    fixBuilder // JSON: unnecessary escapes of quotes
	keptBackslashes fixBuilder // Python: literal backslashes
}

// A byteSet is a set of bytes.
type byteSet [256]bool

// The bytes without a special meaning in each kind of string.
var (
	plainInDouble   = plainBytesIn('"')
	plainInSingle   = plainBytesIn('\'')
	plainInTemplate = plainBytesIn('`')
	plainInFormat   = plainBytesInFString()
)

func plainBytesIn(quote byte) *byteSet {
	var set byteSet
	for c := 0x20; c < len(set); c++ {
		set[c] = true
	}
	set[quote], set['"'], set['\\'] = false, false, false
	set['$'] = quote != '`'
	return &set
}

func plainBytesInFString() *byteSet {
	set := *plainBytesIn('\'')
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

// plainPrefixLen returns how many bytes at the start of p have no special meaning.
func (t *stringState) plainPrefixLen(p []byte) int {
	plain, n := t.plainBytes(), 0
	if plain == plainInDouble {
		return quote.SkipPlain(p, 0)
	}
	for n < len(p) && plain[p[n]] {
		n++
	}
	return n
}

// isWritingOutput reports whether the output is being written, which stops while a faulty call or a
// non-call is skipped.
func (s *Scanner) isWritingOutput() bool { return s.phase == inArguments }

// openString begins a string at its opening quote. The start of a template counts as the start
// of a line.
func (s *Scanner) openString(quote byte, at int) {
	s.tokenStart = at
	s.str.begin(quote)
	if s.isWritingOutput() {
		s.beginString(quote)
		s.addQuoteFix(at, `"`)
	}
	s.mode, s.lineBlank = inText, true
	if s.lang == python {
		s.mode, s.runLength = inOpening, 1
	}
}

// closeString ends a string after its closing quote.
func (s *Scanner) closeString(end int) {
	s.mode, s.lineBlank = inGap, false
	if s.isWritingOutput() {
		s.addQuoteFix(end-1, `"`)
		s.endString(end)
	}
}

// scanText reads a string up to the next special byte.
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
	return s.readStringSpecial(c)
}

// emit adds bytes to the output that need no escape in JSON.
func (s *Scanner) emit(p []byte) {
	if s.isWritingOutput() {
		s.args.out = append(s.args.out, p...)
	}
}

// emitRune adds one character to the output.
func (s *Scanner) emitRune(r rune) {
	if s.isWritingOutput() {
		s.args.out = quote.AppendJSONRune(s.args.out, r)
	}
}

// readStringSpecial reads a byte with a special meaning.
func (s *Scanner) readStringSpecial(c byte) int {
	if n, ok := s.readPythonStringSpecial(c); ok {
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
		s.addQuoteFix(s.pos, `\"`)
		s.emitRune(rune(c))
		s.lineBlank = false
	}
	return 1
}

// readControl reads a raw control character. A template may contain them, and reads every kind
// of line end as a line feed.
func (s *Scanner) readControl(c byte) {
	s.lineBlank = isNewline(c) || s.lineBlank && isBlank(c)
	if s.lang == python {
		s.readPythonControl(c)
		return
	}
	if s.str.quote != '`' {
		s.addEdit(&s.str.controls, diag.Edit{Start: s.pos, End: s.pos + 1, New: s.controlEscape(c)})
	} else if c == '\r' {
		s.str.skipLF, c = true, '\n'
	}
	s.emitRune(rune(c))
}

// readDollar reads the byte after a dollar sign in a template.
func (s *Scanner) readDollar(c byte) int {
	s.mode, s.lineBlank = inText, false
	if c != '{' {
		s.emitRune('$')
		return 0
	}
	if s.isWritingOutput() {
		s.fail(diag.NotALiteral, s.pos-1, s.pos+1, "unsupported ${…} interpolation in a template literal")
	}
	s.skip.interpolations = append(s.skip.interpolations, 0)
	s.mode = inGap
	return 1
}

// readBackticks reads a run of backticks in a template. One closes it. Three or more can never
// be quotes, because a closing quote and an empty template would be adjacent: they are a code
// fence in the text. After an error only those at the start of a line are.
func (s *Scanner) readBackticks(c byte) int {
	if c == '`' {
		s.runLength++
		return 1
	}
	start := s.pos - s.runLength
	if s.runLength < 3 || !s.lineBlank && !s.isWritingOutput() {
		s.toggleTemplates(start, s.runLength)
		return 0
	}
	s.mode, s.lineBlank = inText, false
	if s.isWritingOutput() {
		run := strings.Repeat("`", s.runLength)
		s.args.out = append(s.args.out, run...)
		s.addEdit(&s.str.fences, diag.Edit{Start: start, End: s.pos, New: strings.ReplaceAll(run, "`", "\\`")})
	}
	return 0
}

// toggleTemplates reads n backticks as quotes that open and close templates.
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

// failLoneSurrogate reports a high surrogate without its low surrogate.
func (s *Scanner) failLoneSurrogate() bool {
	if s.str.highSurrogate == 0 || !s.isWritingOutput() {
		return false
	}
	s.fail(diag.InvalidUTF8, s.tokenStart, s.pos, "unpaired surrogate U+%04X in a string", s.str.highSurrogate)
	return true
}

// validUTF8Len returns the index of the first invalid UTF-8 byte.
func validUTF8Len(text string) int {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return i
		}
	}
	return len(text)
}
