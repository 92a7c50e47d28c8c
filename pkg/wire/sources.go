package wire

import (
	"cmp"
	"sort"
	"strconv"

	"github.com/tidwall/gjson"
)

// A Piece is a part of a text, and the place of the JSON in the body that says it.
type Piece struct {
	At         int  // bytes of the text before it
	Start, End int  // offsets in the body
	Quoted     bool // it is a JSON string, quotes included; else the text is as it is written
	Object     int  // where the object begins that holds it
}

// Sources say where in a body the texts of its response stand.
type Sources struct {
	Content, Reasoning []Piece
	Calls              []CallSources   // of the calls of the response, in their order
	Stop               []Piece         // the reason for the end, if the server gives one
	Fault              []Piece         // what the server says of an error, if that has a place
	Others             []Piece         // choices beside the first, which are not read: the first piece of each
	Results            map[string]bool // the IDs of what the server has run itself, whose results are in the response
}

// CallSources say where a call stands. What a server has in no place of its own,
// such as arguments that are put together from values, has no pieces.
type CallSources struct {
	ID, Name, Arguments []Piece
	Program             string // the ID of the program that made the call, which the server runs; "" for none: the model made it
}

// Trace notes from now on where texts stand, for [Sources].
func (b *body) Trace() {
	b.sources = &Sources{}
}

// Sources returns where the texts of the response stand, as far as it has been read;
// nil without [Decoder.Trace].
func (b *body) Sources() *Sources { return b.sources }

// firstChoice returns the first choice, or candidate, of those of which a message has pieces,
// if it has one of that. It notes where the others begin.
func (b *body) firstChoice(choices gjson.Result) (first gjson.Result) {
	for i, choice := range b.items(choices) {
		index := idText(choice.Get("index"))
		if !first.Exists() && (index == "" || index == "0") {
			first = choice
			continue
		}
		if index = cmp.Or(index, strconv.Itoa(i)); b.sources != nil && !b.otherChoices[index] {
			if b.otherChoices == nil {
				b.otherChoices = map[string]bool{}
			}
			b.otherChoices[index] = true
			at := b.segmentsOf(0, choice)
			b.sources.Others = append(b.sources.Others, at[:min(len(at), 1)]...)
		}
	}
	return first
}

// noteErrorSource notes where the error stands that an object reports: its message, or else the member or object that holds it.
func (b *body) noteErrorSource(v gjson.Result) {
	if b.sources == nil {
		return
	}
	for _, path := range [...]string{"error.message", "error", "message", "status_msg", "detail"} {
		if at := v.Get(path); parseErrorMember(at).isSet() {
			b.sources.Fault = b.segmentsOf(0, at)
			return
		}
	}
}

// A lineStart is where a line of an object begins that stands in several.
type lineStart struct{ object, body int }

// segmentsOf returns the pieces of a value of the object that is being read: the text of a
// string, or anything else as it is written. The text has so many bytes before it.
func (b *body) segmentsOf(at int, v gjson.Result) []Piece {
	switch {
	case b == nil || b.sources == nil || v.Index == 0:
		return nil
	case v.Type == gjson.String:
		start := b.bodyOffset(v.Index)
		return []Piece{{at, start, start + len(v.Raw), true, b.objectStart}}
	}
	var all []Piece
	for from, end := v.Index, v.Index+len(v.Raw); from < end; {
		start, next := b.bodyOffset(from), min(end, b.lineEnd(from))
		all = append(all, Piece{at + from - v.Index, start, start + next - from, false, b.objectStart})
		from = next
	}
	return all
}

// nameSegments returns the pieces of a name, which is a string or none.
func (b *body) nameSegments(at int, v gjson.Result) []Piece {
	if v.Type != gjson.String {
		return nil
	}
	return b.segmentsOf(at, v)
}

// bodyOffset returns where an offset in the object that is being read is in the body.
func (b *body) bodyOffset(offset int) int {
	line := lineStart{0, b.objectStart}
	if i := b.nextLineIndex(offset); i > 0 {
		line = b.lines[i-1]
	}
	return line.body + offset - line.object
}

// lineEnd returns the offset in the object at which the line ends that holds an offset.
func (b *body) lineEnd(offset int) int {
	if i := b.nextLineIndex(offset); i < len(b.lines) {
		return b.lines[i].object
	}
	return int(^uint(0) >> 1)
}

// nextLineIndex returns the index of the first line that begins behind an offset.
func (b *body) nextLineIndex(offset int) int {
	return sort.Search(len(b.lines), func(i int) bool { return b.lines[i].object > offset })
}
