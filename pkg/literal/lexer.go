package literal

import (
	"unicode/utf8"
)

// A mode is the token that the next byte belongs to. Modes from inText on are in strings.
type mode int

const (
	inGap      mode = iota // between tokens
	inSlash                // after a slash that may begin a comment
	inLine                 // in a // comment
	inBlock                // in a /* comment
	inStar                 // after a star in a /* comment
	inFenceRun             // in a run of fence characters
	inNonASCII             // non-ASCII characters, which may be whitespace
	inWord
	inControlToken // in a possible control token after a name
	inNumber
	inBareKey   // in an unquoted key, see NewDelimited
	inBareValue // in an unquoted value
	inText
	inEscape    // after a backslash in a string
	inDigits    // in the digits of a numeric escape
	inDollar    // after a dollar sign in a template
	inBackticks // in a run of backticks in a template
	inOpening   // after the first quotes of a Python string
	inClosing   // in quotes that may close a triple-quoted string
	inBrace     // after a brace in an f-string
	inDelimited // in a string with delimiters
)

// A lexer is the part of a scanner's state that splits a text into tokens.
type lexer struct {
	mode        mode
	pos         int  // offset of the next byte
	tokenStart  int  // offset of the current token
	firstInLine bool // it is the first token of its line
	runLength   int  // length of the current run of fence characters or backticks
	lineBlank   bool // the line has only whitespace so far

	capturing    bool // the text is captured, for tokens and for the call's text
	pinned       bool // capturing continues until StopCapture
	captured     captureBuffer
	captureStart int // offset of the first captured byte

	str stringState
}

func (l *lexer) captureFrom(at int) {
	l.captured.start()
	l.capturing, l.captureStart = true, at
}

func (l *lexer) stopCapture() {
	if l.capturing {
		l.capturing, l.pinned = false, false
		l.captured.discard()
	}
}

// tokenText returns the current token up to the current position.
func (l *lexer) tokenText() string { return l.captured.text()[l.tokenStart-l.captureStart:] }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\v' || c == '\f' }

func isNewline(c byte) bool { return c == '\n' || c == '\r' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isQuote reports whether c is a quote of the language.
func (s *Scanner) isQuote(c byte) bool {
	return c == '"' || c == '\'' || c == '`' && s.lang != python
}

func isNonASCII(c byte) bool { return c >= utf8.RuneSelf }

func canBeginWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '$'
}

func isNameByte(c byte) bool { return canBeginWord(c) || isDigit(c) }

func isWordByte(c byte) bool { return isNameByte(c) || isNonASCII(c) }

// step reads the next bytes of p and returns how many. It reads at least one byte or changes the
// state.
func (s *Scanner) step(p []byte) int {
	switch s.mode {
	case inSlash:
		return s.readSlash(p[0])
	case inLine:
		return s.readLineComment(p)
	case inBlock, inStar:
		return s.readBlockComment(p)
	case inFenceRun:
		return s.readFenceRun(p[0])
	case inNonASCII:
		return s.readNonASCII(p)
	case inWord:
		return s.scanWord(p)
	case inControlToken:
		return s.readControlToken(p[0])
	case inNumber:
		return s.scanNumber(p)
	case inText:
		return s.scanText(p)
	case inEscape:
		return s.readEscape(p[0])
	case inDigits:
		return s.readEscapeDigit(p[0])
	case inDollar:
		return s.readDollar(p[0])
	case inBackticks:
		return s.readBackticks(p[0])
	case inOpening:
		return s.readOpeningQuotes(p[0])
	case inClosing:
		return s.readClosingQuotes(p[0])
	case inBrace:
		return s.readFStringBrace(p[0])
	case inBareKey:
		return s.scanBareKey(p)
	case inBareValue:
		return s.scanBareValue(p)
	case inDelimited:
		return s.scanDelimitedString(p)
	}
	return s.readGap(p)
}

// readGap reads whitespace between tokens and begins the next token.
func (s *Scanner) readGap(p []byte) int {
	c := p[0]
	switch {
	case isBlank(c):
		s.skip.endWord()
		n := 1
		if c != ' ' && c != '\t' {
			s.firstInLine = s.lineBlank
			s.noteNonJSONBlanks(s.pos, s.pos+1)
		}
		for n < len(p) && p[n] == ' ' {
			n++
		}
		return n
	case isNewline(c):
		s.endLine()
		return 1
	case s.canBeginStop(c):
		if n, ok := s.readStop(p); ok {
			return n
		}
	}
	switch {
	case c == s.fence.Char && s.fence.Len > 0 && s.canCloseFence():
		s.captureForUnread()
		s.tokenStart, s.runLength, s.mode = s.pos, 0, inFenceRun
		return 0
	case s.goal == goalPunct && c != '/' && !isNonASCII(c):
		return s.readPunct(c)
	}
	s.captureForUnread()
	s.firstInLine, s.lineBlank = s.lineBlank, false
	switch {
	case s.lang == delimited:
		return s.beginDelimitedToken(p)
	case c == '#' && s.lang == python:
		s.tokenStart, s.mode = s.pos, inLine
		return 1
	case c == '/' && s.lang != python:
		s.tokenStart, s.mode = s.pos, inSlash
		return 1
	}
	switch s.phase {
	case beforeStatement:
		return s.beginStatement(c)
	case inHead:
		return s.readAfterWord(c)
	case inArguments:
		return s.readArgumentStart(c)
	}
	return s.skipByte(c)
}

func (s *Scanner) endLine() {
	s.lineBlank = true
	s.skip.endWord()
	switch {
	case s.phase == inHead:
		s.head.lineBroken = true
	case s.phase == inNonCall && s.skip.endsAtLine():
		s.end, s.state = s.pos, Invalid
	}
}

// canCloseFence reports whether a run of fence characters can close the fence here.
func (s *Scanner) canCloseFence() bool {
	switch s.phase {
	case inArguments:
		return s.lineBlank || s.part.fenceAnywhere
	case skipping:
		return s.lineBlank && len(s.skip.interpolations) == 0
	}
	return len(s.skip.interpolations) == 0
}

// readFenceRun reads a run that closes the fence if it is long enough.
func (s *Scanner) readFenceRun(c byte) int {
	if c != s.fence.Char {
		s.reinterpretShortFence()
		return 0
	}
	s.runLength++
	if s.runLength == s.fence.Len {
		s.endFence()
	}
	return 1
}

// reinterpretShortFence reads a run that is too short for the fence: backticks open and close
// templates, tildes are operators.
func (s *Scanner) reinterpretShortFence() {
	s.mode, s.lineBlank = inGap, false
	switch {
	case s.goal == goalPunct:
		s.endWithoutPunct(s.tokenStart)
		return
	case s.phase == beforeStatement || s.phase == inHead:
		s.beginNonCall(s.tokenStart)
	}
	if s.phase == inNonCall {
		s.skip.addByte(s.fence.Char)
	}
	if s.fence.Char == '`' && s.lang != python {
		s.toggleTemplates(s.tokenStart, s.runLength)
	} else if s.phase == inArguments {
		s.failNonLiteral(s.tokenStart, s.fence.Char)
	}
}

func (s *Scanner) endFence() {
	switch {
	case s.goal == goalPunct:
	case s.phase == inArguments:
		s.failUnclosed("the end of the fence")
	case s.phase == inHead:
		s.beginNonCall(s.tokenStart)
	}
	s.end, s.state = s.tokenStart, FenceClosed
}
