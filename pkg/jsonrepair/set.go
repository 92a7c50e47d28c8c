package jsonrepair

import "oneshot/pkg/diag"

// readAsSet reads an object whose first member has no colon again, as the array
// that a set of Python is.
func (r *reader) readAsSet() {
	f := r.top()
	r.back(f.firstFix)
	r.at, f.end = f.first, f.opened
	f.object, f.items, f.comma, f.want = false, 0, -1, wantValue
}

// itemIsKey reads the last item again, as the first key of an object whose brace
// is missing.
func (r *reader) itemIsKey() {
	f := r.top()
	if f.items > 1 && len(r.stack) > 1 && r.stack[len(r.stack)-2].object && r.closedBy() != ']' {
		r.itemIsMember()
		return
	}
	r.back(f.itemFix)
	f.items--
	f.comma, f.inserted = f.commaBefore, f.insertedBefore
	r.at = f.item
	r.push(frame{object: true, missing: true, closer: '}', start: f.item, opened: f.item})
}

// itemIsMember closes an array in front of its last item, which is the key of the
// next member of the object around it.
func (r *reader) itemIsMember() {
	f := r.top()
	at := f.item
	r.back(f.itemFix)
	r.at, f.items, f.end = at, f.items-1, f.endBefore
	comma := f.commaBefore
	f.comma, f.inserted = none, f.insertedBefore
	r.popMissing()
	if f = r.top(); comma >= 0 {
		f.comma, f.want = comma, wantKey
	}
}

// closedBy returns the first closing bracket behind the place that closes what is
// open there, 0 if it is too far.
func (r *reader) closedBy() byte {
	depth := 0
	for i := r.at; i < min(r.end, r.at+window); i++ {
		r.steps++
		switch c := r.text[i]; {
		case c == '{' || c == '[':
			depth++
		case isCloser(c) && depth == 0:
			return c
		case isCloser(c):
			depth--
		}
	}
	return 0
}

// leaveMissing closes an object that has no braces, in front of an item that is
// no member of it.
func (r *reader) leaveMissing() {
	if len(r.stack) > 1 {
		r.nextObject()
		return
	}
	r.popMissing()
}

// nextItem reads what follows an item of an array without a comma.
func (r *reader) nextItem() {
	f := r.top()
	switch {
	case r.colon() > 0 && f.itemText:
		r.itemIsKey()
	case r.colon() > 0:
		r.skipOver(diag.BadLiteral, r.at+r.colon(), "a colon stands where a comma should")
	case r.text[r.at] == '+':
		r.skipOver(diag.BadLiteral, r.at+1, "unexpected plus after an item")
	default:
		r.missingComma()
	}
}
