package jsonrepair

import "strings"

// readDocument reads the document of the text, and drops the text around it. It reports
// whether there is one.
func (r *reader) readDocument() bool {
	if !r.findStart() {
		return false
	}
	if r.isQuoteAt(r.at) && r.isKeyAt(r.at) {
		r.push(frame{object: true, missing: true, closer: '}'})
	} else {
		r.readValue()
	}
	r.readFrames()
	r.dropRest()
	return !r.failed
}

// findStart finds the document, and drops the text and the fence before it. It reports
// whether there is one.
func (r *reader) findStart() bool {
	r.skipBlanks()
	if c := r.text[r.at:min(r.at+1, r.end)]; (c == "[" || c == "{") && r.fenceLen(r.at+1) > 0 {
		r.removeTo(r.at + 1) // a bracket around a fence
	}
	if r.at < r.end && !r.isContainerAt(r.at) && (!r.isQuoteAt(r.at) || r.fenceLen(r.at) > 0) {
		r.removeTo(r.nextDocument(r.at))
	}
	for r.fenceLen(r.at) > 0 {
		r.dropFence(true)
		r.fenced = true
		r.skipBlanks()
	}
	return strings.Trim(r.text[r.at:r.end], " \t\r\n,:;}])/") != ""
}

// readInnerFence handles a fence between values: it ends the document if it closes the
// fence around it, and is dropped otherwise.
func (r *reader) readInnerFence() {
	if r.fenced || r.blanksEnd(r.at+r.fenceLen(r.at)) >= r.end {
		r.end = r.at
		return
	}
	r.dropFence(false)
}

// dropFence drops the fence at the current position, with the word behind it.
func (r *reader) dropFence(safe bool) {
	i := r.at + r.fenceLen(r.at)
	i += wordLen(r.text[i:])
	r.edit(r.at, i, "", safe)
	r.steps += i - r.at
	r.at = i
}

// dropRest drops the text after the document. Only for a trailing comma and for the
// fence around the document is that a safe edit.
func (r *reader) dropRest() {
	r.end = len(r.text)
	for r.skipBlanks(); r.at < r.end; r.skipBlanks() {
		comma, fence := r.commaLen(r.at), r.fenceLen(r.at)
		switch {
		case r.fenced && fence > 0:
			r.edit(r.at, r.at+fence, "", true)
			r.at += fence
		case comma > 0 && r.blanksEnd(r.at+comma) >= r.end:
			r.edit(r.at, r.at+comma, "", r.text[r.at] != ';')
			r.at += comma
		default:
			r.removeTo(r.end)
		}
	}
}
