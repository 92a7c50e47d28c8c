package dialect

import "strings"

// Leads of marks with a name behind them.

// nameThen returns the lead of blanks, a name, and then another lead.
func nameThen(next lead) lead { return namedThen(isNameByte, next) }

// namedThen is nameThen for names of other bytes.
func namedThen(isName func(byte) bool, next lead) lead {
	return func(text []byte) verdict {
		text = trimLeft(text)
		for i, c := range text {
			switch {
			case isName(c) && i < longestName:
			case i == 0 || isName(c):
				return no
			default:
				return next(text[i:])
			}
		}
		return more
	}
}

// countThen returns the lead of a name with ":" and a number, and then another
// lead.
func countThen(next lead) lead {
	return func(text []byte) verdict {
		name := trimLeft(text)
		for i, c := range name[:min(len(name), longestName)] {
			if !isCountedByte(c) {
				if _, id := cutCount(string(name[:i])); id == "" {
					return no
				}
				break
			}
		}
		return namedThen(isCountedByte, next)(text)
	}
}

// after returns the lead of one of some words, behind blanks, and then another
// lead.
func after(next lead, words ...string) lead {
	word := then(words...)
	return func(text []byte) verdict {
		if v := word(text); v != yes {
			return v
		}
		text = trimLeft(text)
		for _, w := range words {
			if rest, ok := strings.CutPrefix(string(text), w); ok {
				return next([]byte(rest))
			}
		}
		return no
	}
}

// exactly returns the lead of a word at once.
func exactly(word string) lead {
	return func(text []byte) verdict {
		n := min(len(text), len(word))
		switch {
		case string(text[:n]) != word[:n]:
			return no
		case n < len(word):
			return more
		}
		return yes
	}
}

// lineThen returns the lead of the rest of a line, blank, and then another lead.
func lineThen(next lead) lead {
	return func(text []byte) verdict {
		for i, c := range text {
			switch {
			case isNewline(c):
				return next(text[i:])
			case !isBlank(c):
				return no
			}
		}
		return more
	}
}

// either returns the lead of one of two.
func either(a, b lead) lead {
	return func(text []byte) verdict {
		if v := a(text); v != no {
			return v
		}
		return b(text)
	}
}

// notThen returns the lead of blanks and then anything but a byte.
func notThen(other byte) lead {
	return func(text []byte) verdict {
		if text = trimLeft(text); len(text) == 0 {
			return more
		}
		return when(text[0] != other)
	}
}

// tight returns the lead of what stands behind the mark at once.
func tight(next lead) lead {
	return func(text []byte) verdict {
		if len(text) > 0 && isSpace(text[0]) {
			return no
		}
		return next(text)
	}
}

// thenMembers is the lead of an object of JSON.
var thenMembers = after(blankThen("\"'}"), "{")
