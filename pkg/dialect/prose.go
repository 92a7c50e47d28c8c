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

// prose reads text up to behind the next mark.
func (s *Scanner) prose(p []byte) int {
	n, found, steps := s.search.scan(p)
	s.steps += steps
	if found < 0 {
		s.pass(p[:n], s.search.begun())
		return n
	}
	size := len(s.marks.texts[found])
	s.pass(p[:n], size+s.search.beyond)
	s.pending = pending{uses: s.marks.uses[found], early: s.marks.early[found], size: size, text: s.marks.texts[found]}
	s.place = inLead
	return n
}

// pass makes content of what is held and p, but of their last bytes, which are
// held.
func (s *Scanner) pass(p []byte, keep int) {
	s.hold(nil)
	if free := len(s.held) + len(p) - keep; free >= len(s.held) {
		s.passed(s.held)
		s.content(s.heldAt, s.said(s.heldAt, s.held))
		free -= len(s.held)
		s.held = s.held[:0]
		s.passed(p[:free])
		s.content(s.at, s.said(s.at, p[:free]))
		s.held, s.heldAt = append(s.held, p[free:]...), s.at+free
	} else if free > 0 {
		s.passed(s.held[:free])
		s.content(s.heldAt, s.said(s.heldAt, s.held[:free]))
		s.held = append(s.held[:0], s.held[free:]...)
		s.held, s.heldAt = append(s.held, p...), s.heldAt+free
	} else {
		s.held = append(s.held, p...)
	}
}

// passed takes note of text that is content.
func (s *Scanner) passed(text []byte) {
	if len(text) > 0 {
		s.lineBlank = s.beginsLine(text)
	}
}

// beginsLine reports whether only blanks stand between the start of a line and
// the end of text, which continues the text that was looked at before.
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

// text makes content of what was held and goes on in the middle of a line.
func (s *Scanner) text() {
	s.release()
	s.place, s.lineBlank = inProse, false
}

// readSkip passes over the text that may stand behind a mark.
func (s *Scanner) readSkip(p []byte) int {
	skip := s.pending.skip
	if p[0] == skip[len(s.held)] {
		s.hold(p[:1])
		if len(s.held) < len(skip) {
			return 1
		}
		s.held = s.held[:0]
		s.place = s.betweenFrames()
		return 1
	}
	s.readAgain(s.held)
	s.held = s.held[:0]
	s.place = s.betweenFrames()
	return 0
}
