package policy

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/vault"
)

// patterns are globs of files as an automaton, which takes a path name by name: a walk pays for a name once, however
// deep it is, and for patterns that match nowhere near it nothing. What matches a folder holds for everything below it.
type patterns struct {
	steps []step
	begin []int // where patterns begin, ascending
	// always are those of begin that a leading ** keeps for all names below.
	always []int
	rest   *cursor // the state in which nothing but always is left; nil where that is nothing
}

// A step takes one name.
type step struct {
	kind stepKind
	text string
	raw  bool // it takes the name as it is written, and else folded
	rule int  // of an end
}

type stepKind int

const (
	anyNames  stepKind = iota // **: any number of names
	anyName                   // *
	equals                    // a name
	begins                    // name*
	ends                      // *name
	matchesIt                 // any other pattern
	end                       // behind the last name
)

// newPatterns returns an automaton of some globs; the number of a glob is that of its rule.
func newPatterns(globs []glob, rules []int) *patterns {
	p := &patterns{}
	for i, g := range globs {
		p.add(g.folded(), rules[i], false)
		if slices.ContainsFunc(g, isUnlikeFolded) {
			p.add(g, rules[i], true)
		}
	}
	if len(p.always) > 0 {
		p.rest = &cursor{p, p.always}
	}
	return p
}

func (p *patterns) add(g glob, rule int, raw bool) {
	first := len(p.steps)
	for i, part := range g {
		if part == "**" && i > 0 && g[i-1] == "**" {
			continue
		}
		p.steps = append(p.steps, newStep(part, raw))
	}
	p.steps = append(p.steps, step{kind: end, rule: rule})
	p.begin = append(p.begin, first)
	if p.steps[first].kind == anyNames {
		p.always = append(p.always, first)
	}
}

func newStep(part string, raw bool) step {
	s := step{kind: matchesIt, text: part, raw: raw}
	const special = `*?[\`
	name, literal := unescaped(part)
	switch {
	case part == "**":
		s.kind = anyNames
	case part == "*":
		s.kind = anyName
	case literal:
		s.kind, s.text = equals, name
	case part[0] == '*' && !strings.ContainsAny(part[1:], special):
		s.kind, s.text = ends, part[1:]
	case part[len(part)-1] == '*' && !strings.ContainsAny(part[:len(part)-1], special):
		s.kind, s.text = begins, part[:len(part)-1]
	}
	return s
}

// isUnlikeFolded reports whether a part may match a name whose folded form its own folded form does not match.
func isUnlikeFolded(part string) bool {
	switch s := newStep(part, true); s.kind {
	case begins, matchesIt: // what a mark behind it composes with, a class of letters
		return true
	case ends:
		return strings.ContainsFunc(s.text, func(r rune) bool { return r >= utf8.RuneSelf })
	}
	return false
}

// takes reports whether a step of one name takes a name, which is given folded, too.
func (s *step) takes(name, folded string) bool {
	if !s.raw {
		name = folded
	}
	switch s.kind {
	case anyName:
		return true
	case equals:
		return name == s.text
	case begins:
		return strings.HasPrefix(name, s.text)
	case ends:
		return strings.HasSuffix(name, s.text)
	case matchesIt:
		ok, err := path.Match(s.text, name)
		return ok && err == nil
	}
	return false
}

// A cursor is the state of an automaton below a folder. It does not change.
type cursor struct {
	*patterns
	at []int // steps that may take the next name, ascending
}

// top returns the state of the root, nil if there are no patterns.
func (p *patterns) top() *cursor {
	if p == nil || len(p.begin) == 0 {
		return nil
	}
	return &cursor{p, p.begin}
}

// enter takes a name. It returns the state below it, nil where nothing can match any more, and calls hit with the rule
// of each pattern that ends here.
func (c *cursor) enter(name string, hit func(rule int)) *cursor {
	folded := vault.Fold(name)
	var room [64]int
	next := room[:0]
	for _, i := range c.at {
		if c.steps[i].kind == anyNames {
			if c.steps[i+1].kind == ends && (len(next) == 0 || next[len(next)-1] < i) { // the usual pattern, as fast as it goes
				next = append(next, i)
			} else {
				next = c.reach(next, i, hit)
			}
			i++
		}
		if c.steps[i].takes(name, folded) {
			next = c.reach(next, i+1, hit)
		}
	}
	switch {
	case len(next) == 0:
		return nil
	case slices.Equal(next, c.at):
		return c
	case slices.Equal(next, c.always):
		return c.rest
	}
	return &cursor{c.patterns, slices.Clone(next)}
}

// reach adds a step to those that may take the next name. They come nearly in order: each adds itself and
// the two behind it at most.
func (c *cursor) reach(next []int, i int, hit func(rule int)) []int {
	behind := i
	if c.steps[i].kind == anyNames {
		behind++
	}
	if c.steps[behind].kind == end {
		hit(c.steps[behind].rule)
	}
	if c.steps[i].kind == end {
		return next
	}
	at := len(next)
	for at > 0 && next[at-1] > i {
		at--
	}
	if at > 0 && next[at-1] == i {
		return next
	}
	return slices.Insert(next, at, i)
}

// hits returns the rules whose patterns hold for a path, or for a folder that it lies in, ascending.
func (p *patterns) hits(clean string) []int {
	var out []int
	at := p.top()
	for name := range strings.SplitSeq(clean, "/") {
		if at == nil {
			break
		}
		at = at.enter(name, func(rule int) { out = append(out, rule) })
	}
	slices.Sort(out)
	return slices.Compact(out)
}
