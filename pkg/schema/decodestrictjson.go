package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
)

// Bounds on documents. Within them every number is compared exactly and no
// document can exhaust the stack.
const (
	maxDepth  = 128
	maxDigits = 1000 // of a number, and of its exponent's value
)

// decodeExact decodes strict JSON with exact numbers.
func decodeExact(doc []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

// CheckStrict returns the first fault of a text that must be one JSON value, or nil. In addition to bad syntax it
// rejects duplicate keys, invalid UTF-8, nesting deeper than [maxDepth] and numbers longer than [maxDigits]. The
// finding is located.
func CheckStrict(doc []byte) *diag.Finding {
	offset, path, why := scanStrict(doc)
	if why == "" {
		return nil
	}
	_, size := utf8.DecodeRune(doc[min(offset, len(doc)):])
	f := diag.New(diag.NotJSON, diag.Bytes(offset, offset+size), "%s", why)
	f.Path, f.Hint = path, syntaxHint(doc)
	f.Span = diag.NewLines(doc).Locate(f.Span)
	return &f
}

// scanStrict returns the position of the first fault and its description, "" for none.
func scanStrict(doc []byte) (offset int, path, why string) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(doc))
	for first := true; first || dec.StackDepth() > 0; first = false {
		var err error
		if dec.PeekKind() == '0' {
			var number jsontext.Value
			if number, err = dec.ReadValue(); err == nil && !isWithinDigits(number) {
				return int(dec.InputOffset()) - len(number), string(dec.StackPointer()), "a number has more than " + strconv.Itoa(maxDigits) + " digits"
			}
		} else {
			_, err = dec.ReadToken()
		}
		switch {
		case err != nil:
			return explainSyntaxError(doc, err)
		case dec.StackDepth() > maxDepth:
			return int(dec.InputOffset()) - 1, string(dec.StackPointer()), "values are nested deeper than " + strconv.Itoa(maxDepth) + " levels"
		}
	}
	end := int(dec.InputOffset())
	rest := bytes.TrimLeft(doc[end:], " \t\r\n")
	if len(rest) > 0 {
		return len(doc) - len(rest), "", "unexpected text after the JSON value"
	}
	return 0, "", ""
}

func explainSyntaxError(doc []byte, err error) (offset int, path, why string) {
	var syntax *jsontext.SyntacticError
	switch {
	case len(bytes.TrimSpace(doc)) == 0:
		return len(doc), "", "expected a JSON value, got empty text"
	case !errors.As(err, &syntax):
		return len(doc), "", "unexpected end of JSON"
	}
	offset, path = int(syntax.ByteOffset), string(syntax.JSONPointer)
	switch {
	case offset == 0 && bytes.HasPrefix(doc, []byte(byteOrderMark)):
		return 0, "", "byte order mark before the JSON value"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return len(doc), path, "unexpected end of JSON"
	case errors.Is(err, jsontext.ErrDuplicateName):
		return offset, path, "duplicate key " + quoteShortened(syntax.JSONPointer.LastToken())
	case errors.Is(err, jsontext.ErrNonStringName):
		return offset, path, "a key must be a string in double quotes"
	case bytes.HasPrefix(doc[min(offset, len(doc)):], []byte(",")):
		return offset, path, "unexpected comma"
	}
	return offset, path, syntax.Err.Error()
}

// byteOrderMark is the byte order mark of UTF-8.
const byteOrderMark = "\ufeff"

// EncodingHint names the probable encoding of a text that is not UTF-8, or returns "".
func EncodingHint(text []byte) string {
	wide := len(text) >= 4 && (text[0] == 0) != (text[1] == 0) && (text[0] == 0) == (text[2] == 0) && (text[1] == 0) == (text[3] == 0)
	if wide || bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return "it looks like UTF-16; write it in UTF-8"
	}
	return ""
}

// syntaxHint returns how to fix the most common faults of models and people.
func syntaxHint(doc []byte) string {
	text := strings.TrimSpace(string(doc[:min(len(doc), 200)]))
	if encoding := EncodingHint(doc); encoding != "" {
		return encoding
	}
	switch {
	case strings.HasPrefix(text, byteOrderMark):
		return "remove it: UTF-8 needs none"
	case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
		return "write only the JSON, without a code fence"
	case text != "" && !strings.ContainsRune("{[\"", rune(text[0])) && strings.ContainsAny(text, "{["):
		return "write only the JSON, without other text"
	}
	return ""
}

// isWithinDigits reports whether a number is within [maxDigits]: beyond, exact comparison costs too much.
func isWithinDigits(number []byte) bool {
	mantissa, exponent := number, []byte(nil)
	if i := bytes.IndexAny(number, "eE"); i >= 0 {
		mantissa, exponent = number[:i], bytes.TrimLeft(number[i+1:], "+-0")
	}
	if len(mantissa) > maxDigits || len(exponent) > len("1000") {
		return false
	}
	n, err := strconv.Atoi("0" + string(exponent))
	return err == nil && n <= maxDigits
}

// quoteShortened returns s as a JSON string, shortened.
func quoteShortened(s string) string { return quote.JSON(shorten(s)) }
