package jsonrepair

import (
	"slices"
	"strings"

	"oneshot/pkg/diag"
)

// goesOnAfter finds the next document behind one, and drops the text between.
// It reports whether there is one.
func (r *reader) goesOnAfter() bool {
	comma, last, more := none, r.docEnd, false
	for !more {
		r.blanks()
		if r.at >= r.end {
			break
		}
		switch {
		case r.comma() > 0 && r.text[r.at] != ';' && comma < 0:
			comma = r.at
			r.at += r.comma()
		case isCloser(r.text[r.at]) || r.comma() > 0:
			r.skipOver(diag.UnbalancedBracket, r.at+1, "nothing is open here")
		case r.fence() > 0 && r.fenced:
			n := r.fence()
			r.add(note{diag.MalformedFence, r.at, r.at + n, "a code fence stands around the value", "remove it", diag.Safe, []edit{remove(r.at, r.at+n)}})
			r.at += n
			r.fenced = false
		default:
			if more = r.nextDocument(last, comma); !more {
				r.skipOver(diag.SurroundingText, r.end, "text follows the value")
			}
		}
	}
	r.separate(comma, more)
	r.docMark = r.mark()
	return more
}

// separate sees to the comma between two documents, or behind the last one.
func (r *reader) separate(comma int, more bool) {
	w := 0
	if comma >= 0 {
		w = commaLen(r.text[comma:])
	}
	switch {
	case more && comma < 0:
		r.add(note{diag.BadLiteral, r.docEnd, r.at, "a comma is missing", "insert it", diag.Unsafe, []edit{insert(behind, r.docEnd, ",")}})
	case more && w > 1:
		r.add(note{diag.BadLiteral, comma, comma + w, "this is no comma", "write one", diag.Unsafe, []edit{replace(comma, comma+w, ",")}})
	case !more && comma >= 0:
		r.add(note{diag.TrailingComma, comma, comma + w, "trailing comma after the value", "remove it", diag.Safe, []edit{remove(comma, comma+w)}})
	}
}

// nextDocument decides whether another document follows one that ended at an
// offset, and moves to it.
func (r *reader) nextDocument(last, comma int) bool {
	c := r.text[r.at]
	scalar := strings.IndexByte("{[(", r.text[r.docs[len(r.docs)-1].Start]) < 0
	apart := comma >= 0 || strings.IndexByte(r.text[last:r.at], '\n') >= 0
	switch {
	case r.containerAt(r.at):
		return true
	case r.fence() > 0:
		return r.fencedDocument()
	case apart && (scalar || r.scalarLine() || comma >= 0 && r.quote().width > 0):
		return r.colon() == 0 && (r.quote().width > 0 || isLetter(c) || isDigit(c) || c == '-' || c == '.')
	}
	i := r.ahead()
	if i < 0 {
		return false
	}
	r.skipOver(diag.SurroundingText, i, "text stands between two values")
	if r.fence() > 0 {
		return r.fencedDocument()
	}
	return true
}

// fencedDocument drops the fence at the place, which can be one around another
// document.
func (r *reader) fencedDocument() bool {
	opening := r.nextFence() == r.at
	r.dropFence(diag.Unsafe)
	if !opening {
		return false
	}
	r.fenced, r.inFences = true, true
	r.blanks()
	return r.at < r.end
}

// gather makes one value of several documents: an array, or the only one that
// holds something.
func (r *reader) gather() {
	if len(r.docs) < 2 {
		return
	}
	first, last := r.docs[0], r.docs[len(r.docs)-1]
	n := note{diag.ConcatenatedValues, first.Start, last.End, "several values stand where one should", "make an array of them", diag.Unsafe,
		[]edit{insert(around, first.Start, "["), insert(behind, last.End, "]")}}
	if i := r.onlyFull(); i >= 0 {
		full := r.docs[i]
		n.title = "keep the non-empty one"
		n.edits = []edit{remove(0, full.Start), remove(full.behind, len(r.text))}
		r.list, r.cut, r.deepest = slices.Clone(r.list[full.from:full.to]), full.cut, 0
		r.docs = []document{full}
	}
	r.deep = r.deep || r.deepest == MaxDepth // the array is one level more
	r.add(n)
}

// onlyFull returns the index of the only document that is not empty; none if there
// is none or are several.
func (r *reader) onlyFull() int {
	found := none
	for i, d := range r.docs {
		if text := r.text[d.Start:d.End]; isCloser(text[0]+2) && strings.Trim(text, "{}[]\"' \t\r\n") == "" {
			continue
		}
		if found >= 0 {
			return none
		}
		found = i
	}
	return found
}
