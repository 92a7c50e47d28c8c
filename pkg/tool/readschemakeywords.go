package tool

import (
	"encoding/json"
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
)

// propertyKeys are the keywords in the order of messages.
var propertyKeys = []string{
	"type", "description", "required", "default", "enum", "const", "format", "pattern", "minLength", "maxLength",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "items", "minItems", "maxItems",
	"uniqueItems", "properties", "additionalProperties", "anyOf", "identifier", "ask",
}

// keywordReader returns the function that converts a keyword of a property to JSON, nil for keywords that need more
// than their own value.
func keywordReader(key string) func(yamldoc.Value) (json.RawMessage, bool) {
	switch key {
	case "type":
		return readTypes
	case "description", "format":
		return readText
	case "pattern":
		return readPattern
	case "enum":
		return readValues
	case "const":
		return yamldoc.Value.JSON
	case "minLength", "maxLength", "minItems", "maxItems":
		return readNonNegativeInteger
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return readNumber
	case "multipleOf":
		return readPositiveNumber
	case "uniqueItems":
		return readBool
	case "items":
		return readNestedSchema
	case "additionalProperties":
		return readAdditional
	case "anyOf":
		return readSchemas
	}
	return nil
}

// readRequired reads "required", which is a boolean here, not a list.
func readRequired(v yamldoc.Value) (value, ok bool) {
	if v.IsList() {
		f := v.Add(diag.DefType, "expected true or false, got a list")
		f.Hint = "set required: false on each optional member"
		return false, false
	}
	return v.Bool()
}

func readText(v yamldoc.Value) (json.RawMessage, bool) {
	s, ok := v.Text()
	return json.RawMessage(quote.JSON(strings.TrimSpace(s))), ok
}

func readPattern(v yamldoc.Value) (json.RawMessage, bool) {
	s, ok := v.Text()
	if _, err := schema.CompileBoundedPattern(s); ok && err != nil {
		v.Add(diag.DefValue, "%v", err)
		ok = false
	}
	return json.RawMessage(quote.JSON(s)), ok
}

func readBool(v yamldoc.Value) (json.RawMessage, bool) {
	if _, ok := v.Bool(); !ok {
		return nil, false
	}
	return v.JSON()
}

func readNumber(v yamldoc.Value) (json.RawMessage, bool) {
	n, ok := v.Number()
	return json.RawMessage(n), ok
}

func readPositiveNumber(v yamldoc.Value) (json.RawMessage, bool) {
	raw, ok := readNumber(v)
	if f, err := json.Number(raw).Float64(); ok && (err != nil || f <= 0) {
		v.Add(diag.DefValue, "expected a number greater than 0, got %s", raw)
		ok = false
	}
	return raw, ok
}

func readNonNegativeInteger(v yamldoc.Value) (json.RawMessage, bool) {
	raw, ok := readNumber(v)
	if n, err := json.Number(raw).Int64(); ok && (err != nil || n < 0 || n > 1<<31) {
		v.Add(diag.DefValue, "expected an integer of at least 0, got %s", raw)
		ok = false
	}
	return raw, ok
}

func readValues(v yamldoc.Value) (json.RawMessage, bool) {
	items, ok := v.List()
	if ok && len(items) == 0 {
		v.Add(diag.DefValue, "expected at least one value")
		return nil, false
	}
	raw, good := v.JSON()
	return raw, ok && good
}

// readTypes reads a type name or a list of them.
func readTypes(v yamldoc.Value) (json.RawMessage, bool) {
	names := []yamldoc.Value{v}
	if v.IsList() {
		if _, ok := readValues(v); !ok {
			return nil, false
		}
		names, _ = v.List()
	}
	good := true
	for _, n := range names {
		name, ok := n.Text()
		if ok && Kind(name) != Array && !slices.Contains(simpleKinds, Kind(name)) {
			f := n.Add(diag.DefValue, "unknown type %s", name)
			if f.Hint = schema.DidYouMean(name, schemaTypes); foreignTypeNames[name] != "" {
				f.Hint = "did you mean " + foreignTypeNames[name] + "?"
			}
			ok = false
		}
		good = good && ok
	}
	raw, ok := v.JSON()
	return raw, good && ok
}

var schemaTypes = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

// readNestedSchema reads a schema nested in a property.
func readNestedSchema(v yamldoc.Value) (json.RawMessage, bool) {
	p, ok := readProperty(v)
	if p.required || p.optional {
		v.Add(diag.DefValue, "required applies only to parameters and object members")
		ok = false
	}
	return p.schema(), ok
}

func readSchemas(v yamldoc.Value) (json.RawMessage, bool) {
	if _, ok := readValues(v); !ok {
		return nil, false
	}
	items, good := v.List()
	b := []byte{'['}
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		raw, ok := readNestedSchema(item)
		b, good = append(b, raw...), good && ok
	}
	return append(b, ']'), good
}

func readAdditional(v yamldoc.Value) (json.RawMessage, bool) {
	if v.IsBool() {
		return v.JSON()
	}
	return readNestedSchema(v)
}
