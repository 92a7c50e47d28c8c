package schema

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// uniqueItems implements the keyword uniqueItems. The validator's own compares items with equal hashes pairwise, and
// collisions are easy to construct: ["a","b"] and ["a\x04b"] have one.
type uniqueItems struct{}

// Validate implements [jsonschema.SchemaExt].
func (uniqueItems) Validate(ctx *jsonschema.ValidatorContext, v any) {
	items, _ := v.([]any)
	seen := make(map[string]int, len(items))
	for i, item := range items {
		text := string(appendCanonical(nil, item))
		if first, twice := seen[text]; twice {
			ctx.AddError(&kind.UniqueItems{Duplicates: [2]int{first, i}})
			return
		}
		seen[text] = i
	}
}

// appendCanonical appends a text that is equal for two values if and only if they are equal: 1.0 is 1, and keys have
// no order. The depth of documents bounds the recursion.
func appendCanonical(b []byte, v any) []byte {
	switch v := v.(type) {
	case json.Number:
		n, ok := new(big.Rat).SetString(v.String())
		if !ok {
			return append(b, v...)
		}
		return append(b, n.RatString()...)
	case string:
		return strconv.AppendQuote(b, v)
	case []any:
		b = append(b, '[')
		for _, item := range v {
			b = append(appendCanonical(b, item), ',')
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for _, key := range slices.Sorted(maps.Keys(v)) {
			b = append(strconv.AppendQuote(b, key), ':')
			b = append(appendCanonical(b, v[key]), ',')
		}
		return append(b, '}')
	case bool:
		return strconv.AppendBool(b, v)
	}
	return append(b, "null"...)
}
