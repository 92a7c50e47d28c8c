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
	body   []byte
	pieces []Piece
	piece  int // the one that was looked at last
	spot       // in it
	known  []spot
}

// A spot is a character of a piece.
type spot struct {
	at     int // bytes of the text before it
	offset int // where it stands in the body
}

// stride is how many bytes of a body stand between two spots that are remembered.
const stride = 1 << 10

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

// A Place is a stretch of a body: the bytes [Start, End) of it, in a piece of a text.
type Place struct {
	Start, End int
	Piece      Piece
}

// place returns the place at which the locator is.
func (l *Locator) place() Place { return Place{Start: l.offset, Piece: l.pieces[l.piece]} }

// find goes to the character that holds a byte of the text.
func (l *Locator) find(at int) {
	behind, _ := slices.BinarySearchFunc(l.pieces, at+1, func(p Piece, at int) int { return cmp.Compare(p.At, at) })
	if piece := max(0, behind-1); piece != l.piece {
		l.enter(piece)
	} else if at < l.at {
		l.goBack(at)
	}
	for l.at < at {
		size, width := l.next(at - l.at)
		if width == 0 || l.at+size > at {
			return
		}
		l.step(size, width)
	}
}

// forward goes behind the character that holds the last byte before an offset of the
// text, in this piece.
func (l *Locator) forward(at int) {
	for l.at < at {
		size, width := l.next(at - l.at)
		if width == 0 {
			return
		}
		l.step(size, width)
	}
}

// step passes over what was read.
func (l *Locator) step(size, width int) {
	l.at, l.offset = l.at+size, l.offset+width
	if l.offset >= l.known[len(l.known)-1].offset+stride {
		l.known = append(l.known, l.spot)
	}
}

// goBack goes to a spot before a byte of the text, in this piece.
func (l *Locator) goBack(at int) {
	behind, _ := slices.BinarySearchFunc(l.known, at+1, func(s spot, at int) int { return cmp.Compare(s.at, at) })
	l.spot = l.known[max(0, behind-1)]
}

// enter goes to the beginning of a piece.
func (l *Locator) enter(piece int) {
	if piece >= len(l.pieces) {
		return
	}
	p := l.pieces[piece]
	l.piece, l.spot = piece, spot{p.At, p.Start}
	if p.Quoted {
		l.offset++
	}
	l.known = append(l.known[:0], l.spot)
}

// inner returns where a piece ends, without its quote.
func (l *Locator) inner(piece int) int {
	p := &l.pieces[piece]
	if p.Quoted {
		return p.End - 1
	}
	return p.End
}

// next returns how many bytes the next character of the piece has in the text, and how
// many in the body; 0 at its end. Bytes that stand there as they are it takes as one, up to
// so many.
func (l *Locator) next(most int) (size, width int) {
	rest := l.body[l.offset:l.inner(l.piece)]
	plain := rest[:min(len(rest), most, stride)]
	if i := bytes.IndexByte(plain, '\\'); i >= 0 && l.pieces[l.piece].Quoted {
		plain = plain[:i]
	}
	if len(plain) > 0 || len(rest) < 2 {
		return len(plain), len(plain)
	}
	r, width := escaped(rest)
	if size = utf8.RuneLen(r); size < 0 {
		size = surrogateBytes
	}
	return size, width
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
