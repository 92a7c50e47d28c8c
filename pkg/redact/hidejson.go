package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// newDecoder returns a lenient decoder, for JSON of other programs.
func newDecoder(doc []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(doc), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// HideJSON masks secrets in the strings and names of a JSON document whose numbers are the program's own. A document
// without secrets is returned unchanged, byte for byte. Invalid JSON is masked as text.
func (s *Set) HideJSON(doc []byte) []byte { return s.hideJSON(doc, s.hideMemberName, false) }

// HideData is HideJSON for external data, such as arguments and answers: a number that contains a secret becomes the
// string [Mask].
func (s *Set) HideData(doc []byte) []byte { return s.hideJSON(doc, s.hideMemberName, true) }

// hideJSON masks secrets in the strings of a document, in names with hideName, and in numbers if hidesNumbers is set.
func (s *Set) hideJSON(doc []byte, hideName func(string) string, hidesNumbers bool) []byte {
	if s.IsEmpty() {
		return doc
	}
	in := newDecoder(doc)
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	found := false
	var err error
	for err == nil {
		hide := s.Hide
		if isName(in) {
			hide = hideName
		}
		var token jsontext.Token
		if token, err = in.ReadToken(); err != nil {
			break
		}
		switch kind := token.Kind(); {
		case kind == '"':
			text := token.String()
			if hidden := hide(text); hidden != text {
				token, found = jsontext.String(hidden), true
			}
		case kind == '0' && hidesNumbers && s.Contains(token.String()):
			token, found = jsontext.String(Mask), true
		}
		err = enc.WriteToken(token)
	}
	switch {
	case !errors.Is(err, io.EOF):
		return []byte(s.Hide(string(doc))) // not JSON
	case !found:
		return doc
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// isName reports whether the next token is a member name.
func isName(in *jsontext.Decoder) bool {
	kind, length := in.StackIndex(in.StackDepth())
	return kind == '{' && length%2 == 0
}

// hideMemberName masks secrets in a member name. A plain word is left unchanged: it may be a name that this
// program or a schema uses.
func (s *Set) hideMemberName(name string) string {
	if isPlainWord(name) {
		return name
	}
	return s.Hide(name)
}

func isPlainWord(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) })
}

// ContainsJSON reports whether call arguments contain a secret: in a string, number or member name, or
// across consecutive strings. Parameter names come from the definition and may be plain words.
func (s *Set) ContainsJSON(args json.RawMessage) bool {
	if s.IsEmpty() {
		return false
	}
	in := newDecoder(args)
	var all strings.Builder
	for {
		name, top := isName(in), in.StackDepth() == 1
		token, err := in.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return s.Contains(all.String())
		case err != nil:
			return s.Contains(string(args))
		}
		kind := token.Kind()
		text := token.String()
		switch {
		case kind != '"' && kind != '0', name && top && isPlainWord(text):
			continue
		case s.Contains(text):
			return true
		case !name && kind == '"':
			all.WriteString(text)
		}
	}
}
