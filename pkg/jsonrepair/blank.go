package jsonrepair

import (
	"strings"

	"oneshot/pkg/diag"
)

// blanks passes over blanks and comments, and notes those that JSON does not
// have.
func (r *reader) blanks() {
	for r.at < r.end {
		rest := r.text[r.at:r.end]
		switch n := blankLen(rest); {
		case isBlank(rest[0]):
			r.at++
		case n > 0:
			r.add(note{diag.BadLiteral, r.at, r.at + n, "a blank that JSON does not have", "write a space", diag.Safe,
				[]edit{replace(r.at, r.at+n, " ")}})
			r.at += n
		case r.escapedBlank():
		default:
			n = r.comment()
			if n == 0 {
				return
			}
			r.add(note{diag.Comment, r.at, r.at + n, "JSON has no comments", "remove it", diag.Safe, []edit{remove(r.at, r.at+n)}})
			r.steps += n
			r.at += n
		}
		r.steps++
	}
}

// escapedBlank passes over \n, \r and \t between values: the document was escaped
// as a string is. A backslash in front of a bracket is passed over, too.
func (r *reader) escapedBlank() bool {
	if rest := r.text[r.at:r.end]; len(rest) > 1 && rest[0] == '\\' && strings.IndexByte("{}[]:,", rest[1]) >= 0 {
		r.skipOver(diag.BadEscape, r.at+1, "backslash before a bracket")
		return true
	}
	if escapedBlankLen(r.text[r.at:r.end]) == 0 {
		return false
	}
	r.add(note{diag.BadEscape, r.at, r.at + 2, "a blank is escaped", "write a space", diag.Unsafe, []edit{replace(r.at, r.at+2, " ")}})
	r.at += 2
	return true
}

// escapedBlankLen returns the length of the escaped blank that a text begins with,
// which no letter follows.
func escapedBlankLen(text string) int {
	if prefixLen(text, `\n`, `\r`, `\t`) == 0 || len(text) > 2 && text[2] < 0x80 && isLetter(text[2]) {
		return 0
	}
	return 2
}

// blankLen returns the length of the blank that a text begins with.
func blankLen(text string) int {
	switch c := text[0]; {
	case isBlank(c):
		return 1
	case c < 0x80 && c != '\v' && c != '\f':
		return 0
	}
	if r, w := runeAt(text, 0); isOddBlank(r) {
		return w
	}
	return 0
}

// commentLen returns the length of the comment that a text begins with. One that
// is not closed ends with the text.
func commentLen(text string) int {
	switch {
	case strings.HasPrefix(text, "//"):
		return lineLen(text)
	case strings.HasPrefix(text, "/*"):
		if k := strings.Index(text[2:], "*/"); k >= 0 {
			return k + 4
		}
		return len(text)
	case text[0] == '#':
		return hashLen(text)
	}
	return 0
}

// lineLen returns the length of the line that a text begins with, without its
// end.
func lineLen(text string) int {
	if k := strings.IndexAny(text, "\n\r"); k >= 0 {
		return k
	}
	return len(text)
}

// hashLen returns the length of a comment that begins with #. On the last line of
// a text it ends in front of a closing bracket: the document is on one line.
func hashLen(text string) int {
	n := lineLen(text)
	if n < len(text) {
		return n
	}
	if k := strings.IndexAny(text, "}]"); k >= 0 {
		return k
	}
	return n
}

// comment returns the length of the comment at the place, 0 if there is none.
func (r *reader) comment() int {
	rest := r.text[r.at:r.end]
	if f := r.top(); f != nil && f.want == wantValue && len(rest) > 1 && rest[0] == '#' && (isLetter(rest[1]) || isDigit(rest[1])) {
		return 0 // a colour or a tag
	}
	return commentLen(rest)
}

// ellipsis returns the length of dots that stand for more items, 0 if there are
// none.
func (r *reader) ellipsis() int {
	n := prefixLen(r.text[r.at:r.end], "...", "…")
	if n == 0 || r.top() == nil {
		return 0
	}
	for r.at+n < r.end && r.text[r.at+n] == '.' {
		n++
	}
	if i := r.skip(r.at + n); i < r.end && !isCloser(r.text[i]) && commaLen(r.text[i:]) == 0 {
		return 0
	}
	return n
}

// dropEllipsis drops dots that stand for more items, and the comma behind them.
func (r *reader) dropEllipsis() {
	n := r.ellipsis()
	r.skipOver(diag.BadLiteral, r.at+n, "dots stand where an item should")
	if f := r.top(); f.want == wantComma {
		return
	}
	if i := r.skip(r.at); i < r.end {
		if w := commaLen(r.text[i:]); w > 0 {
			r.blanks()
			r.add(note{diag.BadLiteral, r.at, r.at + w, "a comma follows dots", "remove it", diag.Unsafe, []edit{remove(r.at, r.at+w)}})
			r.at += w
		}
	}
}

// fenceLen returns how many backticks of a fence a text begins with, 0 if they
// are fewer than three.
func fenceLen(text string) int {
	n := 0
	for n < len(text) && text[n] == '`' {
		n++
	}
	if n < 3 {
		return 0
	}
	return n
}

// fence returns the length of the fence at the place, 0 if there is none.
func (r *reader) fence() int { return fenceLen(r.text[r.at:r.end]) }

// innerFence follows a fence between values: it ends the document if it closes
// the one around it, and is dropped otherwise.
func (r *reader) innerFence() {
	n := r.fence()
	if i := r.skip(r.at + n); r.fenced || i >= r.end {
		r.end = r.at
		return
	}
	r.dropFence(diag.Unsafe)
}

// dropFence drops the fence at the place, with the word behind it.
func (r *reader) dropFence(kind diag.FixKind) {
	i := r.at + r.fence()
	for i < len(r.text) && (isLetter(r.text[i]) || isDigit(r.text[i])) {
		i++
	}
	r.add(note{diag.MalformedFence, r.at, i, "a code fence stands around the value", "remove it", kind, []edit{remove(r.at, i)}})
	r.steps += i - r.at
	r.at = i
}
