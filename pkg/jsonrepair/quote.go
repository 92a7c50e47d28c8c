package jsonrepair

import "strings"

// A quoteMark is a quotation mark at an offset.
type quoteMark struct {
	width  int // with its backslashes; 0 if there is none
	char   rune
	slants int // backslashes in front of it
}

// doubles and singles are what can stand for a quotation mark.
const (
	doubles = "\"“”„‟«»＂"
	singles = "'‘’‚‛`´＇"
)

// quote returns the quotation mark at the place.
func (r *reader) quote() quoteMark { return r.quoteAt(r.at) }

func (r *reader) quoteAt(i int) quoteMark {
	n := 0
	for n < 2 && i+n < r.end && r.text[i+n] == '\\' {
		n++
	}
	if n == 2 || i+n >= r.end {
		return quoteMark{}
	}
	char, w := runeAt(r.text, i+n)
	if n == 1 && char != '"' && char != '\'' || !isQuote(char) {
		return quoteMark{}
	}
	return quoteMark{n + w, char, n}
}

func isQuote(r rune) bool {
	return r == '"' || r == '\'' || r == '`' || r >= 0x80 && (strings.ContainsRune(doubles, r) || strings.ContainsRune(singles, r))
}

// closes reports whether a character can close a string that a quotation mark
// has opened. A straight one is closed by itself only.
func (q quoteMark) closes(r rune) bool {
	switch {
	case q.char == '"' || q.char == '\'':
		return r == q.char
	case !isQuote(r):
		return false
	case strings.ContainsRune(doubles, q.char):
		return strings.ContainsRune(doubles, r)
	}
	return strings.ContainsRune(singles, r)
}

// window is how far the reader looks ahead, in bytes.
const window = 512

// skip returns the offset behind blanks and comments, without noting them. It
// ends after a window.
func (r *reader) skip(i int) int {
	limit := min(r.end, i+window)
	from := i
	for i < limit {
		n := blankLen(r.text[i:r.end])
		if n == 0 {
			n = max(commentLen(r.text[i:limit]), escapedBlankLen(r.text[i:limit]))
		}
		if n == 0 {
			break
		}
		i += n
	}
	r.steps += i - from + 1
	return min(i, r.end)
}

// backSkip returns the end of the text before an offset, without the blanks
// and comments between.
func (r *reader) backSkip(i, from int) int {
	for low := max(from, i-window); i > low; i-- {
		r.steps++
		if i-low >= 4 && r.text[i-2:i] == "*/" {
			if k := strings.LastIndex(r.text[low:i-2], "/*"); k >= 0 {
				i = low + k + 1
				continue
			}
		}
		if !isBlank(r.text[i-1]) {
			break
		}
	}
	return i
}

// keyAt reports whether a key and its colon stand at an offset.
func (r *reader) keyAt(i int) bool {
	limit := min(r.end, i+window)
	q := r.quoteAt(i)
	if q.width == 0 {
		return r.bareKeyAt(i, limit)
	}
	for k := i + q.width; k < limit; {
		r.steps++
		c := r.text[k]
		if c == '\\' && q.slants == 0 {
			k += 2
			continue
		}
		if m := r.quoteAt(k); m.width > 0 && m.slants == q.slants && q.closes(m.char) {
			j := r.skip(k + m.width)
			if j == k+m.width && j < r.end && r.text[j] == r.text[k] {
				j = r.skip(j + 1) // doubled
			}
			return j < r.end && colonLen(r.text[j:r.end]) > 0
		}
		if c == '\n' || c == '{' || c == '}' {
			return false
		}
		k++
	}
	return false
}

// bareKeyAt is keyAt for a key without quotes.
func (r *reader) bareKeyAt(i, limit int) bool {
	k := i
	for k < limit && (isLetter(r.text[k]) || isDigit(r.text[k]) || r.text[k] == '-' || r.text[k] == '.') {
		k++
	}
	r.steps += k - i
	if k == i {
		return false
	}
	if m := r.quoteAt(k); k < limit && m.width > 0 { // its first quote is missing
		k += m.width
	}
	for k < limit && isBlank(r.text[k]) {
		k++
	}
	return k < limit && colonLen(r.text[k:limit]) > 0 && !strings.HasPrefix(r.text[k:r.end], "://")
}

// quotedPair reports whether two strings in a row stand at an offset, with
// nothing between them: a key and a value without their colon.
func (r *reader) quotedPair(i int) bool {
	k := r.quickEnd(i)
	if k < 0 {
		return false
	}
	if j := r.skip(k); j > k {
		return r.quickEnd(j) >= 0
	}
	return false
}

// quickEnd returns the end of the string at an offset, up to its next quotation
// mark; -1 if there is none.
func (r *reader) quickEnd(i int) int {
	q := r.quoteAt(i)
	if q.width == 0 {
		return -1
	}
	for k := i + q.width; k < min(r.end, i+window); {
		r.steps++
		if r.text[k] == '\\' && q.slants == 0 {
			k += 2
			continue
		}
		if m := r.quoteAt(k); m.width > 0 && m.slants == q.slants && q.closes(m.char) {
			return k + m.width
		}
		k++
	}
	return -1
}
