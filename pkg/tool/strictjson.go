package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
)

// Bounds on the arguments of a call.
const (
	MaxArguments     = 1 << 20 // bytes
	maxArgumentDepth = 64      // of arrays and objects in each other, that of all arguments among them
)

// CheckStrict returns what keeps arguments from being the same value for everybody who reads
// them, nil for nothing: a key that stands twice in an object, or in two spellings that
// difference only in case, bytes and escapes that are no character, a number that is beyond a
// 64-bit float, text behind the value, and more depth or bytes than the limits. It is asked
// before anything else looks at the arguments, and tells the first fault, with its path.
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

// A strictScanner reads one text. keys are those of the objects around the place that is read, in
// their folded form, with the spelling that came first.
type strictScanner struct {
	dec  *jsontext.Decoder
	keys []map[string]string
}

// fileIsStdin reads a text up to its first fault, and reports whether there is none.
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

// checkToken looks at one token, and reports whether nothing is wrong with it.
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
		if number := token.String(); !isFloat64(number) {
			return errorFinding(diag.NumberRange, path(), "", "%s: %s exceeds the range of a 64-bit float", shorten(argumentPath(path())), shorten(number)), false
		}
	case '"':
		if kind, length := s.dec.StackIndex(depth); kind == '{' && length%2 == 1 {
			key := token.String()
			if other, ok := s.addKey(depth-1, key); !ok {
				return errorFinding(diag.CaseCollision, path(), "", "the keys %s and %s of one object differ only in case", quote(shorten(other)), quote(shorten(key))), false
			}
		}
	}
	return diag.Finding{}, true
}

// addKey takes in a key of the object at a depth, or returns the one that it is like.
func (s *strictScanner) addKey(depth int, key string) (other string, ok bool) {
	if s.keys[depth] == nil {
		s.keys[depth] = map[string]string{}
	}
	folded := foldCase(key)
	if other, twice := s.keys[depth][folded]; twice {
		return other, false
	}
	s.keys[depth][folded] = key
	return "", true
}

// syntaxFinding words the error of a text that cannot be read.
func syntaxFinding(args json.RawMessage, err error) diag.Finding {
	code := diag.BadLiteral
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		code = diag.DuplicateKey
	case !utf8.Valid(args):
		code = diag.InvalidUTF8
	}
	fault := schema.CheckStrict(args)
	if fault == nil { // both read the same
		return errorFinding(code, "", "", "the arguments are not JSON: %v", err)
	}
	return errorFinding(code, fault.Path, fault.Hint, "%s: %s", shorten(argumentPath(fault.Path)), fault.Message)
}

// isFloat64 reports whether a number is one of a 64-bit float, or lies between two of them.
func isFloat64(number string) bool {
	f, err := strconv.ParseFloat(number, 64)
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return err == nil && (f != 0 || strings.Trim(mantissa, "-0.") == "")
}

// shorten is a text that may be of any length, in a message.
func shorten(text string) string {
	const longest = 80
	if len(text) > longest {
		return strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}

// foldCase returns the same text for all texts that differ only in case, as Unicode's simple
// case folding has it: for each character the first of those that it is folded with.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		first := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			first = min(first, other)
		}
		return first
	}, s)
}
