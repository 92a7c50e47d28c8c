package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// A member is one member of a JSON object.
type member struct {
	key   string
	value json.RawMessage
}

// splitObject splits a JSON object, in order.
func splitObject(raw json.RawMessage) ([]member, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
	if dec.PeekKind() != '{' {
		return nil, errors.New("expected an object")
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var out []member
	for dec.PeekKind() != '}' {
		key, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		out = append(out, member{name, json.RawMessage(value.Clone())})
	}
	return out, nil
}

// splitArray splits a JSON array. Anything else has no elements.
func splitArray(raw json.RawMessage) []json.RawMessage {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
	if dec.PeekKind() != '[' {
		return nil
	}
	var out []json.RawMessage
	for _, err := dec.ReadToken(); err == nil && dec.PeekKind() != ']'; {
		var v jsontext.Value
		if v, err = dec.ReadValue(); err == nil {
			out = append(out, json.RawMessage(v.Clone()))
		}
	}
	return out
}

// keywords are the members of a schema.
type keywords map[string]json.RawMessage

func readKeywords(raw json.RawMessage) keywords {
	k := keywords{}
	ms, err := splitObject(raw)
	if err != nil { // true and false are schemas too
		return k
	}
	for _, m := range ms {
		k[m.key] = m.value
	}
	return k
}

// texts returns the strings of a keyword that is a string or a list of them.
func (k keywords) texts(key string) []string {
	values := splitArray(k[key])
	if values == nil && k[key] != nil {
		values = []json.RawMessage{k[key]}
	}
	var out []string
	for _, v := range values {
		if text, err := jsontext.AppendUnquote(nil, []byte(v)); err == nil {
			out = append(out, string(text))
		}
	}
	return out
}

// SignatureOf derives a signature from the JSON Schema of a tool's parameters. Parts that signatures cannot express,
// such as references, are of type any. returns is the result type, "" if unknown.
func SignatureOf(name string, schema json.RawMessage, returns string) (Signature, error) {
	s := Signature{Name: name}
	k := readKeywords(schema)
	if types := k.texts("type"); !jsontext.Value(schema).IsValid() || len(types) > 0 && !slices.Contains(types, "object") {
		return s, fmt.Errorf("tool %s: the parameters must be the JSON Schema of an object", name)
	}
	s.Params = k.toParams(1)
	if returns == "" {
		return s, nil
	}
	t, err := ParseType(returns)
	if err != nil {
		return s, fmt.Errorf("tool %s: returns: %w", name, err)
	}
	s.Returns = t
	return s, nil
}

func (k keywords) toParams(depth int) []Param {
	required := map[string]bool{}
	for _, name := range k.texts("required") {
		required[name] = true
	}
	properties, err := splitObject(k["properties"])
	if err != nil {
		return nil
	}
	var out []Param
	for _, m := range properties {
		sub := readKeywords(m.value)
		p := Param{Name: m.key, Type: sub.toType(depth), Optional: !required[m.key]}
		if p.Optional {
			p.Default = compactJSON(sub["default"])
		}
		if texts := sub.texts("description"); len(texts) == 1 {
			p.Description = texts[0]
		}
		out = append(out, p)
	}
	return out
}

func compactJSON(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return raw
	}
	return b.Bytes()
}

func (k keywords) toType(depth int) *Type {
	if depth > maxTypeDepth {
		return &Type{Kind: Any}
	}
	switch {
	case k["const"] != nil:
		return unionOfValues([]json.RawMessage{k["const"]})
	case k["enum"] != nil:
		return unionOfValues(splitArray(k["enum"]))
	case k["anyOf"] != nil:
		return unionOfSchemas(k["anyOf"], depth)
	case k["oneOf"] != nil:
		return unionOfSchemas(k["oneOf"], depth)
	}
	types := k.texts("type")
	switch {
	case len(types) > 0:
	case k["properties"] != nil:
		types = []string{"object"}
	case k["items"] != nil:
		types = []string{"array"}
	default:
		return &Type{Kind: Any}
	}
	options := make([]*Type, len(types))
	for i, name := range types {
		options[i] = k.toTypeNamed(name, depth)
	}
	return unionOf(options...)
}

// toTypeNamed returns the type of a schema restricted to one JSON type.
func (k keywords) toTypeNamed(name string, depth int) *Type {
	switch kind := Kind(name); kind {
	case String, Number, Integer, Boolean, Null:
		return &Type{Kind: kind}
	case Array:
		return arrayOf(readKeywords(k["items"]).toType(depth + 1))
	case Object:
		return k.toObjectType(depth)
	}
	return &Type{Kind: Any}
}

func (k keywords) toObjectType(depth int) *Type {
	if fields := k.toParams(depth + 1); fields != nil || string(k["additionalProperties"]) == "false" {
		return &Type{Kind: Struct, Fields: fields}
	}
	return recordOf(readKeywords(k["additionalProperties"]).toType(depth + 1))
}

func unionOfValues(values []json.RawMessage) *Type {
	var options []*Type
	for _, v := range values {
		if v[0] == '{' || v[0] == '[' {
			return &Type{Kind: Any}
		}
		value := jsontext.Value(v)
		if v[0] == '"' && value.Canonicalize() != nil {
			return &Type{Kind: Any}
		}
		options = append(options, literalOf(json.RawMessage(value)))
	}
	if options == nil {
		return &Type{Kind: Any}
	}
	return unionOf(options...)
}

func unionOfSchemas(raw json.RawMessage, depth int) *Type {
	var options []*Type
	for _, v := range splitArray(raw) {
		options = append(options, readKeywords(v).toType(depth+1))
	}
	if options == nil {
		return &Type{Kind: Any}
	}
	return unionOf(options...)
}
