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

// reader returns a decoder that takes whatever others wrote.
func reader(doc []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(doc), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// HideJSON returns a JSON document without secrets in its strings and names. One without
// any is returned as it is, byte for byte, and what is no JSON is hidden as text.
func (s *Set) HideJSON(doc []byte) []byte {
	if s.None() {
		return doc
	}
	in := reader(doc)
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	found := false
	var err error
	for err == nil {
		hide := s.Hide
		if isName(in) {
			hide = s.hideName
		}
		var token jsontext.Token
		if token, err = in.ReadToken(); err != nil {
			break
		}
		if token.Kind() == '"' {
			text := token.String()
			if hidden := hide(text); hidden != text {
				token, found = jsontext.String(hidden), true
			}
		}
		err = enc.WriteToken(token)
	}
	switch {
	case !errors.Is(err, io.EOF):
		return []byte(s.Hide(string(doc))) // not JSON: as text
	case !found:
		return doc
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// isName reports whether the next token is the name of a member.
func isName(in *jsontext.Decoder) bool {
	kind, length := in.StackIndex(in.StackDepth())
	return kind == '{' && length%2 == 0
}

// hideName returns the name of a member without secrets. A secret that is a plain word may
// well be a name that this program or a schema uses, and is left.
func (s *Set) hideName(name string) string {
	if isWord(name) {
		return name
	}
	return s.Hide(name)
}

func isWord(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) })
}

// HoldsJSON reports whether the arguments of a call hold a secret: in a string, a
// number or the name of a member, or in several strings that follow each other. The names
// of parameters, which the definition gives, may be plain words.
func (s *Set) HoldsJSON(args json.RawMessage) bool {
	if s.None() {
		return false
	}
	in := reader(args)
	var all strings.Builder
	for {
		name, top := isName(in), in.StackDepth() == 1
		token, err := in.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return s.Holds(all.String())
		case err != nil:
			return s.Holds(string(args))
		}
		kind := token.Kind()
		text := token.String()
		switch {
		case kind != '"' && kind != '0', name && top && isWord(text):
			continue
		case s.Holds(text):
			return true
		case !name && kind == '"':
			all.WriteString(text)
		}
	}
}
