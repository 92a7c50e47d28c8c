package jsonrepair

import (
	"strings"

	"oneshot/pkg/diag"
)

// A reader reads a text that should be JSON and records the edits it needs.
type reader struct {
	notes
	text  string
	at    int
	end   int // where the text ends, or the fence around the document
	stack []frame
	docs  []document // the documents that were read

	docEnd  int // end of the last document
	docMark int // mark of the notes in front of it

	deepest    int  // how deep brackets were nested
	cut        bool // the text ended too early
	deep       bool // it is nested too deeply
	fenced     bool // a fence was opened around the document
	inFences   bool // documents are looked for in fences only
	fenceAhead int  // offset of the next fence around a document, or none
	topList    bool // values at the top are words in a list
	duplicates int
	verbatim   bool // the next string has no escapes

	budget int // bytes that may be scanned without finding the end of a string
	steps  int // bytes looked at
}

// A document is one of the values at the top of a text.
type document struct {
	diag.Span
	behind   int  // where reading resumed
	from, to int  // its notes
	cut      bool // the text ended in it
}

// unknown and none stand for offsets.
const (
	unknown = -2
	none    = -1
)

func newReader(text string) *reader {
	return &reader{text: text, end: len(text), budget: 4*len(text) + 4096, fenceAhead: unknown}
}

// top returns the innermost frame, nil if none is open.
func (r *reader) top() *frame {
	if len(r.stack) == 0 {
		return nil
	}
	return &r.stack[len(r.stack)-1]
}

// run reads until every frame is closed.
func (r *reader) run() {
	for len(r.stack) > 0 && !r.deep {
		r.steps++
		r.blanks()
		if r.at >= r.end {
			r.cutOff()
			return
		}
		switch r.top().want {
		case wantKey:
			r.wantedKey()
		case wantColon:
			r.wantedColon()
		case wantValue:
			r.value()
		default:
			r.next()
		}
	}
}

// value reads a value, or opens the bracket of one.
func (r *reader) value() {
	c := r.text[r.at]
	switch {
	case c == '{' || c == '[' || c == '(' && !r.arrow():
		r.open(c)
	case isCloser(c):
		r.closer(c)
	case r.comma() > 0:
		r.noValue()
	case r.colon() > 0:
		r.skipOver(diag.BadLiteral, r.at+r.colon(), "a colon stands where a value should")
	case r.fence() > 0:
		if !r.fencedText() {
			r.innerFence()
		}
	case r.ellipsis() > 0:
		r.dropEllipsis()
	case r.quote().width > 0:
		r.str()
	case r.dash():
		r.skipOver(diag.NonstandardNumber, r.at+1, "a dash is no number")
	default:
		r.bare()
	}
}

// dash reports whether a dash is the last item of an array that is cut off behind
// blanks: a number would go on without one, so none has begun.
func (r *reader) dash() bool {
	f, rest := r.top(), r.text[r.at:r.end]
	return rest[0] == '-' && len(rest) > 1 && f != nil && !f.object && strings.Trim(rest[1:], " \t\r\n") == ""
}

// has reports whether the text continues with s.
func (r *reader) has(s string) bool { return strings.HasPrefix(r.text[r.at:r.end], s) }

// comma returns the length of the comma at the place, 0 if there is none.
func (r *reader) comma() int { return commaLen(r.text[r.at:r.end]) }

// colon returns the length of the colon at the place, 0 if there is none.
func (r *reader) colon() int { return colonLen(r.text[r.at:r.end]) }

// commaLen returns the length of the comma, or of what is written for one, that
// a text begins with.
func commaLen(text string) int { return prefixLen(text, ",", ";", "，", "、") }

// colonLen is the same for a colon.
func colonLen(text string) int { return prefixLen(text, ":", "=>", ":=", "=", "：") }

func prefixLen(text string, list ...string) int {
	for _, p := range list {
		if strings.HasPrefix(text, p) {
			return len(p)
		}
	}
	return 0
}

// open opens a bracket.
func (r *reader) open(c byte) {
	f := frame{start: r.at, opened: r.at + 1, closer: c + 2}
	f.object = c == '{'
	if c == '(' {
		f.closer, f.quiet = ')', true
	}
	r.push(f)
	r.at++
}

// next reads what follows an item: a comma, a closing bracket, or an item in
// front of which the comma is missing.
func (r *reader) next() {
	f, c := r.top(), r.text[r.at]
	switch {
	case r.comma() > 0:
		f.comma, f.want = r.at, f.wanted()
		r.at += r.comma()
	case isCloser(c):
		r.closer(c)
	case r.fence() > 0:
		r.innerFence()
	case r.ellipsis() > 0:
		r.dropEllipsis()
	case f.object:
		r.nextMember()
	default:
		r.nextItem()
	}
}

// missingComma inserts a comma behind the last item.
func (r *reader) missingComma() {
	f := r.top()
	f.inserted = r.mark()
	r.add(note{diag.BadLiteral, f.end, r.at, "a comma is missing", "insert it", diag.Unsafe, []edit{insert(behind, f.end, ",")}})
	f.want = f.wanted()
}

// skipOver drops the text up to an offset. What is dropped in one go is one
// note.
func (r *reader) skipOver(code diag.Code, end int, text string) {
	r.steps += end - r.at
	at := r.at
	r.at = end
	if n := len(r.list); n > 0 {
		if last := &r.list[n-1]; last.code == code && last.text == text && last.end == at && len(last.edits) == 1 {
			last.end, last.edits[0].End = end, end
			return
		}
	}
	r.add(note{code, at, end, text, "remove it", diag.Unsafe, []edit{remove(at, end)}})
}
