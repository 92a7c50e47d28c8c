package lint

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"oneshot/pkg/diag"
)

// Chunks are the file in whole lines with correct offsets, regardless of read sizes. A line over
// the limit is truncated.
func TestChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const longest = 40
		line := rapid.SampledFrom([]string{"", "a", "é\r", "b\rc", strings.Repeat("x", longest-1), strings.Repeat("y", 30), strings.Repeat("z", 3*longest)})
		file := strings.Join(rapid.SliceOf(line).Draw(t, "lines"), "\n")
		src := rapid.SampledFrom([]func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader}).Draw(t, "reader")
		whole, at := diag.NewLines([]byte(file)), 0
		for c, err := range splitLineChunks(src(strings.NewReader(file)), longest) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Offset != at || !strings.HasPrefix(file[at:], string(c.Bytes)) {
				t.Fatalf("%q stands at %d, behind %d bytes", c.Bytes, c.Offset, at)
			}
			if line, column := whole.Position(at); c.LinesBefore+1 != line || column != 1 {
				t.Fatalf("%q begins at %d:%d, and %d lines stand before", c.Bytes, line, column, c.LinesBefore)
			}
			at += len(c.Bytes)
			if c.Truncated {
				rest, _, _ := strings.Cut(file[at:], "\n")
				if bytes.ContainsRune(c.Bytes, '\n') || len(c.Bytes)+len(rest) <= longest {
					t.Fatalf("%q is the beginning of a long line, and %q the rest", c.Bytes, rest)
				}
				at = min(len(file), at+len(rest)+1)
			} else if at < len(file) && file[at-1] != '\n' {
				t.Fatalf("%q ends inside a line", c.Bytes)
			}
		}
		if at != len(file) {
			t.Fatalf("%d bytes of %d", at, len(file))
		}
	})
}

// The text before a read error is returned.
func TestChunksError(t *testing.T) {
	broken := errors.New("broken")
	var got []byte
	for c, err := range SplitLines(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken))) {
		got = append(got, c.Bytes...)
		if err != nil && !errors.Is(err, broken) {
			t.Error(err)
		}
		if err != nil && string(got) != "a\nb" {
			t.Errorf("got %q before the error", got)
		}
	}
}

// A complete line is returned before the next one is read.
func TestChunksAtOnce(t *testing.T) {
	r, w := io.Pipe()
	go io.WriteString(w, "one\n")
	for c, err := range SplitLines(r) {
		if err != nil || string(c.Bytes) != "one\n" {
			t.Errorf("%q (%v)", c.Bytes, err)
		}
		break
	}
	r.Close()
}
