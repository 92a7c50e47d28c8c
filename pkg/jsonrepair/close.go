package jsonrepair

import (
	"slices"

	"oneshot/pkg/diag"
)

// closer reads a closing bracket, which may be the wrong one.
func (r *reader) closer(c byte) {
	f := r.top()
	if n := len(f.extra); n > 0 && f.extra[n-1] == c {
		r.settle()
		f.extra = f.extra[:n-1]
		r.skipOver(diag.UnbalancedBracket, r.at+1, "a bracket is closed twice")
		return
	}
	for i := len(r.stack) - 1; i >= 0; i-- {
		if r.stack[i].closer == c {
			r.closeDownTo(i)
			return
		}
	}
	r.wrongCloser(c)
}

// closeDownTo closes a frame with the bracket at the place, and those in it
// without.
func (r *reader) closeDownTo(i int) {
	for len(r.stack) > i+1 {
		r.popMissing()
	}
	f := r.top()
	if i == 0 && f.object && r.goesOn() {
		r.settle()
		r.skipOver(diag.UnbalancedBracket, r.at+1, "the object closes too early")
		return
	}
	r.pop(r.at, r.at+1)
	r.at++
}

// goesOn reports whether the next member of the outermost object follows its
// closing brace.
func (r *reader) goesOn() bool {
	i := r.skip(r.at + 1)
	if i >= r.end || r.text[i] != ',' {
		return false
	}
	i = r.skip(i + 1)
	return i < r.end && r.text[i] != '{' && (r.keyAt(i) || r.quotedPair(i))
}

// wrongCloser follows a closing bracket that closes nothing that is open. It
// counts as the right one, unless the open value continues after it.
func (r *reader) wrongCloser(c byte) {
	f := r.top()
	next := r.skip(r.at + 1)
	more := next < r.end && !isCloser(r.text[next]) && fenceLen(r.text[next:r.end]) == 0
	doubled := f.end > f.opened && r.text[f.end-1] == c
	if doubled || more && len(r.stack) == 1 {
		r.skipOver(diag.UnbalancedBracket, r.at+1, "the bracket closes nothing")
		return
	}
	r.pop(r.at, r.at+1)
	r.at++
}

// settle gives a member its value in front of a closing bracket.
func (r *reader) settle() {
	f := r.top()
	switch {
	case !f.object:
	case f.want == wantValue:
		r.noMemberValue()
	case f.want == wantColon:
		r.noColon()
	}
}

// popMissing closes the innermost frame where its closing bracket is missing.
func (r *reader) popMissing() { r.pop(r.top().end, r.top().end) }

// pop closes the innermost frame with the bracket [from, to), which is empty if
// it is missing.
func (r *reader) pop(from, to int) {
	missing := from == to
	r.settle()
	f := r.top()
	if missing {
		from, to = f.end, f.end
	}
	trailing := f.comma >= 0
	r.dropComma()
	open, closing := f.brackets(trailing)
	n := note{diag.UnbalancedBracket, f.start, f.opened, "", "write " + open + " and " + closing, diag.Unsafe, nil}
	switch {
	case f.missing:
		n.text = "the brackets of an object are missing"
		n.edits = append(n.edits, insert(around, f.start, open))
	case r.text[f.start:f.opened] != open:
		n.text = "this is no bracket of JSON"
		n.edits = append(n.edits, replace(f.start, f.opened, open))
	}
	switch {
	case missing && closing != "":
		n.text = "the bracket is not closed"
		n.edits = append(n.edits, insert(behind, from, closing))
	case r.text[from:to] != closing:
		if n.text == "" {
			n.text = "the bracket is closed by another one"
		}
		n.edits = append(n.edits, replace(from, to, closing))
	}
	if n.edits != nil {
		r.add(n)
	}
	r.leave(*f, to, len(n.edits) == 0)
}

// brackets returns what is written for the brackets of a frame.
func (f *frame) brackets(trailing bool) (string, string) {
	switch {
	case f.object:
		return "{", "}"
	case f.quiet && f.items == 1 && !trailing:
		return "", ""
	case f.call && f.items == 0:
		return "null", ""
	}
	return "[", "]"
}

// leave takes a frame off the stack. Its value ends at an offset; whole says that
// both brackets are there.
func (r *reader) leave(f frame, end int, whole bool) {
	r.stack = r.stack[:len(r.stack)-1]
	r.done(end)
	outer := r.top()
	if outer == nil {
		return
	}
	if !f.object && !f.quiet {
		outer.rows, outer.run = true, none
		if whole {
			outer.previous = &f
		}
	}
}

// dropComma removes the comma that no item has followed.
func (r *reader) dropComma() {
	f := r.top()
	if f.inserted >= 0 {
		r.list = slices.Delete(r.list, f.inserted, f.inserted+1)
		f.inserted = none
	}
	if f.comma < 0 {
		return
	}
	w := commaLen(r.text[f.comma:])
	r.add(note{diag.TrailingComma, f.comma, f.comma + w, "trailing comma after the last item", "remove it", diag.Safe,
		[]edit{remove(f.comma, f.comma+w)}})
	f.comma = none
}

// cutOff closes everything that is open where the text ends.
func (r *reader) cutOff() {
	if f := r.top(); len(r.stack) == 1 && f.missing && f.want == wantComma {
		r.popMissing()
		return
	}
	r.cut = true
	r.add(note{code: diag.TruncatedCall, start: r.end, end: r.end, text: "the text ends here", kind: diag.Unsafe})
	for len(r.stack) > 0 {
		f := r.top()
		if f.object && f.want == wantColon && f.key.name == "" && f.key.cut {
			r.dropKey()
		}
		r.popMissing()
	}
}

// dropKey drops a key that was cut off in front of its first character.
func (r *reader) dropKey() {
	f := r.top()
	r.forget()
	r.add(note{diag.TruncatedCall, f.key.start, r.end, "a key is cut off", "remove it", diag.Unsafe, []edit{remove(f.key.start, r.end)}})
	f.want = wantKey
}
