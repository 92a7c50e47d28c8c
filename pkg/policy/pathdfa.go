package policy

import (
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"oneshot/pkg/fileroot"
)

// pathDFA are globs of files as an automaton, which takes a path name by name: a walk pays for a name once, however
// deep it is and however many patterns there are. What matches a folder holds for everything below it.
type pathDFA struct {
	steps []step
	begin []int // where patterns begin, ascending

	mu        sync.Mutex // of what follows, which is built as names need it
	names     nameDFA
	cursors   map[string]*cursor // by their steps
	cacheRoom int                // for cursors and their moves, in words
}

// cacheWords is how much is kept of states of names, and of cursors: 8 MB each.
const cacheWords = 1 << 20

const (
	cursorWords     = 16
	transitionWords = 16
)

// A step takes one name, or any number of them, or is the end of a pattern.
type step struct {
	kind  stepKind
	first int  // of a name: the first token of its pattern
	raw   bool // it takes the name as it is written, and else folded
	rule  int  // of an end
}

type stepKind int

const (
	anyNames stepKind = iota // **
	oneName
	end // behind the last name
)

// newPathDFA returns an automaton of some globs; the number of a glob is that of its rule.
func newPathDFA(globs []glob, rules []int) *pathDFA {
	p := &pathDFA{names: nameDFA{states: map[string]*nameState{}, cacheRoom: cacheWords}, cursors: map[string]*cursor{}, cacheRoom: cacheWords}
	for i, g := range globs {
		p.add(g.folded(), rules[i], false)
		if slices.ContainsFunc(g, isUnlikeFolded) {
			p.add(g, rules[i], true)
		}
	}
	return p
}

func (p *pathDFA) add(g glob, rule int, raw bool) {
	p.begin = append(p.begin, len(p.steps))
	for i, part := range g {
		switch {
		case part != "**":
			p.steps = append(p.steps, step{kind: oneName, first: p.names.add(part, len(p.steps)), raw: raw})
		case i == 0 || g[i-1] != "**":
			p.steps = append(p.steps, step{kind: anyNames})
		}
	}
	p.steps = append(p.steps, step{kind: end, rule: rule})
}

// isUnlikeFolded reports whether a part may match a name whose folded form its own folded form does not match: with
// what a mark behind it composes with, or a class of letters.
func isUnlikeFolded(part string) bool {
	if _, literal := literalName(part); literal {
		return false
	}
	return strings.ContainsFunc(strings.TrimLeft(part, "*"), func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune(`*?[\`, r) })
}

// A cursor is the state of an automaton below a folder. Its steps do not change.
type cursor struct {
	*pathDFA
	at          []int // steps that may take the next name, ascending
	folded, raw *nameState
	transitions map[[2]*nameState]transition // by the states at the end of the name, folded and as it is written
}

// A transition is what becomes of a cursor with a name.
type transition struct {
	next  *cursor // nil where nothing can match any more
	rules []int   // of the patterns that end here, ascending
}

// top returns the state of the root, nil if there are no patterns.
func (p *pathDFA) top() *cursor {
	if p == nil || len(p.begin) == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cursorAt(slices.Clone(p.begin))
}

// cursorAt returns the cursor of some steps, nil for none, and keeps it while there is room.
func (p *pathDFA) cursorAt(at []int) *cursor {
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
	c := &cursor{pathDFA: p, at: at, transitions: map[[2]*nameState]transition{}}
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
	c.folded, c.raw = p.names.start(begin[0]), p.names.start(begin[1])
	if size := cursorWords + 3*len(at); size <= p.cacheRoom {
		p.cacheRoom -= size
		p.cursors[string(key)] = c
	}
	return c
}

// enter takes a name. It returns the state below it, nil where nothing can match any more, and calls hit with the rule
// of each pattern that ends here.
func (c *cursor) enter(name string, hit func(rule int)) *cursor {
	m := c.transition(name)
	for _, rule := range m.rules {
		hit(rule)
	}
	return m.next
}

func (c *cursor) transition(name string) transition {
	folded := fileroot.Fold(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	ends := [2]*nameState{c.names.run(c.folded, folded), c.names.run(c.raw, name)}
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

// newTransition returns the move with a name that some steps take.
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

// matchingRules returns the rules whose patterns hold for a path, or for a folder that it lies in, ascending.
func (p *pathDFA) matchingRules(clean string) []int {
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
