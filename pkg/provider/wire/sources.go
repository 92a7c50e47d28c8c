package wire

import (
	"cmp"
	"sort"
	"strconv"

	"github.com/tidwall/gjson"
)

// A Segment is a part of a text and the range of the body that contains it.
type Segment struct {
	TextOffset  int  // bytes of the text before it
	Start, End  int  // offsets in the body
	Quoted      bool // it is a JSON string, quotes included; otherwise raw text
	ObjectStart int  // offset of the containing object
}

// Sources map the texts of a response to their segments in the body.
type Sources struct {
	Content, Reasoning []Segment
	Calls              []CallSources   // of the response's calls, in their order
	Stop               []Segment       // the stop reason, if the server sends one
	Error              []Segment       // the server's error message, if it has a segment
	OtherChoices       []Segment       // the first segment of each choice other than the first, which are not decoded
	ServerResults      map[string]bool // IDs of calls that the server has executed, with results in the response
}

// CallSources are the segments of a call. Parts that are merged from several values, such as
// arguments, have none.
type CallSources struct {
	ID, Name, Arguments []Segment
	Program             string // ID of the server-side program that made the call; "" for the model
}

// TraceSources enables [Sources] from now on.
func (b *body) TraceSources() {
	b.sources = &Sources{}
}

// Sources returns the segments of the response read so far; nil without [Decoder.TraceSources].
func (b *body) Sources() *Sources { return b.sources }

// firstChoice returns the first choice, or candidate, of a message if it has one, and records
// where the others begin.
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
			b.sources.OtherChoices = append(b.sources.OtherChoices, at[:min(len(at), 1)]...)
		}
	}
	return first
}

// noteErrorSource records the segment of a reported error: its message, or else the member or
// object that contains it.
func (b *body) noteErrorSource(v gjson.Result) {
	if b.sources == nil {
		return
	}
	for _, path := range [...]string{"error.message", "error", "message", "status_msg", "detail"} {
		if at := v.Get(path); parseErrorMember(at).isSet() {
			b.sources.Error = b.segmentsOf(0, at)
			return
		}
	}
}

// A lineStart is the start of a line of an object that spans several lines.
type lineStart struct{ object, body int }

// segmentsOf returns the segments of a value of the current object: the text of a string, or the
// JSON of any other value. Its text begins at an offset of the response's text.
func (b *body) segmentsOf(at int, v gjson.Result) []Segment {
	switch {
	case b == nil || b.sources == nil || v.Index == 0:
		return nil
	case v.Type == gjson.String:
		start := b.bodyOffset(v.Index)
		return []Segment{{at, start, start + len(v.Raw), true, b.objectStart}}
	}
	var all []Segment
	for from, end := v.Index, v.Index+len(v.Raw); from < end; {
		start, next := b.bodyOffset(from), min(end, b.lineEnd(from))
		all = append(all, Segment{at + from - v.Index, start, start + next - from, false, b.objectStart})
		from = next
	}
	return all
}

// nameSegments returns the segments of a name if it is a string.
func (b *body) nameSegments(at int, v gjson.Result) []Segment {
	if v.Type != gjson.String {
		return nil
	}
	return b.segmentsOf(at, v)
}

// bodyOffset maps an offset in the current object to the body.
func (b *body) bodyOffset(offset int) int {
	line := lineStart{0, b.objectStart}
	if i := b.nextLineIndex(offset); i > 0 {
		line = b.lines[i-1]
	}
	return line.body + offset - line.object
}

// lineEnd returns the offset in the object where the line with an offset ends.
func (b *body) lineEnd(offset int) int {
	if i := b.nextLineIndex(offset); i < len(b.lines) {
		return b.lines[i].object
	}
	return int(^uint(0) >> 1)
}

// nextLineIndex returns the index of the first line that begins after an offset.
func (b *body) nextLineIndex(offset int) int {
	return sort.Search(len(b.lines), func(i int) bool { return b.lines[i].object > offset })
}
