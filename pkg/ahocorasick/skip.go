package ahocorasick

// A pairSet holds the uses of each pair of bytes in the texts of a set. No text begins in a stretch in which the pairs
// at offsets 0, 2, 4 and so on have no use, except at its last byte.
type pairSet [1 << 16]pairUse

// A pairUse is the set of positions that two adjacent bytes can have in a text, one bit for each.
type pairUse uint8

const (
	isText  pairUse = 1 << iota // a text of one byte, then any byte
	isFirst                     // the first two bytes of a longer text
	isNext                      // its second and third byte; any byte follows a text of two bytes
	isLast                      // any byte, then a text of one byte
)

func pair(a, b byte) uint16 { return uint16(b)<<8 | uint16(a) }

func (s *pairSet) add(text string) {
	switch len(text) {
	case 0:
	case 1:
		for c := range 256 {
			s[pair(text[0], byte(c))] |= isText
			s[pair(byte(c), text[0])] |= isLast
		}
	case 2:
		s[pair(text[0], text[1])] |= isFirst
		for c := range 256 {
			s[pair(text[1], byte(c))] |= isNext
		}
	default:
		s[pair(text[0], text[1])] |= isFirst
		s[pair(text[1], text[2])] |= isNext
	}
}

// canBegin reports whether a text of the set can begin at an index of p.
func canBegin[T string | []byte](s *pairSet, p T, i int) bool {
	if i+1 == len(p) {
		return true
	}
	use := s[pair(p[i], p[i+1])]
	return use&isText != 0 || use&isFirst != 0 && (i+2 == len(p) || s[pair(p[i+1], p[i+2])]&isNext != 0)
}

// Skip returns how many bytes of p cannot begin a text, which is much faster than [Automaton.Next] in the start state:
// it looks at four pairs of bytes at a time. It never skips the last byte, because a text can begin there.
func Skip[T string | []byte](a *Automaton, p T) int {
	s, n := &a.pairs, 0
	for ; n+8 <= len(p); n += 8 {
		q := p[n : n+8]
		if s[pair(q[0], q[1])]|s[pair(q[2], q[3])]|s[pair(q[4], q[5])]|s[pair(q[6], q[7])] == 0 {
			continue
		}
		for k := n; k < n+8; k += 2 {
			switch use := s[pair(p[k], p[k+1])]; {
			case use == 0:
			case use&isNext != 0 && k > 0 && canBegin(s, p, k-1):
				return k - 1
			case use&(isText|isFirst) != 0 && canBegin(s, p, k):
				return k
			case use&isLast != 0:
				return k + 1
			}
		}
	}
	for i := max(n-1, 0); i < len(p); i++ {
		if canBegin(s, p, i) {
			return i
		}
	}
	return len(p)
}
