package literal

import "strings"

// Small results are cut from shared blocks, which saves allocations. The first block is as large
// as the first result; later blocks grow up to maxBlock, so that a retained result does not keep
// much of others alive.

// maxBlock limits a block with more than one result, in bytes.
const maxBlock = 4096

// A stringArena allocates strings.
type stringArena struct{ block strings.Builder }

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

// A captureBuffer captures one text after another.
type captureBuffer struct {
	block strings.Builder
	from  int // start of the current text in block
}

// start begins another text.
func (k *captureBuffer) start() {
	const least = 64
	if k.discard(); k.block.Cap()-k.from < least {
		size := nextBlockSize(k.block.Cap(), least)
		*k = captureBuffer{}
		k.block.Grow(size)
	}
}

// discard discards the text.
func (k *captureBuffer) discard() {
	if k.block.Cap() > maxBlock {
		*k = captureBuffer{}
	}
	k.from = k.block.Len()
}

func (k *captureBuffer) text() string { return k.block.String()[k.from:] }

// A byteArena allocates byte slices.
type byteArena struct{ block []byte }

// alloc returns an empty slice with capacity n.
func (t *byteArena) alloc(n int) []byte {
	if n > cap(t.block)-len(t.block) {
		t.block = make([]byte, 0, nextBlockSize(cap(t.block), n))
	}
	from := len(t.block)
	t.block = t.block[:from+n]
	return t.block[from : from : from+n]
}

// persist returns an immutable version of a buffer: a copy, or the buffer itself if it is large.
// In that case same is true and the caller must not reuse it.
func (t *byteArena) persist(b []byte) (kept []byte, same bool) {
	if len(b) > maxBlock {
		return b, true
	}
	return append(t.alloc(len(b)), b...), false
}

// nextBlockSize returns the size of the block after one of a size, at least n bytes.
func nextBlockSize(size, n int) int { return max(n, min(2*size, maxBlock)) }
