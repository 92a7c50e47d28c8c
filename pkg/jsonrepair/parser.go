package jsonrepair

import "strings"

// A want lists the tokens that may come next in a frame.
type want int

const (
	wantValue want = iota
	wantKey
	wantColon
	wantNext // a comma or closing bracket
)

// A frame is a bracket that is open.
type frame struct {
	object  bool
	missing bool // it has no opening bracket of its own
	closer  byte // its closing bracket
	want    want
	start   int // offset of the opening bracket
	items   int
	end     int  // end of the last item, or of the opening bracket
	comma   int  // offset of the comma that no item has followed yet, else none
	joins   bool // the last item is an array that the next one can continue
	keyEnd  int  // end of the last key
	colon   int  // end of its colon
}

// A reader reads a text that should be JSON and collects the edits it needs.
type reader struct {
	source
	edits
	at     int
	stack  []frame
	cut    bool // the text ended too early
	failed bool // it is nested too deeply, or would take too long
	fenced bool // a fence was opened around the document
	budget int  // bytes that may be scanned twice
}

func newReader(text string) *reader {
	lastLine := strings.LastIndexAny(text, "\r\n") + 1
	return &reader{source: source{text: text, end: len(text), lastLine: lastLine}, budget: 4*len(text) + 4096}
}

// top returns the innermost frame, nil if none is open.
func (r *reader) top() *frame {
	if len(r.stack) == 0 {
		return nil
	}
	return &r.stack[len(r.stack)-1]
}

// isItemOfArray reports whether the innermost frame is an item of an array.
func (r *reader) isItemOfArray() bool {
	return len(r.stack) > 1 && !r.stack[len(r.stack)-2].object
}

// removeTo removes the text up to an offset.
func (r *reader) removeTo(end int) {
	r.steps += end - r.at
	r.edit(r.at, end, "", false)
	r.at = end
}

// readFrames reads until every frame is closed.
func (r *reader) readFrames() {
	for len(r.stack) > 0 && !r.failed {
		r.steps++
		r.skipBlanks()
		if r.at >= r.end {
			r.cut = true
			r.pop(false)
			continue
		}
		f, c := r.top(), r.text[r.at]
		comma, colon := r.commaLen(r.at), r.colonLen(r.at)
		switch {
		case isCloser(c):
			r.closeBracket(c)
		case f.want == wantColon:
			r.readColon()
		case f.want == wantNext && comma > 0:
			f.comma, f.want = r.at, f.firstWant()
			r.at += comma
		case f.want == wantValue && f.object && comma > 0:
			r.finishMember()
		case comma > 0:
			r.removeTo(r.at + comma)
		case colon > 0 && (f.want != wantNext || !f.object):
			r.removeTo(r.at + colon)
		case f.want != wantValue && r.fenceLen(r.at) > 0:
			r.readInnerFence()
		case f.want == wantValue:
			r.readValue()
		case f.want == wantKey:
			r.readKey()
		case f.object:
			r.skipToMember()
		default:
			f.want = wantValue // a comma is missing
		}
	}
}

// skipBlanks passes over blanks and comments, and edits those that JSON does not have.
func (r *reader) skipBlanks() {
	for r.at < r.end {
		rest := r.text[r.at:r.end]
		n := blankCharLen(rest)
		switch {
		case isBlank(rest[0]):
		case n > 0:
			r.edit(r.at, r.at+n, " ", rest[0] != '\\')
		case len(r.stack) > 0 && r.ellipsisLen(r.at) > 0:
			n = r.ellipsisLen(r.at)
			r.edit(r.at, r.at+n, "", false)
		default:
			if f := r.top(); f != nil && f.want == wantValue && rest[0] == '#' && wordLen(rest[1:]) > 0 {
				return // a colour or a tag
			}
			if n = r.commentLen(r.at, r.end); n == 0 {
				return
			}
			r.edit(r.at, r.at+n, "", true)
		}
		r.steps += n
		r.at += n
	}
}

// readValue reads a value, or opens the bracket of one.
func (r *reader) readValue() {
	c := r.text[r.at]
	inArray := r.top() != nil && !r.top().object
	switch {
	case c == '(':
		r.push(frame{closer: ')'})
	case c == '{' || c == '[':
		r.push(frame{closer: c + 2, object: c == '{'})
	case r.fenceLen(r.at) > 0:
		r.readInnerFence()
	case inArray && r.isQuoteAt(r.at) && r.isKeyAt(r.at):
		r.beginMissingObject()
	case inArray && r.dropLoneQuote():
	case r.isQuoteAt(r.at):
		r.beginItem()
		r.readString(false)
		r.endItem(r.at)
	default:
		r.readBare()
	}
}

// push opens a frame, which is an item of the one around it.
func (r *reader) push(f frame) {
	if len(r.stack) == MaxDepth {
		r.failed = true
		return
	}
	r.beginItem()
	f.start, f.comma, f.want = r.at, none, f.firstWant()
	if f.missing {
		r.insert(r.at, "{")
	} else {
		r.at++
	}
	f.end = r.at
	r.stack = append(r.stack, f)
}

// firstWant returns the kind of token that an item of a frame begins with.
func (f *frame) firstWant() want {
	if f.object {
		return wantKey
	}
	return wantValue
}

// beginItem begins an item of the innermost frame, and adds or corrects the comma in
// front of it.
func (r *reader) beginItem() {
	f := r.top()
	switch {
	case f == nil || f.object && f.want == wantValue:
		return // no item, or the value of one
	case f.comma >= 0:
		if w := r.commaLen(f.comma); w > 1 || r.text[f.comma] != ',' {
			r.edit(f.comma, f.comma+w, ",", false)
		}
	case f.items > 0:
		r.insert(f.end, ",")
	}
	f.items++
	f.comma = none
}

// endItem ends a value.
func (r *reader) endItem(end int) {
	if f := r.top(); f != nil {
		f.end, f.want, f.joins = end, wantNext, false
	}
}

// dropLoneQuote drops a quotation mark that has no text after it. It reports whether
// there is one.
func (r *reader) dropLoneQuote() bool {
	end := r.at + r.quoteAt(r.at).width
	if end == r.at || r.skipBack(r.end, end) > end {
		return false
	}
	r.cut = true
	r.removeTo(end)
	return true
}
