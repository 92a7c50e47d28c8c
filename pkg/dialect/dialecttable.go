package dialect

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"oneshot/pkg/chat"
	"oneshot/pkg/schema"
)

// Dialects returns all readable dialects. Callers must not modify the list.
func Dialects() []Dialect { return table() }

// table is built on first use: most commands read no response.
var table = sync.OnceValue(func() []Dialect {
	return complete(slices.Concat(taughtDialects(), jsonDialects(), namedDialects(), markupDialects(), pythonDialects(), privateQuoteDialects(), channelDialects()))
})

// complete adds the missing examples and ending tools.
func complete(rows []Dialect) []Dialect {
	for i := range rows {
		d := &rows[i]
		d.Ending = cmp.Or(d.Ending, "finalResponse")
		if d.Example == "" {
			example, _ := d.grammar.render(d, nil, exampleCall, nil)
			d.Example = string(example) + "\n"
		}
	}
	return rows
}

// Lookup returns the dialect with this name or alias.
func Lookup(name string) (Dialect, bool) {
	for _, d := range Dialects() {
		if d.Name == name || slices.Contains(d.Aliases, name) {
			return d, true
		}
	}
	return Dialect{}, false
}

// DidYouMean returns a hint for an unknown dialect name, or "": the dialect or other name that contains the word
// as a part (openai in native_openai_chat), or one with a similar spelling.
func DidYouMean(word string, others ...string) string {
	var names []string
	for _, d := range Dialects() {
		names = append(append(names, d.Name), d.Aliases...)
	}
	names = append(names, others...)
	for _, name := range names {
		if slices.Contains(strings.Split(name, "_"), strings.ToLower(word)) {
			return "did you mean " + name + "?"
		}
	}
	return schema.DidYouMean(word, names)
}

// Render returns a response with one call in this dialect that [Scan] reads back with the same tools. The
// arguments must be a JSON object, or an array for a positional call where the dialect has positions. It reports
// false if the dialect cannot represent the call.
func (d Dialect) Render(c chat.Call, tools Toolset) (string, bool) {
	b, ok := d.grammar.render(&d, nil, c, tools)
	return string(b) + "\n", ok && !(d.grammar.lineBased && containsReasoningEnd(string(b)))
}

// markerSetOf returns the markers of one dialect.
func markerSetOf(d *Dialect) *markerSet {
	if cached := markerSets()[d.Name]; cached != nil && !d.hasNonce {
		return cached()
	}
	row := *d
	return newMarkerSet([]*Dialect{&row})
}

// markerSets are built on first use, for each dialect of the table.
var markerSets = sync.OnceValue(func() map[string]func() *markerSet {
	sets := map[string]func() *markerSet{}
	for i := range Dialects() {
		sets[Dialects()[i].Name] = sync.OnceValue(func() *markerSet { return newMarkerSet([]*Dialect{&Dialects()[i]}) })
	}
	return sets
})

// allMarkers is the set of all dialects.
var allMarkers = sync.OnceValue(func() *markerSet {
	var rows []*Dialect
	for i := range Dialects() {
		rows = append(rows, &Dialects()[i])
	}
	return newMarkerSet(rows)
})

// Options configure the reading of a response.
type Options struct {
	Dialect   Dialect   // the zero value detects the dialect
	Tools     Toolset   // nil if unknown
	Reasoning Reasoning // where reasoning is expected
}

// markerSet returns the markers to search for.
func (o *Options) markerSet() *markerSet {
	if o.Dialect.Name == "" {
		return allMarkers()
	}
	return markerSetOf(&o.Dialect)
}

// containsReasoningEnd reports whether a text contains a reasoning closer of any dialect.
func containsReasoningEnd(text string) bool {
	return slices.ContainsFunc(allMarkers().literalReasoningClosers, func(marker string) bool { return strings.Contains(text, marker) })
}
