package tool

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A SignatureError is a syntax error in a signature or a type.
type SignatureError struct {
	Offset  int // in bytes, into the text
	Message string
}

func (e *SignatureError) Error() string { return fmt.Sprintf("at byte %d: %s", e.Offset, e.Message) }

func errorAt(offset int, format string, args ...any) *SignatureError {
	return &SignatureError{Offset: offset, Message: fmt.Sprintf(format, args...)}
}

// A token is a word, literal or punctuation mark of a signature.
type token struct {
	kind  byte   // 'a' word, '0' number, '"' string, 0 end; punctuation is itself
	text  string // JSON text of a string, source text of anything else
	start int
	end   int
}

func (l token) String() string {
	if l.kind == 0 {
		return "the end"
	}
	return l.text
}

// lex splits a signature into tokens. The last one is the end.
func lex(src string) ([]token, *SignatureError) {
	if !utf8.ValidString(src) {
		return nil, errorAt(0, "the text is not UTF-8")
	}
	var out []token
	for at := 0; at < len(src); {
		l := token{kind: src[at], start: at, end: at + 1}
		switch c := src[at]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			at++
			continue
		case strings.IndexByte("():,;?|=<>[]{}", c) >= 0:
		case canBeginName(c):
			l.kind, l.end = 'a', at+prefixLength(src[at:], isWordByte)
		case c == '-' || '0' <= c && c <= '9':
			l.kind, l.end = '0', at+prefixLength(src[at:], isNumberByte)
			if !jsontext.Value(src[at:l.end]).IsValid() {
				return nil, errorAt(at, "invalid number %s", src[at:l.end])
			}
		case c == '"' || c == '\'':
			end, text, ok := lexString(src[at:])
			if !ok {
				return nil, errorAt(at, "unterminated string or invalid escape")
			}
			l.kind, l.end, l.text = '"', at+end, text
		default:
			r, _ := utf8.DecodeRuneInString(src[at:])
			return nil, errorAt(at, "unexpected character %q", r)
		}
		if l.kind != '"' {
			l.text = src[l.start:l.end]
		}
		out = append(out, l)
		at = l.end
	}
	return append(out, token{start: len(src), end: len(src)}), nil
}

// prefixLength returns the number of bytes at the start of s that belong to a class.
func prefixLength(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

func isWordByte(c byte) bool { return canBeginName(c) || '0' <= c && c <= '9' }

func isNumberByte(c byte) bool {
	return '0' <= c && c <= '9' || strings.IndexByte("+-.eE", c) >= 0
}

// lexString reads the string in single or double quotes at the start of s and returns its length and its JSON text.
func lexString(s string) (length int, text string, ok bool) {
	end := 1
	for ; end < len(s) && s[end] != s[0]; end++ {
		if s[end] == '\\' {
			end++
		}
	}
	if end >= len(s) {
		return 0, "", false
	}
	body := s[1:end]
	if s[0] == '\'' {
		body = strings.ReplaceAll(body, `\'`, `'`)
		body = escapeUnescapedQuotes(body)
	}
	value := jsontext.Value(`"` + body + `"`)
	if err := value.Canonicalize(); err != nil {
		return 0, "", false
	}
	return end + 1, string(value), true
}

// escapeUnescapedQuotes escapes unescaped double quotes.
func escapeUnescapedQuotes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			b.WriteByte('\\')
		case s[i] == '\\' && i+1 < len(s):
			b.WriteByte('\\')
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
