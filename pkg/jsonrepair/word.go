package jsonrepair

import (
	"strings"

	"oneshot/pkg/diag"
)

// A word is what a word of another language is in JSON.
type word struct {
	json string
	code diag.Code
	kind diag.FixKind
}

var words = map[string]word{
	"True": {"true", diag.PythonLiteral, diag.Safe}, "False": {"false", diag.PythonLiteral, diag.Safe}, "None": {"null", diag.PythonLiteral, diag.Safe},
	"TRUE": {"true", diag.PythonLiteral, diag.Safe}, "FALSE": {"false", diag.PythonLiteral, diag.Safe}, "NONE": {"null", diag.PythonLiteral, diag.Unsafe},
	"Null": {"null", diag.PythonLiteral, diag.Safe}, "NULL": {"null", diag.PythonLiteral, diag.Safe},
	"undefined": {"null", diag.NotALiteral, diag.Unsafe}, "nil": {"null", diag.NotALiteral, diag.Unsafe},
	"NaN": {"null", diag.NotANumber, diag.Unsafe}, "nan": {"null", diag.NotANumber, diag.Unsafe},
	"Infinity": {"null", diag.NotANumber, diag.Unsafe}, "-Infinity": {"null", diag.NotANumber, diag.Unsafe}, "+Infinity": {"null", diag.NotANumber, diag.Unsafe},
	"-NaN": {"null", diag.NotANumber, diag.Unsafe}, "+NaN": {"null", diag.NotANumber, diag.Unsafe},
	"inf": {"null", diag.NotANumber, diag.Unsafe}, "-inf": {"null", diag.NotANumber, diag.Unsafe},
}

// isWord reports whether a text is a word of JSON.
func isWord(text string) bool { return text == "true" || text == "false" || text == "null" }

// isScalar reports whether a text is a number, or a word of JSON or of another
// language.
func isScalar(text string) bool {
	if len(text) > 64 {
		return false // it is looked at more than once
	}
	_, known := words[text]
	return known || isWord(text) || isNumber(text)
}

// cutWord returns the word of JSON that a text is the beginning of, "" if it is
// none.
func cutWord(text string) string {
	lower := strings.ToLower(text)
	for from, to := range map[string]string{"true": "true", "false": "false", "null": "null", "none": "null"} {
		if text != "" && len(text) < len(from) && strings.HasPrefix(from, lower) {
			return to
		}
	}
	return ""
}
