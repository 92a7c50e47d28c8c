package jsonrepair

import (
	"strings"

	"oneshot/pkg/diag"
)

// bare reads a value without quotes: a number, a word, a call, a regular
// expression, or text.
func (r *reader) bare() {
	if r.prefixed() || r.call() || r.regex() {
		return
	}
	start := r.at
	r.begin(start, false)
	end, next := r.bareEnd()
	if end == start { // nothing that can be text
		end = start + r.stray()
		next = end
	}
	r.steps += next - start
	token := r.text[start:end]
	if lone, ok := r.loneToken(token); ok {
		end, next = start+lone, start+lone
		token = r.text[start:end]
	}
	r.token(start, token)
	if next > end {
		r.add(note{diag.UnescapedQuote, end, next, "a quote closes a value that has none", "remove it", diag.Unsafe, []edit{remove(end, next)}})
	}
	r.at = next
	r.done(end)
}

// prefixed reads a string of Python with letters in front, as r'…'. It reports
// whether there is one.
func (r *reader) prefixed() bool {
	n := 0
	for n < 2 && r.at+n < r.end && strings.IndexByte("rRuUbBfF", r.text[r.at+n]) >= 0 {
		n++
	}
	m := r.quoteAt(r.at + n)
	if n == 0 || m.char != '"' && m.char != '\'' || m.slants > 0 {
		return false
	}
	if i := r.skip(r.at + n + 1); i >= r.end || isCloser(r.text[i]) || commaLen(r.text[i:]) > 0 {
		return false // it closes the text
	}
	r.add(note{diag.PythonLiteral, r.at, r.at + n, "letters stand in front of a string", "remove them", diag.Unsafe, []edit{remove(r.at, r.at+n)}})
	r.verbatim = strings.ContainsAny(r.text[r.at:r.at+n], "rR")
	r.at += n
	r.str()
	r.verbatim = false
	return true
}

// stray is the length of a character that cannot begin text.
func (r *reader) stray() int {
	_, w := runeAt(r.text, r.at)
	return w
}

// token notes what is to be edited in a value without quotes.
func (r *reader) token(start int, token string) {
	end := start + len(token)
	if isNumber(token) || isWord(token) {
		return
	}
	if word, ok := words[token]; ok {
		r.add(note{word.code, start, end, token + " is no word of JSON", "write " + word.json, word.kind, []edit{replace(start, end, word.json)}})
		return
	}
	if whole := cutWord(token); whole != "" && end == r.end && r.top() != nil {
		r.add(note{diag.TruncatedCall, start, end, "the text ends in a word", "complete it", diag.Unsafe, []edit{replace(start, end, whole)}})
		return
	}
	if number, kind := mendNumber(token); number != "" {
		r.add(note{diag.NonstandardNumber, start, end, "a number is written in a way that JSON does not have", "write " + number, kind,
			[]edit{replace(start, end, number)}})
		return
	}
	r.bareText(start, end, nil, diag.UnquotedString, "a string has no quotes", diag.Unsafe)
}

// bareText puts quotes around a text.
func (r *reader) bareText(start, end int, name *strings.Builder, code diag.Code, what string, kind diag.FixKind) {
	r.add(note{code, start, end, what, "add quotes", kind, []edit{insert(before, start, `"`), insert(behind, end, `"`)}})
	r.content(piece{mark: quoteMark{char: '"'}, from: start, to: end, bare: true}, name)
}

// loneToken returns the length of the number or word that text of an array or in
// front of another key begins with: several values whose commas are missing.
func (r *reader) loneToken(token string) (int, bool) {
	n := strings.IndexAny(token, " \t")
	f := r.top()
	if n < 0 || f == nil {
		return 0, false
	}
	if !isScalar(token[:n]) {
		return 0, false
	}
	return n, !f.object || r.keyAt(r.skip(r.at+n))
}

