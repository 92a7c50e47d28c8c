package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"strconv"
	"strings"
)

// isSameJSON reports whether two texts are the same JSON value: the order of
// keys does not matter, and numbers are compared exactly, not as a float64.
func isSameJSON(a, b json.RawMessage) bool {
	x, ok := decodeJSON(a)
	y, also := decodeJSON(b)
	return ok && also && isSameValue(x, y)
}

// isSameWhenTrimmed reports whether a text is the same JSON value as another
// one after blanks at the ends of its strings and keys are dropped.
func isSameWhenTrimmed(long, trimmed json.RawMessage) bool {
	x, ok := decodeJSON(long)
	y, also := decodeJSON(trimmed)
	return ok && also && isSameValue(trimBlanks(x), y)
}

// trimBlanks returns a value without blanks at the ends of its strings and keys.
func trimBlanks(v any) any {
	switch v := v.(type) {
	case string:
		return strings.TrimRight(v, " \t\r\n")
	case []any:
		for i := range v {
			v[i] = trimBlanks(v[i])
		}
	case map[string]any:
		trimmed := make(map[string]any, len(v))
		for key, value := range v {
			trimmed[strings.TrimRight(key, " \t\r\n")] = trimBlanks(value)
		}
		return trimmed
	}
	return v
}

// hasJSONMembers reports whether an object has all members of another.
func hasJSONMembers(object, subset json.RawMessage) bool {
	x, ok := decodeJSON(object)
	y, also := decodeJSON(subset)
	whole, isObject := x.(map[string]any)
	part, areMembers := y.(map[string]any)
	if !ok || !also || !isObject || !areMembers {
		return false
	}
	for key, value := range part {
		if got, ok := whole[key]; !ok || !isSameValue(got, value) {
			return false
		}
	}
	return true
}

// decodeJSON decodes one JSON value and keeps the text of its numbers.
func decodeJSON(raw []byte) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, err == io.EOF
}

// isSameValue compares results of decodeJSON.
func isSameValue(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, isSameValue)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !isSameValue(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && decimalOf(string(a)) == decimalOf(string(b))
	}
	return a == b
}

// A decimal is the number digits·10^exponent; digits neither begin nor end with
// a zero, and those of 0 are empty.
type decimal struct {
	minus    bool
	digits   string
	exponent int
}

// decimalOf returns the value of a JSON number.
func decimalOf(number string) decimal {
	number, minus := strings.CutPrefix(number, "-")
	mantissa, power, _ := strings.Cut(strings.ToLower(number), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent, err := strconv.Atoi(power)
	if err != nil && power != "" {
		return decimal{digits: number} // its exponent overflows: only equal text is the same
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	kept := strings.TrimRight(digits, "0")
	if kept == "" {
		return decimal{}
	}
	return decimal{minus, kept, exponent - len(fraction) + len(digits) - len(kept)}
}
