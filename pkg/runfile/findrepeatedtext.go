package runfile

import (
	"strings"
	"unicode/utf8"
)

// A source is an earlier text that a later one is matched against.
type source struct {
	ref          reference
	plain        string
	quote        string         // the text inside a JSON string; "" until needed
	quoteOffsets [2]int         // the same position in plain and in quote
	index        map[string]int // last offset of each block near the end of the text
	quotedIndex  map[string]int // the same for quote
}

const (
	anchorSize           = 12  // bytes that locate the beginning of a source
	minNearMatch         = 4   // bytes that must agree where a match continues nearby
	maxInserted          = 40  // bytes that the later text may insert before that
	maxSkipped           = 16  // bytes of the source that may be skipped
	blockSize            = 32  // bytes that must agree where a match continues far away
	maxTries             = 16  // texts tried that begin like a source
	farWindow            = 256 // bytes of the later text searched for a far match
	certainMatch         = 256 // bytes that do not agree by accident
	encodedReferenceSize = 56  // approximate bytes of a reference in the file
	maxOverhead          = 512 // bytes by which references may exceed the text they replace
)

// A cursor is a position in a source.
type cursor struct {
	quoted bool
	at     int
}

// view returns the text of the source, as it is inside a JSON string if quoted is set.
func (s *source) view(quoted bool) string {
	if !quoted {
		return s.plain
	}
	if s.quote == "" {
		s.quote = jsonEscapedText(s.plain)
	}
	return s.quote
}

// findStartIn returns where the source begins in a text, or -1.
func (s *source) findStartIn(text string, quotable bool) (at int, c cursor) {
	at = strings.Index(text, s.plain[:min(len(s.plain), anchorSize)])
	if at < 0 && quotable {
		view := s.view(true)
		return strings.Index(text, view[:min(len(view), anchorSize)]), cursor{quoted: true}
	}
	return at, c
}

// match returns the parts for the longest prefix of text that can be built from copies of the source and text between
// them, and the length of that prefix in bytes. The parts reproduce exactly these bytes.
func (s *source) match(text string, c cursor) (parts []part, matched int) {
	for at := 0; ; {
		n := commonPrefix(s.view(c.quoted)[c.at:], text[at:])
		if n > 0 {
			if at > matched {
				parts = append(parts, part{text: text[matched:at]})
			}
			parts = append(parts, s.copyPart(c, n))
			c.at, at = c.at+n, at+n
			matched = at
		}
		if c.at == len(s.view(c.quoted)) || len(parts)*encodedReferenceSize > at+maxOverhead {
			return parts, matched
		}
		next := s.nextMatch(c, text[at:])
		if next.agree == 0 {
			return parts, matched
		}
		c, at = next.cursor, at+next.extra
	}
}

// copyPart returns a part that copies n bytes from a cursor.
func (s *source) copyPart(c cursor, n int) part {
	ref := s.ref
	ref.Quoted = c.quoted
	if n < len(s.view(c.quoted)) {
		ref.From, ref.To = c.at, c.at+n
	}
	return part{ref: &ref}
}

// commonPrefix returns the length in bytes of the common prefix of two texts, in whole characters.
func commonPrefix(a, b string) int {
	most := min(len(a), len(b))
	n := 0
	for n+blockSize <= most && a[n:n+blockSize] == b[n:n+blockSize] {
		n += blockSize
	}
	for n < most && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(b) && !utf8.RuneStart(b[n]) {
		n--
	}
	return n
}

// A continuation is where a match continues.
type continuation struct {
	cursor
	extra int // bytes of text before it
	agree int // bytes that agree from there; 0 if the match does not continue
}

// nextMatch returns where a match that ended at a cursor continues.
func (s *source) nextMatch(c cursor, text string) continuation {
	best := s.matchAfterEdit(c, text)
	if best.agree >= certainMatch || best.agree > 0 && best.at+best.agree == len(s.view(best.quoted)) {
		return best
	}
	if far := s.farMatch(text); far.agree > best.agree && far.extra < best.extra+best.agree || best.agree == 0 {
		return far
	}
	return best
}

// matchAfterEdit returns where a match continues after a few bytes of the source were replaced or text was inserted. The
// inserted text may begin a JSON string that contains the rest of the source.
func (s *source) matchAfterEdit(c cursor, text string) continuation {
	best := s.shift(c, text, 0)
	if c.quoted || best.agree >= certainMatch {
		return best
	}
	if in := s.shift(cursor{true, s.quotedOffset(c.at)}, text, -maxSkipped); in.agree > best.agree {
		return in
	}
	return best
}

