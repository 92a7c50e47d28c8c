package wire

import "github.com/tidwall/gjson"

// A Piece is a part of a text, and the place of the JSON in the body that says it.
type Piece struct {
	At         int  // bytes of the text before it
	Start, End int  // offsets in the body
	Quoted     bool // it is a JSON string, quotes included; else the text is as it is written
}

// Sources say where in a body the texts of its response stand.
type Sources struct {
	Content, Reasoning []Piece
	Calls              []CallSources // of the calls of the response, in their order
}

// CallSources say where a call stands. What a server has in no place of its own,
// such as arguments that are put together from values, has no pieces.
type CallSources struct{ ID, Name, Arguments []Piece }

// Trace notes from now on where texts stand, for [Sources].
func (b *body) Trace() {
	b.sources = &Sources{}
}

// Sources returns where the texts of the response stand, as far as it has been read;
// nil without [Decoder.Trace].
func (b *body) Sources() *Sources { return b.sources }

// A lineStart is where a line of an object begins that stands in several.
type lineStart struct{ object, body int }

// placed returns the pieces of a value of the object that is being read: the text of a
// string, or anything else as it is written. The text has so many bytes before it.
func (b *body) placed(at int, v gjson.Result) []Piece {
	switch {
	case b == nil || b.sources == nil || v.Index == 0:
		return nil
	case v.Type == gjson.String:
		start := b.inBody(v.Index)
		return []Piece{{at, start, start + len(v.Raw), true}}
	}
	var all []Piece
	for from, end := v.Index, v.Index+len(v.Raw); from < end; {
		start, next := b.inBody(from), min(end, b.lineEnd(from))
		all = append(all, Piece{at + from - v.Index, start, start + next - from, false})
		from = next
	}
	return all
}

// inBody returns where an offset in the object that is being read is in the body.
func (b *body) inBody(offset int) int {
	line := lineStart{0, b.at}
	for _, l := range b.lines {
		if l.object > offset {
			break
		}
		line = l
	}
	return line.body + offset - line.object
}

// lineEnd returns the offset in the object at which the line ends that holds an offset.
func (b *body) lineEnd(offset int) int {
	for _, l := range b.lines {
		if l.object > offset {
			return l.object
		}
	}
	return int(^uint(0) >> 1)
}
