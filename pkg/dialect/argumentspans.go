package dialect

import (
	"bytes"
	"encoding/json"
)

// ArgumentSpans returns the locations of the arguments in the text of a call, if they are between tags or on
// lines. It parses the text with each such grammar until one yields args, and returns nil otherwise.
func ArgumentSpans(text string, args json.RawMessage, tools Toolset) []ArgumentSpan {
	for i := range Dialects() {
		read := Dialects()[i].grammar.argumentSpans
		if read == nil {
			continue
		}
		if again, places := read(text, tools); again != nil && bytes.Equal(again, args) {
			return places
		}
	}
	return nil
}

// StringDelimiters returns the string delimiters of dialects that have their own. Nothing is escaped between
// them.
func StringDelimiters() []string {
	var all []string
	for i := range Dialects() {
		if marker := Dialects()[i].grammar.stringDelimiter; marker != "" {
			all = append(all, marker)
		}
	}
	return sortedUnion(all)
}
