package jsonrepair

import (
	"strings"

	"oneshot/pkg/diag"
)

// bareKey reads a key without quotes.
func (r *reader) bareKey(k *key) {
	start, end := r.at, r.bareKeyEnd()
	next := end
	if m := r.quoteAt(end); m.width > 0 && end > start {
		next = end + m.width // its first quote is missing
	}
	end = r.backSkipBlanks(end)
	if end == start {
		end = start + r.stray()
		next = end
	}
	r.steps += end - start
	var name strings.Builder
	kind := diag.Safe
	if strings.ContainsAny(r.text[start:end], " \t\n") || next > end {
		kind = diag.Unsafe
	}
	r.bareText(start, end, &name, diag.UnquotedKey, "a key has no quotes", kind)
	if next > end && r.quoteAt(next-1).width > 0 {
		r.add(note{diag.UnescapedQuote, end, next, "a quote closes a key that has none", "remove it", diag.Unsafe, []edit{remove(end, next)}})
		end = next
	}
	r.at = max(end, r.at)
	k.name, k.end = name.String(), end
}

// bareKeyEnd returns the end of a key without quotes: a delimiter, or a string in
// front of which the colon is missing.
func (r *reader) bareKeyEnd() int {
	end := r.at
	for end < r.end && !isCloser(r.text[end]) && strings.IndexByte(",:{[\"\n", r.text[end]) < 0 &&
		!strings.HasPrefix(r.text[end:r.end], `\"`) && colonLen(r.text[end:r.end]) == 0 {
		if !isBlank(r.text[end]) {
			end++
			continue
		}
		behind := end
		for behind < r.end && isBlank(r.text[behind]) && r.text[behind] != '\n' {
			behind++
		}
		if r.quoteAt(behind).width > 0 {
			break
		}
		end = behind
	}
	return end
}

// strayWord drops words in front of a key.
func (r *reader) strayWord() bool {
	if !r.strayWordAt(r.at) {
		return false
	}
	i := r.at
	if r.text[i] == '"' {
		i++
	}
	for !isBlank(r.text[i]) && r.text[i] != '"' {
		i++
	}
	if r.text[i] == '"' {
		i++
	}
	r.skipOver(diag.UnquotedString, i, "unexpected word before a key")
	return true
}

// strayWordAt reports whether a word stands at an offset, and behind it a key in
// quotes.
func (r *reader) strayWordAt(i int) bool {
	k := i
	if strings.HasPrefix(r.text[i:r.end], `""`) {
		k = r.skip(i + 2)
		return r.quoteAt(k).width > 0 && r.keyAt(k)
	}
	for k < min(r.end, i+window) && (isLetter(r.text[k]) || isDigit(r.text[k])) {
		k++
	}
	if k == i || k >= r.end || !isBlank(r.text[k]) {
		return false
	}
	k = r.skip(k)
	return r.quoteAt(k).width > 0 && r.keyAt(k)
}
