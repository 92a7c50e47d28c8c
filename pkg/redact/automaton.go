package redact

import "math"

// An automaton finds texts of a fixed set in one pass (Aho and Corasick). Its size is that
// of the texts: a state has a list of children, of which there is nearly always one.
type automaton struct {
	root   [256]int32        // the state behind each byte at the start
	pairs  [1 << 16 / 8]byte // a bit for each two bytes with which a text begins
	states []state
}

// A state is a beginning of a text of the set.
type state struct {
	char    byte  // the last one of it
	depth   int32 // its length
	whole   bool  // it is a text of the set
	least   int32 // length of the shortest text that begins with it and is to be found in parts
	hit     int32 // length of the longest end of it that is to be found; 0 for none
	fail    int32 // the longest other end of it that begins a text
	child   int32
	sibling int32
}

// newAutomaton returns the automaton of texts of at least [Shortest] bytes, which says of
// each whether a good part of it is to be found.
func newAutomaton(texts map[string]bool) *automaton {
	a := &automaton{states: make([]state, 1)}
	for text, halves := range texts {
		a.add(text, halves)
		i, bit := pairOf(text, 0)
		a.pairs[i] |= bit
	}
	a.link()
	return a
}

// pairOf returns where the two bytes at an index of a text stand among the pairs.
func pairOf(text string, i int) (index int, bit byte) {
	pair := int(text[i])<<8 | int(text[i+1])
	return pair >> 3, 1 << (pair & 7)
}

// begins reports whether a text of the set may begin at an index of a text.
func (a *automaton) begins(text string, i int) bool {
	if i+1 >= len(text) {
		return false
	}
	index, bit := pairOf(text, i)
	return a.pairs[index]&bit != 0
}

func (a *automaton) add(text string, halves bool) {
	least := int32(math.MaxInt32 / 2) // twice it is a number, too
	if halves {
		least = int32(len(text))
	}
	at := int32(0)
	for i := range len(text) {
		next := a.childOf(at, text[i])
		if next == 0 {
			next = int32(len(a.states))
			a.states = append(a.states, state{char: text[i], depth: int32(i + 1), least: least, sibling: a.states[at].child})
			a.states[at].child = next
		}
		at = next
		a.states[at].least = min(a.states[at].least, least)
	}
	a.states[at].whole = true
}

func (a *automaton) childOf(at int32, c byte) int32 {
	for next := a.states[at].child; next != 0; next = a.states[next].sibling {
		if a.states[next].char == c {
			return next
		}
	}
	return 0
}

// goodPart is from how many bytes on the beginning of a text is found where the rest of it
// is missing. It has to be half of the text, too.
const goodPart = 12

// good reports whether a state is to be found.
func (s *state) good() bool {
	return s.whole || s.depth >= goodPart && 2*s.depth >= s.least
}

// link finds, breadth first, where to go on when a text does not.
func (a *automaton) link() {
	var queue []int32
	for next := a.states[0].child; next != 0; next = a.states[next].sibling {
		a.root[a.states[next].char] = next
		queue = append(queue, next)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		for next := a.states[from].child; next != 0; next = a.states[next].sibling {
			s := &a.states[next]
			s.fail = a.step(a.states[from].fail, s.char)
			if s.hit = a.states[s.fail].hit; s.good() {
				s.hit = s.depth
			}
			queue = append(queue, next)
		}
	}
}

// step returns the state behind a byte.
func (a *automaton) step(at int32, c byte) int32 {
	for at != 0 {
		if next := a.childOf(at, c); next != 0 {
			return next
		}
		at = a.states[at].fail
	}
	return a.root[c]
}

// scan reads a text and calls hit with each place of a text of the set, or of a good part of
// one, in the order of their ends, until that says no. It calls cut, for each of the given
// places in order, with the length of the longest end of what is before it that begins a
// text of the set.
func (a *automaton) scan(text string, places []int, hit func(span) bool, cut func(place, length int)) {
	at := int32(0)
	for i := range len(text) {
		if len(places) > 0 && places[0] == i {
			cut(i, int(a.states[at].depth))
			places = places[1:]
		}
		if at == 0 && !a.begins(text, i) {
			continue
		}
		at = a.step(at, text[i])
		if n := int(a.states[at].hit); n > 0 && !hit(span{i + 1 - n, i + 1}) {
			return
		}
	}
}
