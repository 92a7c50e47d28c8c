package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
)

// keptKeywords are the keywords of a schema that reach the model everywhere. Ollama
// reads a tool's parameters into a type that has these and no others, in its
// own API and in the compatible ones.
var keptKeywords = []string{"type", "anyOf", "items", "description", "enum", "properties", "required", "$defs"}

// silentKeywords are the keywords that constrain nothing.
var silentKeywords = []string{"$schema", "$id", "$anchor", "$comment", "title", "examples", "deprecated", "readOnly", "writeOnly"}

// spelledOut returns a tool in which the constraints that servers are known to
// drop stand also in words in the descriptions. The schema is the same
// otherwise, byte for byte. That a tool takes no further arguments is not said:
// its parameters are listed.
func spelledOut(f chat.Function) chat.Function {
	words := slices.DeleteFunc(constraints(f.Parameters), func(s string) bool { return s == onlyThese })
	f.Description = describe(f.Description, words)
	f.Parameters = spellInside(f.Parameters)
	return f
}

// spell returns a schema with its constraints in its description.
func spell(raw []byte) []byte {
	raw = spellInside(raw)
	words := constraints(raw)
	if len(words) == 0 {
		return raw
	}
	return put(raw, "description", func(value []byte) []byte {
		text, ok := unquote(value)
		if !ok && value != nil {
			return nil
		}
		return quote(describe(text, words))
	})
}

// spellInside returns a schema with the schemas inside it spelled out.
func spellInside(raw []byte) []byte {
	each := func(list []byte) []byte {
		return splice(list, func(_ string, value []byte) []byte { return spell(value) })
	}
	return splice(raw, func(keyword string, value []byte) []byte {
		switch keyword {
		case "properties", "$defs", "anyOf":
			return each(value)
		case "items":
			return spell(value)
		}
		return value
	})
}

// describe adds words to a description.
func describe(text string, words []string) string {
	added := strings.Join(words, "; ")
	switch {
	case added == "":
		return text
	case strings.TrimSpace(text) == "":
		return added
	}
	return strings.TrimRight(text, " \n") + " (" + added + ")"
}

// constraints returns what a schema demands by keywords that servers drop, in
// words and in the order of the keywords.
func constraints(raw []byte) (words []string) {
	if !isKind(raw, '{') {
		return nil
	}
	splice(raw, func(keyword string, value []byte) []byte {
		if !slices.Contains(keptKeywords, keyword) && !slices.Contains(silentKeywords, keyword) && !strings.HasPrefix(keyword, "x-") {
			if text := phrase(keyword, value); text != "" {
				words = append(words, text)
			}
		}
		return value
	})
	return words
}

// onlyThese says additionalProperties:false.
const onlyThese = "no other members"

// phrases are the words for keywords, with the value in its place.
var phrases = map[string]string{
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

// phrase says one keyword in words, or returns "" if there is nothing to say. A
// keyword without a phrase is named.
func phrase(keyword string, value []byte) string {
	shown := compact(value)
	if text, ok := unquote(value); ok && keyword != "default" && keyword != "const" {
		shown = text
	}
	boolean := jsontext.Value(value).Kind()
	switch {
	case keyword == "uniqueItems" && boolean == 't':
		return "no item twice"
	case keyword == "additionalProperties" && boolean == 'f':
		return onlyThese
	case keyword == "uniqueItems", keyword == "additionalProperties" && (boolean == 't' || shown == "{}"):
		return ""
	case phrases[keyword] != "":
		text := fmt.Sprintf(phrases[keyword], shown)
		if shown == "1" {
			text = strings.TrimSuffix(text, "s") // 1 item
		}
		return text
	}
	return keyword + " " + shown
}
