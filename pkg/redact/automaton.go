package redact

import "math"

// An automaton finds a fixed set of texts in one pass (Aho–Corasick). Its size is linear in the
// texts: a state has a list of children, nearly always with one element.
type automaton struct {
	root   [256]int32        // the state after each first byte
	pairs  [1 << 16 / 8]byte // a bit for each pair of bytes with which a text begins
	states []state
}

// A state is a prefix of a text of the set.
type state struct {
	char       byte  // last byte of the prefix
	depth      int32 // length of the prefix
	isText     bool  // the prefix is a whole text
	minTextLen int32 // length of the shortest text with this prefix that is matched in parts
	matchLen   int32 // length of the longest suffix that is a match; 0 for none
	fail       int32 // the longest proper suffix that is a prefix of a text
	child      int32
	sibling    int32
}

// newAutomaton returns the automaton of texts of at least [MinLength] bytes. The value of a text says whether
// a long prefix of it is a match, too.
func newAutomaton(texts map[string]bool) *automaton {
	a := &automaton{states: make([]state, 1)}
	for text, halves := range texts {
		a.add(text, halves)
		i, bit := pairBit(text, 0)
		a.pairs[i] |= bit
	}
	a.link()
	return a
}

// pairBit returns the position of two bytes of a text in the pairs.
func pairBit(text string, i int) (index int, bit byte) {
	pair := int(text[i])<<8 | int(text[i+1])
	return pair >> 3, 1 << (pair & 7)
}

// canBegin reports whether a text of the set may begin at an index of a text.
func (a *automaton) canBegin(text string, i int) bool {
	if i+1 >= len(text) {
		return false
	}
	index, bit := pairBit(text, i)
	return a.pairs[index]&bit != 0
}

func (a *automaton) add(text string, halves bool) {
	least := int32(math.MaxInt32 / 2) // doubling it does not overflow
	if halves {
		least = int32(len(text))
	}
	at := int32(0)
	for i := range len(text) {
		next := a.child(at, text[i])
		if next == 0 {
			next = int32(len(a.states))
			a.states = append(a.states, state{char: text[i], depth: int32(i + 1), minTextLen: least, sibling: a.states[at].child})
			a.states[at].child = next
		}
		at = next
		a.states[at].minTextLen = min(a.states[at].minTextLen, least)
	}
	a.states[at].isText = true
}

func (a *automaton) child(at int32, c byte) int32 {
	for next := a.states[at].child; next != 0; next = a.states[next].sibling {
		if a.states[next].char == c {
			return next
		}
	}
	return 0
}

// minPartLen is the minimum length in bytes of a matching prefix. It must also be half of the text.
const minPartLen = 12

// isMatch reports whether the prefix of a state is a match.
func (s *state) isMatch() bool {
	return s.isText || s.depth >= minPartLen && 2*s.depth >= s.minTextLen
}

// link sets the failure links, breadth first.
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
			if s.matchLen = a.states[s.fail].matchLen; s.isMatch() {
				s.matchLen = s.depth
			}
			queue = append(queue, next)
		}
	}
}

// step returns the next state after a byte.
func (a *automaton) step(at int32, c byte) int32 {
	for at != 0 {
		if next := a.child(at, c); next != 0 {
			return next
		}
		at = a.states[at].fail
	}
	return a.root[c]
}

// scan calls hit with each match in a text, in the order of their ends, until hit returns false. For
// each of the given places, in order, it calls cut with the length of the longest suffix before the
// place that is a prefix of a text of the set.
func (a *automaton) scan(text string, places []int, hit func(span) bool, cut func(place, length int)) {
	at := int32(0)
	for i := range len(text) {
		if len(places) > 0 && places[0] == i {
			cut(i, int(a.states[at].depth))
			places = places[1:]
		}
		if at == 0 && !a.canBegin(text, i) {
			continue
		}
		at = a.step(at, text[i])
		if n := int(a.states[at].matchLen); n > 0 && !hit(span{i + 1 - n, i + 1}) {
			return
		}
	}
}
