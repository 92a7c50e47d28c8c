package dialect

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect/markup"
)

// An ArgumentSpan is the location of an argument in the text of a call.
type ArgumentSpan = markup.ArgumentSpan

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
	return unique(all)
}

// lineArgumentSpans locates the arguments of a call in lines.
func lineArgumentSpans(text string, tools Toolset) (json.RawMessage, []ArgumentSpan) {
	var c lineCall
	var places []ArgumentSpan
	at := 0
	for line := range strings.Lines(text) {
		word, rest, restAt := cutKeyword([]byte(line))
		next, last := at+len(line), len(c.args)-1
		switch {
		case word == toolNameKeyword:
			c.name = rest
		case word == beginArgKeyword:
			c.args, c.open = append(c.args, lineArg{key: rest}), true
			name := diag.Bytes(at+restAt, at+restAt+len(rest))
			places = append(places, ArgumentSpan{Pointer: string(jsontext.Pointer("").AppendToken(rest)), Name: name, Value: diag.Bytes(next, next)})
		case word == endArgKeyword:
			c.open = false
		case c.open:
			c.args[last].value = append(c.args[last].value, line...)
		}
		at = next
	}
	for i, a := range c.args {
		places[i].Value.End += len(a.text())
	}
	b, r := lineBody{scanner: &Scanner{tools: tools}}, reader{tools: tools}
	r.call.Name, _ = cleanName(c.name, tools)
	return b.arguments(&r, c.args), places
}
