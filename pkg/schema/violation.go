package schema

import (
	"cmp"

	"oneshot/pkg/diag"
)

// A Violation is one way in which a value does not fit a schema.
type Violation struct {
	// Path is the JSON pointer of the invalid value. For a missing
	// or unknown key it is that of the object.
	Path    string
	Keyword string // the violated keyword, such as "type"
	Key     string // the missing ("required") or rejected ("additionalProperties", "propertyNames") key
	AtKey   bool   // the violation is about the key, not about a value
	Message string // without the path
	Hint    string // correction, or ""
	Span    diag.Span

	// allowed types or values, for "type" and "enum": alternatives are merged.
	allowed []string
}

// String returns the path and the message, for example
// `/items/2/price: expected a number, got the string "12"`.
func (v Violation) String() string {
	if v.Path == "" {
		return "document: " + v.Message
	}
	return v.Path + ": " + v.Message
}

func compareViolations(a, b Violation) int {
	return cmp.Or(
		cmp.Compare(a.Span.Start, b.Span.Start),
		cmp.Compare(a.Path, b.Path),
		cmp.Compare(a.Keyword, b.Keyword),
		cmp.Compare(a.Key, b.Key),
		cmp.Compare(a.Message, b.Message),
	)
}
