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

// nextBlock returns the size of the block that follows one, for n bytes at least.
func nextBlock(size, n int) int { return max(n, min(2*size, mostBlock)) }
