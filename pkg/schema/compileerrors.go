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

// A patternCompiler collects invalid patterns and their faults. The compiler would stop at the first in random order,
// so it does not get the error. After compiling, documents are checked with the format "regex".
type patternCompiler struct {
	invalid map[string]string
	sizes   map[string]int // instructions of valid patterns
	budget  PatternBudget
	done    bool
}

func newPatternCompiler() *patternCompiler {
	return &patternCompiler{invalid: map[string]string{}, sizes: map[string]int{}}
}

func (p *patternCompiler) compile(text string) (jsonschema.Regexp, error) {
	if p.done {
		_, err := patternSize(text)
		return neverMatches(text), err
	}
	size, err := p.budget.Add(text)
	if err != nil {
		p.invalid[text] = patternErrorText(err)
		return neverMatches(text), nil
	}
	p.sizes[text] = size
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err // unreachable: it was parsed
	}
	return re, nil
}

// neverMatches is a pattern that matches nothing.
type neverMatches string

func (neverMatches) MatchString(string) bool { return false }
func (n neverMatches) String() string        { return string(n) }

// patternFault returns the fault of the member of a schema at path, or "".
func (p *patternCompiler) patternFault(path []string, value any) string {
	text, ok := value.(string)
	switch last := len(path) - 1; {
	case last > 0 && path[last-1] == "patternProperties":
		text = path[last]
	case !ok || path[last] != "pattern":
		return ""
	}
	return p.invalid[text]
}

// A referenceChecker finds the unresolved references of a schema that does not compile.
type referenceChecker struct {
	doc any
	err error // the compiler's error
}

// explain returns the fault of the member of a schema at path, or "".
func (r referenceChecker) explain(path []string, value any) string {
	text, ok := value.(string)
	if !ok {
		return ""
	}
	switch path[len(path)-1] {
	case "$ref", "$dynamicRef":
		return r.checkReference(text)
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

// checkReference returns the fault of a reference, or "".
func (r referenceChecker) checkReference(ref string) string {
	document, fragment, _ := strings.Cut(ref, "#")
	fragment, err := url.PathUnescape(fragment)
	switch {
	case err != nil:
		return "is not a URI: " + err.Error()
	case document != "" && !r.isInside(document):
		return "refers to another document, but other documents are never loaded"
	case document != "" || fragment == "":
		return ""
	case !strings.HasPrefix(fragment, "/"):
		return r.checkAnchorReference(fragment)
	}
	at := splitPointer(fragment)
	container := valueAt(r.doc, at[:len(at)-1])
	if object, ok := container.(map[string]any); ok && hasKey(object, at[len(at)-1]) {
		return ""
	}
	if _, ok := container.([]any); ok && valueAt(r.doc, at) != nil {
		return ""
	}
	return "does not resolve: the schema has nothing at " + fragment
}

// isInside reports whether a document is part of the schema, or a published draft.
func (r referenceChecker) isInside(document string) bool {
	if strings.Contains(document, "//json-schema.org/draft") {
		return true
	}
	ids := explainMembers(r.doc, func(path []string, value any) string {
		id, _ := value.(string)
		if path[len(path)-1] == "$id" && strings.HasSuffix(strings.TrimSuffix(id, "#"), document) {
			return id
		}
		return ""
	})
	return len(ids) > 0
}

func (r referenceChecker) checkAnchorReference(name string) string {
	found := explainMembers(r.doc, func(path []string, value any) string {
		if key := path[len(path)-1]; (key == "$anchor" || key == "$dynamicAnchor") && value == name {
			return name
		}
		return ""
	})
	if len(found) > 0 {
		return ""
	}
	return "does not resolve: the schema has no anchor " + quoteShortened(name)
}

// explainMembers calls explain for every member of every object in a decoded document and returns a violation for each
// answer that is not "".
func explainMembers(doc any, explain func(path []string, value any) string) []Violation {
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
					out = append(out, Violation{Path: joinPointer(path...), Keyword: key, Message: why})
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
