package tool

import (
	"fmt"
	"strings"
)

// A CommandError says that a command is not just words: a shell would do something with it, and
// there is none.
type CommandError struct {
	Offset int // in bytes
	Why    string
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("byte %d of the command: %s", e.Offset, e.Why)
}

// SplitCommand splits a command into words as a POSIX shell does, with its quotes and backslashes.
// It gives the words that a shell would give to the program, or an error: nothing is expanded
// or substituted, no other command follows, and nothing goes to a file. A character that a shell would act
// on has to be quoted.
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

// A splitter reads a command.
type splitter struct {
	text     string
	at       int
	word     []byte
	inWord   bool // a word has begun, be it empty
	unquoted bool // so far it stands without quotes
	words    []string
}

// What a shell acts on outside of quotes, anywhere and at the beginning of a word; and what it
// acts on in double quotes. Braces are expanded by some shells.
const (
	shellCharacters       = "|&;<>()$`*?[]{}\n\r\x00"
	shellFirstCharacters  = "~#!"
	doubleQuoteCharacters = "$`\x00"
)

func (s *splitter) fail(at int, format string, args ...any) error {
	return &CommandError{at, fmt.Sprintf(format, args...)}
}

// step reads one character, or what is quoted.
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

// endWord ends a word, if one has begun.
func (s *splitter) endWord() {
	if s.inWord {
		s.words = append(s.words, string(s.word))
	}
	s.word, s.inWord, s.unquoted = s.word[:0], false, false
}

// isVariableName reports whether a word could be the name of a variable.
func isVariableName(word []byte) bool {
	for i, c := range word {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(word) > 0
}

// parsePrimary reads what stands between single quotes: everything is as it is.
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

// readDoubleQuoted reads what stands between double quotes, where a backslash is one before a quote, a
// backslash, a dollar sign, a backtick and the end of a line only.
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

// readEscape reads a backslash and the character behind it, which is as it is; the end of a line
// is nothing.
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
