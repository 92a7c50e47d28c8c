package wire

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A Locator maps offsets of a text to offsets in a body. A lookup costs a few thousand steps at
// most, besides one pass over the text for all of them.
type Locator struct {
	body        []byte
	segments    []Segment
	current     int // index of the current segment
	position        // in the current segment
	checkpoints []position
}

// A position is a character of a segment.
type position struct {
	textOffset int // bytes of the text before it
	bodyOffset int // its offset in the body
}

// checkpointStride is the distance of checkpoints in the body, in bytes.
const checkpointStride = 1 << 10

// NewLocator returns a locator for a text made of segments of a body.
func NewLocator(body []byte, segments []Segment) *Locator {
	l := &Locator{body: body, segments: segments}
	l.enterSegment(0)
	return l
}

// Locate returns the ranges of the body for the bytes [start, end) of the text, one for each
// segment with some of them. An empty range is where the text continues. Without segments there
// are no ranges.
func (l *Locator) Locate(start, end int) []BodyRange {
	if len(l.segments) == 0 {
		return nil
	}
	l.seek(start)
	places := []BodyRange{l.emptyRangeAtPosition()}
	for l.current+1 < len(l.segments) && l.segments[l.current+1].TextOffset < end {
		places[len(places)-1].End = l.contentEnd(l.current)
		l.enterSegment(l.current + 1)
		places = append(places, l.emptyRangeAtPosition())
	}
	l.advance(end)
	places[len(places)-1].End = l.bodyOffset
	return places
}

// A BodyRange is the range [Start, End) of a body inside a segment of a text.
type BodyRange struct {
	Start, End int
	Segment    Segment
}

// emptyRangeAtPosition returns an empty range at the current position.
func (l *Locator) emptyRangeAtPosition() BodyRange {
	return BodyRange{Start: l.bodyOffset, Segment: l.segments[l.current]}
}

// seek moves to the character that contains a byte of the text.
func (l *Locator) seek(at int) {
	next, _ := slices.BinarySearchFunc(l.segments, at+1, func(p Segment, at int) int { return cmp.Compare(p.TextOffset, at) })
	if segment := max(0, next-1); segment != l.current {
		l.enterSegment(segment)
	} else if at < l.textOffset {
		l.rewind(at)
	}
	for l.textOffset < at {
		size, width := l.nextChar(at - l.textOffset)
		if width == 0 || l.textOffset+size > at {
			return
		}
		l.step(size, width)
	}
}

// advance moves past the character with the last byte before an offset of the text, within the
// segment.
func (l *Locator) advance(at int) {
	for l.textOffset < at {
		size, width := l.nextChar(at - l.textOffset)
		if width == 0 {
			return
		}
		l.step(size, width)
	}
}

// step moves past a character.
func (l *Locator) step(size, width int) {
	l.textOffset, l.bodyOffset = l.textOffset+size, l.bodyOffset+width
	if l.bodyOffset >= l.checkpoints[len(l.checkpoints)-1].bodyOffset+checkpointStride {
		l.checkpoints = append(l.checkpoints, l.position)
	}
}

// rewind moves to a checkpoint before a byte of the text, within the segment.
func (l *Locator) rewind(at int) {
	next, _ := slices.BinarySearchFunc(l.checkpoints, at+1, func(s position, at int) int { return cmp.Compare(s.textOffset, at) })
	l.position = l.checkpoints[max(0, next-1)]
}

// enterSegment moves to the start of a segment.
func (l *Locator) enterSegment(segment int) {
	if segment >= len(l.segments) {
		return
	}
	p := l.segments[segment]
	l.current, l.position = segment, position{p.TextOffset, p.Start}
	if p.Quoted {
		l.bodyOffset++
	}
	l.checkpoints = append(l.checkpoints[:0], l.position)
}

// contentEnd returns the end of a segment without its quote.
func (l *Locator) contentEnd(segment int) int {
	p := &l.segments[segment]
	if p.Quoted {
		return p.End - 1
	}
	return p.End
}

// nextChar returns the bytes of the next character in the text and in the body; 0 at the end of
// the segment. It takes a run of unescaped bytes, up to a maximum, as one.
func (l *Locator) nextChar(most int) (size, width int) {
	rest := l.body[l.bodyOffset:l.contentEnd(l.current)]
	plain := rest[:min(len(rest), most, checkpointStride)]
	if i := bytes.IndexByte(plain, '\\'); i >= 0 && l.segments[l.current].Quoted {
		plain = plain[:i]
	}
	if len(plain) > 0 || len(rest) < 2 {
		return len(plain), len(plain)
	}
	r, width := decodeEscape(rest)
	if size = utf8.RuneLen(r); size < 0 {
		size = surrogateLen
	}
	return size, width
}

// utf16Unit returns the UTF-16 code unit of an escape, or -1.
func utf16Unit(escape []byte) rune {
	if len(escape) < 6 || escape[0] != '\\' || escape[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(escape[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
