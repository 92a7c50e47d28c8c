package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/quote"
	"oneshot/pkg/schema"
)

// Bounds on the arguments of a call.
const (
	MaxArguments     = 1 << 20 // bytes
	maxArgumentDepth = 64      // of arrays and objects, including the arguments object
)

// CheckStrict reports the first reason why arguments could mean different things to different readers, nil for none: a
// key that is duplicate or differs from another only in case, invalid bytes or escapes, a number beyond a 64-bit
// float, text after the value, and exceeded limits of depth or size. It must run before anything else reads the
// arguments. The finding has the path of the fault.
func CheckStrict(args json.RawMessage) []diag.Finding {
	if len(args) > MaxArguments {
		return []diag.Finding{errorFinding(diag.LargeArguments, "", "", "the arguments have %d bytes, at most %d are allowed", len(args), MaxArguments)}
	}
	s := strictScanner{dec: jsontext.NewDecoder(bytes.NewBuffer(args))}
	if f, ok := s.scan(args); !ok {
		return []diag.Finding{f}
	}
	return nil
}

// A strictScanner scans one text. keys are the keys of the objects around the current position, case-folded, with
// their first spelling.
type strictScanner struct {
	dec  *jsontext.Decoder
	keys []map[string]string
}

// scan reads a text up to its first fault and returns true if it is valid.
func (s *strictScanner) scan(args json.RawMessage) (diag.Finding, bool) {
	for first := true; first || s.dec.StackDepth() > 0; first = false {
		token, err := s.dec.ReadToken()
		if err != nil {
			return syntaxFinding(args, err), false
		}
		if f, ok := s.checkToken(token); !ok {
			return f, false
		}
	}
	if rest := args[s.dec.InputOffset():]; len(bytes.TrimLeft(rest, " \t\r\n")) > 0 {
		return errorFinding(diag.BadLiteral, "", "", "the arguments: unexpected text after the JSON value"), false
	}
	return diag.Finding{}, true
}

// checkToken returns true if a token is valid.
func (s *strictScanner) checkToken(token jsontext.Token) (diag.Finding, bool) {
	depth := s.dec.StackDepth()
	path := func() string { return string(s.dec.StackPointer()) }
	switch token.Kind() {
	case '{', '[':
		s.keys = append(s.keys[:depth-1], nil)
		if depth > maxArgumentDepth {
			return errorFinding(diag.TooDeep, path(), "", "the nesting exceeds %d levels", maxArgumentDepth), false
		}
	case '0':
		if number := token.String(); !isFinite(number) {
			return errorFinding(diag.NumberRange, path(), "", "%s: %s exceeds the range of a 64-bit float", shorten(argumentPath(path())), shorten(number)), false
		}
	case '"':
		if kind, length := s.dec.StackIndex(depth); kind == '{' && length%2 == 1 {
			key := token.String()
			if other, ok := s.addKey(depth-1, key); !ok {
				return errorFinding(diag.CaseCollision, path(), "", "the keys %s and %s of one object differ only in case", quote.JSON(shorten(other)), quote.JSON(shorten(key))), false
			}
		}
	}
	return diag.Finding{}, true
}

// addKey adds a key of the object at a depth, or returns the earlier key that equals it except for case.
func (s *strictScanner) addKey(depth int, key string) (other string, ok bool) {
	if s.keys[depth] == nil {
		s.keys[depth] = map[string]string{}
	}
	folded := fileroot.FoldCase(key)
	if other, twice := s.keys[depth][folded]; twice {
		return other, false
	}
	s.keys[depth][folded] = key
	return "", true
}

// syntaxFinding describes a syntax error.
func syntaxFinding(args json.RawMessage, err error) diag.Finding {
	code := diag.BadLiteral
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		code = diag.DuplicateKey
	case !utf8.Valid(args):
		code = diag.InvalidUTF8
	}
	fault := schema.CheckStrict(args)
	if fault == nil { // unreachable: both parsers accept the same
		return errorFinding(code, "", "", "the arguments are not JSON: %v", err)
	}
	return errorFinding(code, fault.Path, fault.Hint, "%s: %s", shorten(argumentPath(fault.Path)), fault.Message)
}

// shorten bounds text of any length for a message.
func shorten(text string) string { return quote.Shorten(text, 80) }
