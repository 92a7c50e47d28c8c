package literal

import "strings"

// What is kept of many small calls is cut from blocks, which costs fewer
// allocations. A block is as large as what is needed at first, and grows with
// what follows up to a bound: what is kept of one call keeps no more than that
// of others.

// mostBlock bounds a block that holds more than one piece, in bytes.
const mostBlock = 4096

// A textBlock makes strings.
type textBlock struct{ block strings.Builder }

// add returns a copy of a text.
func (t *textBlock) add(text []byte) string {
	if len(text) > t.block.Cap()-t.block.Len() {
		size := nextBlock(t.block.Cap(), len(text))
		t.block = strings.Builder{}
		t.block.Grow(size)
	}
	from := t.block.Len()
	t.block.Write(text)
	return t.block.String()[from:]
}

// A keeper keeps one text after the other while it grows.
type keeper struct {
	block strings.Builder
	from  int // where the text begins in it
}

// begin begins another text.
func (k *keeper) begin() {
	const least = 64
	if k.drop(); k.block.Cap()-k.from < least {
		size := nextBlock(k.block.Cap(), least)
		*k = keeper{}
		k.block.Grow(size)
	}
}

// drop forgets the text.
func (k *keeper) drop() {
	if k.block.Cap() > mostBlock {
		*k = keeper{}
	}
	k.from = k.block.Len()
}

// text returns the text so far.
func (k *keeper) text() string { return k.block.String()[k.from:] }

// A byteBlock makes slices of bytes.
type byteBlock struct{ block []byte }

// room returns an empty slice with a capacity of n.
func (t *byteBlock) room(n int) []byte {
	if n > cap(t.block)-len(t.block) {
		t.block = make([]byte, 0, nextBlock(cap(t.block), n))
	}
	from := len(t.block)
	t.block = t.block[:from+n]
	return t.block[from : from : from+n]
}

// keep returns bytes that can change as ones that do not: a copy, or they themselves
// where they are many. It reports which.
func (t *byteBlock) keep(b []byte) (kept []byte, same bool) {
	if len(b) > mostBlock {
		return b, true
	}
	return append(t.room(len(b)), b...), false
}

// nextBlock returns the size of the block that follows one, for n bytes at least.
func nextBlock(size, n int) int { return max(n, min(2*size, mostBlock)) }
