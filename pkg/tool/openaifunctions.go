package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"oneshot/pkg/diag"
)

// ParseFunctions returns the definitions of functions in the format of OpenAI's API: a list of
// {"type":"function","function":{"name","description","parameters"}}, or of the value of "function" alone. A schema
// with "properties" allows no other arguments, unless another keyword does. A function without parameters allows none,
// a schema without "properties" all. Formats are annotations, as in JSON Schema 2020-12.
// A function with the name of an ending tool or of [AskUser] replaces it.
func ParseFunctions(list json.RawMessage) (*Registry, error) {
	var functions []struct {
		function
		Function *function `json:"function"`
	}
	if err := json.Unmarshal(list, &functions); err != nil {
		return nil, errors.New("expected a list of functions")
	}
	registry, _ := NewRegistry() // no definitions, no findings
	for i, f := range functions {
		if f.Function != nil {
			f.function = *f.Function
		}
		def, err := f.definition()
		if err != nil {
			return nil, fmt.Errorf("function %d: %w", i, err)
		}
		if own, ok := registry.Get(def.Name); ok && own.isInEveryRegistry() {
			delete(registry.byName, def.Name) // the name means the recorded tool
		}
		if clash := registry.Register(def); diag.HasErrors(clash) {
			return nil, fmt.Errorf("function %d: duplicate tool %s", i, def.Name)
		}
	}
	return registry, nil
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

func (f function) definition() (*Definition, error) {
	if f.Name == "" {
		return nil, errors.New("missing name")
	}
	schema := f.Parameters
	if schema == nil || string(schema) == "null" {
		schema = json.RawMessage(`{"properties":{}}`)
	}
	keywords, err := splitObject(schema)
	if err != nil {
		return nil, fmt.Errorf("tool %s: the parameters must be the JSON Schema of an object", f.Name)
	}
	lists := hasMember(keywords, []string{"properties"})
	keywords = slices.DeleteFunc(keywords, func(m member) bool { // as Go programs encode absent values
		return string(m.value) == "null" || m.key == "type" && string(m.value) == `""`
	})
	signature, err := SignatureOf(f.Name, encodeObject(keywords), "")
	if err != nil {
		return nil, err
	}
	if lists && !hasMember(keywords, additionalKeywords) {
		keywords = append(keywords, member{"additionalProperties", json.RawMessage("false")})
	}
	// The effect is unknown, and a write gets no benefit of the doubt.
	def := &Definition{Name: f.Name, Description: f.Description, Signature: signature, Schema: encodeObject(keywords), Effect: Write, formatsAdvisory: true}
	if _, faults := def.argumentsSchema(); diag.HasErrors(faults) {
		return nil, fmt.Errorf("tool %s: the parameters are not a valid JSON Schema: %s", f.Name, faults[0].Message)
	}
	return def, nil
}

func hasMember(object []member, keys []string) bool {
	return slices.ContainsFunc(object, func(m member) bool { return slices.Contains(keys, m.key) })
}

// additionalKeywords are the keywords that can allow other members.
var additionalKeywords = []string{
	"additionalProperties", "patternProperties", "unevaluatedProperties", "propertyNames",
	"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas",
}
