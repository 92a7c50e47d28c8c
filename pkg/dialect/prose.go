package dialect

import "bytes"

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isNewline(c byte) bool { return c == '\n' || c == '\r' }

func isSpace(c byte) bool { return isBlank(c) || isNewline(c) }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// prose reads text up to the next run of fence characters that begins a line, or
// brace that may begin an object with calls.
func (s *Scanner) prose(p []byte) int {
	mark := s.nextMark(p)
	s.content(s.at, string(p[:mark]))
	switch {
	case mark == len(p):
	case p[mark] == '{':
		s.beginKey(p, mark)
	default:
		s.opener = fence{char: p[mark], at: s.at + mark}
		s.place, s.lineBlank = inRun, false
	}
	return mark
}

// nextMark returns the index of the next fence character that begins a line, or
// of the next brace where those count, or the length of p.
func (s *Scanner) nextMark(p []byte) int {
	for from := 0; ; {
		mark := min(s.seek(&s.backtick, p, from, '`'), s.seek(&s.tilde, p, from, '~'))
		if s.dialect.framing.keys != nil {
			mark = min(mark, s.seek(&s.brace, p, from, '{'))
		}
		s.lineBlank = s.beginsLine(p[from:mark])
		if s.lineBlank || mark == len(p) || p[mark] == '{' {
			return mark
		}
		from = mark + 1
	}
}

// seek returns the index of the next c behind from, or the length of p. Where
// it was found last is in next, so that no byte is searched twice.
func (s *Scanner) seek(next *int, p []byte, from int, c byte) int {
	if *next <= s.at+from {
		i := bytes.IndexByte(p[from:], c)
		if i < 0 {
			i = len(p) - from
		}
		*next = s.at + from + i
		s.steps += i
	}
	return *next - s.at
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

// run reads a run of fence characters.
func (s *Scanner) run(p []byte) int {
	n := 0
	for n < len(p) && p[n] == s.opener.char && s.opener.length <= longestRun {
		s.opener.length++
		n++
	}
	s.hold(p[:n])
	switch {
	case s.opener.length > longestRun, n < len(p) && s.opener.length < 3:
		s.text()
	case n < len(p):
		s.place, s.matched, s.folded = inInfo, 0, false
	}
	return n
}

// text makes content of what was held and goes on in the middle of a line.
func (s *Scanner) text() {
	s.release()
	s.place, s.lineBlank = inProse, false
}
