package dialect

import (
	"strconv"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
)

func newFix(kind diag.FixKind, title string, edits ...diag.Edit) []diag.Fix {
	return []diag.Fix{{Title: title, Kind: kind, Edits: edits}}
}

// excerpt shortens text quoted in a message.
func excerpt(text string) string { return quote.Shorten(text, 40) }

// describeKind names the kind of a JSON value by its first byte.
func describeKind(first byte) string {
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

// quoteAndJoin joins words as "a" and "b".
func quoteAndJoin(words []string) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = strconv.Quote(w)
	}
	return strings.Join(all, " and ")
}
