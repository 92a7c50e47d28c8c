package dialect

import (
	"bytes"
	"strings"
)

// A verdict is the decision whether a marker counts with the text after it.
type verdict int

const (
	no verdict = iota
	yes
	undecided // depends on more text
)

// A lookahead decides from the text after a marker whether the marker counts. It must decide within
// [maxLookahead] bytes, and its verdict is final.
type lookahead func(text []byte) verdict

// maxLookahead bounds the text held back after a marker until the marker is resolved.
const maxLookahead = 320

// thenByte returns the lookahead for blanks and one of some bytes.
func thenByte(bytes string) lookahead {
	return func(text []byte) verdict {
		for _, c := range text {
			if !isSpace(c) {
				return verdictOf(strings.IndexByte(bytes, c) >= 0)
			}
		}
		return undecided
	}
}

// thenJSON matches an object, or a list of objects.
func thenJSON(text []byte) verdict {
	text = trimLeft(text)
	switch {
	case len(text) == 0:
		return undecided
	case text[0] == '[':
		return thenByte("{")(text[1:])
	}
	return verdictOf(text[0] == '{')
}

// thenName matches a name, after blanks.
func thenName(text []byte) verdict {
	for _, c := range text {
		if !isSpace(c) {
			return verdictOf(isNameByte(c))
		}
	}
	return undecided
}

// thenWord returns the lookahead for blanks and one of some words.
func thenWord(words ...string) lookahead {
	return func(text []byte) verdict {
		text = trimLeft(text)
		result := no
		for _, w := range words {
			switch n := min(len(w), len(text)); {
			case w[:n] != string(text[:n]):
			case n == len(w):
				return yes
			default:
				result = undecided
			}
		}
		return result
	}
}

// thenWordAnyCase returns the lookahead for blanks and a word in any case; word is in lower case.
func thenWordAnyCase(word string) lookahead {
	return func(text []byte) verdict {
		text = trimLeft(text)
		for i := range min(len(text), len(word)) {
			if lower(text[i]) != word[i] {
				return no
			}
		}
		if len(text) < len(word) {
			return undecided
		}
		return yes
	}
}

// not inverts a lookahead.
func not(other lookahead) lookahead {
	return func(text []byte) verdict {
		v := other(text)
		if v == undecided {
			return undecided
		}
		return verdictOf(v == no)
	}
}

func verdictOf(ok bool) verdict {
	if ok {
		return yes
	}
	return no
}

// containsByLastByte reports whether text contains word. It is fast if the last byte of word is rare.
func containsByLastByte(text []byte, word string) bool {
	for end := 0; ; {
		i := bytes.IndexByte(text[end:], word[len(word)-1])
		if i < 0 {
			return false
		}
		if end += i + 1; end >= len(word) && string(text[end-len(word):end]) == word {
			return true
		}
	}
}

func trimLeft(text []byte) []byte {
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	return text
}

func never([]byte) verdict { return no }

func always([]byte) verdict { return yes }

// Lookaheads for markers followed by a name.

// nameThen returns the lookahead for blanks, a name, and next.
func nameThen(next lookahead) lookahead { return namedThen(isNameByte, next) }

// namedThen is nameThen with another set of name bytes.
func namedThen(isName func(byte) bool, next lookahead) lookahead {
	return func(text []byte) verdict {
		text = trimLeft(text)
		for i, c := range text {
			switch {
			case isName(c) && i < maxToolName:
			case i == 0 || isName(c):
				return no
			default:
				return next(text[i:])
			}
		}
		return undecided
	}
}

// numberedNameThen returns the lookahead for a name with ":" and a number, and next.
func numberedNameThen(next lookahead) lookahead {
	return func(text []byte) verdict {
		name := trimLeft(text)
		for i, c := range name[:min(len(name), maxToolName)] {
			if !isNumberedNameByte(c) {
				if _, id := splitNumberedName(string(name[:i])); id == "" {
					return no
				}
				break
			}
		}
		return namedThen(isNumberedNameByte, next)(text)
	}
}

