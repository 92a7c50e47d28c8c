package wire

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A Locator finds where in a body the bytes of a text stand. A look-up costs a few
// thousand steps at most, beside one pass over the text for all of them.
type Locator struct {
	body        []byte
	pieces      []Piece
	current     int // the one that was looked at last
	position        // in it
	checkpoints []position
}

// A position is a character of a piece.
type position struct {
	textOffset int // bytes of the text before it
	bodyOffset int // where it stands in the body
}

// checkpointStride is how many bytes of a body stand between two spots that are remembered.
const checkpointStride = 1 << 10

// NewLocator returns a locator for a text that is made of pieces of a body.
func NewLocator(body []byte, pieces []Piece) *Locator {
	l := &Locator{body: body, pieces: pieces}
	l.enterSegment(0)
	return l
}

// Place returns where the bytes [start, end) of the text stand in the body: a place for
// each piece that holds some of them. An empty place is one at which the text goes on.
// Without pieces there is none.
func (l *Locator) Place(start, end int) []Place {
	if len(l.pieces) == 0 {
		return nil
	}
	l.seek(start)
	places := []Place{l.currentRange()}
	for l.current+1 < len(l.pieces) && l.pieces[l.current+1].At < end {
		places[len(places)-1].End = l.contentEnd(l.current)
		l.enterSegment(l.current + 1)
		places = append(places, l.currentRange())
	}
	l.advance(end)
	places[len(places)-1].End = l.bodyOffset
	return places
}

// A Place is a stretch of a body: the bytes [Start, End) of it, in a piece of a text.
type Place struct {
	Start, End int
	Piece      Piece
}

// currentRange returns the place at which the locator is.
func (l *Locator) currentRange() Place { return Place{Start: l.bodyOffset, Piece: l.pieces[l.current]} }

// seek goes to the character that holds a byte of the text.
func (l *Locator) seek(at int) {
	behind, _ := slices.BinarySearchFunc(l.pieces, at+1, func(p Piece, at int) int { return cmp.Compare(p.At, at) })
	if piece := max(0, behind-1); piece != l.current {
		l.enterSegment(piece)
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

// advance goes behind the character that holds the last byte before an offset of the
// text, in this piece.
func (l *Locator) advance(at int) {
	for l.textOffset < at {
		size, width := l.nextChar(at - l.textOffset)
		if width == 0 {
			return
		}
		l.step(size, width)
	}
}

// step passes over what was read.
func (l *Locator) step(size, width int) {
	l.textOffset, l.bodyOffset = l.textOffset+size, l.bodyOffset+width
	if l.bodyOffset >= l.checkpoints[len(l.checkpoints)-1].bodyOffset+checkpointStride {
		l.checkpoints = append(l.checkpoints, l.position)
	}
}

// rewind goes to a spot before a byte of the text, in this piece.
func (l *Locator) rewind(at int) {
	behind, _ := slices.BinarySearchFunc(l.checkpoints, at+1, func(s position, at int) int { return cmp.Compare(s.textOffset, at) })
	l.position = l.checkpoints[max(0, behind-1)]
}

// enterSegment goes to the beginning of a piece.
func (l *Locator) enterSegment(piece int) {
	if piece >= len(l.pieces) {
		return
	}
	p := l.pieces[piece]
	l.current, l.position = piece, position{p.At, p.Start}
	if p.Quoted {
		l.bodyOffset++
	}
	l.checkpoints = append(l.checkpoints[:0], l.position)
}

// contentEnd returns where a piece ends, without its quote.
func (l *Locator) contentEnd(piece int) int {
	p := &l.pieces[piece]
	if p.Quoted {
		return p.End - 1
	}
	return p.End
}

// nextChar returns how many bytes the next character of the piece has in the text, and how
// many in the body; 0 at its end. Bytes that stand there as they are it takes as one, up to
// so many.
func (l *Locator) nextChar(most int) (size, width int) {
	rest := l.body[l.bodyOffset:l.contentEnd(l.current)]
	plain := rest[:min(len(rest), most, checkpointStride)]
	if i := bytes.IndexByte(plain, '\\'); i >= 0 && l.pieces[l.current].Quoted {
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

// utf16Unit returns the UTF-16 unit of an escape, or -1.
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
