package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// portableKeywords are the schema keywords that reach the model on every server. Ollama decodes a tool's parameters
// into a type with only these, in its own API and the compatible ones.
var portableKeywords = []string{"type", "anyOf", "items", "description", "enum", "properties", "required", "$defs"}

// annotationKeywords are keywords without constraints.
var annotationKeywords = []string{"$schema", "$id", "$anchor", "$comment", "title", "examples", "deprecated", "readOnly", "writeOnly"}

// withSchemaHints returns tools whose descriptions repeat the constraints that some servers drop. The schemas are
// otherwise unchanged, byte for byte. It omits that a tool takes no further arguments: its parameters are listed.
func withSchemaHints(tools []chat.Function) []chat.Function {
	hinted := make([]chat.Function, len(tools))
	for i, f := range tools {
		hinted[i] = withSchemaHint(f)
	}
	return hinted
}

func withSchemaHint(f chat.Function) chat.Function {
	words := slices.DeleteFunc(constraintHints(f.Parameters), func(s string) bool { return s == noOtherMembers })
	f.Description = appendToDescription(f.Description, words)
	f.Parameters = addHintsToSubschemas(f.Parameters)
	return f
}

// addHints returns a schema with its constraints in its description.
func addHints(raw []byte) []byte {
	raw = addHintsToSubschemas(raw)
	words := constraintHints(raw)
	if len(words) == 0 {
		return raw
	}
	return wire.ChangeMember(raw, "description", func(value []byte) []byte {
		text, ok := wire.StringValue(value)
		if !ok && value != nil {
			return nil
		}
		return wire.Quote(appendToDescription(text, words))
	})
}

// addHintsToSubschemas returns a schema with hints added to its subschemas.
func addHintsToSubschemas(raw []byte) []byte {
	each := func(list []byte) []byte {
		return wire.MapValues(list, func(_ string, value []byte) []byte { return addHints(value) })
	}
	return wire.MapValues(raw, func(keyword string, value []byte) []byte {
		switch keyword {
		case "properties", "$defs", "anyOf":
			return each(value)
		case "items":
			return addHints(value)
		}
		return value
	})
}

// appendToDescription appends hints to a description.
func appendToDescription(text string, words []string) string {
	added := strings.Join(words, "; ")
	switch {
	case added == "":
		return text
	case strings.TrimSpace(text) == "":
		return added
	}
	return strings.TrimRight(text, " \n") + " (" + added + ")"
}

// constraintHints returns hints for the constraints of a schema that servers drop, in the order of the keywords.
func constraintHints(raw []byte) (words []string) {
	if !wire.IsKind(raw, '{') {
		return nil
	}
	wire.MapValues(raw, func(keyword string, value []byte) []byte {
		if !slices.Contains(portableKeywords, keyword) && !slices.Contains(annotationKeywords, keyword) && !strings.HasPrefix(keyword, "x-") {
			if text := describeConstraint(keyword, value); text != "" {
				words = append(words, text)
			}
		}
		return value
	})
	return words
}

// noOtherMembers is the hint for additionalProperties:false.
const noOtherMembers = "no other members"

// hintFormats are the hints for keywords, with a verb for the value.
var hintFormats = map[string]string{
	"pattern":              "matches the regular expression %s",
	"format":               "in the format %s",
	"default":              "default %s",
	"const":                "always %s",
	"minimum":              "at least %s",
	"maximum":              "at most %s",
	"exclusiveMinimum":     "more than %s",
	"exclusiveMaximum":     "less than %s",
	"multipleOf":           "a multiple of %s",
	"minLength":            "at least %s characters",
	"maxLength":            "at most %s characters",
	"minItems":             "at least %s items",
	"maxItems":             "at most %s items",
	"minProperties":        "at least %s members",
	"maxProperties":        "at most %s members",
	"oneOf":                "exactly one of %s",
	"allOf":                "all of %s",
	"not":                  "not %s",
	"$ref":                 "as in %s",
	"additionalProperties": "any other members are %s",
	"patternProperties":    "members by pattern: %s",
	"propertyNames":        "names of members are %s",
	"prefixItems":          "the first items are %s",
	"contains":             "contains %s",
}

// describeConstraint returns the hint for a keyword, or "" if it constrains nothing. A keyword without a format is named.
func describeConstraint(keyword string, value []byte) string {
	shown := wire.Compact(value)
	if text, ok := wire.StringValue(value); ok && keyword != "default" && keyword != "const" {
		shown = text
	}
	boolean := jsontext.Value(value).Kind()
	switch {
	case keyword == "uniqueItems" && boolean == 't':
		return "no item twice"
	case keyword == "additionalProperties" && boolean == 'f':
		return noOtherMembers
	case keyword == "uniqueItems", keyword == "additionalProperties" && (boolean == 't' || shown == "{}"):
		return ""
	case hintFormats[keyword] != "":
		text := fmt.Sprintf(hintFormats[keyword], shown)
		if shown == "1" {
			text = strings.TrimSuffix(text, "s") // 1 item
		}
		return text
	}
	return keyword + " " + shown
}
