package jsonrepair

import (
	"strings"

	"oneshot/pkg/diag"
)

// documents reads every document of the text, and drops the text around them.
func (r *reader) documents() {
	for first := true; ; first = false {
		if first && !r.begins() || !first && !r.goesOnAfter() {
			break
		}
		start := r.at
		r.value()
		r.run()
		r.impliedObject(start)
		if r.deep {
			break
		}
		r.end = len(r.text)
		r.docs = append(r.docs, document{diag.Bytes(start, r.docEnd), r.at, r.docMark, r.mark(), r.cut})
	}
}

// impliedObject reads a document that is a string again as an object without
// braces, if a colon follows.
func (r *reader) impliedObject(start int) {
	if r.deep || r.cut || r.docEnd != r.at || r.quoteAt(start).width == 0 {
		return
	}
	if i := r.skip(r.at); i >= r.end || r.text[i] != ':' {
		return
	}
	r.back(r.docMark)
	r.at = start
	r.push(frame{object: true, missing: true, closer: '}', start: start, opened: start})
	r.run()
}

// begins finds the first document, and drops the text before it. It reports
// whether there is one.
func (r *reader) begins() bool {
	defer func() { r.docMark = r.mark() }()
	for {
		r.blanks()
		switch {
		case r.at >= r.end:
			return false
		case fenceLen(r.text[min(r.at+1, r.end):r.end]) > 0 && (r.has("[") || r.has("{")):
			r.skipOver(diag.UnbalancedBracket, r.at+1, "a bracket stands around a fence")
		case r.fence() > 0:
			r.dropFence(diag.Safe)
			r.fenced = true
		case isCloser(r.text[r.at]) || r.comma() > 0 || r.colon() > 0:
			r.skipOver(diag.BadLiteral, r.at+1, "nothing is open here")
		default:
			return r.firstValue()
		}
	}
}

// firstValue decides whether the first document begins here, or behind prose.
func (r *reader) firstValue() bool {
	c := r.text[r.at]
	if r.containerAt(r.at) {
		return true
	}
	r.topList = isList(r.text[r.at:r.end])
	r.steps += r.end - r.at
	switch {
	case r.quote().width > 0 && !r.quotedProse(), r.scalarLine(), r.callName() > 0 && r.callArgument(), c == '(' && r.tupleAt():
		return true
	}
	if i := r.ahead(); i >= 0 {
		r.skipOver(diag.SurroundingText, i, "text before the value")
		if r.fence() > 0 {
			r.dropFence(diag.Safe)
			r.fenced, r.inFences = true, true
			r.blanks()
		}
		return r.at < r.end
	}
	if c == '{' || c == '[' || c == '(' || r.quote().width > 0 {
		return true
	}
	return strings.ContainsFunc(r.text[r.at:r.end], isWordRune) || c == '-' || c == '/' && r.at+2 < r.end
}
