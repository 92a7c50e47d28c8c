package schema

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
)

// holds says what schemas stand in the value of a keyword.
type holds int

const (
	holdsNone  holds = iota
	holdsOne         // or, in older drafts, a list of them
	holdsNamed       // an object of them
	holdsList
)

// keywords are those of JSON Schema 2020-12 and of older drafts.
var keywords = map[string]holds{
	"$schema": holdsNone, "$id": holdsNone, "$ref": holdsNone, "$anchor": holdsNone, "$dynamicRef": holdsNone, "$dynamicAnchor": holdsNone,
	"$recursiveRef": holdsNone, "$recursiveAnchor": holdsNone, "$vocabulary": holdsNone, "$comment": holdsNone, "id": holdsNone,
	"$defs": holdsNamed, "definitions": holdsNamed, "properties": holdsNamed, "patternProperties": holdsNamed, "dependentSchemas": holdsNamed,
	"allOf": holdsList, "anyOf": holdsList, "oneOf": holdsList, "prefixItems": holdsList,
	"items": holdsOne, "additionalItems": holdsOne, "contains": holdsOne, "additionalProperties": holdsOne, "propertyNames": holdsOne,
	"unevaluatedItems": holdsOne, "unevaluatedProperties": holdsOne, "not": holdsOne, "if": holdsOne, "then": holdsOne, "else": holdsOne, "contentSchema": holdsOne,
	"dependencies": holdsNone, "dependentRequired": holdsNone, "type": holdsNone, "enum": holdsNone, "const": holdsNone, "required": holdsNone,
	"maxLength": holdsNone, "minLength": holdsNone, "pattern": holdsNone, "maxItems": holdsNone, "minItems": holdsNone, "uniqueItems": holdsNone,
	"maxContains": holdsNone, "minContains": holdsNone, "maxProperties": holdsNone, "minProperties": holdsNone,
	"multipleOf": holdsNone, "maximum": holdsNone, "minimum": holdsNone, "exclusiveMaximum": holdsNone, "exclusiveMinimum": holdsNone,
	"format": holdsNone, "contentEncoding": holdsNone, "contentMediaType": holdsNone, "title": holdsNone, "description": holdsNone,
	"default": holdsNone, "deprecated": holdsNone, "readOnly": holdsNone, "writeOnly": holdsNone, "examples": holdsNone,
	"example": holdsNone, // of OpenAPI, as a note
}

// Misspelt returns a [diag.NearKeyword] warning for each keyword of a schema that is
// unknown and near a known one. Of a text that is not strict JSON there are none.
func Misspelt(raw []byte) []diag.Finding {
	if len(raw) > MaxBytes || Strict(raw) != nil {
		return nil
	}
	doc, err := decode(raw)
	if err != nil {
		return nil
	}
	var out []Violation
	known := slices.Sorted(maps.Keys(keywords))
	eachSchema(doc, func(path []string, object map[string]any) {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if meant := nearKeyword(key, known); meant != "" {
				out = append(out, Violation{
					Path: pointer(path...), Key: key, AtKey: true,
					Message: "unknown JSON Schema keyword " + quote(key), Hint: "did you mean " + meant + "?",
				})
			}
		}
	})
	place(raw, out)
	return report(diag.NearKeyword, raw, out)
}

// nearKeyword returns the keyword that an unknown one was probably meant as, or "".
func nearKeyword(key string, known []string) string {
	const shortest = 4
	noted := strings.HasPrefix(key, "_") || strings.HasPrefix(key, "$$") || strings.HasPrefix(key, "//") // on purpose
	if _, ok := keywords[key]; ok || noted || len(key) < shortest {
		return ""
	}
	meant, most := Nearest(key, known), 2
	if len(key) < 7 {
		most = 1
	}
	if meant == "" || editDistance(strings.ToLower(key), strings.ToLower(meant), most+1) > most {
		return ""
	}
	return meant
}

// eachSchema passes on the schema that a decoded document is, and all in it.
func eachSchema(doc any, pass func(path []string, object map[string]any)) {
	type spot struct {
		path  []string
		value any
	}
	for open := []spot{{value: doc}}; len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		object, ok := at.value.(map[string]any)
		if !ok {
			continue
		}
		pass(at.path, object)
		for key, value := range object {
			below := append(slices.Clone(at.path), key)
			if keywords[key] == holdsOne {
				open = append(open, spot{below, value})
			}
			for name, v := range inner(keywords[key], value) {
				open = append(open, spot{append(slices.Clone(below), name), v})
			}
		}
	}
}

// inner returns the schemas that stand in the value of a keyword beside the value
// itself, by name or index.
func inner(h holds, value any) map[string]any {
	switch v := value.(type) {
	case map[string]any:
		if h == holdsNamed {
			return v
		}
	case []any:
		if h != holdsOne && h != holdsList {
			return nil
		}
		named := make(map[string]any, len(v))
		for i, item := range v {
			named[strconv.Itoa(i)] = item
		}
		return named
	}
	return nil
}
