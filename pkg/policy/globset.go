package policy

import (
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"oneshot/pkg/fileroot"
)

// A globSet is an automaton of globs that consumes a path name by name. A directory walk pays for each name once,
// whatever the depth and the number of globs. A match of a folder applies to everything below it.
type globSet struct {
	steps []step
	begin []int // first steps of the globs, ascending

	mu        sync.Mutex // guards the caches below
	names     nameDFA
	cursors   map[string]*cursor // by step set
	cacheRoom int                // remaining cache size in words
}

// cacheWords bounds the cache of name states, and the one of cursors: 8 MB each.
const cacheWords = 1 << 20

const (
	cursorWords     = 16
	transitionWords = 16
)

// A step consumes one name, or any number of names, or ends a pattern.
type step struct {
	kind  stepKind
	first int  // for oneName: first token of the pattern
	raw   bool // matches the name itself instead of its folded form
	rule  int  // for end
}

type stepKind int

const (
	anyNames stepKind = iota // **
	oneName
	end // after the last name
)

// newGlobSet returns the automaton of globs. rules[i] is the rule of globs[i].
func newGlobSet(globs []glob, rules []int) *globSet {
	p := &globSet{names: nameDFA{states: map[string]*nameState{}, cacheRoom: cacheWords}, cursors: map[string]*cursor{}, cacheRoom: cacheWords}
	for i, g := range globs {
		p.add(g.folded(), rules[i], false)
		if slices.ContainsFunc(g, needsUnfoldedMatch) {
			p.add(g, rules[i], true)
		}
	}
	return p
}

func (p *globSet) add(g glob, rule int, raw bool) {
	p.begin = append(p.begin, len(p.steps))
	for i, part := range g {
		switch {
		case part != "**":
			p.steps = append(p.steps, step{kind: oneName, first: p.names.addPattern(part, len(p.steps)), raw: raw})
		case i == 0 || g[i-1] != "**":
			p.steps = append(p.steps, step{kind: anyNames})
		}
	}
	p.steps = append(p.steps, step{kind: end, rule: rule})
}

// needsUnfoldedMatch reports whether a segment may match a name although its folded form does not match the folded name:
// with a character that composes with a following mark, or a class of letters.
func needsUnfoldedMatch(part string) bool {
	if _, literal := literalName(part); literal {
		return false
	}
	return strings.ContainsFunc(strings.TrimLeft(part, "*"), func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune(`*?[\`, r) })
}

// A cursor is the state of a globSet below a folder. Its steps are immutable.
type cursor struct {
	*globSet
	at          []int // steps that can match the next name, ascending
	folded, raw *nameState
	transitions map[[2]*nameState]transition // by final name states, folded and raw
}

// A transition is the effect of one name on a cursor.
type transition struct {
	next  *cursor // nil if nothing can match any more
	rules []int   // of globs that end here, ascending
}

// rootCursor returns the cursor of the root, nil if there are no globs.
func (p *globSet) rootCursor() *cursor {
	if p == nil || len(p.begin) == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cursorAt(slices.Clone(p.begin))
}

// cursorAt returns the cursor of a set of steps, nil for none, and caches it while there is room.
func (p *globSet) cursorAt(at []int) *cursor {
	slices.Sort(at)
	at = slices.Compact(at)
	if len(at) == 0 {
		return nil
	}
	var key []byte
	for _, i := range at {
		key = binary.AppendUvarint(key, uint64(i))
	}
	if c := p.cursors[string(key)]; c != nil {
		return c
	}
	c := &cursor{globSet: p, at: at, transitions: map[[2]*nameState]transition{}}
	var begin [2][]int
	for _, i := range at {
		if p.steps[i].kind == anyNames {
			i++
		}
		if s := p.steps[i]; s.kind == oneName {
			of := 0
			if s.raw {
				of = 1
			}
			begin[of] = append(begin[of], s.first)
		}
	}
	c.folded, c.raw = p.names.startState(begin[0]), p.names.startState(begin[1])
	if size := cursorWords + 3*len(at); size <= p.cacheRoom {
		p.cacheRoom -= size
		p.cursors[string(key)] = c
	}
	return c
}

// enter consumes a name and calls hit with the rule of each glob that ends here. It returns the cursor below the name,
// nil if nothing can match any more.
func (c *cursor) enter(name string, hit func(rule int)) *cursor {
	m := c.transitionForPathSegment(name)
	for _, rule := range m.rules {
		hit(rule)
	}
	return m.next
}

func (c *cursor) transitionForPathSegment(name string) transition {
	folded := fileroot.Fold(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	ends := [2]*nameState{c.names.stateAfterName(c.folded, folded), c.names.stateAfterName(c.raw, name)}
	m, known := c.transitions[ends]
	if known {
		return m
	}
	m = c.newTransition(slices.Concat(ends[0].accepts, ends[1].accepts))
	if c.cacheRoom >= transitionWords && ends[0].cached && ends[1].cached {
		c.cacheRoom -= transitionWords
		c.transitions[ends] = m
	}
	return m
}

// newTransition returns the transition on a name that the given steps match.
func (c *cursor) newTransition(taken []int) transition {
	var m transition
	var at []int
	reach := func(i int) {
		if c.steps[i].kind != end {
			at = append(at, i)
		}
		if c.steps[i].kind == anyNames {
			i++
		}
		if c.steps[i].kind == end {
			m.rules = append(m.rules, c.steps[i].rule)
		}
	}
	for _, i := range c.at {
		if c.steps[i].kind == anyNames {
			reach(i)
		}
	}
	for _, i := range taken {
		reach(i + 1)
	}
	slices.Sort(m.rules)
	m.rules = slices.Compact(m.rules)
	m.next = c.cursorAt(at)
	return m
}

// matchingRules returns the rules whose globs match a path or a folder above it, ascending.
func (p *globSet) matchingRules(clean string) []int {
	var out []int
	at := p.rootCursor()
	for name := range strings.SplitSeq(clean, "/") {
		if at == nil {
			break
		}
		at = at.enter(name, func(rule int) { out = append(out, rule) })
	}
	slices.Sort(out)
	return slices.Compact(out)
}
