package dialect

import "bytes"

// A matcher finds texts of a fixed set in a text that arrives in pieces, all at
// once and in one pass (Aho and Corasick). No text of the set begins with
// another one.
type matcher struct {
	class [256]uint8 // of each byte; 0 for those that are in no text of the set
	width int        // how many classes there are
	next  []uint16   // the state behind each state and class
	depth []uint8    // how many bytes of a text each state has seen
	found []int16    // the text that ends in each state, or -1
	first [256]bool  // the bytes that texts begin with
	few   []byte     // the same, each once
	pairs *pairSet   // the first two bytes of texts, if first bytes are not looked for one by one
}

// Up to how many first bytes, and small letters among them, are looked for one by
// one: letters stand everywhere.
const (
	fewFirst   = 5
	fewLetters = 1
)

// A pairSet is a set of two bytes that stand behind each other, a bit for each.
type pairSet [1 << 16 / 64]uint64

// add adds the first two bytes of a text. One of a single byte has any behind it.
func (s *pairSet) add(text string) {
	if len(text) > 1 {
		s.set(text[0], text[1])
		return
	}
	for c := range 256 {
		s.set(text[0], byte(c))
	}
}

func (s *pairSet) set(a, b byte) { s[int(b)<<2|int(a)>>6] |= 1 << (a & 63) }

// next returns the index of the first byte in p that can begin a text with the one
// behind it, or of the last byte.
func (s *pairSet) next(p []byte) int {
	for n := 1; n < len(p); n++ {
		if a := p[n-1]; s[int(p[n])<<2|int(a)>>6]>>(a&63)&1 != 0 {
			return n - 1
		}
	}
	return len(p) - 1
}

// newMatcher returns the matcher of a set of texts, each shorter than 256 bytes.
func newMatcher(texts []string) *matcher {
	m, letters := &matcher{width: 1}, 0
	for _, text := range texts {
		for i := range len(text) {
			if m.class[text[i]] == 0 {
				m.class[text[i]] = uint8(m.width)
				m.width++
			}
		}
		if !m.first[text[0]] {
			m.first[text[0]] = true
			m.few = append(m.few, text[0])
			if 'a' <= text[0] && text[0] <= 'z' {
				letters++
			}
		}
	}
	m.state(0)
	for i, text := range texts {
		m.add(int16(i), text)
	}
	m.link()
	if len(m.few) > fewFirst || letters > fewLetters {
		m.pairs = new(pairSet)
		for _, text := range texts {
			m.pairs.add(text)
		}
	}
	return m
}

// state appends a state and returns its number.
func (m *matcher) state(depth int) uint16 {
	m.next = append(m.next, make([]uint16, m.width)...)
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
	seen  []int // offset of the next of each first byte, if not passed
}

func newSearch(m *matcher) search {
	s := search{matcher: m}
	if m.pairs == nil {
		s.seen = make([]int, len(m.few))
		for i := range s.seen {
			s.seen[i] = -1
		}
	}
	return s
}

// scan reads p, which stands at an offset, up to behind the first text of the
// set. It returns how many bytes it has read, the text or -1, and how many bytes
// it has looked at.
func (s *search) scan(p []byte, at int) (n, found, steps int) {
	for n < len(p) {
		if s.state == 0 {
			skipped, looked := s.skip(p[n:], at+n)
			n, steps = n+skipped, steps+looked
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

// skip returns how many bytes of p, which stands at an offset, cannot begin a
// text, and how many were looked at.
func (s *search) skip(p []byte, at int) (n, looked int) {
	if s.pairs != nil {
		if n = s.pairs.next(p); n == len(p)-1 && !s.first[p[n]] {
			n++
		}
		return n, n
	}
	n = len(p)
	for i, c := range s.few {
		if s.seen[i] < at {
			next := bytes.IndexByte(p, c)
			if next < 0 {
				next = len(p)
			}
			looked += next
			s.seen[i] = at + next
		}
		n = min(n, s.seen[i]-at)
	}
	return n, looked
}

// begun returns how many of the bytes that were read last can still become a
// text of the set.
func (s *search) begun() int { return int(s.depth[s.state]) }
