// Package ahocorasick finds a fixed set of texts in one pass (Aho and Corasick, 1975), in time and memory linear in
// the texts and the searched bytes.
//
// The caller drives the automaton byte by byte with [Automaton.Next], so the searched text can arrive in pieces.
package ahocorasick

// A State is a prefix of some of the texts. The zero value is the empty prefix, the start of a search.
type State int32

// An Automaton finds texts. It is immutable and may be used concurrently.
type Automaton struct {
	first [256]State // the state after a byte at the start
	nodes []node     // of each state
	pairs pairSet    // where texts can begin
}

// A node has a list of children, nearly always with one element.
type node struct {
	child   State // one with one more byte, or 0
	sibling State // another one with another last byte, or 0
	fail    State // the longest proper suffix that is a state
	match   State // the longest suffix that is a match, or 0
	index   int32 // of the text that equals this state, or -1
	length  int32 // in bytes
	last    byte
}

// New returns the automaton of texts. Empty texts are never found. If minPrefix is not nil, prefixes of the i-th text
// with at least minPrefix(i) bytes match, too.
func New(texts []string, minPrefix func(i int) int) *Automaton {
	size := 1
	for _, text := range texts {
		size += len(text)
	}
	a := &Automaton{nodes: make([]node, 1, size)}
	a.nodes[0].index = -1
	for i, text := range texts {
		least := len(text)
		if minPrefix != nil {
			least = minPrefix(i)
		}
		a.add(int32(i), text, least)
		a.pairs.add(text)
	}
	a.link()
	return a
}

func (a *Automaton) add(index int32, text string, minPrefix int) {
	at := State(0)
	for i := range len(text) {
		next := a.child(at, text[i])
		if next == 0 {
			next = State(len(a.nodes))
			a.nodes = append(a.nodes, node{sibling: a.nodes[at].child, index: -1, length: int32(i + 1), last: text[i]})
			a.nodes[at].child = next
		}
		if at = next; i+1 >= minPrefix || i+1 == len(text) {
			a.nodes[at].match = at
		}
	}
	a.nodes[at].index = index
}

// child returns the state with one more byte, or 0.
func (a *Automaton) child(at State, c byte) State {
	for at = a.nodes[at].child; at != 0 && a.nodes[at].last != c; {
		at = a.nodes[at].sibling
	}
	return at
}

// link sets the links to suffixes, shorter states first.
func (a *Automaton) link() {
	queue := make([]State, 1, len(a.nodes))
	for ; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		for child := a.nodes[from].child; child != 0; child = a.nodes[child].sibling {
			n := &a.nodes[child]
			if from == 0 {
				a.first[n.last] = child
			} else {
				n.fail = a.Next(a.nodes[from].fail, n.last)
			}
			if n.match == 0 {
				n.match = a.nodes[n.fail].match
			}
			queue = append(queue, child)
		}
	}
}

// Next returns the state after a byte: the longest prefix of a text that the bytes so far end with.
func (a *Automaton) Next(at State, c byte) State {
	for ; at != 0; at = a.nodes[at].fail {
		if child := a.child(at, c); child != 0 {
			return child
		}
	}
	return a.first[c]
}

// Match returns the longest match that a state ends with, 0 for none.
func (a *Automaton) Match(at State) State { return a.nodes[at].match }

// ShorterMatch returns the longest match that a match ends with besides itself, 0 for none.
func (a *Automaton) ShorterMatch(match State) State { return a.nodes[a.nodes[match].fail].match }

// Len returns the length of a state in bytes.
func (a *Automaton) Len(at State) int { return int(a.nodes[at].length) }

// Index returns the index of the text that equals a state, or -1.
func (a *Automaton) Index(at State) int { return int(a.nodes[at].index) }

// IsFinal reports whether no longer text begins with a state.
func (a *Automaton) IsFinal(at State) bool { return a.nodes[at].child == 0 }

// FindAll calls found with the index, start and end of each occurrence of a text, in the order of the ends.
func (a *Automaton) FindAll(in string, found func(index, from, to int)) {
	at := State(0)
	for i := 0; i < len(in); i++ {
		if at == 0 {
			i += Skip(a, in[i:])
		}
		at = a.Next(at, in[i])
		for m := a.Match(at); m != 0; m = a.ShorterMatch(m) {
			if index := a.Index(m); index >= 0 {
				found(index, i+1-a.Len(m), i+1)
			}
		}
	}
}
