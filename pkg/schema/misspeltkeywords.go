package schema

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
)

// A subschemaShape is the way in which a keyword's value contains schemas.
type subschemaShape int

const (
	noSubschema     subschemaShape = iota
	oneSubschema                   // or, in older drafts, a list
	namedSubschemas                // an object of schemas
	listOfSubschemas
)

// knownKeywords are the keywords of JSON Schema 2020-12 and of older drafts.
var knownKeywords = map[string]subschemaShape{
	"$schema": noSubschema, "$id": noSubschema, "$ref": noSubschema, "$anchor": noSubschema, "$dynamicRef": noSubschema, "$dynamicAnchor": noSubschema,
	"$recursiveRef": noSubschema, "$recursiveAnchor": noSubschema, "$vocabulary": noSubschema, "$comment": noSubschema, "id": noSubschema,
	"$defs": namedSubschemas, "definitions": namedSubschemas, "properties": namedSubschemas, "patternProperties": namedSubschemas, "dependentSchemas": namedSubschemas,
	"allOf": listOfSubschemas, "anyOf": listOfSubschemas, "oneOf": listOfSubschemas, "prefixItems": listOfSubschemas,
	"items": oneSubschema, "additionalItems": oneSubschema, "contains": oneSubschema, "additionalProperties": oneSubschema, "propertyNames": oneSubschema,
	"unevaluatedItems": oneSubschema, "unevaluatedProperties": oneSubschema, "not": oneSubschema, "if": oneSubschema, "then": oneSubschema, "else": oneSubschema, "contentSchema": oneSubschema,
	"dependencies": noSubschema, "dependentRequired": noSubschema, "type": noSubschema, "enum": noSubschema, "const": noSubschema, "required": noSubschema,
	"maxLength": noSubschema, "minLength": noSubschema, "pattern": noSubschema, "maxItems": noSubschema, "minItems": noSubschema, "uniqueItems": noSubschema,
	"maxContains": noSubschema, "minContains": noSubschema, "maxProperties": noSubschema, "minProperties": noSubschema,
	"multipleOf": noSubschema, "maximum": noSubschema, "minimum": noSubschema, "exclusiveMaximum": noSubschema, "exclusiveMinimum": noSubschema,
	"format": noSubschema, "contentEncoding": noSubschema, "contentMediaType": noSubschema, "title": noSubschema, "description": noSubschema,
	"default": noSubschema, "deprecated": noSubschema, "readOnly": noSubschema, "writeOnly": noSubschema, "examples": noSubschema,
	"example": noSubschema, // OpenAPI annotation
}

// MisspeltKeywords returns a [diag.MisspelledKeyword] warning for each keyword of a schema that is
// unknown and near a known one. A text that is not strict JSON has none.
func MisspeltKeywords(raw []byte) []diag.Finding {
	if len(raw) > MaxBytes || CheckStrict(raw) != nil {
		return nil
	}
	doc, err := decodeExact(raw)
	if err != nil {
		return nil
	}
	var out []Violation
	known := slices.Sorted(maps.Keys(knownKeywords))
	eachSchema(doc, func(path []string, object map[string]any) {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if meant := closestKeyword(key, known); meant != "" {
				out = append(out, Violation{
					Path: joinPointer(path...), Key: key, AtKey: true,
					Message: "unknown JSON Schema keyword " + quoteShortened(key), Hint: "did you mean " + meant + "?",
				})
			}
		}
	})
	locateViolations(raw, out)
	return reportViolations(diag.MisspelledKeyword, raw, out)
}

// closestKeyword returns the keyword close to an unknown one, or "".
func closestKeyword(key string, known []string) string {
	const shortest = 4
	noted := strings.HasPrefix(key, "_") || strings.HasPrefix(key, "$$") || strings.HasPrefix(key, "//") // deliberate annotations
	if _, ok := knownKeywords[key]; ok || noted || len(key) < shortest {
		return ""
	}
	meant, most := ClosestMatch(key, known), 2
	if len(key) < 7 {
		most = 1
	}
	if meant == "" || editDistance(strings.ToLower(key), strings.ToLower(meant), most+1) > most {
		return ""
	}
	return meant
}

// eachSchema calls pass for a schema and all schemas inside it.
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
			if knownKeywords[key] == oneSubschema {
				open = append(open, spot{below, value})
			}
			for name, v := range innerSchemas(knownKeywords[key], value) {
				open = append(open, spot{append(slices.Clone(below), name), v})
			}
		}
	}
}

// innerSchemas returns the schemas in a keyword's value, by name or index, except the value itself.
func innerSchemas(h subschemaShape, value any) map[string]any {
	switch v := value.(type) {
	case map[string]any:
		if h == namedSubschemas {
			return v
		}
	case []any:
		if h != oneSubschema && h != listOfSubschemas {
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
