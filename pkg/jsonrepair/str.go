package jsonrepair

import (
	"strings"

	"oneshot/pkg/diag"
)

// A piece is one string between quotation marks.
type piece struct {
	mark     quoteMark
	from, to int // its content
	next     int // behind its closing mark
	closed   bool
	cut      bool // the text ends in it
	raw      bool // its quotation marks are three: it has no escapes but those of JSON
	bare     bool // it has no quotation marks: only quotes have escapes
	exact    bool // it has no escapes
	doubled  bool // both quotation marks are written twice
	guessed  bool // its closing mark is another one, or marks in it could be it
}

// str reads a string as a value.
func (r *reader) str() {
	start := r.at
	r.begin(start, true)
	if cut := r.quotedText(nil); cut && r.at-start == 1 && r.dropItem(start) {
		return
	}
	r.done(r.at)
}

// quotedKey reads a key in quotation marks.
func (r *reader) quotedKey(k *key) {
	var name strings.Builder
	k.cut = r.quotedText(&name)
	k.name, k.end = name.String(), r.at
}

// dropItem drops an array item that has only its opening
// quotation mark.
func (r *reader) dropItem(start int) bool {
	f := r.top()
	if f == nil || f.object {
		return false
	}
	r.forget()
	r.add(note{diag.TruncatedCall, start, r.at, "an item is cut off", "remove it", diag.Unsafe, []edit{remove(start, r.at)}})
	return true
}

// quotedText reads a string, or several with a plus between them. The name is
// where the text of a key goes, nil for a value.
func (r *reader) quotedText(name *strings.Builder) (cut bool) {
	p := r.piece(name != nil)
	r.noteOpening(p)
	r.content(p, name)
	for name == nil {
		next, ok := r.concatenated(p)
		if !ok {
			break
		}
		r.at = next
		q := r.piece(false)
		r.add(note{diag.ConcatenatedValues, p.to, q.from, "a string is written in parts", "join them", diag.Unsafe, []edit{remove(p.to, q.from)}})
		p = q
		r.content(p, nil)
	}
	r.noteClosing(p)
	r.at = p.next
	return p.cut
}

// noteOpening mends the opening quotation mark.
func (r *reader) noteOpening(p piece) {
	start := r.at
	if mark := r.text[start:p.from]; mark != `"` {
		code, kind := markCode(mark)
		r.add(note{code, start, p.from, "a string begins with " + mark, "write a double quote", kind, []edit{replace(start, p.from, `"`)}})
	}
}

// noteClosing mends the closing quotation mark.
func (r *reader) noteClosing(p piece) {
	mark := r.text[p.to:p.next]
	switch {
	case p.cut:
		r.cut = true
		r.add(note{diag.TruncatedCall, p.to, p.next, "the text ends in a string", "close it", diag.Unsafe,
			[]edit{insert(behind, p.to, `"`), remove(p.to, p.next)}})
	case !p.closed:
		r.add(note{diag.UnescapedQuote, p.to, p.to, "the closing quote is missing", "insert it", diag.Unsafe, []edit{insert(behind, p.to, `"`)}})
	case mark != `"`:
		code, kind := markCode(mark)
		if p.guessed {
			kind = diag.Unsafe
		}
		r.add(note{code, p.to, p.next, "a string ends with " + mark, "write a double quote", kind, []edit{replace(p.to, p.next, `"`)}})
	}
}

// markCode returns what is wrong with a quotation mark. A mark that is doubled
// or with a backslash is no certain thing.
func markCode(mark string) (diag.Code, diag.FixKind) {
	switch {
	case mark == "'" || mark == "`":
		return diag.QuoteCharacter, diag.Safe
	case mark[0] >= 0x80:
		return diag.SmartQuote, diag.Safe
	case mark[0] == '\\':
		return diag.BadEscape, diag.Unsafe
	}
	return diag.QuoteCharacter, diag.Unsafe
}

// concatenated returns the start of a string that is added to another with a
// plus, or follows it as the rest of a member's value.
func (r *reader) concatenated(p piece) (int, bool) {
	if p.cut {
		return 0, false
	}
	i := r.skip(p.next)
	if i >= r.end {
		return 0, false
	}
	f := r.top()
	switch {
	case r.text[i] == '+':
		i = r.skip(i + 1)
	case f == nil || !f.object || !p.closed || i == p.next:
		return 0, false
	}
	if r.quoteAt(i).width == 0 || r.keyAt(i) {
		return 0, false
	}
	return i, true
}

// piece finds the content of the string at the place.
func (r *reader) piece(isKey bool) piece {
	p := piece{mark: r.quote(), exact: r.verbatim}
	p.from = r.at + p.mark.width
	mark := r.text[r.at:p.from]
	rest := r.text[p.from:r.end]
	if p.mark.slants == 0 && (mark == `"` || mark == "'") && strings.HasPrefix(rest, mark) {
		if r.tripled(&p, mark) {
			return p
		}
		if r.opensTwice(p.from+1, isKey) {
			p.from++
			p.doubled = true
		}
	}
	s := scan{reader: r, p: p, isKey: isKey}
	return s.run()
}

// tripled reads a string between three quotation marks.
func (r *reader) tripled(p *piece, mark string) bool {
	triple := mark + mark + mark
	if !strings.HasPrefix(r.text[r.at:r.end], triple) || r.budget <= 0 {
		return false
	}
	from := r.at + 3
	n := strings.Index(r.text[from:r.end], triple)
	if n < 0 {
		r.spend(r.end - from)
		return false
	}
	r.steps += n
	p.from, p.to, p.next = from, from+n, from+n+3
	p.closed, p.raw = true, true
	return true
}

// fencedText reads the value of a member in a code fence as a string:
// the lines between those of the fence. It reports whether there is one.
func (r *reader) fencedText() bool {
	f, n := r.top(), r.fence()
	if f == nil || !f.object || r.budget <= 0 {
		return false
	}
	from := r.at + n
	to := strings.Index(r.text[from:r.end], r.text[r.at:from])
	if to < 0 {
		r.spend(r.end - from)
		return false
	}
	r.steps += to
	p := piece{from: from, to: from + to, next: from + to + n, closed: true, raw: true}
	if i := r.skip(p.next); i < r.end && !isCloser(r.text[i]) && commaLen(r.text[i:]) == 0 {
		r.spend(to)
		return false
	}
	if k := lineLen(r.text[from:p.to]); k < to {
		p.from += k + 1
		p.to = max(p.from, r.backSkip(p.to, p.from))
	}
	start := r.at
	r.begin(start, true)
	p.exact = true
	r.add(note{diag.MalformedFence, start, p.next, "the value is in a code fence", "write a string", diag.Unsafe,
		[]edit{replace(start, p.from, `"`), replace(p.to, p.next, `"`)}})
	r.content(p, nil)
	r.at = p.next
	r.done(r.at)
	return true
}

// opensTwice reports whether two quotation marks that end in front of an offset
// open a string, and are not an empty one.
func (r *reader) opensTwice(i int, isKey bool) bool {
	if i >= r.end {
		return false
	}
	c := r.text[i]
	if isLetter(c) || isDigit(c) {
		return !r.keyAt(i) || r.text[i-1] == r.text[i-2] && r.keyAt(i-1) && isKey
	}
	if !isKey || !isBlank(c) {
		return false
	}
	j := r.skip(i)
	return j < r.end && isLetter(r.text[j]) && r.keyAt(i-1)
}

// spend charges the budget for bytes that were scanned without a result.
func (r *reader) spend(n int) {
	r.budget -= n
	r.steps += n
}
