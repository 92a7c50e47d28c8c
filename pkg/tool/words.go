package tool

import (
	"fmt"
	"strings"
)

// A WordsError says that a command is not just words: a shell would do something with it, and
// there is none.
type WordsError struct {
	Offset int // in bytes
	Why    string
}

func (e *WordsError) Error() string {
	return fmt.Sprintf("byte %d of the command: %s", e.Offset, e.Why)
}

// Words splits a command into words as a POSIX shell does, with its quotes and backslashes.
// It gives the words that a shell would give to the program, or an error: nothing is expanded
// or substituted, no other command follows, and nothing goes to a file. A character that a shell would act
// on has to be quoted.
func Words(command string) ([]string, error) {
	s := splitter{text: command}
	for s.at < len(command) {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	s.end()
	if len(s.words) == 0 {
		return nil, &WordsError{0, "there is no word"}
	}
	return s.words, nil
}

// A splitter reads a command.
type splitter struct {
	text  string
	at    int
	word  []byte
	open  bool // a word has begun, be it empty
	bare  bool // so far it stands without quotes
	words []string
}

// What a shell acts on outside of quotes, anywhere and at the beginning of a word; and what it
// acts on in double quotes. Braces are expanded by some shells.
const (
	acting      = "|&;<>()$`*?[]{}\n\r\x00"
	actingFirst = "~#!"
	actingQuote = "$`\x00"
)

func (s *splitter) fail(at int, format string, args ...any) error {
	return &WordsError{at, fmt.Sprintf(format, args...)}
}

// step reads one character, or what is quoted.
func (s *splitter) step() error {
	c := s.text[s.at]
	switch {
	case c == ' ' || c == '\t':
		s.end()
	case c == '\'':
		return s.single()
	case c == '"':
		return s.double()
	case c == '\\':
		return s.escape()
	case strings.IndexByte(acting, c) >= 0, !s.open && strings.IndexByte(actingFirst, c) >= 0:
		return s.fail(s.at, "a shell would act on %q, and there is none: quote it if it is meant as it is", c)
	case c == '=' && len(s.words) == 0 && isVariable(s.word) && s.bare:
		return s.fail(s.at, "a shell would set a variable, and there is none: quote it if it is meant as it is")
	default:
		if !s.open {
			s.bare = true
		}
		s.add(c)
	}
	s.at++
	return nil
}

func (s *splitter) add(c byte) { s.word, s.open = append(s.word, c), true }

// end ends a word, if one has begun.
func (s *splitter) end() {
	if s.open {
		s.words = append(s.words, string(s.word))
	}
	s.word, s.open, s.bare = s.word[:0], false, false
}

// isVariable reports whether a word could be the name of a variable.
func isVariable(word []byte) bool {
	for i, c := range word {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(word) > 0
}

// single reads what stands between single quotes: everything is as it is.
func (s *splitter) single() error {
	n := strings.IndexByte(s.text[s.at+1:], '\'')
	if n < 0 {
		return s.fail(s.at, "the quote has no end")
	}
	quoted := s.text[s.at+1 : s.at+1+n]
	if i := strings.IndexByte(quoted, 0); i >= 0 {
		return s.fail(s.at+1+i, "no word holds NUL")
	}
	s.word, s.open, s.bare = append(s.word, quoted...), true, false
	s.at += n + 2
	return nil
}

// double reads what stands between double quotes, where a backslash is one before a quote, a
// backslash, a dollar sign, a backtick and the end of a line only.
func (s *splitter) double() error {
	begin := s.at
	s.open, s.bare = true, false
	for s.at++; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		switch {
		case c == '"':
			s.at++
			return nil
		case strings.IndexByte(actingQuote, c) >= 0:
			return s.fail(s.at, "a shell would act on %q also between double quotes, and there is none: use single ones", c)
		case c == '\\' && s.at+1 < len(s.text) && strings.IndexByte("\"\\$`\n", s.text[s.at+1]) >= 0:
			if s.at++; s.text[s.at] != '\n' {
				s.add(s.text[s.at])
			}
		default:
			s.add(c)
		}
	}
	return s.fail(begin, "the quote has no end")
}

// escape reads a backslash and the character behind it, which is as it is; the end of a line
// is nothing.
func (s *splitter) escape() error {
	if s.at+1 == len(s.text) {
		return s.fail(s.at, "nothing stands behind the backslash")
	}
	switch c := s.text[s.at+1]; c {
	case '\n':
	case 0:
		return s.fail(s.at+1, "no word holds NUL")
	default:
		s.add(c)
		s.bare = false
	}
	s.at += 2
	return nil
}
