package lint

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"sync"

	"oneshot/pkg/diag"
)

// MaxRecordBytes is the maximum length of a JSON Lines line in bytes.
const MaxRecordBytes = 64 << 20

// A Chunk is some whole lines of a file.
type Chunk struct {
	diag.Text
	Truncated bool // the beginning of a line over the limit
	Records   bool // the file was detected as JSON Lines

	free *sync.Pool
}

// Release returns the chunk's buffer for reuse by later chunks. The chunk's bytes must not be used
// afterwards.
func (c Chunk) Release() {
	if c.free != nil && cap(c.Bytes) <= 2*chunkBytes {
		c.free.Put(&c.Bytes)
	}
}

// SplitLines splits a file into chunks of whole lines, each returned as soon as it is complete. It
// keeps at most one chunk in memory, and only the beginning of a line longer than [MaxRecordBytes]. A
// read error is the last value.
func SplitLines(r io.Reader) iter.Seq2[Chunk, error] { return splitLineChunks(r, MaxRecordBytes) }

// chunkBytes is the size of a chunk of short lines: large enough to amortize the hand-over, small
// enough to hold several in memory.
const chunkBytes = 256 << 10

func splitLineChunks(r io.Reader, maxLine int) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		s := splitter{src: r, maxLine: maxLine}
		for {
			c, err := s.next()
			if len(c.Bytes) > 0 && !yield(c, nil) {
				return
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					yield(Chunk{}, err)
				}
				return
			}
		}
	}
}

// A splitter splits a file into chunks.
type splitter struct {
	src     io.Reader
	maxLine int       // line
	pending diag.Text // the position and first bytes of the next chunk
	free    sync.Pool // unused buffers
}

// pooledBuffer returns an empty buffer.
func (s *splitter) pooledBuffer() []byte {
	if used, ok := s.free.Get().(*[]byte); ok {
		return (*used)[:0]
	}
	return make([]byte, 0, chunkBytes)
}

// next returns the next chunk. A chunk with an error is the last and may be empty.
func (s *splitter) next() (Chunk, error) {
	buf := append(s.pooledBuffer(), s.pending.Bytes...)
	for searched := 0; ; {
		if end := searched + bytes.LastIndexByte(buf[searched:], '\n') + 1; end > searched {
			return s.cutChunk(buf, end), nil
		}
		if searched = len(buf); searched > s.maxLine {
			return s.skipLongLine(buf)
		}
		if len(buf) == cap(buf) {
			larger := make([]byte, len(buf), min(2*len(buf), s.maxLine+1))
			copy(larger, buf)
			buf = larger
		}
		n, err := s.src.Read(buf[len(buf):cap(buf)])
		if buf = buf[:len(buf)+n]; err != nil {
			return s.cutChunk(buf, len(buf)), err
		}
	}
}

// cutChunk returns the first bytes of the buffer and keeps the rest for the next chunk.
func (s *splitter) cutChunk(buf []byte, end int) Chunk {
	c := Chunk{Text: diag.Text{Bytes: buf[:end], Offset: s.pending.Offset, LinesBefore: s.pending.LinesBefore}, free: &s.free}
	s.pending.Bytes = append(s.pending.Bytes[:0], buf[end:]...)
	s.pending.Offset += end
	s.pending.LinesBefore += c.CountLines()
	return c
}

// longLinePrefix is how many bytes of a line over the limit are kept.
const longLinePrefix = 1 << 10

// skipLongLine skips the rest of a line over the limit.
func (s *splitter) skipLongLine(buf []byte) (Chunk, error) {
	c := Chunk{Text: diag.Text{Bytes: bytes.Clone(buf[:min(len(buf), longLinePrefix)]), Offset: s.pending.Offset, LinesBefore: s.pending.LinesBefore}, Truncated: true}
	s.pending.Bytes = s.pending.Bytes[:0]
	s.pending.Offset += len(buf)
	buf = buf[:min(len(buf), chunkBytes)]
	for {
		n, err := s.src.Read(buf)
		end := bytes.IndexByte(buf[:n], '\n') + 1
		if end > 0 {
			s.pending.Bytes = bytes.Clone(buf[end:n])
			n = end
		}
		s.pending.Offset += n
		if end > 0 || err != nil {
			s.pending.LinesBefore++
			return c, err
		}
	}
}
