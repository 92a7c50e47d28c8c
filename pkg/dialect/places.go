package dialect

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
	"oneshot/pkg/markup"
)

// An ArgumentSpan is where an argument is in the text of a call.
type ArgumentSpan = markup.ArgumentSpan

// ArgumentSpans returns where the arguments are in the text of a call that was read as
// these, with these tools, if they are between tags or on lines: it is read
// again by each grammar of that kind until one reads the same. Nothing is returned
// where they are in brackets, or in another way.
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

// StringDelimiters returns the markers that are on both sides of a string in dialects that
// have their own for it. Nothing is escaped between them.
func StringDelimiters() []string {
	var all []string
	for i := range Dialects() {
		if marker := Dialects()[i].grammar.stringDelimiter; marker != "" {
			all = append(all, marker)
		}
	}
	return unique(all)
}

// lineArgumentSpans says where the arguments of a call are that is lines.
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
