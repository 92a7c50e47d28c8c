package dialect

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isNewline(c byte) bool { return c == '\n' || c == '\r' }

func isSpace(c byte) bool { return isBlank(c) || isNewline(c) }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// readProse reads text to the end of the next marker.
func (s *Scanner) readProse(p []byte) int {
	n, found, steps := s.search.scan(p)
	s.steps += steps
	if found < 0 {
		s.passText(p[:n], s.search.begun())
		return n
	}
	size := len(s.markers.texts[found])
	s.passText(p[:n], size+s.search.beyond)
	s.pending = pending{uses: s.markers.uses[found], prefilter: s.markers.prefilters[found], size: size, text: s.markers.texts[found]}
	s.state = inLookahead
	return n
}

// passText emits the held bytes and p as content, except for the last keep bytes, which it holds.
func (s *Scanner) passText(p []byte, keep int) {
	s.hold(nil)
	if free := len(s.held) + len(p) - keep; free >= len(s.held) {
		s.noteContent(s.held)
		s.emitContent(s.heldAt, s.textOf(s.heldAt, s.held))
		free -= len(s.held)
		s.held = s.held[:0]
		s.noteContent(p[:free])
		s.emitContent(s.at, s.textOf(s.at, p[:free]))
		s.held, s.heldAt = append(s.held, p[free:]...), s.at+free
	} else if free > 0 {
		s.noteContent(s.held[:free])
		s.emitContent(s.heldAt, s.textOf(s.heldAt, s.held[:free]))
		s.held = append(s.held[:0], s.held[free:]...)
		s.held, s.heldAt = append(s.held, p...), s.heldAt+free
	} else {
		s.held = append(s.held, p...)
	}
}

// noteContent updates the line state with content.
func (s *Scanner) noteContent(text []byte) {
	if len(text) > 0 {
		s.lineBlank = s.beginsLine(text)
	}
}

// beginsLine reports whether only blanks separate the start of a line from the end of text, which continues the
// text before.
func (s *Scanner) beginsLine(text []byte) bool {
	i := len(text)
	for i > 0 && isBlank(text[i-1]) {
		i--
	}
	s.steps += len(text) - i
	if i == 0 {
		return s.lineBlank
	}
	return isNewline(text[i-1])
}

// releaseText emits the held bytes as content and continues in the middle of a line.
func (s *Scanner) releaseText() {
	s.release()
	s.state, s.lineBlank = inProse, false
}

// readSkip skips the optional text after a marker.
func (s *Scanner) readSkip(p []byte) int {
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
