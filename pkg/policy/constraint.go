package policy

import (
	"slices"

	"oneshot/pkg/fileroot"
)

// A constraint says what an argument has to be. The fields that are set have to hold all.
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

// constrainsURL reports whether the constraint is about the parts of an address.
func (c *constraint) constrainsURL() bool {
	return c.scheme != nil || c.host != nil || c.port != nil || c.path != nil
}

// allows reports whether all values of an argument, and all names of each file, are what the
// constraint says. No value is none that it says.
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

// matches reports whether one value of an argument, by one of its names, is what the constraint
// says.
func (c *constraint) matches(values []value) bool {
	if c.prefix != nil && !c.matchesPrefix(values, true) {
		return false
	}
	return slices.ContainsFunc(values, func(v value) bool { return c.matchesValue(v, true) })
}

// matchesPrefix reports whether a list of words, or each command, begins with those of the prefix;
// of several commands one is enough if any is set.
func (c *constraint) matchesPrefix(values []value, any bool) bool {
	var list []string
	commands, hits := 0, 0
	for _, v := range values {
		list = append(list, v.text)
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

// matchesValue reports whether a value is what the constraint says; of several names one is enough
// if any is set, and the case of letters makes no difference then: to a tool or to a file system
// it may make none.
func (c *constraint) matchesValue(v value, any bool) bool {
	if c.constrainsURL() && (v.url == nil || !c.matchesURL(*v.url, any)) {
		return false
	}
	if v.names == nil { // it is no text
		return c.globs == nil && c.match == nil && (c.in == nil || slices.Contains(c.in, v.canonical))
	}
	if any {
		return slices.ContainsFunc(v.names, func(name string) bool { return c.matchesName(name, true) })
	}
	return !slices.ContainsFunc(v.names, func(name string) bool { return !c.matchesName(name, false) })
}

// matchesName reports whether one name of a value is what the constraint says of texts.
func (c *constraint) matchesName(name string, any bool) bool {
	same := func(one string) bool {
		return one == canonicalText(name) || any && fileroot.Fold(one) == fileroot.Fold(canonicalText(name))
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

// matchesAny reports whether a text matches one of some globs, if any is set in any case of letters.
func matchesAny(globs []glob, text string, any bool) bool {
	return slices.ContainsFunc(globs, func(g glob) bool { return g.matches(text) || any && g.folded().matches(fileroot.Fold(text)) })
}

// matchesURL reports whether the parts of an address are what the constraint says. Where it
// says no port it means the usual one, or if any is set every one.
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
