package policy

import (
	"slices"

	"github.com/tidwall/gjson"

	"oneshot/pkg/fileroot"
)

// A constraint limits the values of an argument. All fields that are set must match.
type constraint struct {
	globs  []glob
	in     []string // see exact
	match  *regex
	prefix []string
	scheme []string
	host   []hostGlob
	port   []int
	path   []glob
}

// constrainsURL reports whether the constraint is about parts of a URL.
func (c *constraint) constrainsURL() bool {
	return c.scheme != nil || c.host != nil || c.port != nil || c.path != nil
}

// allows reports whether all values of an argument, and all names of each file, match the constraint. An argument
// without values does not match.
func (c *constraint) allows(values []value) bool {
	if c.prefix != nil && !c.matchesPrefix(values, false) {
		return false
	}
	for _, v := range values {
		if !c.matchesValue(v, false) {
			return false
		}
	}
	return len(values) > 0
}

// matches reports whether some value of an argument, by some name, matches the constraint. An object or an inner list
// matches, because its contents could be anything.
func (c *constraint) matches(values []value) bool {
	if slices.ContainsFunc(values, func(v value) bool { return v.isNested }) {
		return true
	}
	if c.prefix != nil && !c.matchesPrefix(values, true) {
		return false
	}
	return slices.ContainsFunc(values, func(v value) bool { return c.matchesValue(v, true) })
}

// matchesPrefix reports whether a list of words, or each command, begins with the words of the prefix. If any is set,
// one of several commands is enough.
func (c *constraint) matchesPrefix(values []value, any bool) bool {
	var list []string
	commands, hits := 0, 0
	for _, v := range values {
		word := v.text
		if any && v.spellings != nil {
			word = v.spellings[0]
		}
		list = append(list, word)
		if v.words == nil {
			continue
		}
		commands++
		if c.hasPrefix(v.words, any) {
			hits++
		}
	}
	if commands == 0 {
		return c.hasPrefix(list, any)
	}
	return hits == len(values) || any && hits > 0
}

func (c *constraint) hasPrefix(words []string, any bool) bool {
	same := func(a, b string) bool { return a == b || any && fileroot.Fold(a) == fileroot.Fold(b) }
	return len(words) >= len(c.prefix) && slices.EqualFunc(words[:len(c.prefix)], c.prefix, same)
}

// matchesValue reports whether a value matches the constraint. If any is set, one of several names is enough and case
// is ignored, because a tool or file system may ignore it, and so is the difference between a number and its text, which
// make the same request.
func (c *constraint) matchesValue(v value, any bool) bool {
	if c.constrainsURL() && (v.url == nil || !c.matchesURL(*v.url, any)) {
		return false
	}
	if any && v.spellings != nil {
		v.names = v.spellings
	}
	if v.names == nil { // not text
		return c.globs == nil && c.match == nil && (c.in == nil || slices.Contains(c.in, v.canonical))
	}
	if any {
		return slices.ContainsFunc(v.names, func(name string) bool { return c.matchesName(name, true) })
	}
	return !slices.ContainsFunc(v.names, func(name string) bool { return !c.matchesName(name, false) })
}

// matchesName reports whether one name of a value matches the constraints on text.
func (c *constraint) matchesName(name string, any bool) bool {
	same := func(one string) bool {
		return one == canonicalText(name) || any && (one == canonicalSpelling(name) || fileroot.Fold(one) == fileroot.Fold(canonicalText(name)))
	}
	switch {
	case c.in != nil && !slices.ContainsFunc(c.in, same):
	case c.match != nil && !c.match.matches(name, any):
	case c.globs != nil && !matchesAny(c.globs, name, any):
	default:
		return true
	}
	return false
}

// canonicalSpelling returns the canonical form of the number or boolean that a text spells, or else of the text.
func canonicalSpelling(text string) string {
	if v := gjson.Parse(text); (v.Type == gjson.Number || v.IsBool()) && gjson.Valid(text) {
		return canonicalScalar(v)
	}
	return canonicalText(text)
}

// matchesAny reports whether text matches a glob. If any is set, case is ignored.
func matchesAny(globs []glob, text string, any bool) bool {
	return slices.ContainsFunc(globs, func(g glob) bool { return g.matches(text) || any && g.folded().matches(fileroot.Fold(text)) })
}

// matchesURL reports whether the parts of a URL match the constraint. Without a port the constraint matches the
// default port of the scheme, or every port if any is set.
func (c *constraint) matchesURL(a parsedURL, any bool) bool {
	switch {
	case c.scheme != nil && !slices.Contains(c.scheme, a.scheme):
	case c.host != nil && !slices.ContainsFunc(c.host, func(g hostGlob) bool { return g.matches(a.host) }):
	case c.port != nil && !slices.Contains(c.port, a.port), c.port == nil && !any && !a.isDefaultPort:
	case c.path != nil && !matchesAny(c.path, a.path, any):
	default:
		return true
	}
	return false
}
