package jsonrepair

import "strings"

// ahead returns the offset of the next document behind prose: of a fence around a
// value, else of a bracket that looks like the beginning of one; none if there is
// none.
func (r *reader) ahead() int {
	if i := r.nextFence(); i >= 0 || r.inFences {
		return i
	}
	for i := r.at; i < r.end; i++ {
		r.steps++
		if c := r.text[i]; (c == '{' || c == '[') && r.containerAt(i) {
			return i
		}
	}
	return none
}

// nextFence returns the offset of the next fence around a value, or none. What was found once is not looked for again.
func (r *reader) nextFence() int {
	if r.fenceAhead >= r.at || r.fenceAhead == none {
		return r.fenceAhead
	}
	for i := r.at; ; {
		k := strings.Index(r.text[i:r.end], "```")
		if k < 0 {
			r.fenceAhead = none
			return none
		}
		r.steps += k + 3
		i += k
		body := i + fenceLen(r.text[i:r.end])
		word := body
		for word < r.end && (isLetter(r.text[word]) || isDigit(r.text[word])) {
			word++
		}
		r.steps += word - body
		if j := r.skip(word); j < r.end && strings.IndexByte(`{[("`, r.text[j]) >= 0 {
			r.fenceAhead = i
			return i
		}
		i = body
	}
}

// containerAt reports whether a bracket at an offset looks like the beginning of
// an object or array.
func (r *reader) containerAt(i int) bool {
	c := r.text[i]
	if c != '{' && c != '[' {
		return false
	}
	k := r.skip(i + 1)
	if k >= r.end || r.text[k] == c+2 || r.quoteAt(k).width > 0 || strings.IndexByte("{[(.,", r.text[k]) >= 0 || r.escapedAt(k) {
		return true
	}
	if c == '{' {
		return r.keyAt(k) || isDigit(r.text[k]) || r.text[k] == ':'
	}
	return prefixLen(r.text[k:r.end], "true", "false", "null", "None", "True", "False", "-") > 0 || isDigit(r.text[k]) && !r.citation(k)
}

// escapedAt reports whether a line end that was escaped stands at an offset.
func (r *reader) escapedAt(k int) bool { return prefixLen(r.text[k:r.end], `\n`, `\r`, `\t`) > 0 }

// citation reports whether a number at an offset is in brackets in the middle
// of a text.
func (r *reader) citation(k int) bool {
	k += digits(r.text[k:min(r.end, k+window)])
	if k >= r.end || r.text[k] != ']' {
		return false
	}
	k = r.skip(k + 1)
	return k < r.end && (isLetter(r.text[k]) || r.text[k] == '.')
}

// tupleAt reports whether brackets at the place hold the whole rest of the text.
func (r *reader) tupleAt() bool {
	depth := 0
	for i := r.at; i < r.end; i++ {
		r.steps++
		switch r.text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth == 0 {
			k := r.skip(i + 1)
			return k >= r.end || r.text[k] == ';' || r.text[k] == ',' || fenceLen(r.text[k:r.end]) > 0
		}
	}
	return true
}

// scalarLine reports whether the line at the place is one number, word or string
// of JSON, perhaps with a comma behind it.
func (r *reader) scalarLine() bool {
	rest := r.text[r.at:r.end]
	n := strings.IndexAny(rest[:min(len(rest), window)], ",\n")
	if n < 0 {
		n = min(len(rest), window)
	}
	r.steps += n
	return isScalar(trimBlanks(rest[:n]))
}

// isList reports whether a text is words with commas or line ends between them.
func isList(text string) bool {
	word, gap := false, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == ',' || c == '\n':
			word, gap = false, false
		case isBlank(c):
			gap = word
		case gap:
			return false
		default:
			word = true
		}
	}
	return true
}

func isWordRune(c rune) bool {
	return c >= 0x80 || isDigit(byte(c)) || isLetter(byte(c))
}

// quotedProse reports whether the quotation mark at the place is one of a word in
// prose, or of three that stand for a fence.
func (r *reader) quotedProse() bool {
	if r.has("'''") || r.has(`"""`) || r.has("`") {
		return true
	}
	end := r.quickEnd(r.at)
	if end < 0 {
		return false
	}
	i := r.skip(end)
	return i < r.end && isLetter(r.text[i])
}

// callArgument reports whether the call at the place has an argument that is a value.
func (r *reader) callArgument() bool {
	open := r.at + r.callName()
	for isBlank(r.text[open]) {
		open++
	}
	return r.argument(r.skip(open + 1))
}
