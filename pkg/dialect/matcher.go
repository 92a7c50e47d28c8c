package dialect

import "encoding/binary"

// A matcher finds texts of a fixed set in a text that arrives in pieces, all at
// once and in one pass (Aho and Corasick). No text of the set begins with
// another one.
type matcher struct {
	class [256]uint8 // of each byte; 0 for those that are in no text of the set
	width int        // how many classes there are
	next  []uint16   // the state behind each state and class
	depth []uint8    // how many bytes of a text each state has seen
	found []int16    // the text that ends in each state, or -1
	pairs pairSet    // tells where texts can begin
}

// A pairSet says of two bytes what they can be of a text of a set. Where every other
// pair of bytes is nothing no text begins.
type pairSet [1 << 16]pairUse

// A pairUse is what two bytes can be of a text, a bit for each.
type pairUse uint8

const (
	isText  pairUse = 1 << iota // a text of one byte, and any byte
	isFirst                     // the first two bytes of a longer one
	isNext                      // the two behind its first byte; behind a text stands any
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
	m := &matcher{width: 1}
	for _, text := range texts {
		for i := range len(text) {
			if m.class[text[i]] == 0 {
				m.class[text[i]] = uint8(m.width)
				m.width++
			}
		}
	}
	m.reserve(texts)
	m.state(0)
	for i, text := range texts {
		m.add(int16(i), text)
		m.pairs.add(text)
	}
	m.link()
	return m
}

// reserve makes room for as many states as there can be. Growing the slices would touch three times the
// memory, which is most of what a first search costs.
func (m *matcher) reserve(texts []string) {
	states := 1
	for _, text := range texts {
		states += len(text)
	}
	m.next = make([]uint16, 0, states*m.width)
	m.depth = make([]uint8, 0, states)
	m.found = make([]int16, 0, states)
}

// state appends a state and returns its number.
func (m *matcher) state(depth int) uint16 {
	m.next = m.next[:len(m.next)+m.width]
	m.depth = append(m.depth, uint8(depth))
	m.found = append(m.found, -1)
	return uint16(len(m.depth) - 1)
}

func (m *matcher) add(index int16, text string) {
	at := uint16(0)
	for i := range len(text) {
		edge := int(at)*m.width + int(m.class[text[i]])
		if m.next[edge] == 0 {
			state := m.state(i + 1)
			m.next[edge] = state
		}
		at = m.next[edge]
	}
	m.found[at] = index
}

// link makes of the tree of texts an automaton that never goes back: where no
// text goes on, the state is that of the longest end which begins one.
func (m *matcher) link() {
	fail := make([]uint16, len(m.depth))
	var queue []uint16
	for c := range m.width {
		if state := m.next[c]; state != 0 {
			queue = append(queue, state)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		from := int(queue[0])
		back := int(fail[from])
		if m.found[from] < 0 {
			m.found[from] = m.found[back]
		}
		for c := range m.width {
			edge, other := from*m.width+c, m.next[back*m.width+c]
			if state := m.next[edge]; state != 0 {
				fail[state] = other
				queue = append(queue, state)
			} else {
				m.next[edge] = other
			}
		}
	}
}

// step returns the state behind a byte.
func (m *matcher) step(state uint16, c byte) uint16 {
	return m.next[int(state)*m.width+int(m.class[c])]
}

// A search is where a matcher has come in a text.
type search struct {
	*matcher
	state uint16
}

// scan reads p up to behind the first text of the set. It returns how many bytes
// it has read, the text or -1, and how many bytes it has looked at.
func (s *search) scan(p []byte) (n, found, steps int) {
	for n < len(p) {
		if s.state == 0 {
			skipped := s.pairs.skip(p[n:])
			n, steps = n+skipped, steps+skipped
			if n == len(p) {
				break
			}
		}
		s.state = s.step(s.state, p[n])
		n, steps = n+1, steps+1
		if f := s.found[s.state]; f >= 0 {
			s.state = 0
			return n, int(f), steps
		}
	}
	return n, -1, steps
}

// begun returns how many of the bytes that were read last can still become a
// text of the set.
func (s *search) begun() int { return int(s.depth[s.state]) }