// quotedOffset converts an offset in the plain text to one in the quoted text. Calls with ascending offsets are cheap.
func (s *source) quotedOffset(plain int) int {
	if plain < s.quoteOffsets[0] {
		s.quoteOffsets = [2]int{}
	}
	s.quoteOffsets = [2]int{plain, s.quoteOffsets[1] + len(jsonEscapedText(s.plain[s.quoteOffsets[0]:plain]))}
	return s.quoteOffsets[1]
}

// shift skips as few bytes of text as possible so that the rest agrees with the source close to a cursor. The cursor
// moves by at least least bytes.
func (s *source) shift(c cursor, text string, least int) continuation {
	view := s.view(c.quoted)
	for extra := range min(maxInserted, len(text)) {
		if !utf8.RuneStart(text[extra]) {
			continue
		}
		for at := max(0, c.at+least); at <= min(c.at+maxSkipped, len(view)-1); at++ {
			want := view[at:min(at+minNearMatch, len(view))]
			if (extra > 0 || at != c.at) && strings.HasPrefix(text[extra:], want) {
				return continuation{cursor{c.quoted, at}, extra, commonPrefix(view[at:], text[extra:])}
			}
		}
	}
	return continuation{}
}

// farMatch returns where the end of the source continues after a long gap.
func (s *source) farMatch(text string) (best continuation) {
	for _, quoted := range []bool{false, true} {
		view, index := s.view(quoted), s.blockIndex(quoted, len(text))
		for from := range max(0, min(farWindow, len(text)-blockSize)) {
			at, found := index[text[from:from+blockSize]]
			if !found || !utf8.RuneStart(text[from]) {
				continue
			}
			begin := from
			for begin > 0 && at > 0 && view[at-1] == text[begin-1] {
				begin, at = begin-1, at-1
			}
			for !utf8.RuneStart(text[begin]) {
				begin, at = begin+1, at+1
			}
			if n := commonPrefix(view[at:], text[begin:]); n > best.agree {
				best = continuation{cursor{quoted, at}, begin, n}
			}
			if best.agree >= certainMatch {
				return best
			}
		}
	}
	return best
}

// blockIndex returns the offsets of blocks in the end of the source that a text of this length can copy.
func (s *source) blockIndex(quoted bool, length int) map[string]int {
	index := &s.index
	if quoted {
		index = &s.quotedIndex
	}
	if *index == nil {
		*index = map[string]int{}
		view := s.view(quoted)
		for at := max(0, len(view)-length-blockSize); at+blockSize <= len(view); at += blockSize {
			(*index)[view[at:at+blockSize]] = at
		}
	}
	return *index
}

// firstMatch returns the parts of the first copy of the source in a text, its offset and its length in bytes.
func (s *source) firstMatch(text string, quotable bool) (at int, copies []part, n int) {
	for range maxTries {
		skip, c := s.findStartIn(text[at:], quotable)
		if skip < 0 {
			break
		}
		at += skip
		if copies, n = s.match(text[at:], c); n >= min(len(s.plain), minShared) {
			return at, copies, n
		}
		at++ // only the beginning agrees
	}
	return 0, nil, 0
}

// matchSources returns parts for a text that repeats sources in order, nil if it repeats none.
func matchSources(text string, quotable bool, sources ...*source) []part {
	if !utf8.ValidString(text) { // invalid UTF-8 is not recorded byte for byte
		return nil
	}
	var parts []part
	done, from := 0, 0 // end of the parts so far, start of the search for the next source
	for _, s := range sources {
		if s == nil || s.plain == "" || !utf8.ValidString(s.plain) {
			continue
		}
		at, copies, n := s.firstMatch(text[from:], quotable)
		at += from
		if n > 0 {
			from = at + n
		}
		if n == 0 || len(copies)*encodedReferenceSize > n+maxOverhead { // the references would be longer than the text
			continue
		}
		if at > done {
			parts = append(parts, part{text: text[done:at]})
		}
		parts, done = append(parts, copies...), from
	}
	if len(parts) > 0 && done < len(text) {
		parts = append(parts, part{text: text[done:]})
	}
	return parts
}
