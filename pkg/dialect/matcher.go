package dialect

import "encoding/binary"

// A matcher finds texts of a fixed set in a text that arrives in pieces, all at
// once and in one pass (Aho and Corasick). No text of the set begins with
// another one. It is small, because a process that reads one response makes it once.
type matcher struct {
	first  [256]uint16 // the state after a byte at the start; 0 if no text begins with it
	states []state     // the tree of texts; the start comes first
	pairs  pairSet     // tells where texts can begin
}

// A state is the beginning of some texts.
type state struct {
	child   uint16 // one with one more byte, or 0
	sibling uint16 // another one with another last byte, or 0
	fail    uint16 // the longest proper suffix of this one that is a state
	found   int16  // the text that ends here, or -1
	last    byte
	depth   uint8 // in bytes
}

// A pairSet says of two bytes what they can be of a text of a set. Where every other
// pair of bytes is nothing no text begins.
type pairSet [1 << 16]pairUse

// A pairUse is what two bytes can be of a text, a bit for each.
type pairUse uint8

const (
	isText  pairUse = 1 << iota // a text of one byte, and any byte
	isFirst                     // the first two bytes of a longer one
	isNext                      // the two after its first byte; after a text is any
	isLast                      // any byte, and a text of one byte
)

func pair(a, b byte) uint16 { return uint16(b)<<8 | uint16(a) }

// add adds a text.
func (s *pairSet) add(text string) {
	if len(text) > 1 {
		s[pair(text[0], text[1])] |= isFirst
	}
	for c := range 256 {
		switch c := byte(c); {
		case len(text) == 1:
			s[pair(text[0], c)] |= isText
			s[pair(c, text[0])] |= isLast
		case len(text) == 2 || text[2] == c:
			s[pair(text[1], c)] |= isNext
		}
	}
}

// begins reports whether a text can begin at an index of p.
func (s *pairSet) begins(p []byte, i int) bool {
	if i+1 == len(p) {
		return true
	}
	use := s[pair(p[i], p[i+1])]
	return use&isText != 0 || use&isFirst != 0 && (i+2 == len(p) || s[pair(p[i+1], p[i+2])]&isNext != 0)
}

// skip returns how many bytes of p cannot begin a text: it looks at four pairs of
// them at a time.
func (s *pairSet) skip(p []byte) int {
	n := 0
	for ; n+8 <= len(p); n += 8 {
		x := binary.LittleEndian.Uint64(p[n:])
		if s[uint16(x)]|s[uint16(x>>16)]|s[uint16(x>>32)]|s[uint16(x>>48)] == 0 {
			continue
		}
		for k := n; k < n+8; k += 2 {
			switch use := s[pair(p[k], p[k+1])]; {
			case use == 0:
			case use&isNext != 0 && k > 0 && s.begins(p, k-1):
				return k - 1
			case use&(isText|isFirst) != 0 && s.begins(p, k):
				return k
			case use&isLast != 0:
				return k + 1
			}
		}
	}
	for i := max(n-1, 0); i < len(p); i++ {
		if s.begins(p, i) {
			return i
		}
	}
	return len(p)
}

// newMatcher returns the matcher of a set of texts, each shorter than 256 bytes.
func newMatcher(texts []string) *matcher {
	most := 1
	for _, text := range texts {
		most += len(text)
	}
	m := &matcher{states: make([]state, 1, most)}
	m.states[0].found = -1
	for i, text := range texts {
		m.add(int16(i), text)
		m.pairs.add(text)
	}
	m.link()
	return m
}

func (m *matcher) add(index int16, text string) {
	at := uint16(0)
	for i := range len(text) {
		next := m.child(at, text[i])
		if next == 0 {
			next = uint16(len(m.states))
			m.states = append(m.states, state{sibling: m.states[at].child, found: -1, last: text[i], depth: uint8(i + 1)})
			m.states[at].child = next
		}
		at = next
	}
	m.states[at].found = index
}

// child returns the state with one more byte, or 0.
func (m *matcher) child(at uint16, c byte) uint16 {
	for at = m.states[at].child; at != 0 && m.states[at].last != c; {
		at = m.states[at].sibling
	}
	return at
}

// link finds where to continue from states that a byte does not continue, shorter ones first.
func (m *matcher) link() {
	queue := make([]uint16, 1, len(m.states))
	for ; len(queue) > 0; queue = queue[1:] {
		from := &m.states[queue[0]]
		if from.found < 0 {
			from.found = m.states[from.fail].found
		}
		for child := from.child; child != 0; child = m.states[child].sibling {
			queue = append(queue, child)
			if from.depth > 0 {
				m.states[child].fail = m.step(from.fail, m.states[child].last)
			} else {
				m.first[m.states[child].last] = child
			}
		}
	}
}

// step returns the state after a byte.
func (m *matcher) step(at uint16, c byte) uint16 {
	for ; at != 0; at = m.states[at].fail {
		if child := m.child(at, c); child != 0 {
			return child
		}
	}
	return m.first[c]
}

// A search is the position of a matcher in a text.
type search struct {
	*matcher
	state  uint16
	inner  int16 // 1 + the text that ended inside a longer one, which may not be complete; 0 for none
	beyond int   // bytes read after that text
}

// scan reads p up to the end of the first match, or beyond bytes further if a longer text was not completed. It
// returns the bytes read, the matched text or -1, and the bytes inspected.
func (s *search) scan(p []byte) (n, found, steps int) {
	for n < len(p) {
		if s.state == 0 {
			skipped := s.pairs.skip(p[n:])
			n, steps = n+skipped, steps+skipped
			if n == len(p) {
				break
			}
		}
		before := s.states[s.state].depth
		s.state = s.step(s.state, p[n])
		n, steps = n+1, steps+1
		if s.inner > 0 || s.states[s.state].found >= 0 {
			if f := s.matched(before); f >= 0 {
				return n, f, steps
			}
		}
	}
	return n, -1, steps
}

// matched returns the text that ends with the latest byte, or -1. before is the depth of the state before that
// byte.
func (s *search) matched(before uint8) int {
	at := &s.states[s.state]
	ends := at.found >= 0 && at.child == 0
	s.beyond++
	switch found := int(at.found); {
	case s.inner > 0 && at.depth != before+1: // the longer one does not continue
		found, s.inner = int(s.inner)-1, 0
		s.state = 0
		return found
	case ends:
		s.state, s.inner, s.beyond = 0, 0, 0
		return found
	case s.inner == 0:
		s.inner, s.beyond = at.found+1, 0
	}
	return -1
}

// begun returns how many of the last bytes can still become a text of the set.
func (s *search) begun() int { return int(s.states[s.state].depth) }