// bareEnd returns the end of a text without quotes, and the end with the quote
// that closes it.
func (r *reader) bareEnd() (end, next int) {
	end, next, ok := r.bareScan(r.budget > 0)
	if !ok {
		r.spend(r.end - r.at)
		end, next, _ = r.bareScan(false)
	}
	text := r.backSkipBlanks(end)
	if next == end { // no quote closes it
		next = text
	}
	return text, next
}

func (r *reader) backSkipBlanks(i int) int {
	for i > r.at && isBlank(r.text[i-1]) {
		i--
	}
	return i
}

// bareScan looks for the end of a text without quotes. With nested, brackets in it
// belong to it; ok is false if one of them is not closed.
func (r *reader) bareScan(nested bool) (end, next int, ok bool) {
	depth := 0
	for i := r.at; i < r.end; i++ {
		c := r.text[i]
		switch {
		case (c == '{' || c == '[') && depth == 0 && isScalar(r.text[r.at:i]):
			return i, i, true
		case c == '\\' && depth == 0 && isScalar(r.text[r.at:i]):
			return i, i, true
		case nested && (c == '(' || i > r.at && (c == '{' || c == '[')):
			depth++
		case depth > 0:
			if isCloser(c) {
				depth--
			}
		case isCloser(c) && r.top() != nil, c == '\n' && i > r.at && r.lineEnds(i), c == '[' || c == '{':
			return i, i, true
		case (c == ',' || c == ';' || c >= 0x80 && commaLen(r.text[i:]) > 0) && r.commaEnds(i):
			return i, i, true
		case c == '"' || c == '\\' && strings.HasPrefix(r.text[i:r.end], `\"`) || c >= 0x80 && r.quoteAt(i).width > 0:
			if end, next := r.markInText(i); end >= 0 {
				return end, next, true
			}
		case r.textEndsAt(i):
			return i, i, true
		}
	}
	return r.end, r.end, depth == 0
}

// lineEnds reports whether the end of a line ends a text without quotes. In an
// object text may go on behind it, unless a key or bracket follows.
func (r *reader) lineEnds(i int) bool {
	f := r.top()
	if f == nil || !f.object {
		return f != nil || r.topList
	}
	k := r.skip(i)
	return k >= r.end || isCloser(r.text[k]) || commaLen(r.text[k:]) > 0 || r.keyAt(k) || fenceLen(r.text[k:r.end]) > 0 ||
		isScalar(trimBlanks(r.text[r.at:i]))
}

// commaEnds reports whether a comma ends a text without quotes: in an object only
// one that a key follows.
func (r *reader) commaEnds(i int) bool {
	f := r.top()
	switch {
	case f == nil:
		return r.topList
	case !f.object || f.missing:
		return true
	}
	k := r.skip(i + commaLen(r.text[i:]))
	return k >= r.end || isCloser(r.text[k]) || r.keyAt(k) || strings.IndexByte("{[,.", r.text[k]) >= 0 ||
		r.quoteAt(k).width > 0 || strings.IndexByte(r.text[i:k], '\n') >= 0 || r.strayWordAt(k)
}

// markInText decides about a quotation mark in text without quotes: it begins the
// next key, it closes the text, or it belongs to it (end is -1).
func (r *reader) markInText(i int) (end, next int) {
	f := r.top()
	m := r.quoteAt(i)
	if f != nil && f.object && i > r.at && r.keyAt(i) {
		return i, i
	}
	k := r.skip(i + m.width)
	if k >= r.end || isCloser(r.text[k]) && f != nil || commaLen(r.text[k:r.end]) > 0 && (f != nil || k+1 >= r.end) {
		return i, i + m.width
	}
	if f != nil && !f.object && i > r.at && isBlank(r.text[i-1]) {
		return i, i
	}
	return -1, 0
}

// textEndsAt reports whether a comment or fence stands at an offset.
func (r *reader) textEndsAt(i int) bool {
	if r.top() == nil || i == r.at {
		return false
	}
	rest := r.text[i:r.end]
	return isBlank(r.text[i-1]) && commentLen(rest[:min(len(rest), 3)]) > 0 || strings.HasPrefix(rest, "/*") ||
		fenceLen(rest[:min(len(rest), 3)]) > 0
}
