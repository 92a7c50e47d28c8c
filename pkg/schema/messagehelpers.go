package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/quote"
)

// describeValue names a value: `the string "12"`, "the number 1.50", "an array".
func describeValue(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return "the number " + shorten(v.String())
	case string:
		return "the string " + quoteShortened(v)
	case []any:
		if len(v) == 0 {
			return "an empty array"
		}
		return "an array"
	case map[string]any:
		if len(v) == 0 {
			return "an empty object"
		}
		return "an object"
	}
	return fmt.Sprint(value)
}

func withArticle(name string) string {
	switch name {
	case "null":
		return name
	case "array", "integer", "object":
		return "an " + name
	}
	return "a " + name
}

// countNoun returns "1 item" or "3 items".
func countNoun(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// JoinOr joins names as in "a, b or c".
func JoinOr[T ~string](names []T) string {
	var b strings.Builder
	for i, name := range names {
		switch i {
		case 0:
		case len(names) - 1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(string(name))
	}
	return b.String()
}

// joinFirst joins the first 20 names with commas.
func joinFirst(names []string) string {
	const shown = 20
	if len(names) > shown {
		return strings.Join(names[:shown], ", ") + fmt.Sprintf(" and %d more", len(names)-shown)
	}
	return strings.Join(names, ", ")
}

// unique drops duplicates and keeps the order.
func unique(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func jsonTexts(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = shorten(jsonText(v))
	}
	return out
}

// jsonText returns the JSON of a decoded value, without HTML escapes.
func jsonText(v any) string {
	text, err := quote.Encode(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

func shorten(s string) string { return quote.Shorten(s, 80) }

func exactDecimal(r *big.Rat) string {
	digits, exact := r.FloatPrec()
	if !exact {
		return r.RatString()
	}
	return r.FloatString(digits)
}

// formatNames describe the string formats that models get wrong most.
var formatNames = map[string]string{
	"date":      "a date such as 2026-01-31",
	"date-time": "a date and time such as 2026-01-31T09:00:00Z",
	"duration":  "a duration such as PT1H30M",
	"email":     "an email address",
	"hostname":  "a host name",
	"ipv4":      "an IPv4 address",
	"ipv6":      "an IPv6 address",
	"time":      "a time such as 09:00:00Z",
	"uri":       "an absolute URI such as https://example.com/",
	"uuid":      "a UUID",
}

func describeFormat(name string) string {
	if text, ok := formatNames[name]; ok {
		return text
	}
	return "a value in the format " + name
}

// valueAt returns the value at a path in a decoded document, or nil.
func valueAt(v any, path []string) any {
	for _, key := range path {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

func splitPointer(p string) []string { return slices.Collect(jsontext.Pointer(p).Tokens()) }

func parentPointer(p string) string { return p[:max(0, strings.LastIndexByte(p, '/'))] }
