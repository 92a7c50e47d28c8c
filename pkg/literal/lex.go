package literal

import (
	"unicode/utf8"
)

// A mode is what the next byte belongs to. Those from inText on are in strings.
type mode int

const (
	inGap     mode = iota // between tokens
	inSlash               // behind a slash that may begin a comment
	inLine                // in a // comment
	inBlock               // in a /* comment
	inStar                // behind a star in a /* comment
	inRun                 // in a run of fence characters
	inForeign             // in characters beyond ASCII, which may be blanks
	inWord                // in a word
	inControl             // in what can be a control token behind a name
	inNumber              // in a number
	inBareKey             // in a key without quotes, see NewQuoted
	inBare                // in a value without quotes
	inText                // in a string
	inEscape              // behind a backslash in a string
	inDigits              // in the hexadecimal digits of an escape
	inDollar              // behind a dollar sign in a template
	inTicks               // in a run of backticks in a template
	inOpening             // behind the first quotes of a string of Python
	inClosing             // in quotes that may close a string in triple quotes
	inBrace               // behind a brace in an f-string
	inPrivate             // in a string between private marks
)

// A lexer is the part of a scanner's state that cuts a text into tokens.
type lexer struct {
	mode      mode
	at        int  // offset of the next byte
	token     int  // offset of the current token
	first     bool // it is the first of its line
	run       int  // length of the current run of fence characters or backticks
	lineBlank bool // the line holds only blanks so far

	keeping  bool // the text is kept, for tokens and for the call's text
	holding  bool // it is kept until it is forgotten
	kept     keeper
	keptFrom int // offset of the first byte kept

	str text // the current string
}

func (l *lexer) keepFrom(at int) {
	l.kept.begin()
	l.keeping, l.keptFrom = true, at
}

func (l *lexer) forget() {
	if l.keeping {
		l.keeping, l.holding = false, false
		l.kept.drop()
	}
}

// tokenText returns the current token as far as it has been read.
func (l *lexer) tokenText() string { return l.kept.text()[l.token-l.keptFrom:] }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\v' || c == '\f' }

func isNewline(c byte) bool { return c == '\n' || c == '\r' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isQuote reports whether strings can stand between two of c.
func (s *Scanner) isQuote(c byte) bool {
	return c == '"' || c == '\'' || c == '`' && s.lang != python
}

func isForeign(c byte) bool { return c >= utf8.RuneSelf }

// beginsWord reports whether c can begin a word of ASCII characters.
func beginsWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '$'
}

func isNameByte(c byte) bool { return beginsWord(c) || isDigit(c) }

func isWordByte(c byte) bool { return isNameByte(c) || isForeign(c) }

// step reads the next bytes of p, at least one or else a change of state, and
// returns how many.
func (s *Scanner) step(p []byte) int {
	switch s.mode {
	case inSlash:
		return s.slash(p[0])
	case inLine:
		return s.lineComment(p)
	case inBlock, inStar:
		return s.blockComment(p)
	case inRun:
		return s.fenceRun(p[0])
	case inForeign:
		return s.foreign(p)
	case inWord:
		return s.word(p)
	case inControl:
		return s.controlToken(p[0])
	case inNumber:
		return s.number(p)
	case inText:
		return s.text(p)
	case inEscape:
		return s.escape(p[0])
	case inDigits:
		return s.digit(p[0])
	case inDollar:
		return s.dollar(p[0])
	case inTicks:
		return s.ticks(p[0])
	case inOpening:
		return s.openingQuotes(p[0])
	case inClosing:
		return s.closingQuotes(p[0])
	case inBrace:
		return s.brace(p[0])
	case inBareKey:
		return s.bareKey(p)
	case inBare:
		return s.bare(p)
	case inPrivate:
		return s.privateText(p)
	}
	return s.gap(p)
}

// gap reads what stands between tokens, and begins the next token.
func (s *Scanner) gap(p []byte) int {
	c := p[0]
	switch {
	case isBlank(c):
		s.passing.word = apostrophe{}
		n := 1
		if c != ' ' && c != '\t' {
			s.first = s.lineBlank
			s.noteBlanks(s.at, s.at+1)
		}
		for n < len(p) && p[n] == ' ' {
			n++
		}
		return n
	case isNewline(c):
		s.newline()
		return 1
	case s.mayStop(c):
		if n, ok := s.atStop(p); ok {
			return n
		}
	}
	switch {
	case c == s.fence.Char && s.fence.Len > 0 && s.mayClose():
		s.keepTaken()
		s.token, s.run, s.mode = s.at, 0, inRun
		return 0
	case s.goal == aMark && c != '/' && !isForeign(c):
		return s.punctuationMark(c)
	}
	s.keepTaken()
	s.first, s.lineBlank = s.lineBlank, false
	switch {
	case s.lang == quoted:
		return s.quotedToken(p)
	case c == '#' && s.lang == python:
		s.token, s.mode = s.at, inLine
		return 1
	case c == '/' && s.lang != python:
		s.token, s.mode = s.at, inSlash
		return 1
	}
	switch s.phase {
	case before:
		return s.beginStatement(c)
	case heading:
		return s.afterWord(c)
	case arguing:
		return s.argument(c)
	}
	return s.pass(c)
}

func (s *Scanner) newline() {
	s.lineBlank = true
	s.passing.word = apostrophe{}
	switch {
	case s.phase == heading:
		s.head.broken = true
	case s.phase == junking && s.passing.endsAtLine():
		s.end, s.state = s.at, Bad
	}
}

// mayClose reports whether a run of fence characters can close the fence here.
func (s *Scanner) mayClose() bool {
	switch s.phase {
	case arguing:
		return s.lineBlank || s.part.anywhere
	case skipping:
		return s.lineBlank && len(s.passing.holes) == 0
	}
	return len(s.passing.holes) == 0
}

// fenceRun reads a run that closes the fence if it is long enough.
func (s *Scanner) fenceRun(c byte) int {
	if c != s.fence.Char {
		s.shortRun()
		return 0
	}
	s.run++
	if s.run == s.fence.Len {
		s.endFence()
	}
	return 1
}

// shortRun reads a run that was too short as what it is otherwise: backticks
// open and close templates, tildes are operators.
func (s *Scanner) shortRun() {
	s.mode, s.lineBlank = inGap, false
	switch {
	case s.goal == aMark:
		s.noMark(s.token)
		return
	case s.phase == before || s.phase == heading:
		s.beginJunk(s.token)
	}
	if s.fence.Char == '`' && s.lang != python {
		s.toggle(s.token, s.run)
	} else if s.phase == arguing {
		s.argumentFault(s.token, s.fence.Char)
	}
}

func (s *Scanner) endFence() {
	switch {
	case s.goal == aMark:
	case s.phase == arguing:
		s.endedIn("the end of the fence")
	case s.phase == heading:
		s.beginJunk(s.token)
	}
	s.end, s.state = s.token, Fenced
}
