package main

import (
	"bytes"
	"encoding/json"
)

// typeWords are words for types that stand in schemas of the corpus and not in
// JSON Schema, with the type that is meant; "" is any.
var typeWords = map[string]string{
	"dict": "object", "HashMap": "object",
	"tuple": "array", "Array": "array", "ArrayList": "array",
	"float": "number", "double": "number",
	"String": "string", "str": "string",
	"Boolean": "boolean",
	"any":     "", "": "",
}

// translateTypes returns a schema in the words of JSON Schema. What is no JSON
// object is no schema: nil.
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

// renameTypes changes the words for types in a schema and all in it. A property
// that is called "type" has an object for a value and is not taken for one.
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
