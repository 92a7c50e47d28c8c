package literal

import (
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// A text is a string that is being read.
type text struct {
	opened
	mends
	mended bool // there are some
}

// begin begins a string.
func (t *text) begin(quote byte) {
	t.opened = opened{quote: quote}
	if t.mended {
		t.mends, t.mended = mends{}, false
	}
}

// An opened is how far a string has been read.
type opened struct {
	quote   byte
	key     bool // it is the key of an object
	from    int  // where its JSON form begins in the output
	escape  int  // offset of the current escape
	kind    byte // of the current escape: 'x', 'u', or '{' for \u{…}
	digits  int  // hexadecimal digits of the escape so far
	value   rune // and their value
	high    rune // a high surrogate that waits for its low one
	newline bool // behind a carriage return whose line feed is part of it
	known   bool // it has an escape of a control character by its letter
	unknown bool // it has a backslash with a letter that is no escape

	verbatim, format, triple bool // in Python
	brace                    byte // the brace that was read last in an f-string
}

// mends are what was mended in a string.
type mends struct {
	raw     mend // raw control characters
	escapes mend // escapes that do not exist
	fences  mend // runs of backticks in a template
	quotes  mend // in JSON: quotes that are not double ones
	loose   mend // in JSON: quotes behind a backslash that they do not need
	kept    mend // in Python: backslashes that are text
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

func (t *text) plain() *byteSet {
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

// plainLength returns how many bytes at the start of p need no attention.
func (t *text) plainLength(p []byte) int {
	plain, n := t.plain(), 0
	if plain == plainInDouble {
		return skipPlain(p, 0)
	}
	for n < len(p) && plain[p[n]] {
		n++
	}
	return n
}

// reading reports whether the output is being written: not so while a fault or
// a statement that is no call is passed over.
func (s *Scanner) reading() bool { return s.phase == arguing }

// openString begins a string at its opening quote. The start of a template is
// the start of a line of its text.
func (s *Scanner) openString(quote byte, at int) {
	s.token = at
	s.str.begin(quote)
	if s.reading() {
		s.beginString(quote)
		s.mendQuote(at, `"`)
	}
	s.mode, s.lineBlank = inText, true
	if s.lang == python {
		s.mode, s.run = inOpening, 1
	}
}

// closeString ends a string behind its closing quote.
func (s *Scanner) closeString(end int) {
	s.mode, s.lineBlank = inGap, false
	if s.reading() {
		s.mendQuote(end-1, `"`)
		s.endString(end)
	}
}

// text reads the inside of a string up to the next byte that needs attention.
func (s *Scanner) text(p []byte) int {
	c := p[0]
	if s.str.newline {
		s.str.newline = false
		if c == '\n' {
			return 1
		}
	}
	if s.str.high != 0 && c != '\\' && s.loneSurrogate() {
		return 0
	}
	if s.lineBlank && c == ' ' {
		s.put(p[:1])
		return 1
	}
	if n := s.str.plainLength(p); n > 0 {
		s.put(p[:n])
		s.lineBlank = false
		return n
	}
	return s.special(c)
}

// put adds bytes to the output that mean themselves in JSON too.
func (s *Scanner) put(p []byte) {
	if s.reading() {
		s.args.out = append(s.args.out, p...)
	}
}

// putRune adds one character to the output.
func (s *Scanner) putRune(r rune) {
	if s.reading() {
		s.args.out = appendRune(s.args.out, r)
	}
}

// special reads a byte that does not simply mean itself.
func (s *Scanner) special(c byte) int {
	if n, ok := s.pythonSpecial(c); ok {
		return n
	}
	switch {
	case c == '\\':
		s.str.escape, s.mode = s.at, inEscape
	case c == '`' && s.str.quote == '`':
		s.run, s.mode = 0, inTicks
		return 0
	case c == s.str.quote:
		s.closeString(s.at + 1)
	case c == '$' && s.str.quote == '`':
		s.mode = inDollar
	case c < 0x20:
		s.control(c)
	default:
		s.mendQuote(s.at, `\"`)
		s.putRune(rune(c))
		s.lineBlank = false
	}
	return 1
}

// control reads a raw control character. A template may hold them, and reads
// every kind of line end as a line feed.
func (s *Scanner) control(c byte) {
	s.lineBlank = isNewline(c) || s.lineBlank && isBlank(c)
	if s.lang == python {
		s.pythonControl(c)
		return
	}
	if s.str.quote != '`' {
		s.mend(&s.str.raw, diag.Edit{Start: s.at, End: s.at + 1, New: s.controlEscape(c)})
	} else if c == '\r' {
		s.str.newline, c = true, '\n'
	}
	s.putRune(rune(c))
}

// dollar reads what follows a dollar sign in a template.
func (s *Scanner) dollar(c byte) int {
	s.mode, s.lineBlank = inText, false
	if c != '{' {
		s.putRune('$')
		return 0
	}
	if s.reading() {
		s.fault(diag.NotALiteral, s.at-1, s.at+1, "${…} in a template would have to be evaluated")
	}
	s.passing.holes = append(s.passing.holes, 0)
	s.mode = inGap
	return 1
}

// ticks reads a run of backticks in a template. One closes it. Three or more can
// never be right as quotes, because a closing one, an empty template and more
// would stand side by side: they are a code fence in the text. Behind a fault
// only those at the start of a line are.
func (s *Scanner) ticks(c byte) int {
	if c == '`' {
		s.run++
		return 1
	}
	start := s.at - s.run
	if s.run < 3 || !s.lineBlank && !s.reading() {
		s.toggle(start, s.run)
		return 0
	}
	s.mode, s.lineBlank = inText, false
	if s.reading() {
		run := strings.Repeat("`", s.run)
		s.args.out = append(s.args.out, run...)
		s.mend(&s.str.fences, diag.Edit{Start: start, End: s.at, New: strings.ReplaceAll(run, "`", "\\`")})
	}
	return 0
}

// toggle reads n backticks one by one as the quotes of templates.
func (s *Scanner) toggle(start, n int) {
	open := s.mode == inTicks
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

// loneSurrogate makes a fault of a high surrogate without its low one.
func (s *Scanner) loneSurrogate() bool {
	if s.str.high == 0 || !s.reading() {
		return false
	}
	s.fault(diag.InvalidUTF8, s.token, s.at, "the string has half of a surrogate pair, U+%04X: it is no character", s.str.high)
	return true
}

// invalidAt returns the offset of the first byte that is not UTF-8.
func invalidAt(text string) int {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return i
		}
	}
	return len(text)
}
