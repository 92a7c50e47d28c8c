package main

import (
	"bytes"
	"encoding/json"
)

// typeWords maps the names of types in schemas of the corpus that are not in
// JSON Schema to types; "" is any.
var typeWords = map[string]string{
	"dict": "object", "HashMap": "object",
	"tuple": "array", "Array": "array", "ArrayList": "array",
	"float": "number", "double": "number",
	"String": "string", "str": "string",
	"Boolean": "boolean",
	"any":     "", "": "",
}

// translateTypes returns a schema with the type names of JSON Schema. It
// returns nil for anything but a JSON object.
func translateTypes(raw json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	if _, ok := v.(map[string]any); !ok {
		return nil
	}
	renameTypes(v)
	out, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return out
}

// renameTypes changes the names of types in a schema and all its parts. A
// property named "type" has an object as its value and is left alone.
func renameTypes(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			renameTypes(item)
		}
	case map[string]any:
		if word, ok := v["type"].(string); ok {
			switch meant, known := typeWords[word]; {
			case known && meant == "":
				delete(v, "type")
			case known:
				v["type"] = meant
			}
		}
		for _, member := range v {
			renameTypes(member)
		}
	}
}
