package schema

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// leafViolations converts a validator error without alternatives. The validator's own messages are not used: they
// round numbers and omit values.
func (r *errorReader) leafViolations(e *jsonschema.ValidationError) []Violation {
	path, value := joinPointer(e.InstanceLocation...), valueAt(r.value, e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return []Violation{r.wrongTypeViolation(path, value, k.Want)}
	case *kind.Enum:
		return []Violation{r.notAllowedViolation(path, value, jsonTexts(k.Want))}
	case *kind.Const:
		return []Violation{r.notAllowedViolation(path, value, jsonTexts([]any{k.Want}))}
	case *kind.Required:
		return missingKeyViolations(path, k.Missing, "")
	case *kind.DependentRequired:
		return missingKeyViolations(path, k.Missing, k.Prop)
	case *kind.Dependency:
		return missingKeyViolations(path, k.Missing, k.Prop)
	case *kind.AdditionalProperties:
		return r.unknownKeyViolations(path, k.Properties, e.SchemaURL)
	case *kind.PropertyNames:
		return r.invalidNameViolations(e, k.Property)
	}
	keyword := "schema"
	if _, ok := e.ErrorKind.(*kind.Not); ok {
		keyword = "not"
	}
	if p := e.ErrorKind.KeywordPath(); len(p) > 0 {
		keyword = p[0]
	}
	return []Violation{{Path: path, Keyword: keyword, Message: constraintMessage(e.ErrorKind, value)}}
}

func (r *errorReader) wrongTypeViolation(path string, value any, want []string) Violation {
	want = unique(want)
	names := make([]string, len(want))
	for i, w := range want {
		names[i] = withArticle(w)
	}
	return Violation{Path: path, Keyword: "type", allowed: want,
		Message: "expected " + JoinOr(names) + ", got " + describeValue(value)}
}

// notAllowedViolation is the violation of a value that is not among the allowed values, given as JSON texts.
func (r *errorReader) notAllowedViolation(path string, value any, allowed []string) Violation {
	allowed = unique(allowed)
	v := Violation{Path: path, Keyword: "enum", allowed: allowed}
	switch len(allowed) {
	case 0:
		v.Message = "no value is allowed here"
	case 1:
		v.Message = "expected " + allowed[0] + ", got " + describeValue(value)
	default:
		v.Message = "expected one of " + joinFirst(allowed) + "; got " + describeValue(value)
	}
	if s, ok := value.(string); ok {
		v.Hint = DidYouMean(jsonText(s), allowed)
	}
	return v
}

// missingKeyViolations returns the violations of an object that lacks keys. because is the key that requires them, "" for the
// schema.
func missingKeyViolations(path string, keys []string, because string) []Violation {
	why := ""
	if because != "" {
		why = ", which " + quoteShortened(because) + " requires"
	}
	out := make([]Violation, len(keys))
	for i, key := range keys {
		out[i] = Violation{Path: path, Keyword: "required", Key: key, Message: "missing key " + quoteShortened(key) + why}
	}
	return out
}

func (r *errorReader) unknownKeyViolations(path string, keys []string, schemaURL string) []Violation {
	known := r.propertyNames(schemaURL)
	out := make([]Violation, len(keys))
	for i, key := range keys {
		v := Violation{Path: path, Keyword: "additionalProperties", Key: key, AtKey: true, Message: "unknown key " + quoteShortened(key)}
		if len(keys) <= maxFindings { // a hint costs more than the rest
			v.Hint = DidYouMean(quoteShortened(key), known)
		}
		if len(known) > 0 {
			v.Message += "; known keys: " + joinFirst(known)
		}
		out[i] = v
	}
	return out
}

// propertyNames returns the property names of the subschema at a URL, quoted and sorted.
func (r *errorReader) propertyNames(schemaURL string) []string {
	names, ok := r.knownKeys[schemaURL]
	if ok {
		return names
	}
	_, fragment, _ := strings.Cut(schemaURL, "#")
	sub, _ := valueAt(r.schema, splitPointer(fragment)).(map[string]any)
	props, _ := sub["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		names = append(names, quoteShortened(name))
	}
	if r.knownKeys == nil {
		r.knownKeys = map[string][]string{}
	}
	r.knownKeys[schemaURL] = names
	return names
}

