package jsonrepair

import (
	"slices"

	"oneshot/pkg/diag"
)

// A want says what may come next in a frame.
type want int

const (
	wantKey want = iota
	wantColon
	wantValue
	wantComma
)

// A frame is a bracket that is open.
type frame struct {
	closer  byte // what closes it
	object  bool
	missing bool // the opening bracket is not there
	quiet   bool // the brackets around one item mean nothing
	want    want
	start   int // offset of the opening bracket, or of its substitute
	opened  int // end of the opening bracket
	items   int
	end     int    // end of the last item, or of the opening bracket
	comma   int    // offset of the comma that no item has followed yet, else -1
	extra   []byte // what closes brackets that were opened twice
	call    bool   // it is the bracket of a call

	key            key
	keys           map[string]bool
	previous       *frame // the array that ended last in it, which may go on
	rows           bool   // it has an array as an item
	run            int    // start of the first item behind the last array, else -1
	first          int    // offset of the first item
	firstFix       int    // mark of the notes in front of it
	item           int    // offset of the last item
	itemText       bool   // it is a string or a key
	itemFix        int    // mark of the notes in front of it
	commaBefore    int    // offset of the comma in front of it, else -1
	inserted       int    // index of the note that inserts a comma in front of the next item, else -1
	insertedBefore int    // and in front of the last one
	endBefore      int    // end of the item in front of it
}

// A key is the key of the member that is being read.
type key struct {
	start, end int
	name       string
	colon      int  // end of the colon
	cut        bool // the text ends in it
}

// wanted returns what a frame wants behind a comma.
func (f *frame) wanted() want {
	if f.object {
		return wantKey
	}
	return wantValue
}

// push opens a frame, which is an item of the one around it.
func (r *reader) push(f frame) {
	if len(r.stack) == MaxDepth {
		r.deep = true
		return
	}
	r.begin(f.start, false)
	f.want, f.end, f.comma, f.run, f.first, f.inserted = wantValue, f.opened, none, none, none, none
	if f.object {
		f.want = wantKey
	}
	r.stack = append(r.stack, f)
	r.deepest = max(r.deepest, len(r.stack))
}

// begin notes that an item begins.
func (r *reader) begin(at int, text bool) {
	f := r.top()
	if f == nil {
		return
	}
	if f.items == 0 {
		f.first, f.firstFix = at, r.mark()
	}
	f.items++
	f.itemFix, f.commaBefore, f.endBefore = r.mark(), f.comma, f.end
	f.insertedBefore, f.inserted = f.inserted, none
	if f.comma >= 0 && r.text[f.comma] != ',' {
		w := commaLen(r.text[f.comma:])
		r.add(note{diag.BadLiteral, f.comma, f.comma + w, "this is no comma", "write one", diag.Unsafe, []edit{replace(f.comma, f.comma+w, ",")}})
	}
	f.comma, f.item, f.itemText = -1, at, text
}

// done notes that a value ended.
func (r *reader) done(end int) {
	f := r.top()
	if f == nil {
		r.docEnd = end
		return
	}
	if !f.object && f.run < 0 && f.rows {
		f.run = f.item
	}
	f.end, f.want, f.previous = end, wantComma, nil
}

// forget takes back the last item of a frame.
func (r *reader) forget() {
	f := r.top()
	r.back(f.itemFix)
	if f.insertedBefore >= 0 {
		r.list = slices.Delete(r.list, f.insertedBefore, f.insertedBefore+1)
	}
	f.items--
	f.comma = f.commaBefore
}
