package wire

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/quote"
)

// An Object is a JSON object under construction. Members keep their order, and raw JSON is kept byte for byte: key
// order, digits and spaces of a schema matter to a model.
type Object struct {
	members []objectMember
}

// An objectMember is a member of an object; one of value, pieces and object is set.
type objectMember struct {
	key    string
	value  []byte
	pieces Pieces
	object *Object
}

// Set adds a member with a JSON value. It returns false, without a change, if the member exists.
func (o *Object) Set(key string, value []byte) bool {
	if o.hasMember(key) {
		return false
	}
	o.members = append(o.members, objectMember{key: key, value: value})
	return true
}

// SetPieces adds a member with a JSON value in pieces, which are not copied.
func (o *Object) SetPieces(key string, value Pieces) {
	o.members = append(o.members, objectMember{key: key, pieces: value})
}

// Text adds a string member.
func (o *Object) Text(key, value string) bool { return o.Set(key, Quote(value)) }

// Child returns an object member, adding it if missing, or nil if the member is not an object.
func (o *Object) Child(key string) *Object {
	for _, m := range o.members {
		if m.key == key {
			return m.object
		}
	}
	inner := new(Object)
	o.members = append(o.members, objectMember{key: key, object: inner})
	return inner
}

// hasMember reports whether a member exists.
func (o *Object) hasMember(key string) bool {
	for _, m := range o.members {
		if m.key == key {
			return true
		}
	}
	return false
}

// JSON returns the object.
func (o *Object) JSON() []byte { return o.Pieces().Bytes() }

// Pieces returns the object in pieces.
func (o *Object) Pieces() Pieces {
	var all Pieces
	out := []byte{'{'}
	for i, m := range o.members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, Quote(m.key)...), ':')
		switch {
		case m.pieces != nil:
			all, out = append(append(all, out), m.pieces...), nil
		case m.object != nil:
			out = append(out, m.object.JSON()...)
		default:
			out = append(out, m.value...)
		}
	}
	return append(all, append(out, '}'))
}

// NewObject returns an object of strings, given as alternating names and values.
func NewObject(pairs ...string) *Object {
	o := new(Object)
	for i := 0; i < len(pairs); i += 2 {
		o.Text(pairs[i], pairs[i+1])
	}
	return o
}

// Merge adds the members of a value that encoding/json encodes as an object, except existing ones and those in without.
// JSON in the value must be valid.
func (o *Object) Merge(v any, without ...string) {
	text, err := quote.Encode(v)
	if err != nil {
		panic(fmt.Sprintf("a value without an encoding: %v", err))
	}
	MapValues(text, func(name string, value []byte) []byte {
		if !slices.Contains(without, name) {
			o.Set(name, bytes.Clone(value))
		}
		return value
	})
}

// Array returns a JSON array.
func Array(values [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(values, []byte{','})...), ']')
}

// Quote returns a text as a JSON string; invalid UTF-8 becomes U+FFFD.
func Quote(text string) []byte {
	out, _ := jsontext.AppendQuote(nil, text) // fails only for invalid UTF-8
	return out
}
