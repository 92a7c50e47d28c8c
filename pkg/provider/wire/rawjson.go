package wire

import (
	"bytes"
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Lenient are the options for JSON of a server: duplicate names and invalid UTF-8 are passed back unchanged.
var Lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// IsKind reports whether raw is valid JSON of a kind.
func IsKind(raw []byte, kind jsontext.Kind) bool {
	return jsontext.Value(raw).Kind() == kind && jsontext.Value(raw).IsValid(Lenient)
}

// StringValue returns the text of a JSON string.
func StringValue(raw []byte) (text string, ok bool) {
	return text, IsKind(raw, '"') && json.Unmarshal(raw, &text) == nil
}

// Elements returns the elements of a JSON array, byte for byte, or false if raw is not an array.
func Elements(raw []byte) (out [][]byte, ok bool) {
	if !IsKind(raw, '[') {
		return nil, false
	}
	MapValues(raw, func(_ string, value []byte) []byte {
		out = append(out, bytes.Clone(value))
		return value
	})
	return out, true
}

// MapValues returns a JSON object or array with its values replaced by change, and every other byte unchanged.
// Array elements have no name. Other input is returned unchanged.
func MapValues(raw []byte, change func(name string, value []byte) []byte) []byte {
	if !IsKind(raw, '{') && !IsKind(raw, '[') {
		return raw
	}
	var out []byte
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), Lenient)
	open, _ := dec.ReadToken() // raw is valid: nothing here fails
	named := open.Kind() == '{'
	copied := 0
	for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
		name := ""
		if named {
			token, _ := dec.ReadToken()
			name = token.String()
		}
		value, _ := dec.ReadValue()
		end := int(dec.InputOffset())
		out = append(out, raw[copied:end-len(value)]...)
		out = append(out, change(name, value)...)
		copied = end
	}
	return append(out, raw[copied:]...)
}

// ChangeMember returns a JSON object with a member changed. If it is missing, change gets nil and the member is
// appended. If change returns nil, the object is unchanged.
func ChangeMember(raw []byte, name string, change func(value []byte) []byte) []byte {
	found, any := false, false
	out := MapValues(raw, func(key string, value []byte) []byte {
		any = true
		if key != name || found {
			return value
		}
		found = true
		if changed := change(value); changed != nil {
			return changed
		}
		return value
	})
	if found || !IsKind(raw, '{') {
		return out
	}
	value := change(nil)
	if value == nil {
		return out
	}
	out = bytes.TrimRight(out, " \t\r\n")
	out = bytes.TrimRight(out[:len(out)-1], " \t\r\n")
	if any {
		out = append(out, ',')
	}
	return append(append(append(append(out, Quote(name)...), ':'), value...), '}')
}

// Compact returns JSON without whitespace between tokens, which records do not keep, and other input unchanged.
func Compact(raw []byte) string {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return string(raw)
	}
	return b.String()
}
