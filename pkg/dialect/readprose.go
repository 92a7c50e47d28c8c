package dialect

// readProse reads text to the end of the next marker.
func (s *Scanner) readProse(p []byte) int {
	n, found, steps := s.search.findNext(p)
	s.steps += steps
	if found < 0 {
		s.emitTextExcept(p[:n], s.search.partialLen())
		return n
	}
	size := len(s.markers.texts[found])
	s.emitTextExcept(p[:n], size+s.search.beyond)
	s.pending = pending{uses: s.markers.uses[found], useFilter: s.markers.useFilters[found], size: size, text: s.markers.texts[found]}
	s.state = inLookahead
	return n
}

// skipAfterMarker skips the optional text after a marker.
func (s *Scanner) skipAfterMarker(p []byte) int {
	skip := s.pending.skip
	if p[0] == skip[len(s.held)] {
		s.hold(p[:1])
		if len(s.held) < len(skip) {
			return 1
		}
		s.held = s.held[:0]
		s.state = s.stateBetweenFrames()
		return 1
	}
	s.unread(s.held)
	s.held = s.held[:0]
	s.state = s.stateBetweenFrames()
	return 0
}
