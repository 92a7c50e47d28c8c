package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

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
		return appendNumber(b, v.String())
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

// appendNumber appends the sign, the significant digits and the exponent of a number: as many bytes as its spelling, unlike the
// digits of its value. The exponent is small, see [isWithinDigits].
func appendNumber(b []byte, number string) []byte {
	mantissa, power, _ := strings.Cut(strings.ToLower(number), "e")
	exponent, _ := strconv.Atoi(power) // 0 without one
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return append(b, '0')
	}
	if mantissa[0] == '-' {
		b = append(b, '-')
	}
	b = append(append(b, short...), 'e')
	return strconv.AppendInt(b, int64(exponent-len(fraction)+len(digits)-len(short)), 10)
}
