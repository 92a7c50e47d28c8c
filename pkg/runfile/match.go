package runfile

import (
	"strings"
	"unicode/utf8"
)

// A source is an earlier text, in which a later one is matched.
type source struct {
	ref    reference
	plain  string
	quote  string         // the text inside a JSON string; "" until it is needed
	places [2]int         // the same place in both
	index  map[string]int // last offset of each block of grams in the end of the text
	quick  map[string]int // the same of the quoted text
}

const (
	anchor     = 12  // bytes by which the beginning of a source is found
	nearby     = 4   // bytes that have to agree where a match continues close to where it ended
	mostExtra  = 40  // bytes that the later text can have between the two
	mostSkip   = 16  // bytes by which the source can move
	gram       = 32  // bytes that have to agree where it continues far away
	mostTries  = 16  // texts that begin like a source and are none
	farWindow  = 256 // bytes of the later text in which that has to begin
	longEnough = 256 // bytes that agree by no accident
	partSize   = 56  // bytes of a reference in the file, about
	mostOver   = 512 // bytes by which references can be longer than what they stand for
)

// A cursor is a place in a source.
type cursor struct {
	quoted bool
	at     int
}

// view returns the text of the source, quoted if that is asked for.
func (s *source) view(quoted bool) string {
	if !quoted {
		return s.plain
	}
	if s.quote == "" {
		s.quote = quotedText(s.plain)
	}
	return s.quote
}

// find returns where in a text the source begins, or -1.
func (s *source) find(text string, quotable bool) (at int, c cursor) {
	at = strings.Index(text, s.plain[:min(len(s.plain), anchor)])
	if at < 0 && quotable {
		view := s.view(true)
		return strings.Index(text, view[:min(len(view), anchor)]), cursor{quoted: true}
	}
	return at, c
}

// match returns the parts of the beginning of a text that are copies of the source, with what is between them, and
// how many bytes they are. The parts give exactly these bytes, whatever was done to the source.
func (s *source) match(text string, c cursor) (parts []part, matched int) {
	for at := 0; ; {
		n := common(s.view(c.quoted)[c.at:], text[at:])
		if n > 0 {
			if at > matched {
				parts = append(parts, part{text: text[matched:at]})
			}
			parts = append(parts, s.copied(c, n))
			c.at, at = c.at+n, at+n
			matched = at
		}
		if c.at == len(s.view(c.quoted)) || len(parts)*partSize > at+mostOver {
			return parts, matched
		}
		next := s.next(c, text[at:])
		if next.agree == 0 {
			return parts, matched
		}
		c, at = next.cursor, at+next.extra
	}
}

// copied returns the part that copies n bytes.
func (s *source) copied(c cursor, n int) part {
	ref := s.ref
	ref.Quoted = c.quoted
	if n < len(s.view(c.quoted)) {
		ref.From, ref.To = c.at, c.at+n
	}
	return part{ref: &ref}
}

// common returns how many bytes texts have in common at their beginnings, in whole characters.
func common(a, b string) int {
	most := min(len(a), len(b))
	n := 0
	for n+gram <= most && a[n:n+gram] == b[n:n+gram] {
		n += gram
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
	extra int // bytes of text before that
	agree int // bytes that agree from there; 0 if it does not continue
}

// next returns where a match continues that ended at a place in the source.
func (s *source) next(c cursor, text string) continuation {
	best := s.near(c, text)
	if best.agree >= longEnough || best.agree > 0 && best.at+best.agree == len(s.view(best.quoted)) {
		return best
	}
	if far := s.far(text); far.agree > best.agree && far.extra < best.extra+best.agree || best.agree == 0 {
		return far
	}
	return best
}

// near returns where a match continues when a few bytes of the source were replaced or text was inserted. What was
// inserted can begin a JSON string with the rest of the source in it.
func (s *source) near(c cursor, text string) continuation {
	best := s.shift(c, text, 0)
	if c.quoted || best.agree >= longEnough {
		return best
	}
	if in := s.shift(cursor{true, s.quotedAt(c.at)}, text, -mostSkip); in.agree > best.agree {
		return in
	}
	return best
}

// quotedAt returns the place in the quoted text of one in the plain text. It is asked for places further and further on.
func (s *source) quotedAt(plain int) int {
	if plain < s.places[0] {
		s.places = [2]int{}
	}
	s.places = [2]int{plain, s.places[1] + len(quotedText(s.plain[s.places[0]:plain]))}
	return s.places[1]
}

// shift leaves out the least number of bytes of a text so that the rest agrees with the source close to a cursor. That
// moves by at least least bytes.
func (s *source) shift(c cursor, text string, least int) continuation {
	view := s.view(c.quoted)
	for extra := range min(mostExtra, len(text)) {
		if !utf8.RuneStart(text[extra]) {
			continue
		}
		for at := max(0, c.at+least); at <= min(c.at+mostSkip, len(view)-1); at++ {
			want := view[at:min(at+nearby, len(view))]
			if (extra > 0 || at != c.at) && strings.HasPrefix(text[extra:], want) {
				return continuation{cursor{c.quoted, at}, extra, common(view[at:], text[extra:])}
			}
		}
	}
	return continuation{}
}

// far returns where the end of the source continues, of which some in the middle is left out.
func (s *source) far(text string) (best continuation) {
	for _, quoted := range []bool{false, true} {
		view, index := s.view(quoted), s.blocks(quoted, len(text))
		for from := range max(0, min(farWindow, len(text)-gram)) {
			at, found := index[text[from:from+gram]]
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
			if n := common(view[at:], text[begin:]); n > best.agree {
				best = continuation{cursor{quoted, at}, begin, n}
			}
			if best.agree >= longEnough {
				return best
			}
		}
	}
	return best
}

// blocks returns the offsets of blocks in the end of the source, of which a text of a length can be a copy.
func (s *source) blocks(quoted bool, length int) map[string]int {
	index := &s.index
	if quoted {
		index = &s.quick
	}
	if *index == nil {
		*index = map[string]int{}
		view := s.view(quoted)
		for at := max(0, len(view)-length-gram); at+gram <= len(view); at += gram {
			(*index)[view[at:at+gram]] = at
		}
	}
	return *index
}

// first returns the parts of the first copy of the source in a text, where it begins, and how many bytes it is.
func (s *source) first(text string, quotable bool) (at int, copies []part, n int) {
	for range mostTries {
		skip, c := s.find(text[at:], quotable)
		if skip < 0 {
			break
		}
		at += skip
		if copies, n = s.match(text[at:], c); n >= min(len(s.plain), leastShared) {
			return at, copies, n
		}
		at++ // another text that begins like it
	}
	return 0, nil, 0
}

// refer returns parts for a text that repeats sources, in their order; nil if it has nothing of them.
func refer(text string, quotable bool, sources ...*source) []part {
	if !utf8.ValidString(text) { // it is not recorded byte by byte
		return nil
	}
	var parts []part
	done, from := 0, 0 // up to which there are parts, and from which the next source is looked for
	for _, s := range sources {
		if s == nil || s.plain == "" || !utf8.ValidString(s.plain) {
			continue
		}
		at, copies, n := s.first(text[from:], quotable)
		at += from
		if n > 0 {
			from = at + n
		}
		if n == 0 || len(copies)*partSize > n+mostOver { // they would be far longer than what they stand for
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