// invalidNameViolations is the violation of a key that "propertyNames" rejects. The validator knows the depth of the object but
// may report a sibling, because it reuses the path buffer. So the object is searched by key and depth; if several
// match, the path is that of the document.
func (r *errorReader) invalidNameViolations(e *jsonschema.ValidationError, key string) []Violation {
	found := r.objectsWithKey(key, len(e.InstanceLocation))
	v := Violation{Keyword: "propertyNames", Key: key, Message: "invalid key " + quoteShortened(key)}
	if len(found) == 1 {
		v.Path, v.AtKey = found[0], true
	}
	name := &errorReader{value: key}
	why := sortUnique(name.flattenErrors(&jsonschema.ValidationError{ErrorKind: &kind.Group{}, Causes: e.Causes}))
	if len(why) > 0 {
		v.Message += ": " + why[0].Message
	}
	return []Violation{v}
}

// objectsWithKey returns the paths of the objects at a depth that have a key.
func (r *errorReader) objectsWithKey(key string, depth int) []string {
	if r.objectPaths == nil {
		r.objectPaths = map[keyAtDepth][]string{}
		explainMembers(r.value, func(path []string, _ any) string {
			at := keyAtDepth{path[len(path)-1], len(path) - 1}
			r.objectPaths[at] = append(r.objectPaths[at], joinPointer(path[:at.depth]...))
			return ""
		})
	}
	return r.objectPaths[keyAtDepth{key, depth}]
}

func hasKey(object map[string]any, key string) bool {
	_, ok := object[key]
	return ok
}

// constraintMessage describes errors about a value itself.
func constraintMessage(k jsonschema.ErrorKind, value any) string {
	switch k := k.(type) {
	case *kind.FalseSchema:
		return "no value is allowed here"
	case *kind.Format:
		if k.Want == "regex" {
			return patternErrorText(k.Err)
		}
		return "expected " + describeFormat(k.Want) + ", got " + describeValue(value)
	case *kind.Pattern:
		return "expected a match of the pattern " + k.Want + ", got " + describeValue(value)
	case *kind.UniqueItems:
		return fmt.Sprintf("expected unique items, but items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "no item matches \"contains\""
	case *kind.MinContains:
		return fmt.Sprintf("expected at least %s matching \"contains\", got %d", countNoun(k.Want, "item"), len(k.Got))
	case *kind.MaxContains:
		return fmt.Sprintf("expected at most %s matching \"contains\", got %d", countNoun(k.Want, "item"), len(k.Got))
	case *kind.AdditionalItems:
		return "has " + countNoun(k.Count, "item") + " too many"
	case *kind.OneOf:
		return fmt.Sprintf("expected to match exactly one alternative, but matches %d and %d", k.Subschemas[0]+1, k.Subschemas[1]+1)
	case *kind.Not:
		return `the schema excludes this value with "not"`
	case *kind.RefCycle:
		return "the schema refers to itself endlessly"
	}
	if text := sizeMessage(k); text != "" {
		return text
	}
	return boundMessage(k, value)
}

// sizeMessage describes errors about lengths.
func sizeMessage(k jsonschema.ErrorKind) string {
	least := func(got, want int, noun string) string {
		return fmt.Sprintf("expected at least %s, got %d", countNoun(want, noun), got)
	}
	most := func(got, want int, noun string) string {
		return fmt.Sprintf("expected at most %s, got %d", countNoun(want, noun), got)
	}
	switch k := k.(type) {
	case *kind.MinProperties:
		return least(k.Got, k.Want, "key")
	case *kind.MaxProperties:
		return most(k.Got, k.Want, "key")
	case *kind.MinItems:
		return least(k.Got, k.Want, "item")
	case *kind.MaxItems:
		return most(k.Got, k.Want, "item")
	case *kind.MinLength:
		return least(k.Got, k.Want, "character")
	case *kind.MaxLength:
		return most(k.Got, k.Want, "character")
	}
	return ""
}

// boundMessage describes errors about the size of a number.
func boundMessage(k jsonschema.ErrorKind, value any) string {
	must := func(what string, want *big.Rat) string {
		return "expected " + what + " " + exactDecimal(want) + ", got " + describeValue(value)
	}
	switch k := k.(type) {
	case *kind.Minimum:
		return must("at least", k.Want)
	case *kind.Maximum:
		return must("at most", k.Want)
	case *kind.ExclusiveMinimum:
		return must("more than", k.Want)
	case *kind.ExclusiveMaximum:
		return must("less than", k.Want)
	case *kind.MultipleOf:
		return must("a multiple of", k.Want)
	}
	return "does not match the schema"
}
