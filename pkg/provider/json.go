package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An object is a JSON object under construction. Members keep their order, and raw JSON is kept byte for byte: key
// order, digits and spaces of a schema matter to a model.
type object struct {
	members []member
}

// A member is a member of an object; one of value, pieces and object is set.
type member struct {
	key    string
	value  []byte
	pieces body
	object *object
}

// set adds a member with a JSON value. It returns false, without a change, if the member exists.
func (o *object) set(key string, value []byte) bool {
	if o.has(key) {
		return false
	}
	o.members = append(o.members, member{key: key, value: value})
	return true
}

// setPieces adds a member with a JSON value in pieces, which are not copied.
func (o *object) setPieces(key string, value body) {
	o.members = append(o.members, member{key: key, pieces: value})
}

// text adds a string member.
func (o *object) text(key, value string) bool { return o.set(key, quote(value)) }

// child returns an object member, adding it if missing, or nil if the member is not an object.
func (o *object) child(key string) *object {
	for _, m := range o.members {
		if m.key == key {
			return m.object
		}
	}
	inner := new(object)
	o.members = append(o.members, member{key: key, object: inner})
	return inner
}

// has reports whether a member exists.
func (o *object) has(key string) bool {
	for _, m := range o.members {
		if m.key == key {
			return true
		}
	}
	return false
}

func (o *object) json() []byte { return o.body().bytes() }

// body returns the object in pieces.
func (o *object) body() body {
	var all body
	out := []byte{'{'}
	for i, m := range o.members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, quote(m.key)...), ':')
		switch {
		case m.pieces != nil:
			all, out = append(append(all, out), m.pieces...), nil
		case m.object != nil:
			out = append(out, m.object.json()...)
		default:
			out = append(out, m.value...)
		}
	}
	return append(all, append(out, '}'))
}

// newObject returns an object of strings, given as alternating names and values.
func newObject(pairs ...string) *object {
	o := new(object)
	for i := 0; i < len(pairs); i += 2 {
		o.text(pairs[i], pairs[i+1])
	}
	return o
}

// merge adds the members of a value that encoding/json encodes as an object, except existing ones and those in without.
// JSON in the value must be valid.
func (o *object) merge(v any, without ...string) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("a value without an encoding: %v", err))
	}
	mapValues(text.Bytes(), func(name string, value []byte) []byte {
		if !slices.Contains(without, name) {
			o.set(name, bytes.Clone(value))
		}
		return value
	})
}

// array returns a JSON array.
func array(values [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(values, []byte{','})...), ']')
}

// quote returns a text as a JSON string; invalid UTF-8 becomes U+FFFD.
func quote(text string) []byte {
	out, _ := jsontext.AppendQuote(nil, text) // fails only for invalid UTF-8
	return out
}

// lenient are the options for JSON of a server: duplicate names and invalid UTF-8 are passed back unchanged.
var lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// isKind reports whether raw is valid JSON of a kind.
func isKind(raw []byte, kind jsontext.Kind) bool {
	return jsontext.Value(raw).Kind() == kind && jsontext.Value(raw).IsValid(lenient)
}

// unquote returns the text of a JSON string.
func unquote(raw []byte) (text string, ok bool) {
	return text, isKind(raw, '"') && json.Unmarshal(raw, &text) == nil
}

// elements returns the elements of a JSON array, byte for byte, or false if raw is not an array.
func elements(raw []byte) (out [][]byte, ok bool) {
	if !isKind(raw, '[') {
		return nil, false
	}
	mapValues(raw, func(_ string, value []byte) []byte {
		out = append(out, bytes.Clone(value))
		return value
	})
	return out, true
}

// mapValues returns a JSON object or array with its values replaced by change, and every other byte unchanged.
// Array elements have no name. Other input is returned unchanged.
func mapValues(raw []byte, change func(name string, value []byte) []byte) []byte {
	if !isKind(raw, '{') && !isKind(raw, '[') {
		return raw
	}
	var out []byte
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient)
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

// changeMember returns a JSON object with a member changed. If it is missing, change gets nil and the member is
// appended. If change returns nil, the object is unchanged.
func changeMember(raw []byte, name string, change func(value []byte) []byte) []byte {
	found, any := false, false
	out := mapValues(raw, func(key string, value []byte) []byte {
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
	if found || !isKind(raw, '{') {
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
	return append(append(append(append(out, quote(name)...), ':'), value...), '}')
}

// compact returns JSON without whitespace between tokens, which records do not keep, and other input unchanged.
func compact(raw []byte) string {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return string(raw)
	}
	return b.String()
}
