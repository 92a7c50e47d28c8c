package schema

import (
	"errors"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patterns collects the patterns that cannot be used, and why. The compiler
// meets them in any order and would stop at the first, so it is not told. When
// the schema is compiled, it is documents that are checked with the format
// "regex".
type patterns struct {
	bad    map[string]string
	sizes  map[string]int // of the others, in instructions
	budget PatternBudget
	done   bool
}

func newPatterns() *patterns { return &patterns{bad: map[string]string{}, sizes: map[string]int{}} }

func (p *patterns) compile(text string) (jsonschema.Regexp, error) {
	if p.done {
		_, err := patternSize(text)
		return never(text), err
	}
	size, err := p.budget.Add(text)
	if err != nil {
		p.bad[text] = describePattern(err)
		return never(text), nil
	}
	p.sizes[text] = size
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err // it was parsed: it compiles
	}
	return re, nil
}

// never is a pattern that nothing matches.
type never string

func (never) MatchString(string) bool { return false }
func (n never) String() string        { return string(n) }

// explain says what is wrong with the member of a schema at path, or "".
func (p *patterns) explain(path []string, value any) string {
	text, ok := value.(string)
	switch last := len(path) - 1; {
	case last > 0 && path[last-1] == "patternProperties":
		text = path[last]
	case !ok || path[last] != "pattern":
		return ""
	}
	return p.bad[text]
}

// references explains why a schema whose references do not resolve does not
// compile.
type references struct {
	doc any
	err error // of the compiler
}

// explain says what is wrong with the member of a schema at path, or "".
func (r references) explain(path []string, value any) string {
	text, ok := value.(string)
	if !ok {
		return ""
	}
	switch path[len(path)-1] {
	case "$ref", "$dynamicRef":
		return r.reference(text)
	case "$schema":
		var draft *jsonschema.UnsupportedDraftError
		var meta *jsonschema.InvalidMetaSchemaURLError
		var load *jsonschema.LoadURLError
		if errors.As(r.err, &draft) || errors.As(r.err, &meta) || errors.As(r.err, &load) && load.URL == text {
			return "is not a known draft of JSON Schema; 2020-12 is https://json-schema.org/draft/2020-12/schema"
		}
	}
	return ""
}

// reference says what is wrong with a reference, or "".
func (r references) reference(ref string) string {
	document, fragment, _ := strings.Cut(ref, "#")
	fragment, err := url.PathUnescape(fragment)
	switch {
	case err != nil:
		return "is not a URI: " + err.Error()
	case document != "" && !r.within(document):
		return "refers to another document, but other documents are never loaded"
	case document != "" || fragment == "":
		return ""
	case !strings.HasPrefix(fragment, "/"):
		return r.anchor(fragment)
	}
	at := tokens(fragment)
	container := lookup(r.doc, at[:len(at)-1])
	if object, ok := container.(map[string]any); ok && has(object, at[len(at)-1]) {
		return ""
	}
	if _, ok := container.([]any); ok && lookup(r.doc, at) != nil {
		return ""
	}
	return "does not resolve: the schema has nothing at " + fragment
}

// within reports whether a document is part of the schema, or a published draft.
func (r references) within(document string) bool {
	if strings.Contains(document, "//json-schema.org/draft") {
		return true
	}
	ids := members(r.doc, func(path []string, value any) string {
		id, _ := value.(string)
		if path[len(path)-1] == "$id" && strings.HasSuffix(strings.TrimSuffix(id, "#"), document) {
			return id
		}
		return ""
	})
	return len(ids) > 0
}

func (r references) anchor(name string) string {
	found := members(r.doc, func(path []string, value any) string {
		if key := path[len(path)-1]; (key == "$anchor" || key == "$dynamicAnchor") && value == name {
			return name
		}
		return ""
	})
	if len(found) > 0 {
		return ""
	}
	return "does not resolve: the schema has no anchor " + quote(name)
}

// members asks explain about every member of every object in a decoded
// document, and returns a violation for each answer that is not "".
func members(doc any, explain func(path []string, value any) string) []Violation {
	type place struct {
		path  []string
		value any
	}
	var out []Violation
	for open := []place{{value: doc}}; len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		switch v := at.value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				path := append(slices.Clone(at.path), key)
				if why := explain(path, v[key]); why != "" {
					out = append(out, Violation{Path: pointer(path...), Keyword: key, Message: why})
				}
				open = append(open, place{path, v[key]})
			}
		case []any:
			for i, item := range v {
				open = append(open, place{append(slices.Clone(at.path), strconv.Itoa(i)), item})
			}
		}
	}
	return out
}
