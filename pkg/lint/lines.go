package lint

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"sync"

	"oneshot/pkg/diag"
)

// MaxRecord is the longest line of JSON Lines that is read, in bytes.
const MaxRecord = 64 << 20

// A Chunk is a part of a file: some whole lines.
type Chunk struct {
	diag.Text
	Cut     bool // it is the beginning of one line that is too long to be read
	Records bool // each line is a record, in a file that was not said to hold any

	free *sync.Pool
}

// Free lets the next chunks stand where the chunk does: nothing may need its bytes any
// more.
func (c Chunk) Free() {
	if c.free != nil && cap(c.Bytes) <= 2*chunkBytes {
		c.free.Put(&c.Bytes)
	}
}

// Chunks reads a file and returns it in whole lines: those that are there, as soon as
// there are any, but not many at a time. It keeps no more of the file than a chunk, and
// of a line that is longer than [MaxRecord] no more than its beginning. An error is the
// reader's, and the last thing that it returns.
func Chunks(r io.Reader) iter.Seq2[Chunk, error] { return chunks(r, MaxRecord) }

// chunkBytes is how long a chunk of short lines is: long enough that the cost of handing
// it on does not count, and short enough for a few of them to be small.
const chunkBytes = 256 << 10

func chunks(r io.Reader, longest int) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		s := splitter{src: r, longest: longest}
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
	longest int       // line
	at      diag.Text // what stands before the next chunk, and the beginning of that
	free    sync.Pool // buffers that nobody needs
}

// buffer returns an empty buffer.
func (s *splitter) buffer() []byte {
	if used, ok := s.free.Get().(*[]byte); ok {
		return (*used)[:0]
	}
	return make([]byte, 0, chunkBytes)
}

// next returns the next chunk. With an error it is the last, and may be empty.
func (s *splitter) next() (Chunk, error) {
	buf := append(s.buffer(), s.at.Bytes...)
	for searched := 0; ; {
		if end := searched + bytes.LastIndexByte(buf[searched:], '\n') + 1; end > searched {
			return s.chunk(buf, end), nil
		}
		if searched = len(buf); searched > s.longest {
			return s.long(buf)
		}
		if len(buf) == cap(buf) {
			larger := make([]byte, len(buf), min(2*len(buf), s.longest+1))
			copy(larger, buf)
			buf = larger
		}
		n, err := s.src.Read(buf[len(buf):cap(buf)])
		if buf = buf[:len(buf)+n]; err != nil {
			return s.chunk(buf, len(buf)), err
		}
	}
}

// chunk returns the first bytes of what was read. What follows them begins the next one.
func (s *splitter) chunk(buf []byte, end int) Chunk {
	c := Chunk{Text: diag.Text{Bytes: buf[:end], Offset: s.at.Offset, Before: s.at.Before}, free: &s.free}
	s.at.Bytes = append(s.at.Bytes[:0], buf[end:]...)
	s.at.Offset += end
	s.at.Before += c.Count()
	return c
}

// shownBytes is how much is kept of a line that is too long.
const shownBytes = 1 << 10

// long passes over the rest of a line that is too long.
func (s *splitter) long(buf []byte) (Chunk, error) {
	c := Chunk{Text: diag.Text{Bytes: bytes.Clone(buf[:min(len(buf), shownBytes)]), Offset: s.at.Offset, Before: s.at.Before}, Cut: true}
	s.at.Bytes = s.at.Bytes[:0]
	s.at.Offset += len(buf)
	buf = buf[:min(len(buf), chunkBytes)]
	for {
		n, err := s.src.Read(buf)
		end := bytes.IndexByte(buf[:n], '\n') + 1
		if end > 0 {
			s.at.Bytes = bytes.Clone(buf[end:n])
			n = end
		}
		s.at.Offset += n
		if end > 0 || err != nil {
			s.at.Before++
			return c, err
		}
	}
}
