package tool

import (
	"fmt"
	"strings"
)

// A CommandError reports a command that is more than words: it needs a shell, and no shell runs.
type CommandError struct {
	Offset int // in bytes
	Why    string
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("byte %d of the command: %s", e.Offset, e.Why)
}

// SplitCommand splits a command into the words that a POSIX shell would pass to the program, with its quotes and
// backslashes. Anything else that a shell would do is an error: expansion, substitution, further commands,
// redirection. Characters with a meaning to a shell must be quoted.
func SplitCommand(command string) ([]string, error) {
	s := splitter{text: command}
	for s.at < len(command) {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	s.endWord()
	if len(s.words) == 0 {
		return nil, &CommandError{0, "the command is empty"}
	}
	return s.words, nil
}

type splitter struct {
	text     string
	at       int
	word     []byte
	inWord   bool // a word has begun, possibly an empty one
	unquoted bool // no part of the word is quoted so far
	words    []string
}

// Characters with a meaning to a shell: anywhere outside quotes, at the start of a word, and in
// double quotes. Some shells expand braces.
const (
	shellCharacters       = "|&;<>()$`*?[]{}\n\r\x00"
	shellFirstCharacters  = "~#!"
	doubleQuoteCharacters = "$`\x00"
)

func (s *splitter) fail(at int, format string, args ...any) error {
	return &CommandError{at, fmt.Sprintf(format, args...)}
}

// step reads one character, or one quoted part.
func (s *splitter) step() error {
	c := s.text[s.at]
	switch {
	case c == ' ' || c == '\t':
		s.endWord()
	case c == '\'':
		return s.readSingleQuoted()
	case c == '"':
		return s.readDoubleQuoted()
	case c == '\\':
		return s.readEscape()
	case strings.IndexByte(shellCharacters, c) >= 0, !s.inWord && strings.IndexByte(shellFirstCharacters, c) >= 0:
		return s.fail(s.at, "%q has a meaning to a shell, but no shell runs: quote it to use it literally", c)
	case c == '=' && len(s.words) == 0 && isVariableName(s.word) && s.unquoted:
		return s.fail(s.at, "NAME=value sets a variable in a shell, but no shell runs: quote it to use it literally")
	default:
		if !s.inWord {
			s.unquoted = true
		}
		s.add(c)
	}
	s.at++
	return nil
}

func (s *splitter) add(c byte) { s.word, s.inWord = append(s.word, c), true }

// endWord ends the current word, if any.
func (s *splitter) endWord() {
	if s.inWord {
		s.words = append(s.words, string(s.word))
	}
	s.word, s.inWord, s.unquoted = s.word[:0], false, false
}

func isVariableName(word []byte) bool {
	for i, c := range word {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(word) > 0
}

// readSingleQuoted reads a part in single quotes, where everything is literal.
func (s *splitter) readSingleQuoted() error {
	n := strings.IndexByte(s.text[s.at+1:], '\'')
	if n < 0 {
		return s.fail(s.at, "unterminated quote")
	}
	quoted := s.text[s.at+1 : s.at+1+n]
	if i := strings.IndexByte(quoted, 0); i >= 0 {
		return s.fail(s.at+1+i, "NUL is not allowed")
	}
	s.word, s.inWord, s.unquoted = append(s.word, quoted...), true, false
	s.at += n + 2
	return nil
}

// readDoubleQuoted reads a part in double quotes, where a backslash escapes only quotes, backslashes, dollar signs,
// backticks and line ends.
func (s *splitter) readDoubleQuoted() error {
	begin := s.at
	s.inWord, s.unquoted = true, false
	for s.at++; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		switch {
		case c == '"':
			s.at++
			return nil
		case strings.IndexByte(doubleQuoteCharacters, c) >= 0:
			return s.fail(s.at, "%q has a meaning to a shell even in double quotes, but no shell runs: use single quotes", c)
		case c == '\\' && s.at+1 < len(s.text) && strings.IndexByte("\"\\$`\n", s.text[s.at+1]) >= 0:
			if s.at++; s.text[s.at] != '\n' {
				s.add(s.text[s.at])
			}
		default:
			s.add(c)
		}
	}
	return s.fail(begin, "unterminated quote")
}

// readEscape reads a backslash and the literal character after it. An escaped line end is dropped.
func (s *splitter) readEscape() error {
	if s.at+1 == len(s.text) {
		return s.fail(s.at, "trailing backslash")
	}
	switch c := s.text[s.at+1]; c {
	case '\n':
	case 0:
		return s.fail(s.at+1, "NUL is not allowed")
	default:
		s.add(c)
		s.unquoted = false
	}
	s.at += 2
	return nil
}