// wordThen returns the lookahead for blanks, one of some words, and next.
func wordThen(next lookahead, words ...string) lookahead {
	word := thenWord(words...)
	return func(text []byte) verdict {
		if v := word(text); v != yes {
			return v
		}
		text = trimLeft(text)
		for _, w := range words {
			if len(text) >= len(w) && string(text[:len(w)]) == w {
				return next(text[len(w):])
			}
		}
		return no
	}
}

// exactText returns the lookahead for a word without blanks before it.
func exactText(word string) lookahead {
	return func(text []byte) verdict {
		n := min(len(text), len(word))
		switch {
		case string(text[:n]) != word[:n]:
			return no
		case n < len(word):
			return undecided
		}
		return yes
	}
}

// exactWordThen returns the lookahead for a word without blanks before it, and next.
func exactWordThen(word string, next lookahead) lookahead {
	return func(text []byte) verdict {
		if v := exactText(word)(text); v != yes {
			return v
		}
		return next(text[len(word):])
	}
}

// runThen returns the lookahead for the rest of a run whose first fence characters are a marker, and next.
func runThen(char byte, next lookahead) lookahead {
	return func(text []byte) verdict {
		switch n := runLength(text, char); {
		case n > maxFenceRun-len(backticks.text):
			return no
		case n == len(text):
			return undecided
		default:
			return next(text[n:])
		}
	}
}

// runLength returns the length of the run of a fence character at the start of a text.
func runLength(text []byte, char byte) int {
	n := 0
	for n < len(text) && text[n] == char {
		n++
	}
	return n
}

// lineThen returns the lookahead for a blank rest of the line, and next.
func lineThen(next lookahead) lookahead {
	return func(text []byte) verdict {
		for i, c := range text {
			switch {
			case isNewline(c):
				return next(text[i:])
			case !isBlank(c):
				return no
			}
		}
		return undecided
	}
}

// optionalControlTokenThen returns the lookahead for an optional control token, and next.
func optionalControlTokenThen(next lookahead) lookahead {
	return func(text []byte) verdict {
		switch exactText("<|")(text) {
		case no:
			return next(text)
		case undecided:
			return undecided
		}
		name := text[len("<|"):]
		n := 0
		for n < len(name) && isNameByte(name[n]) {
			n++
		}
		switch end := exactText("|>")(name[n:]); {
		case n == 0 && len(name) > 0 || end == no:
			return no
		case end == undecided || n == 0:
			return undecided
		}
		return next(name[n+len("|>"):])
	}
}

// either returns the lookahead for one of two.
func either(a, b lookahead) lookahead {
	return func(text []byte) verdict {
		if v := a(text); v != no {
			return v
		}
		return b(text)
	}
}

// withinBytes limits a lookahead to a number of bytes.
func withinBytes(most int, next lookahead) lookahead {
	return func(text []byte) verdict {
		v := next(text[:min(len(text), most)])
		if v == undecided && len(text) > most {
			return no
		}
		return v
	}
}

// noBlanksThen returns next without blanks before it.
func noBlanksThen(next lookahead) lookahead {
	return func(text []byte) verdict {
		if len(text) > 0 && isSpace(text[0]) {
			return no
		}
		return next(text)
	}
}

// thenObject matches a JSON object.
var thenObject = wordThen(thenByte("\"'}"), "{")

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isNewline(c byte) bool { return c == '\n' || c == '\r' }

func isSpace(c byte) bool { return isBlank(c) || isNewline(c) }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// pythonCallWithNameSuffix returns the lookahead for a Python call: a name with a suffix, and a parenthesis.
func pythonCallWithNameSuffix(suffix string) lookahead {
	return func(text []byte) verdict {
		text = trimLeft(text)
		for i, c := range text {
			if !isNameByte(c) || c == '-' {
				if i == 0 || !bytes.HasSuffix(text[:i], []byte(suffix)) {
					return no
				}
				return thenParenthesis(text[i:])
			}
		}
		return undecided
	}
}

// thenParenthesis matches a parenthesis, optionally after a control token.
var thenParenthesis = optionalControlTokenThen(exactText("("))

// calleeName returns the name before the first parenthesis, without a leading bracket.
func calleeName(text []byte) string {
	name, _, _ := bytes.Cut(trimLeft(text), []byte{'('})
	return string(trimLeft(bytes.TrimPrefix(name, []byte{'['})))
}
