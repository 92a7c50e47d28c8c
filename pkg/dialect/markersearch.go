package dialect

import "oneshot/pkg/ahocorasick"

// A search is the position of an automaton in a text that arrives in pieces. It finds the text that ends first, unless
// it is inside a longer one: that is found instead if it is complete. No text of the set begins with another one.
type search struct {
	*ahocorasick.Automaton
	state  ahocorasick.State
	inner  ahocorasick.State // the text that ended inside a longer one, which may not be complete; 0 for none
	beyond int               // bytes read after that text
}

// findNext reads p up to the end of the first match, or beyond bytes further if a longer text was not completed. It
// returns the bytes read, the matched text or -1, and the bytes inspected.
func (s *search) findNext(p []byte) (n, found, steps int) {
	for n < len(p) {
		if s.state == 0 {
			skipped := ahocorasick.Skip(s.Automaton, p[n:])
			n, steps = n+skipped, steps+skipped
		}
		before := s.state
		s.state = s.Next(before, p[n])
		n, steps = n+1, steps+1
		if s.inner != 0 || s.Match(s.state) != 0 {
			if m := s.longestMatch(before); m != 0 {
				return n, s.Index(m), steps
			}
		}
	}
	return n, -1, steps
}

// longestMatch returns the longest text whose match the latest byte makes final, or 0. before is the state before that byte.
func (s *search) longestMatch(before ahocorasick.State) ahocorasick.State {
	at, found := s.state, s.Match(s.state)
	s.beyond++
	switch {
	case s.inner != 0 && s.Len(at) != s.Len(before)+1: // the longer one does not continue
		found = s.inner
		s.state, s.inner = 0, 0
		return found
	case found != 0 && s.IsFinal(at):
		s.state, s.inner, s.beyond = 0, 0, 0
		return found
	case s.inner == 0:
		s.inner, s.beyond = found, 0
	}
	return 0
}

// partialLen returns how many of the last bytes can still become a text of the set.
func (s *search) partialLen() int { return s.Len(s.state) }
