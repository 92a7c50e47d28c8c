package literal

import (
	"strings"
)

// slash tells a comment from an operator.
func (s *Scanner) slash(c byte) int {
	switch c {
	case '/':
		s.mode = inLine
		return 1
	case '*':
		s.mode = inBlock
		return 1
	}
	s.mode = inGap
	switch {
	case s.goal == aMark:
		s.noMark(s.token)
	case s.phase == before || s.phase == heading:
		s.beginJunk(s.token)
	case s.phase == arguing:
		s.argumentFault(s.token, '/')
	}
	return 0
}

func (s *Scanner) lineComment(p []byte) int {
	n, stopped := s.upTo(p, "\r\n")
	if !stopped && n < len(p) && isNewline(p[n]) {
		s.mode = inGap
		s.noteComment(s.at + n)
	}
	return n
}

func (s *Scanner) blockComment(p []byte) int {
	switch {
	case s.mode == inStar && p[0] == '/':
		s.mode = inGap
		s.noteComment(s.at + 1)
		return 1
	case p[0] == '*':
		s.mode = inStar
		return 1
	}
	n, stopped := s.upTo(p, "*")
	if !stopped {
		s.mode = inBlock
	}
	return n
}

func (s *Scanner) beginWord() int {
	s.token, s.mode = s.at, inWord
	return 0
}

func (s *Scanner) beginForeign() int {
	s.token, s.mode = s.at, inForeign
	return 0
}

// foreign reads characters beyond ASCII outside strings: blanks of other
// alphabets, or the beginning of a word.
func (s *Scanner) foreign(p []byte) int {
	n := 0
	for n < len(p) && isForeign(p[n]) {
		n++
	}
	switch {
	case n > 0:
	case trimSpace(s.tokenText()) == "":
		s.mode = inGap
		s.noteBlanks(s.token, s.at)
	case s.goal == aMark:
		s.mode = inGap
		s.noMark(s.token)
	case s.phase == arguing:
		s.mode = inWord
	default:
		s.mode = inGap
		s.beginJunk(s.token)
		s.passing.word = apostrophe{length: 1, other: true}
	}
	return n
}

// word reads a word; a name before "(" is ASCII and may hold dots.
func (s *Scanner) word(p []byte) int {
	n := 0
	if s.phase == heading {
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
	if s.lang == python && s.phase == arguing && s.isQuote(p[0]) && isPrefix(s.tokenText()) {
		s.openPrefixed(s.tokenText(), p[0])
		return 1
	}
	s.endToken()
	return 0
}

// number reads everything that can belong to a number in any notation.
func (s *Scanner) number(p []byte) int {
	n := 0
	for n < len(p) && (isNameByte(p[n]) || p[n] == '.') {
		n++
	}
	switch {
	case n > 0:
	case (p[0] == '-' || p[0] == '+') && signMayFollow(s.tokenText()):
		return 1
	default:
		s.endToken()
	}
	return n
}

// signMayFollow reports whether a sign can continue a number: at its start, and
// in front of an exponent.
func signMayFollow(number string) bool {
	if number == "" {
		return true
	}
	last := number[len(number)-1] | 0x20
	return last == 'e' && radix(strings.TrimLeft(number, "+-")) == 0
}

// endToken ends a word or number in front of the next byte.
func (s *Scanner) endToken() {
	mode := s.mode
	s.mode = inGap
	switch {
	case s.phase == heading:
		s.headWord(s.tokenText())
	case mode == inWord:
		s.argumentWord(s.tokenText())
	default:
		s.argumentNumber(s.tokenText())
	}
}

// longestControl bounds a control token, in bytes.
const longestControl = 64

// controlToken reads a byte of what can be a control token, <|word|>, behind the name of a
// call. Anything else there makes the statement no call.
func (s *Scanner) controlToken(c byte) int {
	text := s.tokenText()
	n := len(text)
	closes := n > len("<|") && text[n-1] == '|'
	switch {
	case c == '|' && (n == len("<") || n > len("<|") && !closes), n >= len("<|") && !closes && isNameByte(c) && n < longestControl:
		return 1
	case c == '>' && closes:
		if s.head.token.End != s.token {
			s.head.token.Start = s.token
		}
		s.head.token.End, s.mode = s.at+1, inGap
		return 1
	}
	s.head.lacks, s.mode = true, inGap
	s.beginJunk(s.token)
	if s.head.outer != "" { // what is in the wrapper is part of the statement
		s.passing.depth++
	}
	return 0
}
