package literal

import (
	"strings"
)

// readSlash decides whether a slash begins a comment.
func (s *Scanner) readSlash(c byte) int {
	switch c {
	case '/':
		s.mode = inLine
		s.skip.endWord()
		return 1
	case '*':
		s.mode = inBlock
		s.skip.endWord()
		return 1
	}
	s.mode = inGap
	switch {
	case s.goal == goalPunct:
		s.endWithoutPunct(s.tokenStart)
	case s.phase == beforeStatement || s.phase == inHead:
		s.beginNonCall(s.tokenStart)
	case s.phase == inArguments:
		s.failNonLiteral(s.tokenStart, '/')
	}
	if s.phase == inNonCall {
		s.skip.addByte('/')
	}
	return 0
}

func (s *Scanner) readLineComment(p []byte) int {
	n, stopped := s.scanUntil(p, "\r\n")
	if !stopped && n < len(p) && isNewline(p[n]) {
		s.mode = inGap
		s.noteComment(s.pos + n)
	}
	return n
}

func (s *Scanner) readBlockComment(p []byte) int {
	switch {
	case s.mode == inStar && p[0] == '/':
		s.mode = inGap
		s.noteComment(s.pos + 1)
		return 1
	case p[0] == '*':
		s.mode = inStar
		return 1
	}
	n, stopped := s.scanUntil(p, "*")
	if !stopped {
		s.mode = inBlock
	}
	return n
}

func (s *Scanner) beginWord() int {
	s.tokenStart, s.mode = s.pos, inWord
	return 0
}

func (s *Scanner) beginNonASCII() int {
	s.tokenStart, s.mode = s.pos, inNonASCII
	return 0
}

// readNonASCII reads non-ASCII characters outside strings: Unicode whitespace or the start of a
// word.
func (s *Scanner) readNonASCII(p []byte) int {
	n := 0
	for n < len(p) && isNonASCII(p[n]) {
		n++
	}
	switch {
	case n > 0:
	case trimUnicodeSpace(s.tokenText()) == "":
		s.mode = inGap
		s.noteNonJSONBlanks(s.tokenStart, s.pos)
	case s.goal == goalPunct:
		s.mode = inGap
		s.endWithoutPunct(s.tokenStart)
	case s.phase == inArguments:
		s.mode = inWord
	default:
		s.mode = inGap
		s.skip.sentence.add(s.tokenText()[0])
		s.beginNonCall(s.tokenStart)
		s.skip.word = apostrophe{length: 1, other: true}
	}
	return n
}

// scanWord reads a word. A name before "(" is ASCII and may contain dots.
func (s *Scanner) scanWord(p []byte) int {
	n := 0
	if s.phase == inHead {
		for n < len(p) && (isNameByte(p[n]) || p[n] == '.') {
			n++
		}
	} else {
		for n < len(p) && isWordByte(p[n]) {
			n++
		}
	}
	if n > 0 {
		return n
	}
	if s.lang == python && s.phase == inArguments && s.isQuote(p[0]) && isStringPrefix(s.tokenText()) {
		s.openPrefixedString(s.tokenText(), p[0])
		return 1
	}
	s.endToken()
	return 0
}

// scanNumber reads the longest run that can be a number in any notation.
func (s *Scanner) scanNumber(p []byte) int {
	n := 0
	for n < len(p) && (isNameByte(p[n]) || p[n] == '.') {
		n++
	}
	switch {
	case n > 0:
	case (p[0] == '-' || p[0] == '+') && canSignFollow(s.tokenText()):
		return 1
	default:
		s.endToken()
	}
	return n
}

// canSignFollow reports whether a sign can continue a number: at its start or before the digits
// of an exponent.
func canSignFollow(number string) bool {
	if number == "" {
		return true
	}
	last := number[len(number)-1] | 0x20
	return last == 'e' && prefixRadix(strings.TrimLeft(number, "+-")) == 0
}

// endToken ends a word or number before the next byte.
func (s *Scanner) endToken() {
	mode := s.mode
	s.mode = inGap
	switch {
	case s.phase == inHead:
		s.endHeadWord(s.tokenText())
	case mode == inWord:
		s.endWord(s.tokenText())
	default:
		s.endNumber(s.tokenText())
	}
}

// maxControlLen limits a control token, in bytes.
const maxControlLen = 64

// readControlToken reads a byte of a possible control token, <|word|>, after the name of a call.
// Anything else there makes the statement a non-call.
func (s *Scanner) readControlToken(c byte) int {
	text := s.tokenText()
	n := len(text)
	closes := n > len("<|") && text[n-1] == '|'
	switch {
	case c == '|' && (n == len("<") || n > len("<|") && !closes), n >= len("<|") && !closes && isNameByte(c) && n < maxControlLen:
		return 1
	case c == '>' && closes:
		if s.head.token.End != s.tokenStart {
			s.head.token.Start = s.tokenStart
		}
		s.head.token.End, s.mode = s.pos+1, inGap
		return 1
	}
	s.head.lacksParen, s.mode = true, inGap
	s.beginNonCall(s.tokenStart)
	for i := range n {
		s.skip.addByte(text[i])
	}
	if s.head.wrapperWord != "" { // the argument of the wrapper is part of the statement
		s.skip.depth++
	}
	return 0
}
