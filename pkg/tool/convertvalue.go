package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/literal"
	"oneshot/pkg/quote"
)

// acceptsKind reports whether the JSON kind of a value is that of a type, whatever its contents. A union accepts
// nothing.
func (t *Type) acceptsKind(v json.RawMessage) bool {
	switch kind := jsontext.Value(v).Kind(); t.Kind {
	case Any:
		return true
	case String:
		return kind == '"'
	case Number:
		return kind == '0'
	case Integer:
		_, whole := wholeNumber(string(v))
		return kind == '0' && whole
	case Boolean:
		return kind == 't' || kind == 'f'
	case Null:
		return kind == 'n'
	case Object, Record, Struct:
		return kind == '{'
	case Array:
		return kind == '['
	case Literal:
		return slices.ContainsFunc(t.Values, func(w json.RawMessage) bool { return hasSameText(v, w) })
	}
	return false
}

// hasSameText reports whether two values are the same string or have the same text.
func hasSameText(v, w json.RawMessage) bool {
	a, ok := stringValue(v)
	b, isText := stringValue(w)
	return ok && isText && a == b || string(v) == string(w)
}

// stringValue returns the text of a JSON string.
func stringValue(v json.RawMessage) (string, bool) {
	if jsontext.Value(v).Kind() != '"' {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, []byte(v))
	return string(text), err == nil
}

// convert converts a value to another type. It returns nil if the type cannot be meant, or if something would be lost
// or guessed, with the reason. depth is the number of arrays and objects around the value.
func convert(t *Type, v json.RawMessage, depth int) (to json.RawMessage, lossy string) {
	text, isText := stringValue(v)
	kind := jsontext.Value(v).Kind()
	switch {
	case t.Kind == Literal:
		return t.literalMatching(v), ""
	case isText:
		return parseAs(t.Kind, strings.Trim(text, " \t\r\n"), depth)
	case t.Kind == String && (kind == '0' || kind == 't' || kind == 'f'):
		return json.RawMessage(quote.JSON(string(v))), ""
	case t.Kind == Integer && kind == '0':
		return nil, shortenValue(v) + " is not a whole number"
	case t.Kind == Boolean && kind == '0':
		return parseBoolean(string(v))
	}
	return nil, ""
}

// literalMatching returns the only value of a literal type that equals v except for quotes.
func (t *Type) literalMatching(v json.RawMessage) json.RawMessage {
	var found json.RawMessage
	for _, w := range t.Values {
		if unquoted(v) == unquoted(w) {
			if found != nil {
				return nil
			}
			found = w
		}
	}
	return found
}

// unquoted returns the text of a string, and the JSON of any other value.
func unquoted(v json.RawMessage) string {
	if text, ok := stringValue(v); ok {
		return text
	}
	return string(v)
}

// parseAs parses text as JSON of a kind. Python's spelling of true, false and null is accepted, too.
func parseAs(k Kind, text string, depth int) (to json.RawMessage, lossy string) {
	switch k {
	case Number, Integer:
		return parseNumber(text, k == Integer)
	case Boolean:
		return parseBoolean(text)
	case Null:
		if text == "null" || text == "None" {
			return json.RawMessage("null"), ""
		}
	case Array:
		return parseContainer(text, '[', depth)
	case Object, Record, Struct:
		return parseContainer(text, '{', depth)
	}
	return nil, ""
}

func parseNumber(text string, whole bool) (to json.RawMessage, lossy string) {
	v := jsontext.Value(text)
	switch {
	case !strings.ContainsAny(text, "0123456789") || !strings.ContainsAny(text[:1], "+-.$0123456789"):
		return nil, ""
	case v.Kind() != '0' || !v.IsValid():
		return nil, "it is not a JSON number"
	case !isFinite(text):
		return nil, "it exceeds the range of a 64-bit float"
	}
	if _, ok := wholeNumber(text); whole && !ok {
		return nil, "it is not a whole number"
	}
	return json.RawMessage(text), ""
}

// isFinite reports whether a number is in the range of a 64-bit float.
func isFinite(number string) bool {
	f, err := strconv.ParseFloat(number, 64)
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return err == nil && (f != 0 || !strings.ContainsAny(mantissa, "123456789"))
}

// maxZeros bounds the zeros that an exponent appends to a whole number: floats go up to 1e308.
const maxZeros = 309

// wholeNumber returns the digits of a JSON number, and true if it is whole. A number that is not whole, or whose
// exponent appends more than maxZeros zeros, is returned unchanged.
func wholeNumber(number string) (string, bool) {
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(number), "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	integer, fraction, fractional := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(integer+fraction, "0")
	if !scaled && !fractional {
		return number, true
	}
	if digits == "" {
		return "0", true
	}
	zeros := len(integer) + parseExponent(exponent) - len(digits)
	switch {
	case zeros < 0:
		return number, false
	case zeros > maxZeros:
		return number, true
	}
	digits = strings.TrimLeft(digits, "0") + strings.Repeat("0", zeros)
	if negative {
		return "-" + digits, true
	}
	return digits, true
}

// parseExponent returns an exponent, clamped to ±1<<40, which exceeds the digits of any text. It is 0 for "".
func parseExponent(exponent string) int {
	const most = 1 << 40
	n, _ := strconv.Atoi(exponent) // the nearest int if it is out of range
	return min(max(n, -most), most)
}

func parseBoolean(text string) (to json.RawMessage, lossy string) {
	switch word := strings.ToLower(text); word {
	case "true", "false":
		return json.RawMessage(word), ""
	case "yes", "on", "y", "t", "1":
		return nil, "it is not written as true"
	case "no", "off", "n", "f", "0":
		return nil, "it is not written as false"
	}
	return nil, ""
}

// parseContainer parses text that is a complete JSON array or object.
func parseContainer(text string, open byte, depth int) (to json.RawMessage, lossy string) {
	if text == "" || text[0] != open {
		return nil, ""
	}
	switch r := literal.ParseJSON(text); {
	case r.Value == nil || r.Status != chat.StatusOK:
		return nil, "the text is not JSON: " + r.Findings[0].Message
	case depth+depthOf(r.Value) > literal.MaxDepth:
		return nil, fmt.Sprintf("the nesting would exceed %d levels", literal.MaxDepth)
	default:
		return r.Value, ""
	}
}

// depthOf returns the nesting depth of a value.
func depthOf(v json.RawMessage) int {
	dec, deepest := jsontext.NewDecoder(bytes.NewBuffer(v)), 0
	for {
		if _, err := dec.ReadToken(); err != nil {
			return deepest // at the end: the value is valid
		}
		deepest = max(deepest, dec.StackDepth())
	}
}
