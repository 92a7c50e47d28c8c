package wire

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A Locator finds where in a body the bytes of a text stand. To look up places in
// ascending order costs one pass over the text.
type Locator struct {
	body   []byte
	pieces []Piece
	piece  int // the one that was looked at last
	at     int // bytes of the text before a character in it
	offset int // where that stands in the body
}

// NewLocator returns a locator for a text that is made of pieces of a body.
func NewLocator(body []byte, pieces []Piece) *Locator {
	l := &Locator{body: body, pieces: pieces}
	l.enter(0)
	return l
}

// Place returns where the bytes [start, end) of the text stand in the body: a place for
// each piece that holds some of them. An empty place is one at which the text goes on.
// Without pieces there is none.
func (l *Locator) Place(start, end int) []Place {
	if len(l.pieces) == 0 {
		return nil
	}
	l.find(start)
	places := []Place{l.place()}
	for l.piece+1 < len(l.pieces) && l.pieces[l.piece+1].At < end {
		places[len(places)-1].End = l.inner(l.piece)
		l.enter(l.piece + 1)
		places = append(places, l.place())
	}
	l.forward(end)
	places[len(places)-1].End = l.offset
	return places
}

// A Place is a stretch of a body: the bytes [Start, End) of it, in a JSON string or in
// what stands there as it is.
type Place struct {
	Start, End int
	Quoted     bool
}

// place returns the place at which the locator is.
func (l *Locator) place() Place { return Place{Start: l.offset, Quoted: l.pieces[l.piece].Quoted} }

// find goes to the character that holds a byte of the text.
func (l *Locator) find(at int) {
	if at < l.at {
		l.enter(0)
	}
	for l.piece+1 < len(l.pieces) && l.pieces[l.piece+1].At <= at {
		l.enter(l.piece + 1)
	}
	for l.at < at {
		size, width := l.char()
		if width == 0 || l.at+size > at {
			return
		}
		l.at, l.offset = l.at+size, l.offset+width
	}
}

// forward goes behind the character that holds the last byte before an offset of the
// text, in this piece.
func (l *Locator) forward(at int) {
	for l.at < at {
		size, width := l.char()
		if width == 0 {
			return
		}
		l.at, l.offset = l.at+size, l.offset+width
	}
}

// enter goes to the beginning of a piece.
func (l *Locator) enter(piece int) {
	if piece >= len(l.pieces) {
		return
	}
	p := l.pieces[piece]
	l.piece, l.at, l.offset = piece, p.At, p.Start
	if p.Quoted {
		l.offset++
	}
}

// inner returns where a piece ends, without its quote.
func (l *Locator) inner(piece int) int {
	p := l.pieces[piece]
	if p.Quoted {
		return p.End - 1
	}
	return p.End
}

// char returns how many bytes the next character of the piece has in the text, and how
// many in the body; 0 at its end.
func (l *Locator) char() (size, width int) {
	rest := l.body[l.offset:l.inner(l.piece)]
	switch {
	case len(rest) == 0:
		return 0, 0
	case rest[0] != '\\' || !l.pieces[l.piece].Quoted || len(rest) < 2:
		return 1, 1
	case rest[1] != 'u':
		return 1, 2
	}
	r, width := unit(rest), 6
	if low := unit(rest[min(width, len(rest)):]); utf16.IsSurrogate(r) {
		if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
			width = 12
		}
	}
	return utf8.RuneLen(r), width
}

// unit returns the UTF-16 unit of an escape, or -1.
func unit(escape []byte) rune {
	if len(escape) < 6 || escape[0] != '\\' || escape[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(escape[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
