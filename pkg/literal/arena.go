package literal

import "strings"

// What is kept of many small calls is cut from blocks, which costs fewer
// allocations. A block is as large as what is needed at first, and grows with
// what follows up to a bound: what is kept of one call keeps no more than that
// of others.

// maxBlock bounds a block that holds more than one piece, in bytes.
const maxBlock = 4096

// A stringArena makes strings.
type stringArena struct{ block strings.Builder }

// clone returns a copy of a text.
func (t *stringArena) clone(text []byte) string {
	if len(text) > t.block.Cap()-t.block.Len() {
		size := nextBlockSize(t.block.Cap(), len(text))
		t.block = strings.Builder{}
		t.block.Grow(size)
	}
	from := t.block.Len()
	t.block.Write(text)
	return t.block.String()[from:]
}

// A captureBuffer keeps one text after the other while it grows.
type captureBuffer struct {
	block strings.Builder
	from  int // where the text begins in it
}

// start begins another text.
func (k *captureBuffer) start() {
	const least = 64
	if k.drop(); k.block.Cap()-k.from < least {
		size := nextBlockSize(k.block.Cap(), least)
		*k = captureBuffer{}
		k.block.Grow(size)
	}
}

// drop forgets the text.
func (k *captureBuffer) drop() {
	if k.block.Cap() > maxBlock {
		*k = captureBuffer{}
	}
	k.from = k.block.Len()
}

// text returns the text so far.
func (k *captureBuffer) text() string { return k.block.String()[k.from:] }

// A byteArena makes slices of bytes.
type byteArena struct{ block []byte }

// alloc returns an empty slice with a capacity of n.
func (t *byteArena) alloc(n int) []byte {
	if n > cap(t.block)-len(t.block) {
		t.block = make([]byte, 0, nextBlockSize(cap(t.block), n))
	}
	from := len(t.block)
	t.block = t.block[:from+n]
	return t.block[from : from : from+n]
}

// persist returns bytes that can change as ones that do not: a copy, or they themselves
// where they are many. It reports which.
func (t *byteArena) persist(b []byte) (kept []byte, same bool) {
	if len(b) > maxBlock {
		return b, true
	}
	return append(t.alloc(len(b)), b...), false
}

// nextBlockSize returns the size of the block that follows one, for n bytes at least.
func nextBlockSize(size, n int) int { return max(n, min(2*size, maxBlock)) }
