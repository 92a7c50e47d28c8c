package jsonrepair

import "strings"

// readKey reads a key, or repairs the token in its place.
func (r *reader) readKey() {
	f, c := r.top(), r.text[r.at]
	switch {
	case f.missing && f.items > 0 && len(r.stack) > 1 && !r.isKeyAt(r.at),
		c == '{' && f.items > 0 && r.isItemOfArray():
		r.popBeforeItem()
	case c == '[' && f.joins:
		r.joinArrays()
	case c == '{' || c == '[' || c == '(':
		r.removeTo(r.at + 1) // a doubled bracket, or an array around members
	case r.dropLoneQuote():
	case r.isQuoteAt(r.at):
		r.beginItem()
		r.readString(true)
		f.keyEnd, f.want = r.at, wantColon
	default:
		r.beginItem()
		r.readBareKey()
		f.keyEnd, f.want = r.at, wantColon
	}
}

// joinArrays continues the array before the current position, which was closed too early.
func (r *reader) joinArrays() {
	f := r.top()
	r.edit(f.end-1, f.end, "", false)
	r.removeTo(r.at + 1)
	r.stack = append(r.stack, frame{missing: true, closer: ']', items: 1, end: f.end - 1, comma: f.comma})
	f.comma = none
}

// readColon reads the colon behind a key.
func (r *reader) readColon() {
	f := r.top()
	n := r.colonLen(r.at)
	switch {
	case n > 0:
		if r.text[r.at:r.at+n] != ":" {
			r.edit(r.at, r.at+n, ":", false)
		}
		r.at += n
		f.colon, f.want = r.at, wantValue
	case r.commaLen(r.at) > 0 || r.isQuoteAt(r.at) && r.isKeyAt(r.at):
		r.finishMember()
	default:
		r.insert(f.keyEnd, ":")
		f.colon, f.want = f.keyEnd, wantValue
	}
}

// finishMember gives a key its colon and a member its value, if they are missing.
func (r *reader) finishMember() {
	switch f := r.top(); {
	case !f.object:
	case f.want == wantColon:
		r.insert(f.keyEnd, ": null")
		r.endItem(f.keyEnd)
	case f.want == wantValue:
		r.insert(f.colon, "null")
		r.endItem(f.colon)
	}
}

// skipToMember continues after a member without a comma: with the next member, or by dropping
// text up to a comma, a bracket or a line end.
func (r *reader) skipToMember() {
	if c := r.text[r.at]; c == '{' || c == '[' || c == '(' || r.isQuoteAt(r.at) || r.isKeyAt(r.at) {
		r.top().want = wantKey
		return
	}
	i := r.at + 1
	for i < r.end && !isCloser(r.text[i]) && r.text[i] != ',' && r.text[i] != '\n' {
		i++
	}
	r.removeTo(i)
}

// beginMissingObject begins an object whose opening brace is missing, in front of a key in an
// array. If the array is the value of a member, the array can end there instead.
func (r *reader) beginMissingObject() {
	if f := r.top(); f.items > 0 && len(r.stack) > 1 && !r.isItemOfArray() {
		r.popBeforeItem()
		return
	}
	r.push(frame{object: true, missing: true, closer: '}'})
}

// popBeforeItem closes the innermost frame in front of an item of the next one.
func (r *reader) popBeforeItem() {
	f := r.top()
	comma := f.comma
	f.comma = none
	r.pop(false)
	f = r.top()
	f.comma, f.want = comma, f.firstWant()
}

// closeBracket reads a closing bracket, which may be the wrong one.
func (r *reader) closeBracket(c byte) {
	f, i := r.top(), len(r.stack)-1
	for i >= 0 && r.stack[i].closer != c {
		i--
	}
	if i < 0 { // it closes no open bracket, or replaces the right one
		next := r.blanksEnd(r.at + 1)
		more := len(r.stack) == 1 && next < r.end && !r.isCloserAt(next) && r.fenceLen(next) == 0
		if more || f.end > f.start && r.text[f.end-1] == c {
			r.removeTo(r.at + 1)
		} else {
			r.pop(true)
		}
		return
	}
	for len(r.stack) > i+1 {
		r.pop(false)
	}
	if i == 0 && r.top().object && r.isMemberNext(r.at+1) { // it closes too early
		r.finishMember()
		r.removeTo(r.at + 1)
		return
	}
	r.pop(true)
}

// pop closes the innermost frame, with the bracket at the current position or with a missing
// one.
func (r *reader) pop(closed bool) {
	r.finishMember()
	f := *r.top()
	opening, closing := "[", "]"
	switch {
	case f.object:
		opening, closing = "{", "}"
	case f.closer == ')' && f.items == 1 && f.comma < 0:
		opening, closing = "", "" // parentheses around one value have no meaning
	}
	if f.comma >= 0 {
		r.edit(f.comma, f.comma+r.commaLen(f.comma), "", true)
	}
	if !f.missing && r.text[f.start:f.start+1] != opening {
		r.edit(f.start, f.start+1, opening, false)
	}
	end := f.end
	if !closed {
		r.insert(end, closing)
	} else if end = r.at + 1; r.text[r.at:end] != closing {
		r.edit(r.at, end, closing, false)
	}
	r.at = max(r.at, end)
	r.stack = r.stack[:len(r.stack)-1]
	r.endItem(end)
	if o := r.top(); o != nil {
		o.joins = closed && closing == "]" && r.text[end-1] == ']' && f.items > 0 && f.comma < 0
	}
}

// readBareKey reads a key without quotes. It ends in front of a delimiter, or of a string
// if the colon is missing.
func (r *reader) readBareKey() {
	start, end := r.at, r.end
	if n := strings.IndexAny(r.text[start:end], ":=：,;，、{}[]()\"“”\n"); n >= 0 {
		end = start + n
	}
	if n := strings.IndexAny(r.text[start:end], "'`‘"); n > 0 && isBlank(r.text[start+n-1]) {
		end = start + n
	}
	r.steps += end - start
	end = max(r.skipBack(end, start), r.runeEnd(start))
	r.at = end
	r.quoteText(start, end, strings.IndexByte(r.text[start:end], ' ') < 0)
	if m := r.quoteAt(end); m.width > 0 { // its first quote is missing
		r.removeTo(end + m.width)
	}
}
