package dialect

import (
	"bytes"
	"strings"
)

// A verdict says whether what follows a marker makes it count.
type verdict int

const (
	no verdict = iota
	yes
	undecided // it depends on what comes next
)

// A lookahead tells from the text after a marker whether it counts. It must come to a
// verdict within [maxLookahead] bytes, which is final.
type lookahead func(text []byte) verdict

// maxLookahead bounds the text after a marker that is held back until it is known
// whether the marker counts.
const maxLookahead = 320

// blankThen returns the lead of blanks and then one of some bytes.
func blankThen(bytes string) lookahead {
	return func(text []byte) verdict {
		for _, c := range text {
			if !isSpace(c) {
				return verdictOf(strings.IndexByte(bytes, c) >= 0)
			}
		}
		return undecided
	}
}

// thenJSON is the lead of an object, or a list of objects.
func thenJSON(text []byte) verdict {
	text = trimLeft(text)
	switch {
	case len(text) == 0:
		return undecided
	case text[0] == '[':
		return blankThen("{")(text[1:])
	}
	return verdictOf(text[0] == '{')
}

// thenName is the lead of a name, after blanks.
func thenName(text []byte) verdict {
	for _, c := range text {
		if !isSpace(c) {
			return verdictOf(isNameByte(c))
		}
	}
	return undecided
}

// then returns the lead of blanks and then one of some words.
func then(words ...string) lookahead {
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

// anyCase returns the lead of blanks and then a word, given in lower case, in any
// case.
func anyCase(word string) lookahead {
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

// not returns the lead of anything but what another lead is of.
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

// containsWord reports whether a word is in a text where its last byte is rare.
func containsWord(text []byte, word string) bool {
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

// never is the lead of nothing.
func never([]byte) verdict { return no }

// anything is the lead of whatever comes.
func anything([]byte) verdict { return yes }

// Leads of markers with a name after them.

// nameThen returns the lead of blanks, a name, and then another lead.
func nameThen(next lookahead) lookahead { return namedThen(isNameByte, next) }

// namedThen is nameThen for names of other bytes.
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

// numberedNameThen returns the lead of a name with ":" and a number, and then another
// lead.
func numberedNameThen(next lookahead) lookahead {
	return func(text []byte) verdict {
		name := trimLeft(text)
		for i, c := range name[:min(len(name), maxToolName)] {
			if !isNumberedNameByte(c) {
				if _, id := cutNumber(string(name[:i])); id == "" {
					return no
				}
				break
			}
		}
		return namedThen(isNumberedNameByte, next)(text)
	}
}

// wordThen returns the lead of one of some words, after blanks, and then another
// lead.
func wordThen(next lookahead, words ...string) lookahead {
	word := then(words...)
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

// exactly returns the lead of a word at once.
func exactly(word string) lookahead {
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

// lineThen returns the lead of the rest of a line, blank, and then another lead.
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

// tokenThen returns the lead of a control token, if one is there, and then another lead.
func tokenThen(next lookahead) lookahead {
	return func(text []byte) verdict {
		switch exactly("<|")(text) {
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
		switch end := exactly("|>")(name[n:]); {
		case n == 0 && len(name) > 0 || end == no:
			return no
		case end == undecided || n == 0:
			return undecided
		}
		return next(name[n+len("|>"):])
	}
}

// either returns the lead of one of two.
func either(a, b lookahead) lookahead {
	return func(text []byte) verdict {
		if v := a(text); v != no {
			return v
		}
		return b(text)
	}
}

// within returns another lead that is one of nothing after some bytes.
func within(most int, next lookahead) lookahead {
	return func(text []byte) verdict {
		v := next(text[:min(len(text), most)])
		if v == undecided && len(text) > most {
			return no
		}
		return v
	}
}

// adjacent returns the lead of the text after the marker at once.
func adjacent(next lookahead) lookahead {
	return func(text []byte) verdict {
		if len(text) > 0 && isSpace(text[0]) {
			return no
		}
		return next(text)
	}
}

// thenMembers is the lead of an object of JSON.
var thenMembers = wordThen(blankThen("\"'}"), "{")
