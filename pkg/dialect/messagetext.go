package dialect

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
)

func newFix(kind diag.FixKind, title string, edits ...diag.Edit) []diag.Fix {
	return []diag.Fix{{Title: title, Kind: kind, Edits: edits}}
}

// quote returns text as a JSON string.
func quote(text string) string {
	b, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\ufffd"))
	if err != nil {
		return `""` // valid UTF-8 can always be quoted
	}
	return string(b)
}

// excerpt shortens text quoted in a message.
func excerpt(text string) string {
	const most = 40
	if len(text) <= most {
		return strings.ToValidUTF8(text, "\ufffd")
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// kindOf names the kind of a JSON value by its first byte.
func kindOf(first byte) string {
	switch first {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// quotedList joins words as "a" and "b".
func quotedList(words []string) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = strconv.Quote(w)
	}
	return strings.Join(all, " and ")
}
