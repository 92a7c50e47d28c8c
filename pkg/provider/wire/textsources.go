package wire

import (
	"cmp"
	"sort"
	"strconv"
	"strings"

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

// FirstChoice returns the first choice, or candidate, of a message if it has one, and records
// where the others begin.
func (r *Response) FirstChoice(choices gjson.Result) (first gjson.Result) {
	for i, choice := range r.Items(choices) {
		index := StringOrNumber(choice.Get("index"))
		if !first.Exists() && (index == "" || index == "0") {
			first = choice
			continue
		}
		if index = cmp.Or(index, strconv.Itoa(i)); r.sources != nil && !r.otherChoices[index] {
			if r.otherChoices == nil {
				r.otherChoices = map[string]bool{}
			}
			r.otherChoices[index] = true
			at := r.SegmentsOf(0, choice)
			r.sources.OtherChoices = append(r.sources.OtherChoices, at[:min(len(at), 1)]...)
		}
	}
	return first
}

// NoteServerResult records that the response contains the result of a call, which the server has
// executed.
func (r *Response) NoteServerResult(callID gjson.Result) {
	if callID.Str == "" || r.sources == nil {
		return
	}
	if r.sources.ServerResults == nil {
		r.sources.ServerResults = map[string]bool{}
	}
	r.sources.ServerResults[strings.Clone(callID.Str)] = true
}

// noteErrorSegment records the segment of a reported error: its message, or else the member or
// object that contains it.
func (r *Response) noteErrorSegment(v gjson.Result) {
	if r.sources == nil {
		return
	}
	for _, path := range [...]string{"error.message", "error", "message", "status_msg", "detail"} {
		if at := v.Get(path); ParseErrorMember(at).IsSet() {
			r.sources.Error = r.SegmentsOf(0, at)
			return
		}
	}
}

// A lineStart is the start of a line of an object that spans several lines.
type lineStart struct{ object, body int }

// SegmentsOf returns the segments of a value of the current object: the text of a string, or the
// JSON of any other value. Its text begins at an offset of the response's text.
func (r *Response) SegmentsOf(at int, v gjson.Result) []Segment {
	switch {
	case r.sources == nil || v.Index == 0:
		return nil
	case v.Type == gjson.String:
		start := r.bodyOffset(v.Index)
		return []Segment{{at, start, start + len(v.Raw), true, r.objectStart}}
	}
	var all []Segment
	for from, end := v.Index, v.Index+len(v.Raw); from < end; {
		start, next := r.bodyOffset(from), min(end, r.lineEnd(from))
		all = append(all, Segment{at + from - v.Index, start, start + next - from, false, r.objectStart})
		from = next
	}
	return all
}

// appendSegments appends the segments of texts that begin at an offset of the response's text.
func (r *Response) appendSegments(segments []Segment, at int, t Texts) []Segment {
	for _, v := range t {
		if v.Str != "" {
			segments = append(segments, r.SegmentsOf(at, v)...)
			at += len(v.Str)
		}
	}
	return segments
}

// ToolNameSegments returns the segments of a name if it is a string.
func (r *Response) ToolNameSegments(at int, v gjson.Result) []Segment {
	if v.Type != gjson.String {
		return nil
	}
	return r.SegmentsOf(at, v)
}

// bodyOffset maps an offset in the current object to the body.
func (r *Response) bodyOffset(offset int) int {
	line := lineStart{0, r.objectStart}
	if i := r.nextLineIndex(offset); i > 0 {
		line = r.lines[i-1]
	}
	return line.body + offset - line.object
}

// lineEnd returns the offset in the object where the line with an offset ends.
func (r *Response) lineEnd(offset int) int {
	if i := r.nextLineIndex(offset); i < len(r.lines) {
		return r.lines[i].object
	}
	return int(^uint(0) >> 1)
}

// nextLineIndex returns the index of the first line that begins after an offset.
func (r *Response) nextLineIndex(offset int) int {
	return sort.Search(len(r.lines), func(i int) bool { return r.lines[i].object > offset })
}
